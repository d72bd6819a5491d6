# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Whole turns drawn from a policy, of which the one is played whose end is worth most.

Where a turn is many small moves, as in Herd, a tree of single moves hardly grows beyond the turn at hand, and the moves that lead to the
same end in another order fill it. A policy's own draws are turns that make sense, and yet differ.
"""

import numpy as np

from ...envs.core import contract, loops
from ...envs.core.compiling import compiled
from ...envs.core.contract import CHANCE, DECISION, TERMINAL
from ...envs.core.game import Game
from ...envs.core.players import Decisions
from ...envs.core.random import mix, next_seed
from ..choice import choose
from ..network import PolicyNetwork
from ..position_hash import position_hash, room_to_hash
from .judging import ALONE, judge_by_network

_TURNS_TOGETHER = 1 << 12
_JUDGED_TOGETHER = 1 << 13


@compiled
def _deal(seeds, dice, draws):
    """Seeds drawn by each root's own: dice for all its turns, draws for each of them."""
    each = len(draws) // len(seeds)
    for i in range(len(seeds)):
        seeds[i] = next_seed(seeds[i])
        dice[i] = mix(seeds[i])
        for k in range(i * each, (i + 1) * each):
            seeds[i] = next_seed(seeds[i])
            draws[k] = mix(seeds[i])


@compiled
def _move(rules, states, at, actions, going, mask):
    """Make a move in each state ``at``, and those without a choice that follow in the same turn. Written: going, whether it goes on."""
    for i in range(len(at)):
        state = states[at[i]]
        player, turn = state["player"], state["turn"]
        contract.apply(rules, state, int(actions[i]))
        going[i] = False
        while state["node"] == DECISION and state["player"] == player and state["turn"] == turn:
            going[i] = contract.legal(rules, state, mask) > 1
            if going[i]:
                break
            action = 0
            while mask[action] == 0:
                action += 1
            contract.apply(rules, state, action)


@compiled
def _hash(ends, owners, work, words, keys):
    """Write a hash of what each turn led to, and of the root that it began at, to ``keys``."""
    for i in range(len(ends)):
        work[0] = ends[i]
        keys[i] = mix(position_hash(work, words) ^ np.uint64(owners[i]))


@compiled
def _spread(rules, ends, dice, leaves, shares, mask, weights):
    """Follow a turn's end, ``ends[0]``, through each outcome of the throw behind it, if there is one, to the next decision with a choice
    or to the end of the game. Later throws are drawn: the same ones for every turn.

    Written: leaves, and their probabilities in ``shares``. Returns how many there are.
    """
    end = ends[0]
    count = 1
    shares[0] = 1.0
    if end["node"] == CHANCE:
        count = int(contract.chance(rules, end, shares))
    for outcome in range(count):
        leaves[outcome] = end
        leaf = leaves[outcome]
        leaf["rng"] = mix(dice ^ np.uint64(outcome))
        if end["node"] == CHANCE:
            contract.resolve(rules, leaf, outcome)
        loops.enter(rules, leaf, weights, mask, True)
    return count


class TurnSearch:
    """Draws ``turns`` whole turns for each decision (one of them the policy's favourite moves), and begins the one whose end the network's
    values like best, on average over all outcomes of the next throw. A turn ends where dice are thrown or another player is to move."""

    def __init__(self, turns: int, network: PolicyNetwork):
        self.turns, self.network = turns, network

    def __call__(self, decisions: Decisions) -> np.ndarray:
        together = max(1, _TURNS_TOGETHER // self.turns)
        parts = [slice(first, first + together) for first in range(0, len(decisions.states), together)]
        return np.concatenate([self._choose(decisions.game, decisions.states[part], decisions.seeds[part]) for part in parts])

    def _choose(self, game: Game, roots: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        count = len(roots)
        dice, draws = np.empty(count, np.uint64), np.empty(count * self.turns, np.uint64)
        _deal(seeds, dice, draws)
        ends = np.repeat(roots, self.turns)
        first_moves = self._draw_turns(game, ends, draws)
        owners = np.repeat(np.arange(count), self.turns)
        keys = np.empty(len(ends), np.uint64)
        _hash(ends, owners, *room_to_hash(game.state_dtype), keys)
        _, distinct, which = np.unique(keys, return_index=True, return_inverse=True)
        worth = self._worth(game, ends[distinct], dice[owners[distinct]], roots["player"][owners[distinct]])
        best = worth[which].reshape(count, self.turns).argmax(axis=1)
        return first_moves.reshape(count, self.turns)[np.arange(count), best]

    def _draw_turns(self, game: Game, states: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """Play the turn in each state to its end, each first one by the most likely moves. Returns their first moves."""
        favourite = np.arange(len(states)) % self.turns == 0
        mask, first_moves, at = np.zeros(game.num_actions, np.int8), None, np.arange(len(states))
        while len(at):
            logits, actions, _ = judge_by_network(self.network, game, states[at])
            likely, seeds = choose(logits, actions, draws, False), draws[at]
            moves = np.where(favourite[at], likely, choose(logits, actions, seeds, True))
            draws[at] = seeds
            first_moves = moves if first_moves is None else first_moves
            going = np.empty(len(at), np.bool_)
            _move(game.rules, states, at, moves, going, mask)
            at = at[going]
        assert first_moves is not None
        return first_moves

    def _worth(self, game: Game, ends: np.ndarray, dice: np.ndarray, players: np.ndarray) -> np.ndarray:
        """What each turn's end is worth to its player."""
        most = max(1, game.rules.num_outcomes)
        leaves, shares = np.zeros((len(ends), most), game.state_dtype), np.zeros((len(ends), most))
        mask, weights = np.zeros(game.num_actions, np.int8), np.zeros(most)
        for i in range(len(ends)):
            count = _spread(game.rules, ends[i : i + 1], dice[i], leaves[i], shares[i], mask, weights)
            shares[i, count:] = 0.0
        rows, columns = np.nonzero(shares)
        flat, seats = leaves[rows, columns], players[rows]
        values = flat["payoff"][np.arange(len(flat)), seats].astype(np.float64)
        going = np.flatnonzero(flat["node"] < TERMINAL)
        for first in range(0, len(going), _JUDGED_TOGETHER):
            part = going[first : first + _JUDGED_TOGETHER]
            values[part] = judge_by_network(self.network, game, flat[part])[2][np.arange(len(part)), seats[part]]
        worth = np.bincount(rows, values * shares[rows, columns], len(ends))
        won = (ends["node"] >= TERMINAL) & (ends["payoff"][np.arange(len(ends)), players] >= ALONE)
        return np.where(won, np.inf, worth)  # better than a win that is only foreseen
