# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Monte-Carlo tree search, with nodes of their own for chance."""

from typing import NamedTuple

import numpy as np

from ...envs.core import contract, loops
from ...envs.core.compiling import compiled
from ...envs.core.contract import CHANCE, DECISION, TERMINAL
from ...envs.core.game import Game
from ...envs.core.players import Decisions
from ...envs.core.random import mix, next_seed, unit_float
from ..network import PolicyNetwork
from .judging import ALONE, judge_by_network
from .playouts import make_scratch, play_out

EXPLORATION = 1.5  # of UCT; from 1.4 to 3 the loss on Herd of size 2 is the same, below it is more
GUIDED_EXPLORATION = 1.5  # of PUCT
_TREE_BYTES = 1 << 29  # of the trees that grow together
_NODES_A_SIMULATION = 4  # room for the nodes without a choice that a simulation passes, beside the one that it ends in
_NONE = -1


_NODE = np.dtype([("kind", "i1"), ("player", "i1"), ("first", "i4"), ("count", "i4"), ("visits", "i4"), ("won", "i4"), ("value", "f8")])
_EDGE = np.dtype([("choice", "i4"), ("child", "i4"), ("visits", "i4"), ("prior", "f4"), ("total", "f8")])


class _Trees(NamedTuple):
    """B trees. A node's edges are its legal actions, or the outcomes of a chance node, side by side from ``first`` on.

    nodes: (B, N); value is what the network told the node's player, won an edge by which that player wins at once, or _NONE.
    edges: (B, E); total is the sum of what the player who chose it was paid, prior the network's probability, or the outcome's.
    path: int32 (B, N, 2), nodes and edges of the simulation under way.
    sizes: int64 (B, 3), how many nodes, edges and steps of the path there are.
    """

    nodes: np.ndarray
    edges: np.ndarray
    path: np.ndarray
    sizes: np.ndarray


def _room(game: Game, simulations: int) -> tuple[int, int]:
    """Most nodes and edges of a tree."""
    rules = game.rules
    passed = _NODES_A_SIMULATION * simulations
    return simulations + 1 + passed, (simulations + 1) * rules.max_legal + passed * max(1, rules.num_outcomes)


def _trees(game: Game, count: int, simulations: int) -> _Trees:
    nodes, edges = _room(game, simulations)
    return _Trees(
        np.empty((count, nodes), _NODE),
        np.empty((count, edges), _EDGE),
        np.empty((count, nodes, 2), np.int32),
        np.zeros((count, 3), np.int64),
    )


@compiled
def _add_node(rules, trees, b, state, mask, weights):
    """A node for ``state`` in tree b, with an edge for each choice. Returns its number; _NONE if there is no room."""
    number, first = trees.sizes[b, 0], trees.sizes[b, 1]
    kind = int(state["node"])
    choices, count = 0, 0
    if kind == DECISION:
        count = int(contract.legal(rules, state, mask))
        choices = len(mask)
    elif kind == CHANCE:
        choices = int(contract.chance(rules, state, weights))
        count = choices
    if number == trees.nodes.shape[1] or first + count > trees.edges.shape[1]:
        return _NONE
    node = trees.nodes[b, number]
    node["kind"], node["player"], node["first"], node["count"] = kind, state["player"], first, count
    node["visits"], node["won"], node["value"] = 0, _NONE, 0.0
    for choice in range(choices):
        if kind == CHANCE or mask[choice] != 0:
            edge = trees.edges[b, first]
            edge["choice"], edge["child"], edge["visits"], edge["total"] = choice, _NONE, 0, 0.0
            edge["prior"] = weights[choice] if kind == CHANCE else 1.0
            first += 1
    trees.sizes[b, 0], trees.sizes[b, 1] = number + 1, first
    return number


@compiled
def _most_promising(node, edges, guided, weight):
    """The edge to follow from a decision: by UCT (Kocsis and Szepesvari, 2006), or guided by priors (PUCT, Silver et al., 2017)."""
    if node["won"] != _NONE:
        return int(node["won"])
    first = int(node["first"])
    best, best_score = first, -np.inf
    visits = float(node["visits"])
    exploration = weight * (np.sqrt(visits) if guided else np.sqrt(np.log(visits + 1.0)))
    for number in range(first, first + int(node["count"])):
        edge = edges[number]
        tried = float(edge["visits"])
        if guided:
            worth = edge["total"] / tried if tried > 0.0 else node["value"]
            score = worth + exploration * edge["prior"] / (1.0 + tried)
        elif tried == 0.0:
            return number
        else:
            score = edge["total"] / tried + exploration / np.sqrt(tried)
        if score > best_score:
            best, best_score = number, score
    return best


