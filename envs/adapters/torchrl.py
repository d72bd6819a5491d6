"""Games as a batched TorchRL environment with one learner a game, the other seats held by opponents."""

from typing import Any

from ..core.learners import OVER, LearnerGames, Opponents
from ..registry import make_game
from .extras import require

require("torchrl", "torchrl")

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase


class LearnerEnv(EnvBase):
    """``num_envs`` games on the compiled engine, batch size (B,): a step is each learner's move and all the opponents' moves after it.

    Tensordicts hold, each game with its row:

    observation: int8 (B, *observation_shape), as the learner's seat sees the board.
    action_mask: bool (B, num_actions), the learner's legal moves; all False where the game is over.
    action: int64 (B,). ValueError for one that is not legal, before anything moves.
    reward: float32 (B, 1), the learner's payoff at the end of its game, 0 before.
    done, terminated: bool (B, 1). A game that the cap on turns ended counts as terminated: its payoff is final.

    A transition leads from one decision of the learner to its next, so that value estimators and losses made for one agent are right
    as they are. Games that are over wait for ``reset``, as collectors and ``rollout`` call it.

    ``rollout`` without a policy and ``rand_step`` draw legal moves, in a ``TransformedEnv``, too. A collector without a policy does not:
    give it ``env.rand_action``. ``ActionMask`` is not needed.

    game: its name. opponents, seat: see ``LearnerGames``. device: where tensors are handed out; the games stay on the CPU.
    config: of the game. ValueError as from ``make_game``, or for arguments that do not fit the game.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Opponents = "random",
        seat: int | str = "random",
        device: str | torch.device = "cpu",
        **config: Any,
    ):
        games = LearnerGames(make_game(game, **config), num_envs, opponents, seat)
        super().__init__(device=device, batch_size=[num_envs])
        self.game, self._games = games.game, games
        self._all = np.arange(num_envs)
        bounds = self.game.observation_low, self.game.observation_high
        low, high = (torch.from_numpy(bound).expand(num_envs, *bound.shape) for bound in bounds)
        self.observation_spec = Composite(
            observation=Bounded(low, high, dtype=torch.int8),
            action_mask=Binary(self.game.num_actions, (num_envs, self.game.num_actions), dtype=torch.bool),
            shape=self.batch_size,
        ).to(self.device)
        self.action_spec = Categorical(self.game.num_actions, self.batch_size, device=self.device)
        self.reward_spec = Unbounded((num_envs, 1), self.device)

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each game, int64 (B,)."""
        return self._games.seats.copy()

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """``tensordict`` with a random legal action for each game; any action for those that are over."""
        weights = torch.from_numpy(self._games.masks).float()
        weights[weights.sum(dim=1) == 0] = 1
        tensordict = TensorDict({}, self.batch_size, self.device) if tensordict is None else tensordict
        return tensordict.set("action", torch.multinomial(weights, 1).squeeze(1).to(self.device))

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDict:
        asked = None if tensordict is None else tensordict.get("_reset", None)
        self._games.begin(self._all if asked is None else np.flatnonzero(asked.cpu().numpy()))
        return TensorDict(self._seen(), self.batch_size, self.device)

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        asked = tensordict.get("_step", None)
        rows = self._all if asked is None else np.flatnonzero(asked.cpu().numpy())
        actions = tensordict["action"].cpu().numpy()[rows]
        self._games.check_legal(actions, rows)
        rewards = torch.zeros(self.batch_size)
        rewards[rows] = torch.from_numpy(self._games.play(actions, rows)).float()
        return TensorDict({**self._seen(), "reward": rewards.unsqueeze(1)}, self.batch_size, self.device)

    def _seen(self) -> dict[str, torch.Tensor]:
        over = torch.from_numpy(self._games.players == OVER).unsqueeze(1)
        return {
            "observation": torch.from_numpy(self._games.observe()),
            "action_mask": torch.from_numpy(self._games.masks != 0),
            "terminated": over,
            "done": over.clone(),
        }

    def _set_seed(self, seed: int | None) -> None:
        """Seed the games with seed, seed + 1, …; they go by it from the next reset on."""
        self._games.reseed([None if seed is None else seed + row for row in range(len(self._all))])
