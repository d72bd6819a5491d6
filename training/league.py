"""The pool of earlier policies, and who plays which seat.

In most games the current policy plays every seat. In a share of them one earlier policy, drawn more often the harder it is to beat or
the closer it is in strength (prioritised fictitious self-play, Vinyals et al., 2019), plays half the seats. In a further share, none
by default, a player that does not learn plays all seats but one. Seats are given anew only when a game ends.
"""

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..envs.core.players import Player
from .config import LeagueConfig
from .network import PolicyNetwork

_MEMORY = 0.99  # of the running win rate, per game
_LEAST_WEIGHT = 0.05  # so that nobody is forgotten
_WEIGHTINGS = {
    "hard": lambda scores: (1 - scores) ** 2,
    "variance": lambda scores: scores * (1 - scores),
    "uniform": lambda scores: np.ones_like(scores),
}


@dataclass
class Opponent:
    """score: running mean of what the current policy scored against it (1 a win, 0.5 a tie, 0 a loss) in ``games`` games."""

    name: str
    score: float = field(default=0.5, kw_only=True)
    games: int = field(default=0, kw_only=True)

    def count(self, difference: float) -> None:
        """A game is over in which the current policy's seats were paid so much more, on average, than the opponent's."""
        self.games += 1
        self.score += (0.5 + 0.5 * float(np.sign(difference)) - self.score) * max(1 - _MEMORY, 1 / (self.games + 1))


@dataclass
class Fixed(Opponent):
    """A player that does not learn."""

    player: Player


@dataclass
class Member(Opponent):
    """An earlier policy."""

    network: PolicyNetwork
    joined: int  # iteration
    retired: bool = False  # plays its games under way to their end, and no more


@dataclass
class League:
    """assigned: int64 (B, n), who plays each seat of each game: 0 the current policy, k > 0 the member in place k - 1, -k the k-th of
    ``fixed``. places: members by place, None where one is free."""

    config: LeagueConfig
    num_envs: int
    num_players: int
    fixed: list[Fixed] = field(default_factory=list)
    places: list[Member | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.assigned = np.zeros((self.num_envs, self.num_players), np.int64)

    @property
    def pool(self) -> list[Member]:
        """The members that are drawn for new games."""
        return [member for member in self.places if member and not member.retired]

    @property
    def newest(self) -> Member | None:
        """The member that joined last."""
        return max(self.pool, key=lambda member: member.joined, default=None)

    @property
    def opponents(self) -> list[Opponent]:
        """All that are drawn for new games."""
        return [*self.fixed, *self.pool]

    def opponent(self, number: int) -> Fixed | Member | None:
        """Who stands behind a number in ``assigned``; None for the current policy."""
        if number == 0:
            return None
        return self.places[number - 1] if number > 0 else self.fixed[-number - 1]

    def snapshot(self, iteration: int, network: PolicyNetwork) -> None:
        """Put a copy of the current policy into the pool. If that was full, the member beaten most often retires."""
        if len(self.pool) == self.config.pool_size:
            max(self.pool, key=lambda member: member.score).retired = True
            self._free_places()
        member = Member(f"iteration-{iteration}", copy.deepcopy(network).eval().requires_grad_(False), iteration)
        if None in self.places:
            self.places[self.places.index(None)] = member
        else:
            self.places.append(member)

    def _free_places(self) -> None:
        busy = set(np.unique(self.assigned).tolist())
        self.places = [None if member and member.retired and place + 1 not in busy else member for place, member in enumerate(self.places)]

    def finish(self, games: np.ndarray, payoffs: np.ndarray, random: np.random.Generator) -> None:
        """Count the games that ended (indices, payoffs (len(games), n)), and give the seats of the next ones."""
        for game, paid in zip(games, payoffs, strict=True):
            theirs = self.assigned[game] != 0
            if theirs.any() and (opponent := self.opponent(self.assigned[game][theirs][0])):
                opponent.count(paid[~theirs].mean() - paid[theirs].mean())
        self.assigned[games] = 0
        lot, pool = random.random(len(games)), self.pool
        if pool:
            weights = _WEIGHTINGS[self.config.weighting](np.array([member.score for member in pool])) + _LEAST_WEIGHT
            numbers = [self.places.index(member) + 1 for member in pool]
            self._assign(games[lot < self.config.share], numbers, weights / weights.sum(), self.num_players // 2, random)
        if self.fixed:
            further = (lot >= self.config.share) & (lot < self.config.share + self.config.fixed_share)
            numbers = [-k - 1 for k in range(len(self.fixed))]
            self._assign(games[further], numbers, None, self.num_players - 1, random)

    def _assign(self, games: np.ndarray, numbers: list[int], weights: np.ndarray | None, seats: int, random: np.random.Generator) -> None:
        drawn = random.choice(numbers, len(games), p=weights)
        theirs = random.permuted(np.tile(np.arange(self.num_players) < seats, (len(games), 1)), axis=1)
        self.assigned[games] = np.where(theirs, drawn[:, None], 0)

    def state_dict(self) -> dict[str, Any]:
        places = [member and {**vars(member), "network": member.network.state_dict()} for member in self.places]
        fixed = [{"score": opponent.score, "games": opponent.games} for opponent in self.fixed]
        return {"assigned": self.assigned.tolist(), "places": places, "fixed": fixed}

    def load_state_dict(self, state: dict[str, Any], network: PolicyNetwork) -> None:
        """``network``: any network of the right shape, to be copied."""
        self.assigned[...] = np.array(state["assigned"])
        for opponent, saved in zip(self.fixed, state["fixed"], strict=True):
            opponent.score, opponent.games = saved["score"], saved["games"]
        self.places = []
        for saved in state["places"]:
            member = None
            if saved:
                member = Member(**{**saved, "network": copy.deepcopy(network).eval().requires_grad_(False)})
                member.network.load_state_dict(saved["network"])
            self.places.append(member)
