"""Timing that a busy machine disturbs little: seconds of the processor, the sides by turns, medians."""

import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

Work = Callable[[], int]


class Row(NamedTuple):
    """One line of a table. figures: name -> number, as they go to the JSON file."""

    what: str
    figures: dict[str, Any]


def rate(work: Work, seconds: float) -> float:
    """Steps a second of the processor. work: does something and returns how many steps that were."""
    steps, began = 0, time.process_time()
    while (busy := time.process_time() - began) < seconds:
        steps += work()
    return steps / busy


def rates(works: list[Work], seconds: float, rounds: int) -> list[float]:
    """The median rate of each, measured by turns so that what slows the machine slows all of them."""
    for work in works:
        work()
    table = [[rate(work, seconds) for work in works] for _ in range(rounds)]
    return [median(column) for column in zip(*table, strict=True)]


def batch_work(vec: Any) -> Work:
    """Random legal moves in a batch: drawing them, and a step with masks, observations and rewards."""
    repeats = max(1, 2048 // vec.num_envs)

    def work() -> int:
        for _ in range(repeats):
            vec.step(vec.sample())
        return repeats * vec.num_envs

    return work
