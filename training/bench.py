"""How fast boardherd is on this machine."""

import importlib
import os
import platform
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from ..envs import GAMES
from ..envs.core.game import Game
from ..envs.core.vector import BatchEnv

BATCHES = ((1, 1), (64, 1), (1024, 1), (4096, 1), (1024, 2), (4096, 2))  # games, threads


class Speed(NamedTuple):
    """Medians over rounds. per_second: by the clock; per_cpu_second: by the time that all threads together were busy."""

    what: str
    per_second: float
    per_cpu_second: float


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": importlib.import_module("numba").__version__,
    }


def _timed(what: str, work: Callable[[], int], seconds: float, rounds: int) -> Speed:
    """work: does something and returns how many steps that were. It is called once before, to compile and warm up."""
    work()
    per_second, per_cpu_second = [], []
    for _ in range(rounds):
        steps, began, cpu_began = 0, time.perf_counter(), time.process_time()
        while steps == 0 or time.perf_counter() - began < seconds:
            steps += work()
        per_second.append(steps / (time.perf_counter() - began))
        per_cpu_second.append(steps / max(time.process_time() - cpu_began, 1e-9))
    return Speed(what, median(per_second), median(per_cpu_second))


def batch_speed(game: Game, num_envs: int, threads: int = 1, seconds: float = 0.3, rounds: int = 5) -> Speed:
    """Steps of a ``BatchEnv`` with random legal actions, drawing them, masks and observations included. A step is one move in one game."""
    vec = BatchEnv(game, num_envs, seed=0, threads=threads)
    repeats = max(1, 2048 // num_envs)

    def work() -> int:
        for _ in range(repeats):
            vec.step(vec.sample())
        return repeats * num_envs

    return _timed(f"batch of {num_envs:,}, {threads} thread{'s' if threads > 1 else ''}", work, seconds, rounds)


def single_speed(game: Game, seconds: float = 0.3, rounds: int = 5) -> Speed:
    """Steps of the unwrapped PettingZoo environment in the usual loop: ``last``, a random legal action, ``step``; resets included."""
    env = importlib.import_module(f"boardherd.envs.{GAMES[game.name]}_v0").raw_env(**game.config)
    env.reset(seed=0)
    rng = random.Random(0)

    def work() -> int:
        for _ in range(500):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
            else:
                env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
        return 500

    return _timed("one PettingZoo environment", work, seconds, rounds)


def training_speed(game: Game, rounds: int = 5, **overrides: Any) -> Speed:
    """Decisions of learning seats in whole PPO iterations (games, learning), by default with two hidden layers of 128.

    overrides: sections of a training config, such as ``rollout={"num_envs": 64}``.
    """
    from .config import TrainingConfig
    from .ppo import Trainer

    config = {"game": {"name": game.name, **game.config}, "network": {"hidden": (128, 128)}, "device": "cpu", **overrides}
    trainer = Trainer(TrainingConfig.model_validate(config))

    def work() -> int:
        before = trainer.decisions
        trainer.iterate()
        return trainer.decisions - before

    work()  # the first rollout leaves more decisions open than later ones
    return _timed("training, two layers of 128", work, 0.0, rounds)
