"""How the openings of the benchmark were made: ``python -m boardherd.training.bench_v1.openings`` prints ``bench.yaml``.

An opening is what some turns of random legal play lead to. Positions are left out that are decided: where in games of greedy or of random
players some seat wins less than a third or more than twice of its fair share.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import yaml

from ...envs import make_game
from ...envs.core import loops
from ...envs.core.game import Game, State
from ...envs.core.random import below, fill_seeds, mix, seed_of
from ..arena import play_games
from ..player_names import PRETRAINED
from .data import fingerprint

TRIALS = 64  # games of each kind of player from every position
LEAST, MOST = 1 / 3, 2  # wins of a seat, as shares of what is fair
# Of each table: the game, the turns played at random (least, most), and what bench.yaml takes over as it is. Searches are slow, so that
# games against them are few; the policies in Bikido play the same game again whatever the dice.
PLANS: dict[str, dict[str, Any]] = {
    "herd": {
        "game": {"name": "herd", "size": 5},
        "seed": 1,
        "turns": (2, 7),
        "openings": 40,
        "opponents": {"random": 8, "greedy": 16, "pretrained:herd": 8, "mcts:50": 1},
    },
    "chopat-2": {
        "game": {"name": "chopat", "num_players": 2},
        "seed": 2,
        "turns": (8, 24),
        "openings": 40,
        "opponents": {"random": 8, "greedy": 16, "pretrained:chopat-2": 8, "mcts:50": 1},
    },
    "chopat-4": {
        "game": {"name": "chopat", "num_players": 4},
        "seed": 3,
        "turns": (16, 48),
        "openings": 24,
        "opponents": {"random": 8, "greedy": 16, "pretrained:chopat": 8},
    },
    "berd": {
        "game": {"name": "berd", "num_players": 4},
        "seed": 4,
        "turns": (8, 28),
        "openings": 24,
        "opponents": {"random": 8, "greedy": 16, "pretrained:berd": 8},
    },
    "bikido": {
        "game": {"name": "bikido"},
        "seed": 5,
        "turns": (4, 16),
        "openings": 24,
        "opponents": {"random": 8, "greedy": 8, "pretrained:bikido": 1, "mcts:50": 1},
    },
}


def find_openings(game: Game, seed: int, least: int, most: int) -> Iterator[str]:
    """Position texts without end, no two the same, after ``least`` to ``most`` turns."""
    seen = set()
    for number in itertools.count(1000 * seed):
        state = _played(game, number, least, most)
        text = game.position(state)
        if text not in seen and not game.is_over(state) and _is_open(game, state, number):
            seen.add(text)
            yield text


def _played(game: Game, seed: int, least: int, most: int) -> State:
    seeds, action = np.empty(1, np.uint64), np.empty(1, np.int64)
    fill_seeds(seed_of(seed), seeds)
    turns = least + below(np.uint64(mix(seeds[0])), most + 1 - least)
    state = game.reseed(game.start(), seed)
    while game.turn(state) < turns and not game.is_over(state):
        if game.player(state) is None:
            state = game.throw(state)
        else:
            loops.sample_range(game.legal_mask(state)[None], seeds, action, 0, 1)
            state = game.play(state, int(action[0]))
    return state


def _is_open(game: Game, state: State, seed: int) -> bool:
    fair = 1 / game.num_players
    for player in ("greedy", "random"):
        wins = play_games([player] * game.num_players, game, TRIALS, seed, starts=state).wins.mean(axis=0)
        if wins.min() < LEAST * fair or wins.max() > MOST * fair:
            return False
    return True


def make_table(plan: dict[str, Any], count: int | None = None) -> dict[str, Any]:
    """An entry of ``bench.yaml``. count: how many openings, if not as many as planned."""
    options = dict(plan["game"])
    game = make_game(options.pop("name"), **options)
    openings = find_openings(game, plan["seed"], *plan["turns"])
    return {
        "game": {"name": game.name, **game.config},
        "seed": plan["seed"],
        "opponents": plan["opponents"],
        "openings": list(itertools.islice(openings, count or plan["openings"])),
    }


if __name__ == "__main__":
    tables = {name: make_table(plan) for name, plan in PLANS.items()}
    policies = {name: fingerprint(name) for plan in PLANS.values() for name in plan["opponents"] if name.startswith(PRETRAINED)}
    print("# Made once by openings.py; never to be changed.")
    print(yaml.safe_dump({"policies": policies, "tables": tables}, sort_keys=False, width=10_000), end="")
