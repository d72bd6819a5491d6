"""Fair comparison of players: every seat order, the same dice for each order, intervals that respect it."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..envs import make_game
from ..envs.core import loops
from ..envs.core.contract import TERMINAL
from ..envs.core.game import Game
from ..envs.core.players import Decisions, Player, ask
from ..envs.core.random import fill_seeds, seed_of
from .players import load_player

_AT_A_TIME = 2048  # games in memory together
_RESAMPLES = 2000
_ALL_ORDERS_UP_TO = 4  # seats; above, each seed plays the rotations of one random order


@dataclass
class Games:
    """Games one by one.

    names: of the players. sat: int (games, n), the number in ``names`` of who sat in each seat. payoffs: float64 (games, n).
    turns: int (games,). ending: int (games,), numbers in ``game.endings``. seed: int64 (games,), rising; games with the same number
    had the same dice.
    """

    names: list[str]
    sat: np.ndarray
    payoffs: np.ndarray
    turns: np.ndarray
    ending: np.ndarray
    seed: np.ndarray

    @property
    def wins(self) -> np.ndarray:
        """What each seat won, float64 (games, n): 1 for the winner, 1/w each for w who share the win."""
        best = self.payoffs == self.payoffs.max(axis=1, keepdims=True)
        return best / best.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Score:
    """How one player did. wins: share of games won, a win shared by w counting 1/w; low and high: its 95 % interval (bootstrap over
    seeds). payoff: mean payoff with its interval. by_seat: share of wins in each seat. seats: in how many seats of each game it sat."""

    name: str
    seats: int
    wins: float
    wins_low: float
    wins_high: float
    payoff: float
    payoff_low: float
    payoff_high: float
    by_seat: list[float]


@dataclass(frozen=True)
class Evaluation:
    """The outcome of ``evaluate``. fair: the share of wins that equal players would have in a seat."""

    game: dict[str, Any]
    games: int
    seeds: int
    orders: int
    seed: int
    fair: float
    scores: list[Score]
    endings: dict[str, int]
    mean_turns: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts, lists and dicts, ready for JSON."""
        return asdict(self)

    def score(self, name: str) -> Score:
        """The score of a player by name. KeyError if it did not play."""
        scores = {score.name: score for score in self.scores}
        if name not in scores:
            raise KeyError(f"{name!r} did not play; there are {', '.join(scores)}")
        return scores[name]


