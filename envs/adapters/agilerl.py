"""Games as a vectorised environment for AgileRL with one learner a game, the other seats held by opponents, and agents as players."""

from typing import Any

from ..core.game import Game
from ..core.gymnasium_vector import GameVectorEnv
from ..core.learners import Opponents, observation_space
from ..core.players import Decisions
from ..registry import make_game
from .extras import require

require("agilerl", "agilerl")

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space


def scaled(observation: np.ndarray, game: Game) -> np.ndarray:
    """An observation, or a batch of them, divided by its upper bounds: float32, mostly from 0 to 1."""
    return observation / np.maximum(game.observation_high, 1).astype(np.float32)


class LearnerVectorEnv(GameVectorEnv):
    """``num_envs`` games on the compiled engine: a step is each learner's move and all the opponents' moves after it.

    It is the Gymnasium vector environment, with the mask in ``infos["action_mask"]``, where AgileRL's PPO and DQN look for it, but for two
    things: observations are ``scaled``, since AgileRL's networks take them as they come, and an action that is not legal is a
    ValueError, before anything moves, and does not end a game.

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
        super().__init__(make_game(game, **config), num_envs, opponents, seat, render_mode)
        box = observation_space(self.game)
        self.single_observation_space = spaces.Box(scaled(box.low, self.game), scaled(box.high, self.game), dtype=np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learners' moves. actions: integers (B,), legal ones, else ValueError before anything moves."""
        self._games.check_legal(self._games.checked_actions(actions), self._all)
        return super().step(actions)

    def _observe(self) -> np.ndarray:
        return scaled(super()._observe(), self.game)


class AgentPlayer:
    """A PPO or DQN agent trained in ``LearnerVectorEnv`` as a player for ``evaluate``. PPO draws its moves, as AgileRL's always does."""

    def __init__(self, agent: Any):
        self.agent = agent

    def __call__(self, decisions: Decisions) -> np.ndarray:
        answer = self.agent.get_action(scaled(decisions.observation, decisions.game), action_mask=decisions.action_mask)
        return np.asarray(answer[0] if isinstance(answer, tuple) else answer)  # PPO tells log-probabilities and more beside
