"""The machine that a run learns on: device, threads, memory."""

import ctypes
import os
import sys

import torch

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # parameters of glibc's mallopt


def choose_device(name: str) -> torch.device:
    """``auto``: a GPU if there is one. ValueError if the device is not to be had."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    try:
        return torch.zeros(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} cannot be used: {str(error).splitlines()[0]}") from None


def engine_threads(asked: int | None, num_envs: int) -> int:
    """Threads for the batch engine. None asked: one per core, but each with enough games to be worth it."""
    return asked or max(1, min(os.cpu_count() or 1, num_envs // 256))


def prepare(torch_threads: int | None) -> None:
    """Set torch's threads (None: one per core), and keep freed memory in the process.

    Learning frees and takes the same few megabytes thousands of times. glibc hands them back to the system each time, and
    fetching them anew page by page took a third of the whole time of an update where it was measured.
    """
    torch.set_num_threads(torch_threads or os.cpu_count() or 1)
    if sys.platform == "linux":
        try:
            mallopt = ctypes.CDLL(None).mallopt
        except AttributeError:  # another C library than glibc
            return
        mallopt(_TRIM_THRESHOLD, 1 << 30)
        mallopt(_MMAP_THRESHOLD, 1 << 30)
