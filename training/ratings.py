"""Ratings from the games of a tournament, and what else such games tell.

A game is read as choices: of all its seats, the one paid most is chosen, then the next among the rest (Plackett, 1975; Luce, 1959); of
two players that is the model of Bradley and Terry (1952). Who share a place each count as a part of the choice. Ratings are strengths on
Elo's scale: 400 points are odds of ten to one. One drawn game of every pair is added to those played, or a player who lost
all games would have no finite rating.
"""

import itertools
from dataclasses import asdict, dataclass
from typing import Any

import choix
import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from ..envs.core.game import Game
from .arena import Games

POINTS = 400 / np.log(10)  # of Elo's scale, for odds of e to one
_RESAMPLES = 500


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval, by bootstrap over seeds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """A player. wins: share of games won a seat, a win shared by w counting 1/w. by_seat: the same in each seat. against: for each
    other player the share of games in which this one was paid more, an equal payment counting half."""

    name: str
    rating: Estimate
    games: int
    wins: Estimate
    payoff: Estimate
    by_seat: list[float]
    against: dict[str, float]


@dataclass(frozen=True)
class Standings:
    """The outcome of a tournament, best player first. fair: share of wins that equal players would have in a seat. seats: share of
    wins in each seat, all players together, each of whom sat in all alike. turns: of the games, in order of length."""

    game: dict[str, Any]
    model: str
    anchor: str
    seed: int
    games: int
    seeds: int
    fair: float
    players: list[Standing]
    seats: list[Estimate]
    turns: list[int]
    endings: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts, lists and dicts, ready for JSON."""
        return asdict(self)


def standings(game: Game, games: Games, anchor: str, seed: int) -> Standings:
    """Sum up a tournament. anchor: the player whose rating is 0; seed: of the tournament, only to be told."""
    _, cluster = np.unique(games.seed, return_inverse=True)
    seeds = int(cluster.max()) + 1
    # How often each seed is drawn: first all of them once, which gives the value itself.
    draws = np.random.default_rng(0).multinomial(seeds, np.full(seeds, 1 / seeds), size=_RESAMPLES)
    draws = np.concatenate([np.ones((1, seeds), int), draws])
    ratings = rate(games.names, games.sat, games.payoffs, cluster, draws)
    ratings -= ratings[:, [games.names.index(anchor)]]
    wins = games.wins
    players = []
    for index, name in enumerate(games.names):
        here = games.sat == index
        players.append(
            Standing(
                name,
                _estimate(ratings[:, index]),
                int(here.any(axis=1).sum()),
                _mean(wins, here, cluster, draws),
                _mean(games.payoffs, here, cluster, draws),
                [float(wins[here[:, seat], seat].mean()) for seat in range(game.num_players)],
                {other: _above(games, index, k) for k, other in enumerate(games.names) if k != index},
            )
        )
    ended = np.bincount(games.ending, minlength=len(game.endings))
    everyone = np.arange(game.num_players)
    return Standings(
        game={"name": game.name, **game.config},
        model="Bradley-Terry" if game.num_players == 2 else "Plackett-Luce",
        anchor=anchor,
        seed=seed,
        games=len(games.sat),
        seeds=seeds,
        fair=1 / game.num_players,
        players=sorted(players, key=lambda player: -player.rating.value),
        seats=[_mean(wins, np.tile(everyone == seat, (len(wins), 1)), cluster, draws) for seat in everyone],
        turns=sorted(games.turns.tolist()),
        endings={text: int(ended[i]) for i, text in enumerate(game.endings) if text},
    )


def _estimate(values: np.ndarray) -> Estimate:
    """values: the value itself, then those of the resamples."""
    low, high = np.nanquantile(values[1:], [0.025, 0.975])
    return Estimate(float(values[0]), float(low), float(high))


def _mean(values: np.ndarray, here: np.ndarray, cluster: np.ndarray, draws: np.ndarray) -> Estimate:
    """Of ``values`` (games, n) where ``here``."""
    sums = draws @ np.bincount(cluster, np.where(here, values, 0).sum(axis=1))
    counts = draws @ np.bincount(cluster, here.sum(axis=1))
    return _estimate(np.divide(sums, counts, out=np.full(len(draws), np.nan), where=counts > 0))


def _above(games: Games, one: int, other: int) -> float:
    """Share of games in which ``one`` is paid more than ``other``, a mean over their seats if they have several."""
    both = (games.sat == one).any(axis=1) & (games.sat == other).any(axis=1)
    sat, paid = games.sat[both], games.payoffs[both]
    pair = (sat == one)[:, :, None] & (sat == other)[:, None, :]
    above = (1 + np.sign(paid[:, :, None] - paid[:, None, :])) / 2
    return float((np.where(pair, above, 0).sum(axis=(1, 2)) / pair.sum(axis=(1, 2))).mean())


def rate(names: list[str], sat: np.ndarray, payoffs: np.ndarray, cluster: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Ratings fitted jointly to games, once for each row of ``draws``: float64 (len(draws), players), each row with mean 0.

    sat: int (games, n), who sat where. payoffs: float64 (games, n). cluster: int (games,), which seed a game belongs to.
    draws: int (times, seeds), how often each seed counts.
    """
    count = len(names)
    if sat.shape[1] == 2:
        lost = np.zeros((cluster.max() + 1, count, count))
        first, second = (1 + np.sign(payoffs[:, 0] - payoffs[:, 1])) / 2, (1 + np.sign(payoffs[:, 1] - payoffs[:, 0])) / 2
        np.add.at(lost, (cluster, sat[:, 0], sat[:, 1]), first)
        np.add.at(lost, (cluster, sat[:, 1], sat[:, 0]), second)
        drawn = (1 - np.eye(count)) / 2
        tables = np.tensordot(draws, lost, axes=1) + drawn
        return POINTS * np.array([choix.ilsr_pairwise_dense(table, max_iter=10_000) for table in tables])
    sets, of_set, won = _choices(sat, payoffs, count)
    set_counts, wins = np.zeros((cluster.max() + 1, len(sets))), np.zeros((cluster.max() + 1, count))
    np.add.at(set_counts, (cluster[of_set[0]], of_set[1]), 1.0)
    np.add.at(wins, cluster, won)
    fitted = np.zeros((len(draws), count))
    for i, (counts, total) in enumerate(zip(draws @ set_counts, draws @ wins, strict=True)):
        fitted[i] = _plackett_luce(sets, counts, total, fitted[0])
    return POINTS * fitted


