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


@dataclass
class League:
    """assigned: int64 (B, n), who plays each seat of each game: 0 the current policy, k the pool's member k - 1."""

    config: LeagueConfig
    num_envs: int
    num_players: int
    members: list[Member] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.assigned = np.zeros((self.num_envs, self.num_players), np.int64)

    def snapshot(self, name: str, network: PolicyNetwork) -> None:
        """Put a copy of the current policy into the pool. If that is full, the member beaten most often gives up its place and its games."""
        member = Member(name, copy.deepcopy(network).eval().requires_grad_(False))
        if len(self.members) < self.config.pool_size:
            self.members.append(member)
            return
        easiest = max(range(len(self.members)), key=lambda index: self.members[index].score)
        # Games under way keep their opponent to the end: they are not handed to the newcomer in the same place.
        if not (self.assigned == easiest + 1).any():
            self.members[easiest] = member
            return
        free = [index for index in range(len(self.members)) if not (self.assigned == index + 1).any()]
        if free:
            self.members[max(free, key=lambda index: self.members[index].score)] = member

    def finish(self, games: np.ndarray, payoffs: np.ndarray, random: np.random.Generator) -> None:
        """Count the games that ended (indices, payoffs (len(games), n)), and give the seats of the next ones."""
        for game, paid in zip(games, payoffs, strict=True):
            opponents = self.assigned[game] > 0
            if opponents.any() and not opponents.all():
                member = self.members[self.assigned[game].max() - 1]
                difference = paid[~opponents].mean() - paid[opponents].mean()
                score = 0.5 + 0.5 * float(np.sign(difference))
                member.games += 1
                member.score += (score - member.score) * max(1 - _MEMORY, 1 / (member.games + 1))
        self.assigned[games] = 0
        if not self.members:
            return
        weights = np.array([(1 - member.score) ** 2 + 0.05 for member in self.members])
        chosen = games[random.random(len(games)) < self.config.share]
        drawn = random.choice(len(self.members), len(chosen), p=weights / weights.sum())
        seats = random.permuted(np.tile(np.arange(self.num_players) < self.num_players // 2, (len(chosen), 1)), axis=1)
        self.assigned[chosen] = np.where(seats, drawn[:, None] + 1, 0)

    def state_dict(self) -> dict[str, Any]:
        members = [{"name": m.name, "score": m.score, "games": m.games, "network": m.network.state_dict()} for m in self.members]
        return {"assigned": self.assigned.tolist(), "members": members}

    def load_state_dict(self, state: dict[str, Any], network: PolicyNetwork) -> None:
        """``network``: any network of the right shape, to be copied."""
        self.assigned[...] = np.array(state["assigned"])
        self.members = []
        for saved in state["members"]:
            member = Member(saved["name"], copy.deepcopy(network).eval().requires_grad_(False), saved["score"], saved["games"])
            member.network.load_state_dict(saved["network"])
            self.members.append(member)
