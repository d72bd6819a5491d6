"""Herd's batch loop against the same loop in C: the same records, arrays and dice, so that both play the same games."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from boardherd.envs import make_vec
from boardherd.envs.core.vector import BatchEnv

from .timing import Row, batch_work, rates

SOURCE = Path(__file__).with_name("herd.c")
FLAGS = ("-O3", "-shared", "-fPIC")  # with -march=native GCC 12 makes it slower
_POINTER = ctypes.c_void_p
_CHECKED = ("states", "seeds", "observation", "action_mask", "player", "rewards", "terminated", "truncated", "ending", "final_observation")


class _Rules(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int64) for name in ("num_actions", "observation_size", "width", "max_turns")),
        *((name, _POINTER) for name in ("square_of", "degree", "neighbours", "throws")),
    ]


def build() -> ctypes.CDLL:
    """The library made of herd.c. FileNotFoundError without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise FileNotFoundError("no C compiler (cc, gcc, clang) was found")
    library = Path(tempfile.mkdtemp(prefix="herd-c-")) / "herd.so"
    subprocess.run([compiler, *FLAGS, "-o", library, SOURCE], check=True)
    return ctypes.CDLL(str(library))


class CBatch:
    """The games of a batch, stepped by the C library in the batch's own arrays."""

    def __init__(self, vec: BatchEnv, library: ctypes.CDLL):
        library.state_size.restype = ctypes.c_int64
        if library.state_size() != vec.game.state_dtype.itemsize:
            raise ValueError("herd.c has another state record than envs/herd/rules.py")
        self.num_envs, self._vec, self._library = vec.num_envs, vec, library
        rules = vec.game.rules
        self._rules = _Rules(
            rules.num_actions, rules.observation_size, rules.width, rules.max_turns,
            *(getattr(rules, name).ctypes.data for name in ("square_of", "degree", "neighbours", "throws")),
        )  # fmt: skip
        self._actions = np.zeros(vec.num_envs, np.int64)
        step = (vec.states, self._actions, vec.action_mask, vec.player, vec.observation, vec.final_observation, vec.rewards)
        flags = (vec.terminated, vec.truncated, vec.ending)
        self._step = [ctypes.byref(self._rules), *(_POINTER(array.ctypes.data) for array in (*step, *flags)), *self._range()]
        masks, seeds = _POINTER(vec.action_mask.ctypes.data), _POINTER(vec.seeds.ctypes.data)
        self._sample = [masks, ctypes.c_int64(rules.num_actions), seeds, _POINTER(self._actions.ctypes.data), *self._range()]

    def _range(self) -> tuple[ctypes.c_int64, ctypes.c_int64]:
        return ctypes.c_int64(0), ctypes.c_int64(self.num_envs)

    def sample(self) -> np.ndarray:
        self._library.sample_range(*self._sample)
        return self._actions

    def step(self, actions: np.ndarray) -> None:
        self._library.step_range(*self._step)


def check_same_games(library: ctypes.CDLL, size: int, steps: int = 500) -> None:
    """AssertionError unless both play the same games from the same seed, in every byte of every array."""
    ours, theirs = (make_vec("herd", num_envs=16, seed=size, size=size, max_turns=60) for _ in range(2))
    c_batch = CBatch(theirs, library)
    for step in range(steps):
        ours.step(ours.sample())
        c_batch.step(c_batch.sample())
        for name in _CHECKED:
            assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes(), f"{name} differ after step {step} of size {size}"


def run(seconds: float, rounds: int) -> list[Row]:
    library = build()
    for size in range(2, 9):
        check_same_games(library, size)
    rows = []
    for num_envs in (64, 1024, 65536):
        ours, theirs = (make_vec("herd", num_envs=num_envs, seed=0) for _ in range(2))
        mine, in_c = rates([batch_work(ours), batch_work(CBatch(theirs, library))], seconds, rounds)
        rows.append(Row(f"herd, {num_envs:,} games", {"ours": mine, "C": in_c, "ratio": mine / in_c}))
    return rows
