"""The machine that a run learns on: device, threads, memory."""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import torch

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # parameters of glibc's mallopt
_GAMES_A_THREAD, _DECISIONS_A_SHARD = 256, 1024  # less is not worth handing over

Item = TypeVar("Item")
Result = TypeVar("Result")


def choose_device(name: str, local_rank: int = 0) -> torch.device:
    """``auto``: a GPU if there is one, where several processes learn together one for each. ValueError if the device is not to be had."""
    if name == "auto":
        cuda = f"cuda:{local_rank % max(torch.cuda.device_count(), 1)}"
        return torch.device(cuda if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    try:
        return torch.zeros(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} cannot be used: {str(error).splitlines()[0]}") from None


def engine_threads(asked: int | None, num_envs: int) -> int:
    """Threads for the batch engine. None asked: one per core, but each with enough games to be worth it."""
    return asked or max(1, min(_cores(), num_envs // _GAMES_A_THREAD))


class Shards:
    """Threads that work on parts of a batch side by side.

    Two threads that each take half of a minibatch through the whole network meet once a minibatch. Torch's own threads share every
    single operation and meet at its end, hundreds of times as often: on a few cores that costs more than it brings, and when other
    programs want the cores, too, each meeting waits for the slowest. So torch gets the threads that are left over when every
    shard has enough to do.

    count: of shards.
    """

    def __init__(self, threads: int | None, minibatch: int, device: torch.device):
        threads = threads or _cores()
        self.count = min(threads, max(1, minibatch // _DECISIONS_A_SHARD)) if device.type == "cpu" else 1
        torch.set_num_threads(max(1, threads // self.count))
        self._pool = ThreadPoolExecutor(self.count - 1) if self.count > 1 else None

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """What ``function`` returns for each item, all at the same time."""
        if self._pool is None:
            return [function(item) for item in items]
        others = [self._pool.submit(function, item) for item in items[1:]]
        return [function(items[0]), *(other.result() for other in others)]

    def slices(self, size: int) -> list[slice]:
        """Cut 0..size into a part for each shard."""
        cuts = [size * k // self.count for k in range(self.count + 1)]
        return [slice(first, stop) for first, stop in pairwise(cuts)]


def keep_memory() -> None:
    """Keep freed memory in the process.

    Learning frees and takes the same few megabytes thousands of times. glibc hands them back to the system each time, and
    fetching them anew page by page took a third of the whole time of an update where it was measured.
    """
    if sys.platform == "linux":
        try:
            mallopt = ctypes.CDLL(None).mallopt
        except AttributeError:  # another C library than glibc
            return
        mallopt(_TRIM_THRESHOLD, 1 << 30)
        mallopt(_MMAP_THRESHOLD, 1 << 30)
        mallopt(_ARENA_MAX, 1)  # those that threads have of their own give memory back all the same


def _cores() -> int:
    return os.cpu_count() or 1