@compiled
def _drawn(node, edges, state):
    """An edge of a chance node, drawn by the state's generator."""
    seed = next_seed(state["rng"])
    state["rng"] = seed
    left = unit_float(mix(seed))
    number, last = int(node["first"]), int(node["first"]) + int(node["count"]) - 1
    while number < last and left >= edges[number]["prior"]:
        left -= edges[number]["prior"]
        number += 1
    return number


@compiled
def _descend(rules, trees, b, state, guided, exploration, mask, weights):
    """Go down tree b from its root, where ``state`` stands, to a node that was not there before, or to the end of a game.

    New nodes without a choice are passed at once. Returns the new node, _NONE if nothing was added; ``state`` is then what it stands for.
    """
    nodes, edges, path = trees.nodes[b], trees.edges[b], trees.path[b]
    number, steps = 0, 0
    while nodes[number]["kind"] < TERMINAL:
        node = nodes[number]
        at_chance = node["kind"] == CHANCE
        taken = _drawn(node, edges, state) if at_chance else _most_promising(node, edges, guided, exploration)
        path[steps, 0], path[steps, 1] = number, taken
        steps += 1
        if at_chance:
            contract.resolve(rules, state, int(edges[taken]["choice"]))
        else:
            contract.apply(rules, state, int(edges[taken]["choice"]))
        child = int(edges[taken]["child"])
        if child == _NONE:
            child = _add_node(rules, trees, b, state, mask, weights)
            edges[taken]["child"] = child
            if not at_chance and state["node"] >= TERMINAL and state["payoff"][int(node["player"])] >= ALONE:
                node["won"] = taken
            if child == _NONE or (state["node"] != CHANCE and nodes[child]["count"] != 1):
                trees.sizes[b, 2] = steps
                return child
        number = child
    trees.sizes[b, 2] = steps
    return _NONE


@compiled
def _back_up(trees, b, payoffs):
    """Count ``payoffs``, one a player, on the path of the simulation under way."""
    nodes, edges = trees.nodes[b], trees.edges[b]
    for step in range(trees.sizes[b, 2]):
        node, edge = nodes[trees.path[b, step, 0]], edges[trees.path[b, step, 1]]
        node["visits"] += 1
        edge["visits"] += 1
        if node["kind"] == DECISION:
            edge["total"] += payoffs[int(node["player"])]


@compiled
def _begin(rules, trees, b, root, mask, weights):
    trees.sizes[b] = 0
    _add_node(rules, trees, b, root, mask, weights)


@compiled
def _favourite(trees, b):
    """The action that wins at once, or was tried most often; of several the one that paid best."""
    root, edges = trees.nodes[b, 0], trees.edges[b]
    if root["won"] != _NONE:
        return int(edges[int(root["won"])]["choice"])
    best = int(root["first"])
    for number in range(best + 1, best + int(root["count"])):
        more = int(edges[number]["visits"]) - int(edges[best]["visits"])
        if more > 0 or (more == 0 and edges[number]["total"] > edges[best]["total"]):
            best = number
    return int(edges[best]["choice"])


@compiled
def _grow_by_playouts(rules, trees, root, seeds, simulations, exploration, scratch):
    """Search from ``root[0]`` in the first tree, choices and dice drawn from ``seeds[0]``. Returns the action to play."""
    _begin(rules, trees, 0, root[0], scratch.masks[0], scratch.weights)
    seeds[0] = next_seed(seeds[0])
    scratch.seeds[0] = mix(seeds[0])
    state = scratch.states[0]
    for _ in range(simulations):
        scratch.states[0] = root[0]
        scratch.seeds[0] = next_seed(scratch.seeds[0])
        state["rng"] = mix(scratch.seeds[0])
        _descend(rules, trees, 0, state, False, exploration, scratch.masks[0], scratch.weights)
        play_out(rules, scratch)
        _back_up(trees, 0, state["payoff"])
    return _favourite(trees, 0)


