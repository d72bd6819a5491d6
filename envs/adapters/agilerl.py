"""Games as a vectorised environment for AgileRL with one learner a game, the other seats held by opponents, and agents as players."""

from typing import Any

from ..core.gymnasium_vector import GameVectorEnv
from ..core.learners import Opponents
from ..core.players import Decisions
from ..registry import make_game
from .extras import require

require("agilerl", "agilerl")

import numpy as np


class LearnerVectorEnv(GameVectorEnv):
    """``num_envs`` games on the compiled engine: a step is each learner's move and all the opponents' moves after it.

    It is the Gymnasium vector environment, with the mask in ``infos["action_mask"]``, where AgileRL's PPO and DQN look for it, but for one
    thing: an action that is not legal is a ValueError, before anything moves, and does not end a game.

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

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learners' moves. actions: integers (B,), legal ones, else ValueError before anything moves."""
        self._games.check_legal(self._games.checked_actions(actions), self._all)
        return super().step(actions)


class AgentPlayer:
    """A trained PPO or DQN agent as a player for ``evaluate``. PPO draws its moves, as AgileRL's always does."""

    def __init__(self, agent: Any):
        self.agent = agent

    def __call__(self, decisions: Decisions) -> np.ndarray:
        answer = self.agent.get_action(decisions.observation, action_mask=decisions.action_mask)
        return np.asarray(answer[0] if isinstance(answer, tuple) else answer)  # PPO tells log-probabilities and more beside
