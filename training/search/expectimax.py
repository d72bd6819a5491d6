# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Expectimax over one or two moves, with nodes of their own for chance."""

from typing import NamedTuple

import numpy as np

from ...envs.core import contract, loops
from ...envs.core.compiling import compiled
from ...envs.core.contract import CHANCE, TERMINAL
from ...envs.core.game import Game
from ...envs.core.players import Decisions
from ...envs.core.random import mix, next_seed
from ..network import PolicyNetwork
from .judging import ALONE, judge_by_network
from .playouts import average_playouts, make_scratch

PLAYOUTS = 500  # for one decision, at least one for each leaf
_LEAVES = 1024  # judged together


@compiled
def _reseed(root, seeds):
    """Give ``root[0]`` dice of the searcher's own."""
    seeds[0] = next_seed(seeds[0])
    root[0]["rng"] = mix(seeds[0])


class _Line(NamedTuple):
    """The line of positions under search, one a depth. Recursion would need no such thing, but compiled functions that call themselves
    crash when they come from Numba's disk cache.

    frames: int64 (D, 4): the choice that comes next, how many there are, plies left below, 1 if chance below averages over all outcomes.
    values: float64 (D, num_players). nodes, masks, weights: of D positions.
    """

    frames: np.ndarray
    nodes: np.ndarray
    values: np.ndarray
    masks: np.ndarray
    weights: np.ndarray


def _line(game: Game, plies: int) -> _Line:
    depths = plies + 2  # every position on a line is a move further, but for one chance node
    return _Line(
        np.zeros((depths, 4), np.int64),
        np.zeros(depths, game.state_dtype),
        np.zeros((depths, game.num_players)),
        np.zeros((depths, game.num_actions), np.int8),
        np.zeros((depths, game.rules.num_outcomes)),
    )


@compiled
def _open(rules, line, depth, plies, exact, leaves, skip, judged, counter):
    """Begin with the position ``line.nodes[depth]``: False if there is nothing below it, and its value stands in ``line.values``.

    plies: moves to look ahead. exact: the next chance node averages over all outcomes; later ones draw one by the position's own
    generator, since their outcomes multiply. Moves without a choice are made at once: networks have learned nothing of them. A leaf is a
    decision at which no move is left to look ahead. ``counter[0]`` numbers them as they come: those from ``skip`` on are copied to
    ``leaves`` as far as it goes, and take their values from ``judged`` as far as that goes.
    """
    state, here, frame = line.nodes[depth], line.values[depth], line.frames[depth]
    frame[0], frame[2], frame[3] = 0, plies, 0
    if exact == 1 and state["node"] == CHANCE:
        frame[1] = int(contract.chance(rules, state, line.weights[depth]))
        here[:] = 0.0
        return True
    if depth == 0:  # whoever asks wants a move, be there a choice or not
        contract.legal(rules, state, line.masks[0])
    elif loops.enter(rules, state, line.weights[depth], line.masks[depth], True) == 0:
        for k in range(len(here)):
            here[k] = state["payoff"][k]
        return False
    if plies == 0:
        number = counter[0]
        counter[0] += 1
        if skip <= number < skip + len(leaves):
            leaves[number - skip] = state
        if number < len(judged):
            for k in range(len(here)):
                here[k] = judged[number, k]
        return False
    frame[1], frame[2], frame[3] = len(line.masks[depth]), plies - 1, exact
    here[:] = -np.inf
    return True


@compiled
def _fold(line, depth, scores):
    """Let the position at ``depth`` know what its last choice is worth, which stands one deeper."""
    state, here, below = line.nodes[depth], line.values[depth], line.values[depth + 1]
    choice = line.frames[depth, 0] - 1
    if state["node"] == CHANCE:
        for k in range(len(here)):
            here[k] += line.weights[depth, choice] * below[k]
        return
    player = int(state["player"])
    if below[player] > here[player]:
        for k in range(len(here)):
            here[k] = below[k]
    if depth == 0:
        after = line.nodes[1]
        won = after["node"] >= TERMINAL and after["payoff"][player] >= ALONE
        scores[choice] = np.inf if won else below[player]  # better than a win that is only foreseen


@compiled
def _walk(rules, root, plies, line, leaves, skip, judged, counter, scores):
    """Look ahead from the decision ``root[0]``: the worth of each legal action to its player goes to ``scores``, -inf for others."""
    counter[0] = 0
    scores[:] = -np.inf
    line.nodes[0] = root[0]
    _open(rules, line, 0, plies, 1, leaves, skip, judged, counter)
    depth = 0
    while depth >= 0:
        state, frame = line.nodes[depth], line.frames[depth]
        at_chance = state["node"] == CHANCE
        choice = frame[0]
        while not at_chance and choice < frame[1] and line.masks[depth, choice] == 0:
            choice += 1
        if choice == frame[1]:
            depth -= 1
            if depth >= 0:
                _fold(line, depth, scores)
            continue
        frame[0] = choice + 1
        line.nodes[depth + 1] = state
        after = line.nodes[depth + 1]
        if at_chance:
            # An outcome's dice to come are the same whichever move led to it: moves are compared by equal luck.
            after["rng"] = mix(np.uint64(state["rng"]) ^ np.uint64(choice))
            contract.resolve(rules, after, int(choice))
        else:
            contract.apply(rules, after, int(choice))
        if _open(rules, line, depth + 1, frame[2], frame[3], leaves, skip, judged, counter):
            depth += 1
        else:
            _fold(line, depth, scores)


class Expectimax:
    """Looks ahead ``plies`` moves, its own and others', and over the dice behind them: the first throw on every line exactly, later ones
    by drawing one outcome. The same walk is done again and again: first to collect the leaves, at last to combine their values."""

    def __init__(self, plies: int, network: PolicyNetwork | None = None):
        self.plies, self.network = plies, network

    def __call__(self, decisions: Decisions) -> np.ndarray:
        return np.array([self._choose(decisions, i) for i in range(len(decisions.states))])

    def _choose(self, decisions: Decisions, at: int) -> int:
        game = decisions.game
        root, seeds = decisions.states[at : at + 1].copy(), decisions.seeds[at : at + 1]
        _reseed(root, seeds)
        leaves, counter, scores = np.zeros(_LEAVES, game.state_dtype), np.zeros(1, np.int64), np.zeros(game.num_actions)
        line, judged = _line(game, self.plies), np.zeros((0, game.num_players))
        while True:
            _walk(game.rules, root, self.plies, line, leaves, len(judged), judged, counter, scores)
            total, known = int(counter[0]), len(judged)
            if known == total:
                break
            judged = np.concatenate([judged, self._judge(game, leaves[: total - known], total, root)])
        best, action = (scores >= scores.max() - 1e-9).astype(np.int8)[None], np.zeros(1, np.int64)
        loops.sample_range(best, seeds, action, 0, 1)
        return int(action[0])

    def _judge(self, game: Game, leaves: np.ndarray, total: int, root: np.ndarray) -> np.ndarray:
        if self.network is not None:
            return judge_by_network(self.network, game, leaves)[2].astype(np.float64)
        out = np.zeros((len(leaves), game.num_players))
        average_playouts(game.rules, leaves, max(1, PLAYOUTS // total), root, make_scratch(game), out)
        return out
