"""Any game as a Gymnasium environment for one learner, the other seats held by opponents."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from . import rendering
from .game import Game, State
from .learners import OVER, LearnerGames, Opponents, observation_space
from .rendering import FRAMES_PER_SECOND, RENDER_MODES, Renderer


class SingleLearnerEnv(gymnasium.Env):
    """From ``reset`` to the end of a game, ``step`` is the learner's move and all the opponents' moves after it.

    Observations are int8, game.observation_shape, as the learner's seat sees the board; infos hold ``action_mask``, int8
    (num_actions,), also given as bools by ``action_masks()``. The reward is the learner's payoff at the end, 0 before.
    The last info of a game also says how it ended: ``ending`` (text) and ``truncated_by_cap`` (bool). A game that the cap on turns
    ended is reported as terminated, since its payoff is final: nothing is to be estimated beyond it. An action that is
    not legal ends the game, terminated, with a reward of -1.

    ``reset`` understands ``options={"position": text}`` and keeps its options for later resets without any. Without a seed it
    goes on with the generators of dice, seats and opponents.

    game: the rules. opponents, seat: see ``LearnerGames``. render_mode: None, "ansi", "rgb_array" or "human".
    """

    def __init__(self, game: Game, opponents: Opponents = "random", seat: int | str = "random", render_mode: str | None = None):
        self._renderer = Renderer(game, render_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}
        self._games = LearnerGames(game, 1, opponents, seat)
        self.game, self.render_mode = game, render_mode
        self.observation_space = observation_space(game)
        self.action_space = spaces.Discrete(game.num_actions)

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return int(self._games.seats[0])

    def state(self) -> State:
        """A copy of the game's state, for the methods of ``game``. It throws the same dice as the environment: see ``game.reseed``."""
        return self._games.states.copy()

    @property
    def position(self) -> str:
        """The position's text."""
        return self.game.position(self._games.states)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game. ValueError, with nothing changed, if ``options["position"]`` is none or leaves nothing to decide."""
        start = None if options is None else self._games.checked_start(options)
        super().reset(seed=seed)
        self._games.reseed([seed])
        if start is not None:
            self._games.start_at(start)
        self._games.begin(np.zeros(1, np.int64))
        self._renderer.render_if_watched(self._games.states)
        return self._games.observe()[0], {"action_mask": self._games.masks[0].copy()}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The learner's move. ValueError for what is no action at all, ``gymnasium.error.ResetNeeded`` when no game is going on."""
        if self._games.players[0] != self._games.seats[0]:
            raise gymnasium.error.ResetNeeded("no game is going on: call reset() first")
        if action not in self.action_space:
            raise ValueError(f"an action is an integer from 0 to {self.game.num_actions - 1}, got {action!r}")
        reward = float(self._games.play(np.array([action], np.int64))[0])
        over = bool(self._games.players[0] == OVER)
        info = self._games.final_info(0) if over else {"action_mask": self._games.masks[0].copy()}
        self._renderer.render_if_watched(self._games.states)
        return self._games.observe()[0], reward, over, False, info

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, bool (num_actions,), as sb3-contrib's MaskablePPO asks for them."""
        return self._games.masks[0].astype(np.bool_)

    def render(self) -> str | np.ndarray | None:
        """Text, uint8 pixels (height, width, 3), or None with the picture shown in a window, as ``render_mode`` says."""
        return self._renderer.render(self._games.states)

    def svg(self) -> str:
        """The picture as SVG text."""
        return rendering.picture(self.game, self._games.states).svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def close(self) -> None:
        self._renderer.close()
