"""Games with one learner each: opponents hold the other seats, and it is always the learner who is asked."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from . import loops
from .aec import starting_state
from .compiling import compiled
from .contract import DECISION, TRUNCATED
from .game import Game, State
from .players import BASELINES, Decisions, Player, ask
from .random import below, fill_seeds, mix, next_seed, seed_of

ILLEGAL_REWARD = -1.0
ILLEGAL_ENDING = "illegal action"
OVER = -1
_MOST_STARTS = 1000

Opponents = str | Player | Sequence[str | Player]


@compiled
def draw_seats(rows, seeds, num_players, seats):
    """Write a random seat for each game of ``rows`` to ``seats``, by the game's own generator in ``seeds``."""
    for k in range(len(rows)):
        row = rows[k]
        seeds[row] = next_seed(seeds[row])
        seats[row] = below(mix(seeds[row]), num_players)


@compiled
def advance_rows(rules, states, rows, actions, masks, players, weights):
    """In each game of ``rows`` make a move (none if -1) and go on to the next decision, or the end, where the player is -1."""
    for k in range(len(rows)):
        row = rows[k]
        count = loops.step_one(rules, states[row : row + 1], actions[k], masks[row], weights)
        players[row] = states[row]["player"] if count > 0 else -1


def _player(opponent: str | Player) -> Player:
    if callable(opponent):
        return opponent
    if opponent not in BASELINES:
        raise ValueError(f"an opponent must be a function of Decisions or one of {', '.join(BASELINES)}, got {opponent!r}")
    return BASELINES[opponent]


