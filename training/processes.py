"""Work spread over processes, which end with their parent, whatever ends that."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(
    work: Callable[[Item], Result], items: Sequence[Item], processes: int | None = None, begin: Callable[[], None] | None = None
) -> Iterator[Result]:
    """What ``work`` makes of each item, in the order in which it gets done.

    processes: how many, each with one thread of torch; none: as many as there are cores; one: this process does the work.
    begin: called in each new process before anything else. Functions and items must be such as can be pickled, and as processes are
    spawned, a script must call this under ``if __name__ == "__main__"``.

    An error in ``work`` ends it all. ChildProcessError if a process was ended from outside.
    """
    count = min(processes or os.cpu_count() or 1, len(items))
    if count <= 1:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield from map(work, items)
        finally:
            torch.set_num_threads(threads)
        return
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _begin, (begin,))  # torch does not survive a fork
    try:
        futures = [executor.submit(work, item) for item in items]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise ChildProcessError("a process was ended from outside, perhaps for want of memory; start again to go on") from None
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()


def _begin(begin: Callable[[], None] | None) -> None:
    """Leave Ctrl-C to the parent, and end when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    if begin is not None:
        begin()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
