"""One AEC environment, unwrapped, against PettingZoo's connect_four_v3 in the same loop."""

import importlib
import random
from typing import Any

import numpy as np
from boardherd.envs import GAMES

from .timing import Row, Work, rates


def aec_work(env: Any) -> Work:
    """The usual loop: ``last``, a random legal action, ``step``; resets included."""
    env.reset(seed=0)
    rng = random.Random(0)

    def work() -> int:
        for _ in range(200):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        return 200

    return work


def run(seconds: float, rounds: int) -> list[Row]:
    """ImportError without pygame, which connect_four_v3 needs: the extra ``render``."""
    from pettingzoo.classic import connect_four_v3

    peer = connect_four_v3.raw_env()
    rows = []
    for name in GAMES:
        env = importlib.import_module(f"boardherd.envs.{name}_v0").raw_env()
        ours, theirs = rates([aec_work(env), aec_work(peer)], seconds, rounds)
        rows.append(Row(f"{name} : connect_four_v3", {"ours": ours, "PettingZoo": theirs, "ratio": ours / theirs}))
    return rows