class LearnerGames:
    """``num_games`` games that stand at a decision of the learner, or are over until ``begin`` is called for them.

    opponents: one for all other seats, or a sequence of as many, the first for the seat whose turn follows the learner's. Each is
        a name ("random", "greedy") or a function as described in ``players``. seat: the learner's, or "random" for each game anew.

    states: structured array (B,). masks: int8 (B, num_actions), of the learner's legal moves. seats: int64 (B,), the learner's.
    players: int64 (B,), who is to decide, OVER where the game is over. ValueError for arguments that do not fit the game.
    """

    def __init__(self, game: Game, num_games: int, opponents: Opponents = "random", seat: int | str = "random"):
        if isinstance(num_games, bool) or not isinstance(num_games, int | np.integer) or num_games < 1:
            raise ValueError(f"num_envs must be an integer of 1 or more, got {num_games!r}")
        others = game.num_players - 1
        asked = [opponents] * others if isinstance(opponents, str) or callable(opponents) else list(opponents)
        if len(asked) != others:
            raise ValueError(f"{game.name} has {others} other seats, got {len(asked)} opponents")
        if seat != "random" and (isinstance(seat, bool | str) or seat not in range(game.num_players)):
            raise ValueError(f"seat must be 0..{others} or 'random', got {seat!r}")
        self.game, self.seat = game, seat
        self._opponents: list[Player] = []
        which = []
        for opponent in map(_player, asked):  # those who are the same are asked together
            if opponent not in self._opponents:
                self._opponents.append(opponent)
            which.append(self._opponents.index(opponent))
        self._which = np.array(which)
        self.states = np.zeros(num_games, game.state_dtype)
        self.masks = np.zeros((num_games, game.num_actions), np.int8)
        self.players = np.full(num_games, OVER, np.int64)
        self.seats = np.full(num_games, 0 if seat == "random" else seat, np.int64)
        self._seeds = np.zeros(num_games, np.uint64)  # of the opponents and of the draw for seats; dice have their own
        self._weights = np.empty(game.rules.num_outcomes)
        self._all = np.arange(num_games)
        self._start = game.start()
        self.reseed([secrets.randbits(63) for _ in range(num_games)])

    def checked_start(self, options: Mapping[str, Any]) -> State:
        """Where games are to begin by the options of ``reset``. ValueError for a position that is none or that is over."""
        start = starting_state(self.game, options)
        if self.game.is_over(start):
            raise ValueError(f"the learner has nothing to decide: the game is over in {self.game.name} position {options['position']!r}")
        return start

    def start_at(self, start: State) -> None:
        """Let games that begin from now on begin at ``start``."""
        self._start = start

    def reseed(self, seeds: Sequence[int | None]) -> None:
        """Seed the dice, seats and opponents of each game; None leaves a game's generators as they are."""
        starts = [None if seed is None else seed_of(seed) for seed in seeds]
        two = np.empty(2, np.uint64)
        for row, start in enumerate(starts):
            if start is not None:
                fill_seeds(start, two)
                self.states["rng"][row], self._seeds[row] = two

    def begin(self, rows: np.ndarray) -> None:
        """Begin new games in ``rows`` (int64), played on to the learner's first decision.

        A game that ends before is begun again. ValueError if none gets there.
        """
        for _ in range(_MOST_STARTS):
            if self.seat == "random":
                draw_seats(rows, self._seeds, self.game.num_players, self.seats)
            generators = self.states["rng"][rows]
            self.states[rows] = self._start[0]
            self.states["rng"][rows] = generators
            self._advance(rows, np.full(len(rows), -1))
            self._play_opponents(rows)
            rows = rows[self.players[rows] == OVER]
            if not len(rows):
                return
        raise ValueError(f"the learner in seat {self.seats[rows[0]]} decides nothing before the end of {self.game}")

    def checked_actions(self, actions: Any) -> np.ndarray:
        """Moves as int64 (B,). ValueError unless they are B integers from 0 to num_actions - 1, ResetNeeded if a game is over."""
        if (self.players != self.seats).any():
            raise gymnasium.error.ResetNeeded("no games are going on: call reset() first")
        actions = np.asarray(actions)
        fits = actions.shape == self.players.shape and np.issubdtype(actions.dtype, np.integer)
        if not fits or not ((actions >= 0) & (actions < self.game.num_actions)).all():
            raise ValueError(f"actions must be {len(self.players)} integers from 0 to {self.game.num_actions - 1}, got {actions!r}")
        return actions.astype(np.int64)

    def play(self, actions: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The learner's move in each game, and the opponents' until the learner is asked again or the game is over.

        rows: int64, the games to play, all by default. actions: int64, one for each of them. Returns the learner's rewards, float64,
        likewise. An action that is not legal ends its game with ``ILLEGAL_REWARD``.
        """
        rows = self._all if rows is None else rows
        illegal = self.masks[rows, actions] == 0
        going = rows[~illegal]
        self._advance(going, actions[~illegal])
        self._play_opponents(going)
        self.players[rows[illegal]], self.masks[rows[illegal]] = OVER, 0
        rewards = self.states["payoff"][rows, self.seats[rows]]
        rewards[illegal] = ILLEGAL_REWARD
        return rewards

    def check_legal(self, actions: np.ndarray, rows: np.ndarray) -> None:
        """ValueError that names the first game of ``rows`` that is over or whose action is not legal. actions: int64, one for each."""
        wrong = loops.find_illegal(self.masks[rows], actions)
        if wrong < 0:
            return
        row = rows[wrong]
        if self.players[row] == OVER:
            raise ValueError(f"environment {row}: no game is going on, reset it first")
        try:
            self.game.action_text(self.states[row : row + 1], int(actions[wrong]))
        except ValueError as error:
            raise ValueError(f"environment {row}: {error}") from None

    def observe(self, rows: np.ndarray | None = None) -> np.ndarray:
        """What the learner sees in each game, or in those of ``rows``: int8 (games, *observation_shape)."""
        if rows is None:
            return self._observe(self.states, self.seats)
        return self._observe(self.states[rows], self.seats[rows])

    def final_info(self, row: int) -> dict[str, Any]:
        """The info for the end of a game."""
        node = self.states["node"][row]
        ending = ILLEGAL_ENDING if node == DECISION else self.game.endings[self.states["ending"][row]]
        return {"action_mask": self.masks[row].copy(), "ending": ending, "truncated_by_cap": bool(node == TRUNCATED)}

    def _observe(self, states: np.ndarray, players: np.ndarray) -> np.ndarray:
        out = np.empty((len(states), self.game.rules.observation_size), np.int8)
        loops.observe_range(self.game.rules, states, players, out, 0, len(states))
        return out.reshape(len(states), *self.game.observation_shape)

    def _advance(self, rows: np.ndarray, actions: np.ndarray) -> None:
        advance_rows(self.game.rules, self.states, rows, actions, self.masks, self.players, self._weights)

    def _play_opponents(self, rows: np.ndarray) -> None:
        while True:
            rows = rows[(self.players[rows] != self.seats[rows]) & (self.players[rows] != OVER)]
            if not len(rows):
                return
            asked = self._which[(self.players[rows] - self.seats[rows] - 1) % self.game.num_players]
            for k, opponent in enumerate(self._opponents):
                theirs = rows[asked == k]
                if len(theirs):
                    self._advance(theirs, self._ask(opponent, theirs))

    def _ask(self, opponent: Player, rows: np.ndarray) -> np.ndarray:
        states, players, seeds = self.states[rows], self.players[rows], self._seeds[rows]
        actions = ask(opponent, Decisions(self.game, states, self._observe(states, players), self.masks[rows], players, seeds))
        self._seeds[rows] = seeds
        return actions


def observation_space(game: Game) -> spaces.Box:
    """The learner's observations: int8, within the game's bounds, an entry that never changes widened as Gymnasium's checker wants it."""
    low, high = game.observation_low, game.observation_high
    constant = low == high
    return spaces.Box(np.where(constant, np.minimum(low, 0), low), np.where(constant, np.maximum(high, 1), high), dtype=np.int8)
