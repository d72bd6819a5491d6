"""Steps of the batch engine in every game, over the size of the batch and the number of threads."""

import os
import time
from statistics import median

from boardherd.envs import GAMES, make_vec
from boardherd.envs.core.vector import BatchEnv

from .timing import Row, Work, batch_work, rates

SIZES = (1, 64, 1024, 4096, 65536)
THREADED = (1024, 4096)


def _clock_rate(work: Work, seconds: float) -> float:
    steps, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        steps += work()
    return steps / passed


def threads_ratio(one: BatchEnv, two: BatchEnv, seconds: float, rounds: int) -> float:
    """How many times as fast as one thread two are by the clock, in pairs one after the other."""
    works = batch_work(one), batch_work(two)
    for work in works:
        work()
    pairs = [[_clock_rate(work, seconds) for work in works] for _ in range(rounds)]
    return median(second / first for first, second in pairs)


def run(seconds: float, rounds: int) -> list[Row]:
    rows = []
    for name in GAMES:
        figures = {}
        for num_envs in SIZES:
            (figures[f"{num_envs:,}"],) = rates([batch_work(make_vec(name, num_envs=num_envs, seed=0))], seconds, rounds)
        if (os.cpu_count() or 1) > 1:
            for num_envs in THREADED:
                one, two = (make_vec(name, num_envs=num_envs, seed=0, threads=threads) for threads in (1, 2))
                figures[f"2 threads / 1, {num_envs:,}"] = threads_ratio(one, two, seconds, rounds)
        rows.append(Row(name, figures))
    return rows