def evaluate(
    players: Sequence[str | Player],
    game: str | Game,
    games: int = 1000,
    seed: int = 0,
    sample: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Evaluation:
    """Let players play each other, one for each seat (the same may be given for several).

    players: names for ``load_player``, or callables. games: at least so many are played, a multiple of the seat orders.
    sample: policies draw their moves instead of taking the most likely one. progress: called with (games done, games).
    options: of the game, if ``game`` is a name.

    With up to four seats every order in which the players can sit is played, each with the same seeds; with more, each seed plays the
    rotations of a random order, so that everybody sits everywhere equally often.
    ValueError if the number of players is not the number of seats, or a player is not to be had.
    """
    game = make_game(game, **options) if isinstance(game, str) else game
    return _summed_up(game, play_games(players, game, games, seed, sample, progress), seed)


def play_games(
    players: Sequence[str | Player],
    game: Game,
    games: int,
    seed: int = 0,
    sample: bool = False,
    progress: Callable[[int, int], None] | None = None,
    starts: np.ndarray | None = None,
) -> Games:
    """The games of ``evaluate``, one by one; ``Games.seed`` counts from 0. Arguments and errors as there.

    starts: states to begin with, a structured array (S,): the games of seed number k begin with ``starts[k % S]``, with the dice of the
    seed. None: the start of the game. ValueError if they are no states of ``game``, or if a game is over in one of them.
    """
    if len(players) != game.num_players:
        n = game.num_players
        raise ValueError(f"{game.name} has {n} seats here, so name {n} players (the same more than once if you like), got {len(players)}")
    if games < 1:
        raise ValueError(f"games must be 1 or more, got {games}")
    if starts is not None:
        _check_starts(game, starts)
    seats = _named(players, game, sample)
    names = list(dict.fromkeys(name for name, _ in seats))
    orders = _seatings([names.index(name) for name, _ in seats], games, seed)
    return _play(game, dict(seats), orders, seed, progress, starts)


def _check_starts(game: Game, starts: np.ndarray) -> None:
    if starts.dtype != game.state_dtype or starts.ndim != 1 or not len(starts):
        raise ValueError(f"starts must be one or more states of {game} in an array (S,), got {starts.dtype.name} of shape {starts.shape}")
    over = np.flatnonzero(starts["node"] >= TERMINAL)
    if len(over):
        text = game.position(starts[over[0] : over[0] + 1])
        raise ValueError(f"starts must be positions to play on from; in number {over[0]} the game is over: {text!r}")


def _named(players: Sequence[str | Player], game: Game, sample: bool) -> list[tuple[str, Player]]:
    """A name and a callable for each seat. Different callables get different names."""
    loaded: dict[str, Player] = {}
    seats = []
    for player in players:
        if isinstance(player, str):
            name = player
            if name not in loaded:
                loaded[name] = load_player(name, game, sample)
        else:
            plain = getattr(player, "__name__", type(player).__name__)
            name = next(
                n for n in itertools.chain([plain], (f"{plain}-{k}" for k in itertools.count(2))) if loaded.get(n, player) is player
            )
            loaded[name] = player
        seats.append((name, loaded[name]))
    return seats


def _seatings(entries: list[int], games: int, seed: int) -> list[np.ndarray]:
    """For each seed int (orders, n): which player sits where. As many seeds as ``games`` games need."""
    n = len(entries)
    if n <= _ALL_ORDERS_UP_TO:
        every = np.array(sorted(set(itertools.permutations(entries))))
        return [every] * -(-games // len(every))
    random = np.random.default_rng(seed)
    rotations = (np.arange(n)[:, None] + np.arange(n)) % n
    return [np.array(entries)[random.permutation(n)][rotations] for _ in range(-(-games // n))]


def _play(
    game: Game,
    players: dict[str, Player],
    orders: list[np.ndarray],
    seed: int,
    progress: Callable[[int, int], None] | None,
    starts: np.ndarray | None,
) -> Games:
    sat = np.concatenate(orders)
    dice, choices = np.empty(len(orders), np.uint64), np.empty(len(sat), np.uint64)
    fill_seeds(seed_of(seed), dice)
    fill_seeds(seed_of(seed + 1), choices)
    seed_numbers = np.repeat(np.arange(len(orders)), len(orders[0]))
    states = np.zeros(len(sat), game.state_dtype)
    if starts is None:
        loops.start_all(game.rules, states)
    else:
        states[:] = starts[seed_numbers % len(starts)]
    states["rng"] = dice[seed_numbers]  # every order of a seed sees the same dice
    for first in range(0, len(sat), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        for count in _play_part(game, list(players.values()), sat[part], states[part], choices[part]):
            if progress:
                progress(first + count, len(sat))
    payoffs = states["payoff"][:, : game.num_players].copy()
    return Games(list(players), sat, payoffs, states["turn"].copy(), states["ending"].copy(), seed_numbers)


def _play_part(game: Game, players: list[Player], sat: np.ndarray, states: np.ndarray, seeds: np.ndarray) -> Iterator[int]:
    """Play the games in ``states`` to their ends, telling again and again how many are done."""
    count = len(states)
    masks = np.zeros((count, game.num_actions), np.int8)
    observations = np.zeros((count, game.rules.observation_size), np.int8)
    to_move, actions, weights = np.zeros(count, np.int64), np.full(count, -1), np.empty(game.rules.num_outcomes)
    loops.play_some(game.rules, states, np.arange(count), actions, masks, to_move, observations, weights)
    while True:
        going = np.flatnonzero(to_move >= 0)
        yield count - len(going)
        if not len(going):
            return
        actions[:] = -1
        asked_player = sat[going, to_move[going]]
        for index, player in enumerate(players):
            asked = going[asked_player == index]
            if len(asked):
                own_seeds = seeds[asked]
                observation = observations[asked].reshape(len(asked), *game.observation_shape)
                decisions = Decisions(game, states[asked], observation, masks[asked], to_move[asked], own_seeds)
                actions[asked] = ask(player, decisions)
                seeds[asked] = own_seeds
        loops.play_some(game.rules, states, going, actions, masks, to_move, observations, weights)


def _summed_up(game: Game, played: Games, seed: int) -> Evaluation:
    num_seeds = int(played.seed[-1]) + 1
    wins = played.wins
    resamples = np.random.default_rng(0).integers(num_seeds, size=(_RESAMPLES, num_seeds))
    scores = []
    for index, name in enumerate(played.names):
        here = played.sat == index
        won, won_low, won_high = _interval(wins, here, num_seeds, resamples)
        paid, paid_low, paid_high = _interval(played.payoffs, here, num_seeds, resamples)
        by_seat = [float(wins[here[:, seat], seat].mean()) for seat in range(game.num_players)]
        scores.append(Score(name, int(here[0].sum()), won, won_low, won_high, paid, paid_low, paid_high, by_seat))
    ended = np.bincount(played.ending, minlength=len(game.endings))
    return Evaluation(
        game={"name": game.name, **game.config},
        games=len(played.sat),
        seeds=num_seeds,
        orders=len(played.sat) // num_seeds,
        seed=seed,
        fair=1 / game.num_players,
        scores=scores,
        endings={text: int(ended[i]) for i, text in enumerate(game.endings) if text},
        mean_turns=float(played.turns.mean()),
    )


def _interval(values: np.ndarray, here: np.ndarray, num_seeds: int, resamples: np.ndarray) -> tuple[float, float, float]:
    """Mean of ``values`` (games, n) where ``here``, with the 95 % interval of its bootstrap over seeds."""
    per_game = np.where(here, values, 0).sum(axis=1) / here.sum(axis=1)
    means = per_game.reshape(num_seeds, -1).mean(axis=1)
    low, high = np.quantile(means[resamples].mean(axis=1), [0.025, 0.975])
    return float(means.mean()), float(low), float(high)
