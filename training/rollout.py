"""Self-play games and the trajectories that learning takes from them.

A trajectory belongs to one seat in one game: a decision's next state is the same seat's next decision, and what is paid in
between belongs to it. Extra turns, several players and players who drop out then need no special case. The last decision of
a seat in an unfinished game has no next one yet: it is carried over to the next rollout, where its log-probability and value
are computed anew, and never bootstrapped on another seat's state.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from ..envs.core.compiling import compiled
from ..envs.core.players import Decisions, ask
from ..envs.core.vector import BatchEnv
from .choice import sample_choices
from .hardware import Shards
from .league import Fixed, League
from .network import PolicyNetwork

_ARRAYS = ("open_rows", "open_actions", "open_choice", "is_open")


@compiled
def stitch(
    players, learning, over, payoffs, values, open_before, open_values, discount, gae_lambda,
    advantages, targets, closed, open_advantages, open_targets, open_closed, chain,
):  # fmt: skip
    """Generalised advantage estimation (Schulman et al., 2016) along the chain of each seat in each game.

    players int (T, B): who decided. learning bool (T, B): whether the decision was the learner's. over bool (T, B): the move ended
    the game. payoffs (T, B, n): then paid to each player, else zero. values (T, B, n), open_values (B, n, n): of the deciding seat and
    the others, in relative order. open_before bool (B, n): the seat has a decision left open by the rollout before.

    Written: advantages and targets of all seats in relative order, (T, B, n) and (B, n, n); closed (T, B) and open_closed (B, n):
    whether the decision's next one, or the game's end, is known. Those not closed are to be carried over.

    chain: scratch, float64 (n, 3 * n): per seat the next value, the next advantage, and what was paid since, for all players.
    """
    steps, games = players.shape
    n = payoffs.shape[2]
    for game in range(games):
        known = 0  # bit s: the next decision of seat s, or the game's end, is known
        chain[:, :] = 0.0
        for step in range(steps - 1, -1, -1):
            if over[step, game]:
                known = (1 << n) - 1
                for seat in range(n):
                    for k in range(n):
                        chain[seat, k] = 0.0
                        chain[seat, n + k] = 0.0
                        chain[seat, 2 * n + k] = payoffs[step, game, (seat + k) % n]
            if not learning[step, game]:
                continue
            seat = players[step, game]
            closed[step, game] = (known >> seat) & 1
            for k in range(n):
                value = values[step, game, k]
                advantage = 0.0
                if closed[step, game]:
                    advantage = chain[seat, 2 * n + k] + discount * (chain[seat, k] + gae_lambda * chain[seat, n + k]) - value
                advantages[step, game, k] = advantage
                targets[step, game, k] = advantage + value
                chain[seat, k] = value
                chain[seat, n + k] = advantage
                chain[seat, 2 * n + k] = 0.0
            known |= 1 << seat
        for seat in range(n):
            if not open_before[game, seat]:
                continue
            open_closed[game, seat] = (known >> seat) & 1
            for k in range(n):
                value = open_values[game, seat, k]
                advantage = chain[seat, 2 * n + k] + discount * (chain[seat, k] + gae_lambda * chain[seat, n + k]) - value
                open_advantages[game, seat, k] = advantage
                open_targets[game, seat, k] = advantage + value


@dataclass
class Batch:
    """N decisions to learn from.

    rows: int8 (N, encoder.size) and actions: int16 (N, max_legal), what the network reads. choice: int64 (N,), the place of the
    action taken. log_prob, advantage: float32 (N,). target: float32 (N, num_players), the value aimed at, in relative order.
    """

    rows: torch.Tensor
    actions: torch.Tensor
    choice: torch.Tensor
    log_prob: torch.Tensor
    advantage: torch.Tensor
    target: torch.Tensor

    def __len__(self) -> int:
        return len(self.choice)


@dataclass
class Summary:
    """What the games that ended during a rollout looked like: their number, all their turns, how many ended how."""

    games: int
    turns: int
    endings: dict[str, int]

    @classmethod
    def joined(cls, several: list["Summary"]) -> "Summary":
        endings = {ending: sum(one.endings[ending] for one in several) for ending in several[0].endings}
        return cls(sum(one.games for one in several), sum(one.turns for one in several), endings)


class Rollout:
    """Plays ``steps`` moves in each game of ``vec`` and stitches them to a ``Batch``. Its arrays are made once."""

    def __init__(self, vec: BatchEnv, network: PolicyNetwork, league: League, steps: int, device: torch.device, shards: Shards):
        self.vec, self.network, self.league, self.device, self.shards = vec, network, league, device, shards
        games, n, size, legal = vec.num_envs, vec.game.num_players, network.encoder.size, network.encoder.max_legal
        shape = (steps, games)
        self.rows, self.actions = np.zeros((*shape, size), np.int8), np.zeros((*shape, legal), np.int16)
        self.choice, self.player = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.log_prob, self.values = np.zeros(shape, np.float32), np.zeros((*shape, n), np.float32)
        self.learning, self.over = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        self.payoffs = np.zeros((*shape, n))
        self.open_rows, self.open_actions = np.zeros((games, n, size), np.int8), np.zeros((games, n, legal), np.int16)
        self.open_choice, self.is_open = np.zeros((games, n), np.int64), np.zeros((games, n), np.bool_)

    def collect(self, random: np.random.Generator, discount: float, gae_lambda: float) -> tuple[Batch, Summary]:
        """Play on from where the games stand, and return the decisions whose outcome is known with a summary of finished games."""
        summary = self._play(random)
        return self._stitched(discount, gae_lambda), summary

    def _play(self, random: np.random.Generator) -> Summary:
        vec, everyone = self.vec, np.arange(self.vec.num_envs)
        ended, turns = np.zeros(len(vec.game.endings), np.int64), 0
        for step in range(len(self.rows)):
            self.player[step] = vec.player
            policy = self.league.assigned[everyone, vec.player]
            self.learning[step] = policy == 0
            uniforms = random.random(vec.num_envs, np.float32)
            self.shards.map(partial(self._choose, step, policy, uniforms), self.shards.slices(vec.num_envs))
            for index in np.unique(policy):
                opponent = self.league.opponent(index)
                if isinstance(opponent, Fixed):
                    asked = np.flatnonzero(policy == index)
                    self.choice[step, asked] = (self.actions[step, asked] == self._ask(opponent, asked)[:, None]).argmax(axis=1)
            turns_before = vec.states["turn"].copy()
            vec.step(self.actions[step, everyone, self.choice[step]])
            over = vec.terminated | vec.truncated
            self.over[step], self.payoffs[step] = over, vec.rewards
            if over.any():
                games = np.flatnonzero(over)
                ended += np.bincount(vec.ending[games], minlength=len(ended))
                turns += int(turns_before[games].sum()) + len(games)
                self.league.finish(games, vec.rewards[games], random)
        names = [name for name in vec.game.endings if name]
        return Summary(int(ended.sum()), turns, dict(zip(names, ended[1:].tolist(), strict=True)))

    def _choose(self, step: int, policy: np.ndarray, uniforms: np.ndarray, part: slice) -> None:
        """Encode the decisions of some games, and let the policies make theirs."""
        vec = self.vec
        rows, actions = self.rows[step, part], self.actions[step, part]
        self.network.encoder.encode(vec.states[part], vec.observation[part], vec.action_mask[part], rows, actions)
        for index in np.unique(policy[part]):
            opponent = self.league.opponent(index)
            if isinstance(opponent, Fixed):
                continue
            asked = np.flatnonzero(policy[part] == index)
            network = opponent.network if opponent else self.network
            logits, values = infer(network, rows[asked], actions[asked], self.device)
            chosen, log_probs = np.empty(len(asked), np.int64), np.empty(len(asked), np.float32)
            sample_choices(logits, actions[asked], uniforms[part][asked], chosen, log_probs)
            self.choice[step, part][asked] = chosen
            if index == 0:
                self.log_prob[step, part][asked], self.values[step, part][asked] = log_probs, values

    def _ask(self, opponent: Fixed, asked: np.ndarray) -> np.ndarray:
        vec = self.vec
        seeds = vec.seeds[asked]
        decisions = Decisions(vec.game, vec.states[asked], vec.observation[asked], vec.action_mask[asked], vec.player[asked], seeds)
        answer = ask(opponent.player, decisions)
        vec.seeds[asked] = seeds
        return answer

    def _stitched(self, discount: float, gae_lambda: float) -> Batch:
        games, n = self.is_open.shape
        open_log_prob, open_values = np.zeros((games, n), np.float32), np.zeros((games, n, n), np.float32)
        if self.is_open.any():  # the policy has learned since: what it thinks of these decisions now
            logits, values = infer(self.network, self.open_rows[self.is_open], self.open_actions[self.is_open], self.device)
            log_probs = torch.log_softmax(torch.from_numpy(logits), dim=1).numpy()
            open_log_prob[self.is_open] = np.take_along_axis(log_probs, self.open_choice[self.is_open][:, None], 1)[:, 0]
            open_values[self.is_open] = values
        advantages, targets = np.zeros_like(self.values), np.zeros_like(self.values)
        open_advantages, open_targets = np.zeros_like(open_values), np.zeros_like(open_values)
        closed, open_closed = np.zeros_like(self.over), np.zeros_like(self.is_open)
        stitch(
            self.player, self.learning, self.over, self.payoffs, self.values, self.is_open, open_values, discount, gae_lambda,
            advantages, targets, closed, open_advantages, open_targets, open_closed, np.empty((n, 3 * n)),
        )  # fmt: skip

        at, open_at = np.flatnonzero(closed), np.flatnonzero(open_closed)

        def joined(now: np.ndarray, before: np.ndarray) -> torch.Tensor:
            out = np.empty((len(at) + len(open_at), *now.shape[2:]), now.dtype)
            np.take(now.reshape(-1, *now.shape[2:]), at, axis=0, out=out[: len(at)], mode="clip")
            np.take(before.reshape(-1, *now.shape[2:]), open_at, axis=0, out=out[len(at) :], mode="clip")
            return torch.from_numpy(out).to(self.device)

        batch = Batch(
            rows=joined(self.rows, self.open_rows),
            actions=joined(self.actions, self.open_actions),
            choice=joined(self.choice, self.open_choice),
            log_prob=joined(self.log_prob, open_log_prob),
            advantage=joined(advantages[..., 0], open_advantages[..., 0]),
            target=joined(targets, open_targets),
        )
        self._carry_over(self.learning & ~closed, open_closed)
        return batch

    def _carry_over(self, still_open: np.ndarray, now_closed: np.ndarray) -> None:
        self.is_open &= ~now_closed
        steps, games = np.nonzero(still_open)
        seats = self.player[steps, games]
        self.is_open[games, seats] = True
        self.open_rows[games, seats] = self.rows[steps, games]
        self.open_actions[games, seats] = self.actions[steps, games]
        self.open_choice[games, seats] = self.choice[steps, games]

    def state_dict(self) -> dict[str, Any]:
        return {name: torch.from_numpy(getattr(self, name).copy()) for name in _ARRAYS}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name in _ARRAYS:
            getattr(self, name)[...] = state[name].numpy()


@torch.inference_mode()
def infer(network: PolicyNetwork, rows: np.ndarray, actions: np.ndarray, device: torch.device) -> tuple[np.ndarray, np.ndarray]:
    """Logits float32 (B, W) and values float32 (B, num_players) of encoded decisions, as ``PolicyNetwork`` gives them."""
    logits, values = network(torch.from_numpy(rows).to(device), torch.from_numpy(actions).to(device))
    return logits.cpu().numpy(), values.cpu().numpy()
