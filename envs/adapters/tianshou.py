"""Games as a vectorised Tianshou environment with one learner a game, the other seats held by opponents."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.learners import OVER, LearnerGames, Opponents, observation_space
from ..core.rendering import Renderer
from ..registry import make_game
from .extras import require

require("tianshou", "tianshou")

import numpy as np
from gymnasium import spaces
from tianshou.data import Batch
from tianshou.env import BaseVectorEnv

_OF_ONE_GAME = ("action_space", "observation_space", "metadata")  # Tianshou asks for these as lists, one entry a game


class LearnerVectorEnv(BaseVectorEnv):
    """``num_envs`` games on the compiled engine: a step is each learner's move and all the opponents' moves after it.

    Observations are a Batch of ``obs``, int8 (n, *observation_shape), as the learner's seat sees the board, and ``mask``, bool
    (n, num_actions), its legal moves, for the n games asked for: what Tianshou's policies for discrete actions look for. ``mask`` is all
    False where the game is over. Rewards are float64 (n,), the learner's payoff at the end of its game, 0 before. A game that the cap on
    turns ended counts as terminated, since its payoff is final.

    A transition leads from one decision of the learner to its next, so that algorithms made for one agent are right as they are. Games that
    are over wait for ``reset``, as collectors call it. An action that is not legal is a ValueError, before anything moves; so
    ``collect(random=True)``, which draws from all actions, is of no use here.

    game: its name. opponents, seat: see ``LearnerGames``. render_mode: None, "ansi" or "rgb_array". config: of the game. ValueError as from
    ``make_game``, or for arguments that do not fit the game.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        **config: Any,
    ):
        # The parent's __init__ is left out: it makes a worker for each of many environments, and here is one that steps all games.
        if render_mode == "human":
            raise ValueError("many games have no window: render_mode must be None, ansi or rgb_array")
        self.game = make_game(game, **config)
        self._games = LearnerGames(self.game, num_envs, opponents, seat)
        self._renderer = Renderer(self.game, render_mode)
        self.env_num, self.is_async, self.is_closed = num_envs, False, False
        self._infos = np.array([{"env_id": row} for row in range(num_envs)], dtype=object)
        self._spaces = {
            "observation_space": spaces.Dict(obs=observation_space(self.game), mask=spaces.MultiBinary(self.game.num_actions)),
            "action_space": spaces.Discrete(self.game.num_actions),
            "metadata": {"render_modes": ["ansi", "rgb_array"]},
        }

    def get_env_attr(self, key: str, id: int | Sequence[int] | np.ndarray | None = None) -> list[Any]:
        """What a game of its own would have as ``observation_space``, ``action_space`` or ``metadata``, for each game asked for."""
        if key not in self._spaces:
            raise AttributeError(f"single games have {', '.join(self._spaces)}, but no {key}")
        return [self._spaces[key]] * len(self._rows(id))

    def set_env_attr(self, key: str, value: Any, id: int | Sequence[int] | np.ndarray | None = None) -> None:
        """AttributeError: there are no single games that something could be set in."""
        raise AttributeError(f"{key} cannot be set: all games are stepped as one")

    def reset(self, env_id: int | Sequence[int] | np.ndarray | None = None, **kwargs: Any) -> tuple[Batch, np.ndarray]:
        """Begin the games of ``env_id``, all by default. Observations and infos, objects (n,).

        seed: an integer s seeds game k with s + k. options: see ``SingleLearnerEnv``; ValueError as there.
        """
        rows = self._rows(env_id)
        options: Mapping[str, Any] | None = kwargs.get("options")
        if options is not None:
            self._games.start_at(self._games.checked_start(options))
        if kwargs.get("seed") is not None:
            self.seed(kwargs["seed"])
        self._games.begin(rows)
        return self._seen(rows), self._infos[rows]

    def step(
        self, action: np.ndarray, id: int | Sequence[int] | np.ndarray | None = None
    ) -> tuple[Batch, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The learner's moves, integers (n,), in the games of ``id``, all by default.

        Observations, rewards, terminated and truncated, bool (n,), and infos, objects (n,).
        """
        rows = self._rows(id)
        actions = np.asarray(action, np.int64)
        self._games.check_legal(actions, rows)
        rewards = self._games.play(actions, rows)
        return self._seen(rows), rewards, self._games.players[rows] == OVER, np.zeros(len(rows), np.bool_), self._infos[rows]

    def seed(self, seed: int | Sequence[int | None] | None = None) -> list[list[int] | None]:
        """Seed the games, from the next reset on: an integer s seeds game k with s + k, a list has one for each. What each got."""
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.env_num
        elif isinstance(seed, int | np.integer):
            seeds = [int(seed) + row for row in range(self.env_num)]
        else:
            seeds = list(seed)
        if len(seeds) != self.env_num:
            raise ValueError(f"there are {self.env_num} games, got {len(seeds)} seeds")
        self._games.reseed(seeds)
        return [None if one is None else [one] for one in seeds]

    def render(self, **_: Any) -> list[Any]:
        """Text or pixels of each game, as ``render_mode`` says."""
        return [self._renderer.render(self._games.states[row : row + 1]) for row in range(self.env_num)]

    def close(self) -> None:
        self.is_closed = True

    def _rows(self, id: int | Sequence[int] | np.ndarray | None) -> np.ndarray:
        return np.arange(self.env_num) if id is None else np.atleast_1d(np.asarray(id, np.int64))

    def _seen(self, rows: np.ndarray) -> Batch:
        return Batch(obs=self._games.observe(rows), mask=self._games.masks[rows] != 0)
