# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Players that search: expectimax over one or two moves, and Monte-Carlo tree search. Chance has nodes of its own in both.

Every seat is taken to maximise its own payoff (max^n), so that any number of seats will do. What lies beyond the search is judged by a
network's values, or by playing games on to their ends with the greedy player's moves, some of them random.

Searches look ahead with dice of their own, drawn from ``Decisions.seeds``: the same seeds give the same moves.
"""

from typing import NamedTuple

import numpy as np

from ..envs.core import contract, loops
from ..envs.core.compiling import compiled
from ..envs.core.contract import CHANCE, DECISION, TERMINAL
from ..envs.core.game import Game
from ..envs.core.players import Decisions, Player
from ..envs.core.random import mix, next_seed, unit_float
from .network import PolicyNetwork
from .players import SEARCHES
from .rollout import infer

RANDOM_SHARE = 0.25  # of the moves in playouts
EXPLORATION = 1.5  # of UCT; from 1.4 to 3 the loss on Herd of size 2 is the same, below it is more
GUIDED_EXPLORATION = 1.5  # of PUCT
PLAYOUTS = 500  # of expectimax for one decision, at least one for each leaf
_LEAVES = 1024  # of expectimax judged together
_TREE_BYTES = 1 << 29  # of the trees that grow together
_NODES_A_SIMULATION = 4  # room for the nodes without a choice that a simulation passes, beside the one that it ends in
_NONE = -1
ALONE = 1.0  # what winning alone is paid, whatever the number of players: there is nothing better


class _Scratch(NamedTuple):
    """What playing one game in compiled code needs. states, masks, seeds and actions have one row."""

    states: np.ndarray
    masks: np.ndarray
    seeds: np.ndarray
    actions: np.ndarray
    weights: np.ndarray
    pair: np.ndarray
    scores: np.ndarray


def _scratch(game: Game) -> _Scratch:
    return _Scratch(
        np.zeros(1, game.state_dtype),
        np.zeros((1, game.num_actions), np.int8),
        np.zeros(1, np.uint64),
        np.zeros(1, np.int64),
        np.zeros(game.rules.num_outcomes),
        np.zeros(2, game.state_dtype),
        np.zeros(game.num_actions),
    )


@compiled
def _play_out(rules, scratch):
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


# --- what lies beyond the search


@compiled
def _average_playouts(rules, leaves, playouts, root, scratch, out):
    for i in range(len(leaves)):
        out[i] = 0.0
        scratch.seeds[0] = root[0]["rng"]  # the same luck for every leaf
        for _ in range(playouts):
            scratch.states[0] = leaves[i]
            scratch.seeds[0] = next_seed(scratch.seeds[0])
            scratch.states[0]["rng"] = mix(scratch.seeds[0])
            _play_out(rules, scratch)
            for k in range(out.shape[1]):
                out[i, k] += scratch.states[0]["payoff"][k] / playouts


@compiled
def _look(rules, states, masks, players, observations):
    """Masks, players and observations of decisions."""
    for i in range(len(states)):
        contract.legal(rules, states[i], masks[i])
        players[i] = states[i]["player"]
        contract.observe(rules, states[i], int(players[i]), observations[i])


def _judge_by_network(network: PolicyNetwork, game: Game, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits (B, W), legal actions (B, max_legal) and each seat's value (B, num_players) of B decisions."""
    count, n = len(states), game.num_players
    masks, players = np.zeros((count, game.num_actions), np.int8), np.zeros(count, np.int64)
    observations = np.zeros((count, game.rules.observation_size), np.int8)
    _look(game.rules, states, masks, players, observations)
    rows, actions = network.encoder.encoded(states, observations.reshape(count, *game.observation_shape), masks)
    logits, values = infer(network, rows, actions, network.device)
    relative = (np.arange(n) - players[:, None]) % n
    return logits, actions, np.take_along_axis(values, relative, 1)


# --- expectimax


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
            return _judge_by_network(self.network, game, leaves)[2].astype(np.float64)
        out = np.zeros((len(leaves), game.num_players))
        _average_playouts(game.rules, leaves, max(1, PLAYOUTS // total), root, _scratch(game), out)
        return out


# --- Monte-Carlo tree search

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
        _play_out(rules, scratch)
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
        trees, scratch = _trees(game, 1, self.simulations), _scratch(game)
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
                logits, _, values = _judge_by_network(network, game, leaves[:some])
                _take_judgement(trees, nodes[:some], open_leaves[:some], logits, values)
        return np.array([_favourite(trees, b) for b in range(count)])


def search_player(kind: str, number: str, network: PolicyNetwork | None) -> Player:
    """``expectimax`` with plies, ``mcts`` with simulations. ValueError that says what the number may be."""
    allowed = SEARCHES[kind]
    if not number.isdecimal() or int(number) < 1 or (kind == "expectimax" and int(number) > 2):
        raise ValueError(f"player {kind} needs a number behind the colon, {allowed}, got {number!r}, as in {kind}:{allowed[0]}")
    return Expectimax(int(number), network) if kind == "expectimax" else TreeSearch(int(number), network)
