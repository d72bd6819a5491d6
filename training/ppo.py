"""Proximal policy optimisation (Schulman et al., 2017) in self-play.

One network plays every seat from its own frame. Each iteration plays some moves in many games (rollout.py), then improves the
policy on the decisions whose outcome is known. ``Trainer`` is the algorithm, ``train`` a whole run: evaluated from the start,
logged, and saved so that it can go on after any interruption.
"""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock, Timeout

from ..envs import make_vec
from ..envs.core.files import write_whole
from ..envs.core.game import Game
from .arena import Evaluation, evaluate
from .checkpoint import read_checkpoint, restored, save_checkpoint
from .choice import NO_ACTION
from .config import TrainingConfig, check_config
from .hardware import Shards, choose_device, engine_threads, keep_memory
from .league import Fixed, League
from .network import make_network, num_values
from .players import load_player
from .policy import PolicyPlayer
from .progress import RunLog, Stop, TrainingProgress
from .ranks import Ranks
from .rollout import Batch, Rollout, Summary

CHECKPOINT, FINAL_EVALUATION = "checkpoint.pt", "evaluation.json"
FREE_TO_CHANGE = {"device", "torch_threads", "decisions", "checkpoint_every", "evaluation"}  # when a run is resumed


class Diverged(ValueError):
    """A loss is no finite number any more."""


