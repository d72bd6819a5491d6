"""Many games for one learner each as a Gymnasium vector environment."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .game import Game
from .learners import OVER, LearnerGames, Opponents, observation_space
from .rendering import FRAMES_PER_SECOND, Renderer


class GameVectorEnv(VectorEnv):
    """``num_envs`` games as in ``SingleLearnerEnv``, each with a learner of its own, stepped together.

    A game that ends is followed by the next one in the same step (AutoresetMode.SAME_STEP): the observation is the new game's,
    ``infos["final_obs"]`` and ``infos["final_info"]`` hold the old one's, laid out as Gymnasium's SyncVectorEnv does. With the
    same seeds the games are those of a SyncVectorEnv of SingleLearnerEnv.
    ``infos["action_mask"]`` is int8 (B, num_actions).

    game, opponents, seat: as for ``SingleLearnerEnv``. render_mode: None, "ansi" or "rgb_array".
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponents: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
    ):
        if render_mode == "human":
            raise ValueError("many games have no window: render_mode must be None, ansi or rgb_array")
        self._renderer = Renderer(game, render_mode)
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["ansi", "rgb_array"], "render_fps": FRAMES_PER_SECOND}
        self._games = LearnerGames(game, num_envs, opponents, seat)
        self._all = np.arange(num_envs)
        self.game, self.num_envs, self.render_mode = game, int(num_envs), render_mode
        self.single_observation_space = observation_space(game)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each game, int64 (B,)."""
        return self._games.seats.copy()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all games. ``seed`` seeds them with seed, seed + 1, …; a sequence has one for each. ValueError as for a single one."""
        start = None if options is None else self._games.checked_start(options)
        if seed is None or isinstance(seed, int | np.integer):
            super().reset(seed=seed)
            seeds = [None if seed is None else seed + k for k in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} games, got {len(seeds)} seeds")
        self._games.reseed(seeds)
        if start is not None:
            self._games.start_at(start)
        self._games.begin(self._all)
        return self._observe(), self._masks()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learners' moves. actions: integers (B,), each from 0 to num_actions - 1, else ValueError before anything moves."""
        rewards = self._games.play(self._games.checked_actions(actions))
        terminated = self._games.players == OVER
        ended = np.flatnonzero(terminated)
        infos: dict[str, Any] = {}
        observations = self._observe()
        if len(ended):
            for row in ended.tolist():
                final = {"final_obs": observations[row].copy(), "final_info": self._games.final_info(row)}
                infos = self._add_info(infos, final, row)
            self._games.begin(ended)
            observations = self._observe()
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), infos | self._masks()

    def _observe(self) -> np.ndarray:
        return self._games.observe()

    def _masks(self) -> dict[str, np.ndarray]:
        return {"action_mask": self._games.masks.copy(), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def action_masks(self) -> np.ndarray:
        """The learners' legal actions, bool (B, num_actions)."""
        return self._games.masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """What a single environment's ``render`` returns, for each game."""
        if self.render_mode is None:
            self._renderer.render(self._games.states)  # warns
            return None
        return tuple(self._renderer.render(self._games.states[row : row + 1]) for row in range(self.num_envs))
