"""Many games for one learner each as a stable-baselines3 ``VecEnv``, stepped by the batch engine.

``BatchVecEnv("herd", num_envs=64, opponents="greedy")`` goes where a ``DummyVecEnv`` of single environments would, and gives the same
observations, rewards and infos; sb3-contrib's ``MaskablePPO`` finds the masks by itself.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from ..core.game import Game, State
from ..core.learners import OVER, LearnerGames, Opponents, observation_space
from ..core.rendering import Renderer
from ..registry import make_game
from .extras import require

VecEnv: Any = require("stable_baselines3.common.vec_env", "sb3").VecEnv


class BatchVecEnv(VecEnv):
    """``num_envs`` games as in ``SingleLearnerEnv``, each with a learner of its own, stepped together.

    Observations are int8 (B, *observation_shape), rewards float32 (B,), dones bool (B,). A game that ends is followed by the next one in
    the same step: its info holds ``terminal_observation``, ``ending`` and ``truncated_by_cap``, and ``reset_infos`` that of the next one.
    Every info holds ``action_mask``, int8 (num_actions,), and ``TimeLimit.truncated``, which is always False: the payoff of a game
    that the cap on turns ended is final, and nothing is to be estimated beyond it. An action that is not legal ends its game with
    -1 (``ending`` is then "illegal action").

    ``env_method("action_masks")`` gives bool (num_actions,) for each game. ``get_attr`` knows ``game``, ``seat``, ``position`` and
    ``render_mode``; ``env_method`` also ``state`` and ``render``. ``set_options({"position": text})`` holds for all games from the next
    reset on; ``seed`` works as in any ``VecEnv``.

    game: its name, with its options as further arguments, or the rules. opponents, seat: see ``LearnerGames``. render_mode: None, "ansi"
    or "rgb_array". ValueError for arguments that do not fit.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        opponents: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        **options: Any,
    ):
        if render_mode == "human":
            raise ValueError("many games have no window: render_mode must be None, ansi or rgb_array")
        self.game = make_game(game, **options) if isinstance(game, str) else game
        self.render_mode = render_mode
        self._renderer = Renderer(self.game, render_mode)
        self._games = LearnerGames(self.game, num_envs, opponents, seat)
        self._all = np.arange(num_envs)
        self._actions = np.zeros(num_envs, np.int64)
        self._single = [_Single(self, row) for row in range(num_envs)]
        super().__init__(int(num_envs), observation_space(self.game), spaces.Discrete(self.game.num_actions))

    def reset(self) -> np.ndarray:
        """Begin all games. ValueError for a position that is none, or for options that are not the same for all games."""
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError("all games begin alike: give set_options one dictionary")
        start = self._games.checked_start(options) if options else None
        self._games.reseed(self._seeds)
        if start is not None:
            self._games.start_at(start)
        self._games.begin(self._all)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{"action_mask": mask} for mask in self._games.masks.copy()]
        return self._games.observe()

    def step_async(self, actions: np.ndarray) -> None:
        """The learners' moves. actions: integers (B,), each from 0 to num_actions - 1, else ValueError before anything moves."""
        self._actions = self._games.checked_actions(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        rewards = self._games.play(self._actions).astype(np.float32)
        dones = self._games.players == OVER
        infos: list[dict[str, Any]] = [{"action_mask": mask, "TimeLimit.truncated": False} for mask in self._games.masks.copy()]
        observations = self._games.observe()
        ended = np.flatnonzero(dones)
        if len(ended):
            for row in ended.tolist():
                infos[row] |= self._games.final_info(row) | {"terminal_observation": observations[row].copy()}
            self._games.begin(ended)
            observations = self._games.observe()
            for row in ended.tolist():
                self.reset_infos[row] = {"action_mask": self._games.masks[row].copy()}
        return observations, rewards, dones, infos

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self._single[row], attr_name) for row in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"the games of a batch share all they have, so {attr_name} cannot be set for one of them")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        return [getattr(self._single[row], method_name)(*method_args, **method_kwargs) for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """uint8 pixels (height, width, 3) of each game; Nones unless ``render_mode`` is "rgb_array"."""
        return self.env_method("render") if self.render_mode == "rgb_array" else [None] * self.num_envs

    def close(self) -> None:
        self._renderer.close()


class _Single:
    """One of the games, as SB3 asks for attributes and methods by its index."""

    def __init__(self, env: BatchVecEnv, row: int):
        self._env, self._row = env, row

    @property
    def game(self) -> Game:
        return self._env.game

    @property
    def render_mode(self) -> str | None:
        return self._env.render_mode

    @property
    def seat(self) -> int:
        return int(self._env._games.seats[self._row])

    @property
    def position(self) -> str:
        return self.game.position(self.state())

    def state(self) -> State:
        return self._env._games.states[self._row : self._row + 1].copy()

    def action_masks(self) -> np.ndarray:
        return self._env._games.masks[self._row].astype(np.bool_)

    def render(self) -> str | np.ndarray | None:
        return self._env._renderer.render(self.state())