class Trainer:
    """Everything that learns, and how it learns. ``iterate`` until ``finished``."""

    def __init__(self, config: TrainingConfig):
        self.config = config
        self.ranks = ranks = Ranks()
        self.device = choose_device(config.device, ranks.local_rank)
        num_envs = ranks.share("rollout.num_envs", config.rollout.num_envs)
        threads = engine_threads(config.rollout.threads, num_envs)
        self.shards = Shards(config.torch_threads, config.ppo.minibatch // ranks.size, self.device)
        keep_memory()
        self.vec = make_vec(config.game_name, num_envs, config.seed + ranks.rank, threads, skip_forced=True, **config.game_options)
        self.game: Game = self.vec.game
        self.opponents = {name: load_player(name, self.game) for name in config.evaluation.opponents}
        torch.manual_seed(config.seed)
        self.network = make_network(self.game, config.network).to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.ppo.learning_rate, eps=1e-5, fused=True)
        fixed = [Fixed(name, load_player(name, self.game)) for name in config.league.fixed]
        self.league = League(config.league, num_envs, self.game.num_players, fixed)
        self.rollout = Rollout(self.vec, self.network, self.league, config.rollout.steps, self.device, self.shards)
        self.random = np.random.default_rng([config.seed, ranks.rank])
        self.iteration = 0
        self.decisions = 0

    @property
    def num_values(self) -> int:
        return num_values(self.game, self.config.network)

    @property
    def finished(self) -> bool:
        return self.decisions >= self.config.decisions

    def iterate(self) -> dict[str, float]:
        """Play, learn, and return what is worth knowing about it."""
        ppo, done = self.config.ppo, min(self.decisions / self.config.decisions, 1.0)
        learning_rate = ppo.learning_rate + done * (ppo.final_learning_rate - ppo.learning_rate)
        entropy_weight = ppo.entropy + done * (ppo.final_entropy - ppo.entropy)
        metrics = self._snapshot() if self.iteration and self.iteration % self.config.league.snapshot_every == 0 else {}
        began = time.perf_counter()
        batch, summary = self.rollout.collect(self.random, ppo.discount, ppo.gae_lambda)
        played = time.perf_counter()
        counts = self.ranks.gather((len(batch), summary))
        decisions, summary = sum(count for count, _ in counts), Summary.joined([summary for _, summary in counts])
        if min(count for count, _ in counts):
            metrics |= self.update(batch, learning_rate, entropy_weight)
        learned = time.perf_counter()
        self.iteration += 1
        self.decisions += decisions
        metrics |= {
            "learning_rate": learning_rate,
            "entropy_weight": entropy_weight,
            "games/finished": summary.games,
            "games/turns": summary.turns / max(summary.games, 1),
            "speed/decisions_per_second": decisions / (learned - began),
            "speed/seconds_playing": played - began,
            "speed/seconds_learning": learned - played,
        }
        metrics |= {f"games/ended by {ending}": count / max(summary.games, 1) for ending, count in summary.endings.items()}
        for member in self.league.opponents:
            metrics |= {f"league/games against {member.name}": member.games} | (
                {f"league/score against {member.name}": member.score} if member.games else {}
            )
        return metrics

    def _snapshot(self) -> dict[str, float]:
        """Let the current policy join the pool, if it is good enough. Returns what is worth knowing about it."""
        league, newest = self.config.league, self.league.newest
        if league.share == 0:
            return {}
        metrics: dict[str, float] = {}
        promoted = True
        if league.promotion == "better" and newest:
            match = [PolicyPlayer(self.network, sample=True), *[PolicyPlayer(newest.network, sample=True)] * (self.game.num_players - 1)]
            payoff = evaluate(match, self.game, league.promotion_games, self.config.seed + self.iteration).scores[0]
            promoted = self.ranks.gather(payoff.payoff_low > 0)[0]
            metrics = {"league/payoff against newest": payoff.payoff, "league/payoff against newest, lower end": payoff.payoff_low}
        if promoted:
            self.league.snapshot(self.iteration, self.network)
        return metrics | {"league/promoted": int(promoted)}

    def update(self, batch: Batch, learning_rate: float, entropy_weight: float) -> dict[str, float]:
        """Some epochs of minibatches over ``batch``. Returns means over all of them."""
        ppo = self.config.ppo
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        advantage = self._normalised(batch.advantage)
        parameters = list(self.network.parameters())
        sums: dict[str, float] = {}
        minibatches = 0

        def learn(part: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
            losses = self.losses(batch, part, advantage[part])
            loss = losses["policy_loss"] + ppo.value_weight * losses["value_loss"] - entropy_weight * losses["entropy"]
            gradients = torch.autograd.grad(loss, parameters)
            return torch.cat([gradient.flatten() for gradient in gradients]), {name: float(loss.detach()) for name, loss in losses.items()}

        for chosen in self._minibatches(len(batch)):
            parts = chosen.tensor_split(min(self.shards.count, len(chosen)))
            learned = self.shards.map(learn, parts)
            shares = [len(part) / len(chosen) for part in parts]
            gradient = torch.stack([share * part for share, (part, _) in zip(shares, learned, strict=True)]).sum(dim=0)
            gradient = self.ranks.total(gradient) / self.ranks.size
            for parameter, values in zip(parameters, gradient.split([parameter.numel() for parameter in parameters]), strict=True):
                parameter.grad = values.view_as(parameter)
            torch.nn.utils.clip_grad_norm_(parameters, ppo.max_grad_norm)
            self.optimizer.step()
            minibatches += 1
            for share, (_, losses) in zip(shares, learned, strict=True):
                for name, value in losses.items():
                    sums[name] = sums.get(name, 0.0) + share * value
        means = self.ranks.total(torch.tensor(list(sums.values()))) / (minibatches * self.ranks.size)
        metrics = {f"ppo/{name}": mean for name, mean in zip(sums, means.tolist(), strict=True)}
        if not all(map(math.isfinite, metrics.values())):
            raise Diverged(f"learning went astray in iteration {self.iteration + 1}: a loss is no finite number; lower ppo.learning_rate")
        unexplained = metrics["ppo/value_loss"] / max(float(batch.target[:, : self.num_values].var(correction=0)), 1e-8)
        return metrics | {"ppo/explained_variance": 1 - unexplained}

    def _normalised(self, advantage: torch.Tensor) -> torch.Tensor:
        """Mean 0 and standard deviation 1 over all ranks."""
        count, total, squares = self.ranks.total(torch.stack([torch.ones_like(advantage).sum(), advantage.sum(), advantage.square().sum()]))
        mean = total / count
        return (advantage - mean) / ((squares / count - mean.square()).clamp(min=0).sqrt() + 1e-8)

    def _minibatches(self, size: int) -> Iterator[torch.Tensor]:
        """Indices of ``size`` decisions, in random order, cut into as many minibatches on every rank."""
        total = int(self.ranks.total(torch.tensor(size)))
        count = min(-(-total // self.config.ppo.minibatch), self.ranks.least(size))
        for _ in range(self.config.ppo.epochs):
            order = torch.from_numpy(self.random.permutation(size)).to(self.device)
            yield from order.tensor_split(count)

    def losses(self, batch: Batch, chosen: torch.Tensor, advantage: torch.Tensor) -> dict[str, torch.Tensor]:
        """The parts of the loss on a minibatch (indices into ``batch``), each a scalar, and what tells how far the policy has moved."""
        actions = batch.actions.index_select(0, chosen)
        logits, values = self.network(batch.rows.index_select(0, chosen), actions)
        log_probs = torch.log_softmax(logits, dim=1)
        log_ratio = log_probs.gather(1, batch.choice[chosen, None]).squeeze(1) - batch.log_prob[chosen]
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - self.config.ppo.clip, 1 + self.config.ppo.clip)
        legal = (actions != NO_ACTION).sum(dim=1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1) / legal.float().log().clamp(min=1e-6)
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).mean()  # the estimator "k3" of John Schulman's note on approximating KL divergence
            clip_fraction = (ratio != clipped).float().mean()
        return {
            "policy_loss": -torch.min(ratio * advantage, clipped * advantage).mean(),
            "value_loss": (values - batch.target[chosen])[:, : self.num_values].square().mean(),
            "entropy": torch.where(legal > 1, entropy, 0.0).mean(),
            "kl": kl,
            "clip_fraction": clip_fraction,
        }

    def state_dict(self) -> dict[str, Any]:
        """All that ``load_state_dict`` needs to go on as if nothing had happened, the network itself apart."""
        return {
            "iteration": self.iteration,
            "decisions": self.decisions,
            "optimizer": self.optimizer.state_dict(),
            "league": self.league.state_dict(),
            "rollout": self.rollout.state_dict(),
            "games": torch.frombuffer(bytearray(self.vec.save()), dtype=torch.uint8),
            "random": json.dumps(self.random.bit_generator.state),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.iteration, self.decisions = state["iteration"], state["decisions"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.league.load_state_dict(state["league"], self.network)
        self.rollout.load_state_dict(state["rollout"])
        self.vec.load(state["games"].numpy().tobytes())
        self.random.bit_generator.state = json.loads(state["random"])

    def evaluate(self, games: int) -> dict[str, Evaluation]:
        """The policy in one seat, each of the config's opponents in all others."""
        player = PolicyPlayer(self.network.eval())
        others = self.game.num_players - 1
        seed = self.config.seed + 1_000_000  # not the dice that it learned from
        return {name: evaluate([player, *[opponent] * others], self.game, games, seed) for name, opponent in self.opponents.items()}


Watch = Callable[[int, dict[str, Evaluation]], None]


def train(config: TrainingConfig, run: str | Path, resume: bool = False, watch: Watch | None = None) -> dict[str, Evaluation] | None:
    """A whole training run, its results in the folder ``run``.

    There: ``config.yaml``, ``checkpoint.pt`` (the policy, and all that going on needs), ``metrics.jsonl`` and TensorBoard's files, at
    the end ``evaluation.json``. resume: go on from the folder's checkpoint if it has one; on a CPU the result is then the same, bit for
    bit, as without the interruption. Ctrl-C finishes the iteration, saves and stops. Under ``torchrun`` all processes learn together,
    and the first one evaluates and writes. watch: called with the iteration and the results after each
    evaluation but the final one; what it raises ends the run.

    Returns the final evaluation against each opponent, None if stopped before (and in all processes but the first). ValueError if the
    folder already holds a run that is not to be resumed, or one of another config.
    """
    run = Path(run)
    if run.exists() and not run.is_dir():
        raise ValueError(f"{str(run)!r} is no folder")
    run.mkdir(parents=True, exist_ok=True)
    try:
        # given back by the system, too, when the process is killed
        with FileLock(run / ".lock", timeout=0) if Ranks().is_first else nullcontext():
            return _train(config, run, resume, watch)
    except Timeout:
        raise ValueError(f"another run is going on in {str(run)!r}") from None


def _train(config: TrainingConfig, run: Path, resume: bool, watch: Watch | None) -> dict[str, Evaluation] | None:
    saved = _saved(config, run, resume)
    trainer = Trainer(config)
    ranks = trainer.ranks
    if saved:
        restored(run / CHECKPOINT, trainer.network, saved["network"]).train()
        try:
            states = saved["training"]["ranks"]
            if len(states) != ranks.size:
                raise ValueError(f"it was saved by {len(states)} processes, these are {ranks.size}")
            trainer.load_state_dict(states[ranks.rank])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise ValueError(f"{str(run / CHECKPOINT)!r} cannot be gone on with: {type(error).__name__} {error}") from None
    if ranks.is_first:
        write_whole(run / "config.yaml", config.to_yaml().encode())

    def save() -> None:
        states = ranks.gather(trainer.state_dict())
        if ranks.is_first:
            save_checkpoint(run / CHECKPOINT, config, trainer.network, {"ranks": states})

    with ExitStack() as stack:
        stop = stack.enter_context(Stop(escalate=ranks.size == 1))
        if ranks.is_first:
            log = stack.enter_context(RunLog(run, trainer.iteration, config))
            progress = stack.enter_context(TrainingProgress(config.decisions, trainer.decisions))
        while True:
            if ranks.is_first and trainer.iteration % config.evaluation.every == 0:
                evaluation = trainer.evaluate(config.evaluation.games)
                log.write(trainer.iteration, trainer.decisions, progress.evaluated(evaluation))
                if watch is not None:
                    watch(trainer.iteration, evaluation)
            stopping = ranks.any(stop.asked)
            if trainer.finished or stopping or trainer.iteration % config.checkpoint_every == 0:
                save()
            if trainer.finished:
                break
            if stopping:
                if ranks.is_first:
                    progress.say(f"stopped and saved after {trainer.decisions:,} decisions")
                return None
            metrics = trainer.iterate()
            if ranks.is_first:
                log.write(trainer.iteration, trainer.decisions, metrics)
                progress.advance(trainer.decisions, metrics)
        if not ranks.is_first:
            return None
        progress.say("final evaluation")
        final = trainer.evaluate(config.evaluation.final_games)
        log.write(trainer.iteration, trainer.decisions, progress.evaluated(final, "final"))
    write_whole(run / FINAL_EVALUATION, json.dumps({name: result.to_dict() for name, result in final.items()}, indent=1).encode())
    return final


def _saved(config: TrainingConfig, run: Path, resume: bool) -> dict[str, Any] | None:
    """The checkpoint to go on from, None to begin."""
    if not (run / CHECKPOINT).exists():
        return None
    if not resume:
        raise ValueError(f"{str(run)!r} already holds a run: add --resume to go on with it, or choose another folder by --run")
    saved = read_checkpoint(run / CHECKPOINT)
    before, now = check_config(str(run / CHECKPOINT), saved["config"]).model_dump(), config.model_dump()
    for key in before:
        if key not in FREE_TO_CHANGE and before[key] != now[key]:
            was, wanted = before[key], now[key]
            if isinstance(was, dict):
                part = next(name for name in {**was, **wanted} if was.get(name) != wanted.get(name))
                key, was, wanted = f"{key}.{part}", was.get(part), wanted.get(part)
            raise ValueError(f"{str(run)!r} was begun with {key}: {was}, it cannot go on with {key}: {wanted}")
    return saved
