"""Threads that share the work of a batch, and wait for it inside compiled code.

A step of a thousand games takes less time than waking a sleeping thread does. So between two calls the helpers go on looking for
work for a moment before they go to sleep, and nobody depends on one that sleeps: each thread, the caller's included, has a share
of the games, which it does chunk by chunk (the same games each time, so that they stay in its core's cache), and then takes
chunks from the shares of the others.
"""

import platform
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from . import loops
from .compiling import compiled

STEP, SAMPLE = 1, 2  # jobs
# Words of the control block, each on a cache line of its own. From TICKETS on each thread's share has a ticket: the job, shifted, and the
# next of the share's chunks to take.
LINE = 8
UNDONE, FAILED, TICKETS = 0 * LINE, 1 * LINE, 2 * LINE
JOB_SHIFT, CHUNK_BITS = 32, 2**32 - 1
NO_WORK = 2**31
CHUNKS_A_SHARE = 8
PATIENCE = 4000  # looks at the tickets before a helper goes to sleep, some tenths of a millisecond in all

_IS_X86 = platform.machine() in ("x86_64", "AMD64")


def _word(context, builder, signature, arguments):
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic
def load(typing, words, index):
    """``words[index]``, read from memory each time, and everything that was written before it was."""

    def code(context, builder, signature, arguments):
        return builder.load_atomic(_word(context, builder, signature, arguments), "acquire", 8)

    return types.int64(words, types.int64), code


@intrinsic
def store(typing, words, index, value):
    """``words[index] = value``, seen by other threads after everything that was written before."""

    def code(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], _word(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return types.none(words, types.int64, types.int64), code


@intrinsic
def fetch_add(typing, words, index, value):
    """Add to ``words[index]`` in one step that no other thread can come between. Returns what was there before."""

    def code(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _word(context, builder, signature, arguments), arguments[2], "seq_cst")

    return types.int64(words, types.int64, types.int64), code


@intrinsic
def pause(typing):
    """Leave the core's resources to others for an instant."""

    def code(context, builder, signature, arguments):
        if _IS_X86:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), code


@compiled
def post(control, job, threads, chunks):
    """Let every thread that looks see a job of so many chunks."""
    store(control, UNDONE, chunks)
    for share in range(threads):
        store(control, TICKETS + share * LINE, job << JOB_SHIFT)


@compiled
def wait(control):
    """Until the chunks that other threads have taken are done. Returns how many chunks failed since the control block was made."""
    while load(control, UNDONE) > 0:
        pause()
    return load(control, FAILED)


@compiled
def take_chunks(
    control, me, threads, patience, chunk, rules, states, seeds, sampled, actions, masks, players, observations, finals, rewards,
    terminated, truncated, endings, skip_forced, weights,
):  # fmt: skip
    """Do chunks of ``chunk`` games of the job at hand, those of share ``me`` first, until there was none in ``patience`` further looks."""
    size = len(states)
    share_size = -(-size // threads)
    looks, step = 0, 0
    while looks <= patience:
        share = (me + step) % threads
        word = TICKETS + share * LINE
        share_stop = min((share + 1) * share_size, size)
        if share * share_size + (load(control, word) & CHUNK_BITS) * chunk < share_stop:
            ticket = fetch_add(control, word, 1)
            first = share * share_size + (ticket & CHUNK_BITS) * chunk
            if first < share_stop:  # nobody else was quicker
                stop = min(first + chunk, share_stop)
                if ticket >> JOB_SHIFT == SAMPLE:
                    loops.sample_range(masks, seeds, sampled, first, stop)
                elif not loops.step_range(
                    rules, states, actions, masks, players, observations, finals, rewards, terminated, truncated, endings, skip_forced,
                    weights, first, stop,
                ):  # fmt: skip
                    fetch_add(control, FAILED, 1)
                fetch_add(control, UNDONE, -1)
                looks = 0
                continue
        step += 1
        if step == threads:
            looks, step = looks + 1, 0
            pause()


class _Helper:
    """What a helper thread and its employer share."""

    def __init__(self) -> None:
        self.asleep, self.closed = False, False
        self.bed = threading.Lock()
        self.bed.acquire()

    def live(self, work: Callable[[int], None]) -> None:
        while not self.closed:
            work(PATIENCE)
            self.asleep = True
            if not self.closed:  # or nobody would come to wake it any more
                self.bed.acquire()

    def wake(self) -> None:
        if self.asleep:
            self.asleep = False
            self.bed.release()

    def close(self) -> None:
        self.closed = True
        self.wake()


class Crew:
    """The caller's thread and ``threads - 1`` helpers, which do jobs on the same arrays each time.

    arguments: those of ``take_chunks`` from ``rules`` to ``skip_forced``.
    """

    def __init__(self, threads: int, size: int, *arguments: Any):
        share = -(-size // threads)
        chunk = -(-share // CHUNKS_A_SHARE)
        self._chunks = sum(-(-min(share, size - first) // chunk) for first in range(0, size, share))
        self._threads = threads
        self._control = np.zeros(TICKETS + threads * LINE, np.int64)
        self._control[TICKETS::LINE] = NO_WORK
        works = [_worker(self._control, me, threads, chunk, arguments) for me in range(threads)]
        self._work = works[0]
        self._helpers = [_Helper() for _ in works[1:]]
        for helper, work in zip(self._helpers, works[1:], strict=True):
            threading.Thread(target=helper.live, args=(work,), daemon=True, name="boardherd").start()
            weakref.finalize(self, helper.close)

    def run(self, job: int) -> bool:
        """Do a job over all games. False if it failed in some of them."""
        failed = self._control[FAILED]
        post(self._control, job, self._threads, self._chunks)
        for helper in self._helpers:
            helper.wake()
        self._work(0)
        return bool(wait(self._control) == failed)


def _worker(control: np.ndarray, me: int, threads: int, chunk: int, arguments: tuple[Any, ...]) -> Callable[[int], None]:
    weights = np.empty(arguments[0].num_outcomes)
    return lambda patience: take_chunks(control, me, threads, patience, chunk, *arguments, weights)
