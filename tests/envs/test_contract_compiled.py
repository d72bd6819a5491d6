"""What every game owes its users as compiled code: the same in plain Python, compiled once for all configurations, quick to start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from boardherd.envs import make_game, make_vec
from boardherd.envs.core import loops
from boardherd.envs.core.players import greedy_player

TRACE = Path(__file__).with_name("trace.py")
PLAIN_STEPS = 30


def traces(configurations: list, **environment: str) -> list[str]:
    command = [sys.executable, TRACE, str(PLAIN_STEPS), json.dumps(configurations)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_plain_python_plays_the_same_bytes(game_name, configurations_of):
    configurations = [(game_name, config) for config in configurations_of(game_name)]
    compiled = traces(configurations, NUMBA_DISABLE_JIT="0")
    assert len(compiled) == len(configurations)
    assert traces(configurations, NUMBA_DISABLE_JIT="1") == compiled


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_another_configuration_compiles_nothing_anew(game_name, configurations_of):
    counts = []
    for config in configurations_of(game_name):
        game = make_game(game_name, **config)
        state = game.new(0)
        game.moves(state), game.position(state), game.play(state, game.legal_actions(state)[0])
        for skip_forced in (False, True):
            vec = make_vec(game_name, num_envs=2, seed=0, skip_forced=skip_forced, **config)
            vec.step(greedy_player(vec.decisions()))
        counts.append({name: len(loop.signatures) for name, loop in vars(loops).items() if hasattr(loop, "signatures")})
    assert all(count == counts[0] for count in counts)


@pytest.mark.slow
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_compiling_is_quick_and_done_once(game_name, tmp_path):
    """In seconds of the processor, so that a busy machine does not matter: under 20 cold, and warm under 1 beyond the import."""
    program = f"""
import time
from boardherd.envs import make_vec
begin = time.process_time()
vec = make_vec({game_name!r}, num_envs=2, seed=0)
vec.step(vec.sample())
print(time.process_time() - begin)
"""
    seconds = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "BOARDHERD_CACHE_DIR": str(tmp_path)}, capture_output=True, check=True
        )
        seconds.append(float(done.stdout))
    assert seconds[0] < 20
    assert seconds[1] < 1
