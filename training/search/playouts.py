# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Games played on to their ends with the greedy player's moves, some of them random: what a position is worth where no network tells."""

from typing import NamedTuple

import numpy as np

from ...envs.core import contract, loops
from ...envs.core.compiling import compiled
from ...envs.core.contract import DECISION
from ...envs.core.game import Game
from ...envs.core.random import mix, next_seed, unit_float

RANDOM_SHARE = 0.25  # of the moves in playouts


class Scratch(NamedTuple):
    """What playing one game in compiled code needs. states, masks, seeds and actions have one row."""

    states: np.ndarray
    masks: np.ndarray
    seeds: np.ndarray
    actions: np.ndarray
    weights: np.ndarray
    pair: np.ndarray
    scores: np.ndarray


def make_scratch(game: Game) -> Scratch:
    return Scratch(
        np.zeros(1, game.state_dtype),
        np.zeros((1, game.num_actions), np.int8),
        np.zeros(1, np.uint64),
        np.zeros(1, np.int64),
        np.zeros(game.rules.num_outcomes),
        np.zeros(2, game.state_dtype),
        np.zeros(game.num_actions),
    )


@compiled
def play_out(rules, scratch):
    """Play ``scratch.states[0]`` on to its end, choices drawn from ``scratch.seeds``."""
    state = scratch.states[0]
    while True:
        loops.settle(rules, state, scratch.weights)
        if state["node"] != DECISION:
            return
        contract.legal(rules, state, scratch.masks[0])
        scratch.seeds[0] = next_seed(scratch.seeds[0])
        if unit_float(mix(scratch.seeds[0])) < RANDOM_SHARE:
            loops.sample_range(scratch.masks, scratch.seeds, scratch.actions, 0, 1)
        else:
            loops.greedy_range(rules, scratch.states, scratch.masks, scratch.seeds, scratch.pair, scratch.scores, scratch.actions, 0, 1)
        contract.apply(rules, state, int(scratch.actions[0]))


@compiled
def average_playouts(rules, leaves, playouts, root, scratch, out):
    for i in range(len(leaves)):
        out[i] = 0.0
        scratch.seeds[0] = root[0]["rng"]  # the same luck for every leaf
        for _ in range(playouts):
            scratch.states[0] = leaves[i]
            scratch.seeds[0] = next_seed(scratch.seeds[0])
            scratch.states[0]["rng"] = mix(scratch.seeds[0])
            play_out(rules, scratch)
            for k in range(out.shape[1]):
                out[i, k] += scratch.states[0]["payoff"][k] / playouts
