"""Play games at random and print what all of it comes to: ``python trace.py STEPS '[["herd", {"size": 3}], …]'``.

One line a game: a digest of every state, observation and mask on the way, of what a text says of the last one, and of greedy choices.
Run with and without NUMBA_DISABLE_JIT=1 it must print the same.
"""

import hashlib
import json
import sys

from boardherd.envs import make_vec
from boardherd.envs.core.players import greedy_player


def digest(name: str, config: dict, steps: int) -> str:
    vec = make_vec(name, num_envs=2, seed=1, **config)
    found = hashlib.sha256()
    for step in range(steps):
        vec.step(vec.sample() if step % 5 else greedy_player(vec.decisions()))
        for array in (vec.states, vec.observation, vec.action_mask, vec.seeds, vec.rewards):
            found.update(array.tobytes())
    text = vec.game.position(vec.states[:1])
    found.update(text.encode() + vec.game.from_position(text).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    for name, config in json.loads(sys.argv[2]):
        print(name, config, digest(name, config, int(sys.argv[1])))
