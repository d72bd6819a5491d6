# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Positions told apart by 64 bits."""

import numpy as np

from ..envs.core.compiling import compiled
from ..envs.core.random import mix


@compiled
def position_hash(work, words):
    """The hash of the state ``work[0]``, which lies in the memory of ``words``. What does not matter is cleared from the state: its
    generator, and of the number of turns all but whether it is the first one."""
    state = work[0]
    state["rng"] = np.uint64(0)
    state["turn"] = min(int(state["turn"]), 1)
    key = np.uint64(0)
    for k in range(len(words)):
        key = mix(key ^ words[k])
    return key


def room_to_hash(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """An array of one state, and the whole words of eight bytes that it lies in: ``work`` and ``words`` of ``position_hash``."""
    words = np.zeros(-(-dtype.itemsize // 8), np.uint64)
    return words.view(np.uint8)[: dtype.itemsize].view(dtype), words
