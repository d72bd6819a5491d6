"""Batches of 1024 games against OpenSpiel driven from Python: whole loops on both sides, seconds of the processor.

Ours: draw random legal actions and step, which writes masks, observations, rewards and flags and begins finished games anew. Theirs:
one decision with its mask and observation tensor as NumPy arrays and a random legal action.
"""

import random
from typing import Any

import numpy as np
from boardherd.envs import make_vec

from .timing import Row, Work, batch_work, rates

PAIRS = (
    ("herd", {"size": 5}, "havannah(board_size=6)"),
    ("chopat", {"num_players": 4}, "backgammon"),
    ("berd", {"num_players": 4}, "backgammon"),
    ("bikido", {}, "backgammon"),
)


def openspiel_work(game: Any) -> Work:
    """One game of OpenSpiel a call."""

    def work() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, weights)[0])
                continue
            np.asarray(state.observation_tensor(), dtype=np.float32)
            legal = np.flatnonzero(np.asarray(state.legal_actions_mask(), dtype=np.int8))
            state.apply_action(int(legal[random.randrange(len(legal))]))
            decisions += 1
        return decisions

    return work


def run(seconds: float, rounds: int) -> list[Row]:
    """ImportError without OpenSpiel."""
    import pyspiel

    rows = []
    for name, config, peer in PAIRS:
        ours, theirs = rates(
            [batch_work(make_vec(name, num_envs=1024, seed=0, **config)), openspiel_work(pyspiel.load_game(peer))], seconds, rounds
        )
        rows.append(Row(f"{name} : {peer}", {"ours": ours, "OpenSpiel": theirs, "ratio": ours / theirs}))
    return rows