@compiled
def _pick_leaves(rules, trees, roots, seeds, exploration, fresh, leaves, nodes, open_leaves, mask, weights):
    """One simulation in each tree, down to a leaf; fresh: the leaf is the root itself. Finished games are counted at once.

    Written: leaves, the decisions that a network is to judge; nodes, the nodes to hang its priors on, or _NONE; open_leaves, in which
    trees there is one. Returns how many.
    """
    count = 0
    for b in range(len(roots)):
        leaves[count] = roots[b]
        state = leaves[count]
        seeds[b] = next_seed(seeds[b])
        state["rng"] = mix(seeds[b])
        if fresh:
            _begin(rules, trees, b, roots[b], mask, weights)
            node = 0
        else:
            node = _descend(rules, trees, b, state, True, exploration, mask, weights)
            loops.settle(rules, state, weights)
        if state["node"] >= TERMINAL:
            _back_up(trees, b, state["payoff"])
        else:
            nodes[count], open_leaves[count] = node, b
            count += 1
    return count


@compiled
def _take_judgement(trees, nodes, open_leaves, logits, values):
    """Hang a network's priors on the new nodes, and count its values. values: (count, num_players), of seats."""
    for i in range(len(open_leaves)):
        b = open_leaves[i]
        if nodes[i] != _NONE:
            node, edges = trees.nodes[b, nodes[i]], trees.edges[b]
            node["value"] = values[i, int(node["player"])]
            first, count = int(node["first"]), int(node["count"])
            highest, total = -np.inf, 0.0
            for k in range(count):
                highest = max(highest, float(logits[i, k]))
            for k in range(count):
                edges[first + k]["prior"] = np.exp(float(logits[i, k]) - highest)
                total += float(edges[first + k]["prior"])
            for k in range(count):
                edges[first + k]["prior"] = float(edges[first + k]["prior"]) / total
        _back_up(trees, b, values[i])


class TreeSearch:
    """Grows a tree by ``simulations``, and plays the move tried most often. With a network its priors guide the search and its values
    end each simulation, the games of a batch side by side; without one, games are played out. exploration: the weight of what has
    been tried little, in UCT without a network, in PUCT with one."""

    def __init__(self, simulations: int, network: PolicyNetwork | None = None, exploration: float | None = None):
        self.simulations, self.network = simulations, network
        self.exploration = exploration or (EXPLORATION if network is None else GUIDED_EXPLORATION)

    def __call__(self, decisions: Decisions) -> np.ndarray:
        if self.network is None:
            return self._by_playouts(decisions)
        count, actions = len(decisions.states), []
        nodes, edges = _room(decisions.game, self.simulations)
        together = max(1, _TREE_BYTES // (edges * _EDGE.itemsize + nodes * (_NODE.itemsize + 8)))
        for first in range(0, count, together):
            part = slice(first, first + together)
            actions.append(self._by_network(self.network, decisions.game, decisions.states[part], decisions.seeds[part]))
        return np.concatenate(actions)

    def _by_playouts(self, decisions: Decisions) -> np.ndarray:
        game, count = decisions.game, len(decisions.states)
        trees, scratch = _trees(game, 1, self.simulations), make_scratch(game)
        actions = np.empty(count, np.int64)
        for i in range(count):
            one = slice(i, i + 1)
            actions[i] = _grow_by_playouts(
                game.rules, trees, decisions.states[one], decisions.seeds[one], self.simulations, self.exploration, scratch
            )
        return actions

    def _by_network(self, network: PolicyNetwork, game: Game, roots: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        count, trees = len(roots), _trees(game, len(roots), self.simulations)
        leaves, nodes, open_leaves = np.zeros(count, game.state_dtype), np.zeros(count, np.int64), np.zeros(count, np.int64)
        mask, weights = np.zeros(game.num_actions, np.int8), np.zeros(game.rules.num_outcomes)
        for simulation in range(self.simulations + 1):
            some = _pick_leaves(
                game.rules, trees, roots, seeds, self.exploration, simulation == 0, leaves, nodes, open_leaves, mask, weights
            )
            if some:
                logits, _, values = judge_by_network(network, game, leaves[:some])
                _take_judgement(trees, nodes[:some], open_leaves[:some], logits, values)
        return np.array([_favourite(trees, b) for b in range(count)])
