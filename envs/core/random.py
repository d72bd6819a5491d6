"""The generator that every state carries: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).

Its whole state is one unsigned 64-bit number, so that a copy of a game state replays the same dice.
"""

from typing import Any

import numba
import numpy as np

from .compiling import compiled

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(32)
_UNIT = 1.0 / (1 << 53)


def _next_seed(seed):
    return np.uint64(seed) + _GAMMA


def _mix(seed):
    z = np.uint64(seed)
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


if numba.config.DISABLE_JIT:  # NumPy warns of the wrap-around that the generator lives on

    def next_seed(seed: Any) -> Any:
        with np.errstate(over="ignore"):
            return _next_seed(seed)

    def mix(seed: Any) -> Any:
        with np.errstate(over="ignore"):
            return _mix(seed)

else:
    next_seed = compiled(_next_seed)
    mix = compiled(_mix)

next_seed.__doc__ = "The generator's next state (u8). ``mix`` of it is the random number."
mix.__doc__ = "The random number (u8, uniform over all values) that belongs to a generator state."


@compiled
def unit_float(number):
    """A float in [0, 1) made of the upper 53 bits of a random u8."""
    return float(number >> _11) * _UNIT


@compiled
def below(number, bound):
    """An integer in 0..bound-1 made of the upper 32 bits of a random u8; off from uniform by less than bound / 2**32."""
    return int(((number >> _32) * np.uint64(bound)) >> _32)


@compiled
def fill_seeds(seed, out):
    """Write len(out) well separated generator states made from one seed (u8 array, in place)."""
    start = mix(next_seed(seed))
    for i in range(len(out)):
        start = next_seed(start)
        out[i] = mix(start)


def seed_of(number: int) -> np.uint64:
    """The generator state that a user's integer seed stands for. ValueError if it is negative."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
        raise ValueError(f"seed must be an integer of 0 or more, got {number!r}")
    seed = np.empty(1, np.uint64)
    fill_seeds(np.uint64(int(number) & 0xFFFFFFFFFFFFFFFF), seed)
    return seed[0]
