# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Exact solutions of small games for two players: every position that can be reached, with its value when both play perfectly.

All positions are found from the start through the rules' own functions, with every outcome of the dice. Then value iteration
sweeps over them (in place, the positions found last first) until no value changes: at a decision the mover takes the best successor,
at a chance node the outcomes are averaged.

The cap on turns is left out, since with it every position would count once for each turn in which it can be reached. The number of
turns is then told from the first turn only (Herd's first throw is read in another way): positions that differ in nothing else
are one. Play that never ends is worth 0.

Positions are told apart by a hash of 64 bits of the state's record. Among 20 million positions the chance that any two are taken
for one is 1 in 100 000.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..envs import make_game
from ..envs.core import contract
from ..envs.core.compiling import compiled
from ..envs.core.contract import CHANCE, DECISION
from ..envs.core.game import Game, State
from ..envs.core.players import Decisions, Player, ask
from .position_hash import position_hash, room_to_hash

RESIDUAL = 1e-9
NO_CAP = 2_000_000_000
MAX, MIN, AVERAGE, OVER = 0, 1, 2, 3  # what a node does with its successors' values: player 0's decision, player 1's, chance, the end
_SWEEPS = 20  # between two looks at the residual
_BATCHES = 10  # of games, from whose spread the interval of a mean loss is made
_AT_A_TIME = 100_000  # positions whose successors are found between two looks at progress and room
_ABSENT = -1


@compiled
def _slot(slots, keys, key):
    """Where in the open-addressing table ``slots`` (a power of two) the position is, or would be put."""
    last = np.uint64(len(slots) - 1)
    slot = key & last
    while slots[slot] != _ABSENT and keys[slots[slot]] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@compiled
def _fill_slots(slots, keys, count):
    slots[:] = _ABSENT
    for index in range(count):
        slots[_slot(slots, keys, keys[index])] = index


@compiled
def _expand(
    rules, stack, numbers, sizes, slots, keys, kinds, values, first, count, targets, weights, here, work, words, mask, odds, most
):  # fmt: skip
    """Find the successors of the positions on ``stack``, whose numbers are ``numbers``, until there is none, or ``most`` are done, or room
    runs out.

    sizes: int64 (3,), how many positions and edges there are, and how many are on the stack, updated.
    """
    width = max(len(mask), len(odds))
    for _ in range(most):
        positions, edges, top = sizes[0], sizes[1], sizes[2]
        if top == 0 or positions + width > len(keys) or edges + width > len(targets) or top + width > len(stack):
            return
        top -= 1
        here[0], number = stack[top], numbers[top]
        state = here[0]
        at_chance = state["node"] == CHANCE
        if at_chance:
            choices = int(contract.chance(rules, state, odds))
        else:
            contract.legal(rules, state, mask)
            choices = len(mask)
        first[number] = edges
        for choice in range(choices):
            if not at_chance and mask[choice] == 0:
                continue
            work[0] = state
            if at_chance:
                contract.resolve(rules, work[0], choice)
            else:
                contract.apply(rules, work[0], choice)
            key = position_hash(work, words)
            slot = _slot(slots, keys, key)
            if slots[slot] == _ABSENT:
                slots[slot] = positions
                keys[positions] = key
                _classify(work[0], positions, kinds, values)
                if kinds[positions] != OVER:
                    stack[top] = work[0]
                    numbers[top] = positions
                    top += 1
                positions += 1
            targets[edges] = slots[slot]
            weights[edges] = odds[choice] if at_chance else 0.0
            edges += 1
        count[number] = edges - first[number]
        sizes[0], sizes[1], sizes[2] = positions, edges, top


@compiled
def _classify(state, number, kinds, values):
    node = state["node"]
    values[number] = 0.0
    if node == CHANCE:
        kinds[number] = AVERAGE
    elif node == DECISION:
        kinds[number] = MAX if state["player"] == 0 else MIN
    else:
        kinds[number] = OVER
        values[number] = state["payoff"][0]


@compiled
def _start(rules, work, words, sizes, slots, keys, kinds, values):
    contract.start(rules, work[0])
    keys[0] = position_hash(work, words)
    slots[_slot(slots, keys, keys[0])] = 0
    _classify(work[0], 0, kinds, values)
    sizes[0] = 1


@compiled
def _backed_up(number, kinds, first, count, targets, weights, values):
    """The value that a position's successors give it."""
    kind, begin = kinds[number], first[number]
    end = begin + count[number]
    if kind == OVER:
        return values[number]
    if kind == AVERAGE:
        total = 0.0
        for edge in range(begin, end):
            total += weights[edge] * values[targets[edge]]
        return total
    best = values[targets[begin]]
    for edge in range(begin + 1, end):
        value = values[targets[edge]]
        if (kind == MAX and value > best) or (kind == MIN and value < best):
            best = value
    return best


@compiled
def _sweep(kinds, first, count, targets, weights, values):
    for number in range(len(values) - 1, -1, -1):
        values[number] = _backed_up(number, kinds, first, count, targets, weights, values)


@compiled
def _residual(kinds, first, count, targets, weights, values):
    """The Bellman residual: by how much any value differs from what its successors give, at most."""
    worst = 0.0
    for number in range(len(values)):
        worst = max(worst, abs(values[number] - _backed_up(number, kinds, first, count, targets, weights, values)))
    return worst


@compiled
def _find(states, work, words, slots, keys, out):
    """Write the numbers of ``states`` to ``out``, -1 for a position that the start does not lead to."""
    for i in range(len(states)):
        work[0] = states[i]
        out[i] = slots[_slot(slots, keys, position_hash(work, words))]


@dataclass(frozen=True)
class Loss:
    """What a player gives away. mean: loss of value a decision against perfect play, over the decisions with a choice that it came to in
    games against itself; low and high: its 95 % interval, from the spread between ten batches of games."""

    name: str
    mean: float
    low: float
    high: float
    decisions: int
    games: int


class Solution:
    """A solved game. Values are player 0's payoff, player 1's is the negative, for play without a cap on turns.

    value: of the start. residual: the Bellman residual. decisions, chances, ends: numbers of positions. seconds: it took to solve.
    """

    def __init__(self, game: Game, graph: "_Graph", residual: float, seconds: float):
        self.game, self.residual, self.seconds, self._graph = game, residual, seconds, graph
        kinds = np.bincount(graph.kinds, minlength=4)
        self.decisions, self.chances, self.ends = int(kinds[MAX] + kinds[MIN]), int(kinds[AVERAGE]), int(kinds[OVER])
        self.value = float(graph.values[0])

    def numbers(self, states: np.ndarray) -> np.ndarray:
        """Where each of ``states`` (B,) stands among the positions, int64 (B,). ValueError for one that the start does not lead to."""
        out = np.empty(len(states), np.int64)
        _find(states, *room_to_hash(self.game.state_dtype), self._graph.slots, self._graph.keys, out)
        if (out == _ABSENT).any():
            lost = states[np.flatnonzero(out == _ABSENT)[:1]]
            raise ValueError(f"{self.game.name} position {self.game.position(lost)!r} cannot be reached from the start")
        return out

    def value_of(self, state: State) -> float:
        """Player 0's payoff from ``state`` on under perfect play. ValueError as from ``numbers``."""
        return float(self._graph.values[self.numbers(state)[0]])

    def action_values(self, state: State) -> dict[int, float]:
        """What each legal action of a decision is worth to the player who decides. ValueError as from ``numbers``."""
        actions = self.game.legal_actions(state)
        values = self._choices(int(self.numbers(state)[0])) if len(actions) else ()
        return {int(action): float(value) for action, value in zip(actions, values, strict=True)}

    def best_moves(self, state: State) -> list[str]:
        """The texts of all moves that lose nothing (but what the residual leaves open)."""
        values = self.action_values(state)
        return [text for text, action in self.game.moves(state).items() if values[action] >= max(values.values()) - 1e-7]

    def first_moves(self) -> list[dict[str, Any]]:
        """The best moves of the decisions that at most one throw comes before: after (the throw), player, value, best (texts)."""
        game, start = self.game, self.game.start()
        rows = []
        for text in game.chances(start) or {"": 1.0}:
            state = game.resolve(start, text) if text else start
            player = game.player(state)
            if player is not None:
                rows.append({"after": text, "player": player, "value": self.value_of(state), "best": self.best_moves(state)})
        return rows

    def summary(self) -> str:
        """Size and value in a sentence."""
        return (
            f"{self.decisions:,} decisions, {self.chances:,} chance nodes, {self.ends:,} ends; "
            f"the start is worth {self.value:+.9f} to player_0; Bellman residual {self.residual:.1e}; {self.seconds:.1f} s"
        )

    def losses(self, decisions: Decisions, actions: np.ndarray) -> np.ndarray:
        """What each chosen action gives away against the best one, float64 (B,), zero or more."""
        out = np.empty(len(actions))
        for i, number in enumerate(self.numbers(decisions.states)):
            values = self._choices(int(number))
            out[i] = values.max() - values[int(decisions.action_mask[i, : actions[i]].sum())]
        return out

    def _choices(self, number: int) -> np.ndarray:
        """The values of a decision's successors to the player who decides, by rising action."""
        graph = self._graph
        begin = graph.first[number]
        values = graph.values[graph.targets[begin : begin + graph.count[number]]]
        return values if graph.kinds[number] == MAX else -values

    def optimal_player(self, decisions: Decisions) -> np.ndarray:
        """The player that always makes the best move, of several the first."""
        actions = np.empty(len(decisions.states), np.int64)
        for i, number in enumerate(self.numbers(decisions.states)):
            actions[i] = np.flatnonzero(decisions.action_mask[i])[self._choices(int(number)).argmax()]
        return actions

    def loss(self, player: Player, name: str, games: int = 1000, seed: int = 0) -> Loss:
        """What ``player`` gives away in about ``games`` games against itself, under the game's own cap on turns."""
        from .arena import evaluate

        means, decisions = [], 0
        for batch in range(_BATCHES):
            lost: list[np.ndarray] = []

            def watched(asked: Decisions, lost: list[np.ndarray] = lost) -> np.ndarray:
                actions = ask(player, asked)
                lost.append(self.losses(asked, actions))
                return actions

            evaluate([watched] * 2, self.game, max(1, games // _BATCHES), seed + 2 * batch)
            every = np.concatenate(lost)
            means.append(every.mean())
            decisions += len(every)
        spread = 2.262 * float(np.std(means, ddof=1)) / _BATCHES**0.5  # Student's t, nine degrees of freedom
        mean = float(np.mean(means))
        return Loss(name, mean, max(0.0, mean - spread), mean + spread, decisions, _BATCHES * max(1, games // _BATCHES))


class _Graph:
    """All positions by number and the edges between them. The arrays grow as positions are found."""

    def __init__(self, game: Game, max_states: int):
        self.game, self.max_states = game, max_states
        self.rules = game.rules._replace(max_turns=NO_CAP)
        self.width = max(game.num_actions, game.rules.num_outcomes)
        room = 1 << (4 * self.width).bit_length()
        self.slots = np.full(2 * room, _ABSENT, np.int32)
        self.keys, self.kinds = np.zeros(room, np.uint64), np.zeros(room, np.int8)
        self.values, self.first, self.count = np.zeros(room), np.zeros(room, np.int64), np.zeros(room, np.int32)
        self.targets, self.weights = np.zeros(4 * room, np.int32), np.zeros(4 * room)
        self.stack, self.numbers = np.zeros(2 * self.width, game.state_dtype), np.zeros(2 * self.width, np.int64)
        self.sizes = np.zeros(3, np.int64)

    def find_all(self, progress: Callable[[str], None]) -> None:
        """Depth first from the start, so that few positions wait as whole states. ValueError if there are more than ``max_states``."""
        game, scratch = self.game, room_to_hash(self.game.state_dtype)
        mask, odds = np.zeros(game.num_actions, np.int8), np.zeros(game.rules.num_outcomes)
        _start(self.rules, *scratch, self.sizes, self.slots, self.keys, self.kinds, self.values)
        self.stack[0], self.sizes[2] = scratch[0][0], 1
        here = np.zeros(1, game.state_dtype)
        while self.sizes[2]:
            self._make_room()
            _expand(
                self.rules, self.stack, self.numbers, self.sizes, self.slots, self.keys, self.kinds, self.values, self.first, self.count,
                self.targets, self.weights, here, *scratch, mask, odds, _AT_A_TIME,
            )  # fmt: skip
            if self.sizes[0] > self.max_states:
                raise ValueError(f"{game} has more than {self.max_states:,} positions: if more fit in memory, raise max_states")
            progress(f"{self.sizes[0]:,} positions found")
        del self.stack, self.numbers
        for name in ("keys", "kinds", "values", "first", "count"):
            setattr(self, name, getattr(self, name)[: self.sizes[0]])
        self.targets, self.weights = self.targets[: self.sizes[1]], self.weights[: self.sizes[1]]

    def _make_room(self) -> None:
        """Room for at least the successors of one position."""
        if self.sizes[0] + self.width > len(self.keys):
            for name in ("keys", "kinds", "values", "first", "count"):
                setattr(self, name, _doubled(getattr(self, name)))
            self.slots = np.empty(2 * len(self.slots), np.int32)
            _fill_slots(self.slots, self.keys, self.sizes[0])
        if self.sizes[1] + self.width > len(self.targets):
            self.targets, self.weights = _doubled(self.targets), _doubled(self.weights)
        if self.sizes[2] + self.width > len(self.stack):
            self.stack, self.numbers = _doubled(self.stack), _doubled(self.numbers)

    def iterate(self, progress: Callable[[str], None]) -> float:
        """Value iteration. Returns the Bellman residual, below RESIDUAL."""
        edges = self.kinds, self.first, self.count, self.targets, self.weights, self.values
        sweeps = 0
        while (residual := _residual(*edges)) >= RESIDUAL:
            progress(f"{len(self.values):,} positions, after {sweeps} sweeps a residual of {residual:.1e}")
            for _ in range(_SWEEPS):
                _sweep(*edges)
            sweeps += _SWEEPS
        return residual


def _doubled(array: np.ndarray) -> np.ndarray:
    out = np.zeros(2 * len(array), array.dtype)
    out[: len(array)] = array
    return out


def solve(game: str | Game, max_states: int = 30_000_000, progress: Callable[[str], None] | None = None, **options: Any) -> Solution:
    """Solve a game for two players.

    max_states: most positions to hold; one takes about 40 bytes and each of its successors 12. progress: called with a text that
    tells how far it is. options: of the game, if ``game`` is a name. ValueError for another number of players, or more positions.
    """
    game = make_game(game, **options) if isinstance(game, str) else game
    if game.num_players != 2:
        raise ValueError(f"exact solutions are for two players, {game.name} has {game.num_players} here")
    began = time.perf_counter()
    graph = _Graph(game, max_states)
    tell = progress or (lambda text: None)
    graph.find_all(tell)
    residual = graph.iterate(tell)
    return Solution(game, graph, residual, time.perf_counter() - began)