def _choices(sat: np.ndarray, payoffs: np.ndarray, count: int) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The choices in games: how many seats each player has in each different set to choose from, float64 (sets, players); of all
    choices the game and the set, int64 each; how often each player is chosen in each game, float64 (games, players)."""
    won = np.zeros((len(sat), count))
    rows, players_left = [], []
    for rank in range(sat.shape[1] - 1):
        better = (payoffs[:, None, :] > payoffs[:, :, None]).sum(axis=2)
        here, left = better == rank, better >= rank
        going = here.any(axis=1) & (here.sum(axis=1) < left.sum(axis=1))  # who are equal at the end are not chosen among
        multiple = np.stack([(left & (sat == player)).sum(axis=1) for player in range(count)], axis=1)
        chosen = np.stack([(here & (sat == player)).sum(axis=1) for player in range(count)], axis=1)
        won[going] += chosen[going] / here[going].sum(axis=1, keepdims=True)
        rows.append(np.flatnonzero(going))
        players_left.append(multiple[going])
    sets, number = np.unique(np.concatenate(players_left), axis=0, return_inverse=True)
    return sets.astype(np.float64), (np.concatenate(rows), number.reshape(-1)), won


def _plackett_luce(sets: np.ndarray, counts: np.ndarray, wins: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The most likely strengths, float64 (players,) with mean 0; ``choix`` knows neither weights nor shared places.

    sets: float64 (sets, players), how many seats each has in a set; counts: float64 (sets,), how often there was that choice;
    wins: float64 (players,), how often each was chosen; start: strengths to begin with.
    """
    players = len(wins)
    drawn = np.zeros((players * (players - 1) // 2, players))
    for row, pair in enumerate(itertools.combinations(range(players), 2)):
        drawn[row, pair] = 1.0
    sets, counts, wins = np.concatenate([sets, drawn]), np.concatenate([counts, np.ones(len(drawn))]), wins + (players - 1) / 2
    total = counts.sum()

    # Only differences matter; the square of the mean holds the strengths in place.
    def loss(strength: np.ndarray) -> float:
        return (counts @ logsumexp(strength, axis=1, b=sets) - wins @ strength) / total + strength.mean() ** 2 / 2

    def shares(strength: np.ndarray) -> np.ndarray:
        weights = sets * np.exp(strength - strength.max())
        return weights / weights.sum(axis=1, keepdims=True)

    def gradient(strength: np.ndarray) -> np.ndarray:
        return (counts @ shares(strength) - wins) / total + strength.mean() / players

    def hessian(strength: np.ndarray) -> np.ndarray:
        share = shares(strength)
        return (np.diag(counts @ share) - (counts * share.T) @ share) / total + 1 / players**2

    strength = minimize(loss, start, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-9}).x
    return strength - strength.mean()
