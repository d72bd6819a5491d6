"""What starting costs in time, and 4096 games in memory. Each figure is of a fresh interpreter."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from boardherd.envs import GAMES

from .timing import Row

_START = """
import time
began = time.perf_counter()
import boardherd.envs
imported = time.perf_counter()
vec = boardherd.envs.make_vec({name!r}, num_envs=2, seed=0)
vec.step(vec.sample())
print(imported - began, time.perf_counter() - imported)
"""
_MEMORY = """
import resource, sys, boardherd.envs
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
small = boardherd.envs.make_vec({name!r}, num_envs=2, seed=0)
small.step(small.sample())
before = peak()
vec = boardherd.envs.make_vec({name!r}, num_envs=4096, seed=0)
for _ in range(20):
    vec.step(vec.sample())
print(peak() - before)
"""


def _numbers(program: str, **environment: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def run(seconds: float, rounds: int) -> list[Row]:
    """Seconds by the clock; MB that 4096 games add to the peak of a process that has stepped two (not on Windows)."""
    rows = []
    for name in GAMES:
        with tempfile.TemporaryDirectory() as cache:
            environment = {"BOARDHERD_CACHE_DIR": str(Path(cache))}
            _, cold = _numbers(_START.format(name=name), **environment)
            warm = [_numbers(_START.format(name=name), **environment) for _ in range(rounds)]
            imported, first = (median(column) for column in zip(*warm, strict=True))
            figures = {"import s": imported, "first step s": first, "first step, nothing compiled s": cold}
            if sys.platform != "win32":
                (figures["4,096 games MB"],) = _numbers(_MEMORY.format(name=name), **environment)
        rows.append(Row(name, figures))
    return rows
