"""The pool of earlier policies, and who plays which seat.

In most games the current policy plays every seat. In a share of them one earlier policy, drawn more often the harder it is to beat
(prioritised fictitious self-play, Vinyals et al., 2019), plays half the seats. Seats are given anew only when a game ends.
"""

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .config import LeagueConfig
from .network import PolicyNetwork

_MEMORY = 0.99  # of the running win rate, per game


@dataclass
class Member:
    """An earlier policy. score: running mean of what the current policy scored against it (1 a win, 0.5 a tie, 0 a loss)."""

    name: str
    network: PolicyNetwork
    score: float = 0.5
    games: int = 0
    retired: bool = False  # plays its games under way to their end, and no more


@dataclass
class League:
    """assigned: int64 (B, n), who plays each seat of each game: 0 the current policy, k the member in place k - 1.
    places: members by place, None where one is free."""

    config: LeagueConfig
    num_envs: int
    num_players: int
    places: list[Member | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.assigned = np.zeros((self.num_envs, self.num_players), np.int64)

    @property
    def pool(self) -> list[Member]:
        """The members that are drawn for new games."""
        return [member for member in self.places if member and not member.retired]

    def network(self, index: int) -> PolicyNetwork | None:
        """The network behind a number in ``assigned``; None for the current policy."""
        member = self.places[index - 1] if index else None
        return member.network if member else None

    def snapshot(self, name: str, network: PolicyNetwork) -> None:
        """Put a copy of the current policy into the pool. If that was full, the member beaten most often retires."""
        if len(self.pool) == self.config.pool_size:
            max(self.pool, key=lambda member: member.score).retired = True
            self._free_places()
        member = Member(name, copy.deepcopy(network).eval().requires_grad_(False))
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
            opponents = self.assigned[game] > 0
            member = self.places[self.assigned[game].max() - 1] if opponents.any() else None
            if member:
                difference = paid[~opponents].mean() - paid[opponents].mean()
                score = 0.5 + 0.5 * float(np.sign(difference))
                member.games += 1
                member.score += (score - member.score) * max(1 - _MEMORY, 1 / (member.games + 1))
        self.assigned[games] = 0
        pool = self.pool
        if not pool:
            return
        weights = np.array([(1 - member.score) ** 2 + 0.05 for member in pool])
        chosen = games[random.random(len(games)) < self.config.share]
        drawn = random.choice([self.places.index(member) + 1 for member in pool], len(chosen), p=weights / weights.sum())
        seats = random.permuted(np.tile(np.arange(self.num_players) < self.num_players // 2, (len(chosen), 1)), axis=1)
        self.assigned[chosen] = np.where(seats, drawn[:, None], 0)

    def state_dict(self) -> dict[str, Any]:
        places = [member and {**vars(member), "network": member.network.state_dict()} for member in self.places]
        return {"assigned": self.assigned.tolist(), "places": places}

    def load_state_dict(self, state: dict[str, Any], network: PolicyNetwork) -> None:
        """``network``: any network of the right shape, to be copied."""
        self.assigned[...] = np.array(state["assigned"])
        self.places = []
        for saved in state["places"]:
            member = None
            if saved:
                member = Member(**{**saved, "network": copy.deepcopy(network).eval().requires_grad_(False)})
                member.network.load_state_dict(saved["network"])
            self.places.append(member)
