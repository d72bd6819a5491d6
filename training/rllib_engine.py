"""Training by RLlib instead of ``ppo.py``: the same configs and the same kind of run, its games played by processes on one machine or many.

Each env runner plays its share of the games on the compiled engine, with a league of its own. What it hands over are the trajectories
of single seats as RLlib's episodes; RLlib's PPO learns from them, and sends new weights to the runners. docs/rllib.md tells more.
"""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
import yaml
from filelock import FileLock, Timeout
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED, NUM_ENV_STEPS_SAMPLED_LIFETIME

from ..envs import make_game, make_vec
from ..envs.adapters.rllib import MaskedModule, ModulePlayer, SelfPlayEnv, scale
from ..envs.core.files import write_whole
from ..envs.core.players import Decisions, ask
from ..envs.core.vector import BatchEnv
from .arena import Evaluation, evaluate
from .config import TrainingConfig, check_config
from .hardware import choose_device, keep_memory
from .league import Fixed, League
from .players import load_player
from .progress import RunLog, Stop, TrainingProgress
from .rllib_player import CHECKPOINT, MODULE

FINAL_EVALUATION, LEAGUE = "evaluation.json", "league.pt"
FREE_TO_CHANGE = {"device", "torch_threads", "decisions", "checkpoint_every", "evaluation", "rllib"}  # when a run is resumed
USED = {"game", "seed", "device", "torch_threads", "decisions", "checkpoint_every", "league", "evaluation", "rllib"}
USED |= {"network.kind", "network.hidden", "rollout.num_envs", "rollout.steps"}
USED |= {f"ppo.{key}" for key in ("learning_rate", "final_learning_rate", "entropy", "final_entropy", "discount", "gae_lambda", "clip")}
USED |= {f"ppo.{key}" for key in ("value_weight", "epochs", "minibatch", "max_grad_norm")}


class SelfPlay:
    """Games played by a module against itself and a league, and the trajectories that come of them.

    A trajectory belongs to one seat of one game. When not all of it is known yet, its last decision waits for the next ``play``: its
    observation is where the value of what follows is estimated.
    """

    def __init__(self, vec: BatchEnv, league: League, seed: int):
        self.vec, self.league = vec, league
        self.random = np.random.default_rng(seed)
        self._scale = scale(vec.game)
        self._chains: list[list[list[int]]] = [[[] for _ in range(vec.game.num_players)] for _ in range(vec.num_envs)]
        self._columns: list[list[np.ndarray]] = []  # parts of what is known of each decision, by the numbers that chains hold

    def play(self, module: RLModule, wanted: int) -> tuple[list[SingleAgentEpisode], dict[str, float]]:
        """Play until the outcome of at least ``wanted`` decisions of ``module`` is known. Returns them, and what is worth knowing."""
        vec, games = self.vec, np.arange(self.vec.num_envs)
        over: list[tuple[list[int], float]] = []
        known, finished, turns = 0, 0, 0
        endings = np.zeros(len(vec.game.endings), np.int64)
        first = sum(len(part[0]) for part in self._columns)
        while known < wanted:
            players = vec.player.copy()
            owners = self.league.assigned[games, players]
            actions = np.empty(vec.num_envs, np.int64)
            for number in np.unique(owners):
                rows = np.flatnonzero(owners == number)
                opponent = self.league.opponent(int(number))
                if isinstance(opponent, Fixed):
                    actions[rows] = self._ask(opponent, rows)
                    continue
                columns = self._decide(opponent.network if opponent else module, rows)
                actions[rows] = columns[2]
                if opponent is None:
                    self._columns.append(columns)
                    for row, player in zip(rows.tolist(), players[rows].tolist(), strict=True):
                        chain = self._chains[row][player]
                        known += bool(chain)
                        chain.append(first)
                        first += 1
            before = vec.states["turn"].copy()
            vec.step(actions)
            ended = np.flatnonzero(vec.terminated | vec.truncated)
            for row in ended.tolist():
                for chain, payoff in zip(self._chains[row], vec.rewards[row].tolist(), strict=True):
                    if chain:
                        over.append((chain.copy(), payoff))
                        known += 1
                        chain.clear()
            finished, turns = finished + len(ended), turns + int(before[ended].sum())
            endings += np.bincount(vec.ending[ended], minlength=len(endings))
            self.league.finish(ended, vec.rewards[ended], self.random)
        episodes = self._handed_over(over)
        metrics = {"games/finished": finished, "games/turns": turns / max(finished, 1)}
        metrics |= {f"games/ended by {text}": int(endings[k]) / max(finished, 1) for k, text in enumerate(vec.game.endings) if text}
        return episodes, metrics

    def _decide(self, module: Any, rows: np.ndarray) -> list[np.ndarray]:
        """Draw actions from a module: observation, mask, action, log-probability and logits, a row a decision."""
        observation = self.vec.observation[rows].reshape(len(rows), -1) * self._scale
        mask = self.vec.action_mask[rows].astype(np.float32)
        batch = {"observation": torch.from_numpy(observation), "action_mask": torch.from_numpy(mask)}
        logits = module.forward_exploration({Columns.OBS: batch})[Columns.ACTION_DIST_INPUTS]
        log_probs = torch.log_softmax(logits, dim=1).numpy()
        noise = self.random.gumbel(size=log_probs.shape).astype(np.float32)
        actions = (log_probs + noise).argmax(axis=1)  # a draw from the probabilities; what is masked lies far below any noise
        return [observation, mask, actions, log_probs[np.arange(len(rows)), actions], logits.numpy()]

    def _ask(self, opponent: Fixed, rows: np.ndarray) -> np.ndarray:
        vec, seeds = self.vec, self.vec.seeds[rows]
        actions = ask(
            opponent.player, Decisions(vec.game, vec.states[rows], vec.observation[rows], vec.action_mask[rows], vec.player[rows], seeds)
        )
        vec.seeds[rows] = seeds
        return actions

    def _handed_over(self, over: list[tuple[list[int], float]]) -> list[SingleAgentEpisode]:
        columns = [np.concatenate(parts) for parts in zip(*self._columns, strict=True)]
        episodes = [_episode(columns, chain, [*chain, chain[-1]], payoff) for chain, payoff in over]
        kept = []
        for chains in self._chains:
            for chain in chains:
                if len(chain) > 1:
                    episodes.append(_episode(columns, chain[:-1], chain, None))
                if chain:
                    kept.append(chain[-1])
                    chain[:] = [len(kept) - 1]
        self._columns = [[column[kept] for column in columns]] if kept else []
        return episodes


def _episode(columns: list[np.ndarray], decisions: list[int], seen: list[int], payoff: float | None) -> SingleAgentEpisode:
    """Decisions of one seat: ``seen`` are those whose observations belong to it, one more. payoff: None if the game goes on."""
    observation, mask, action, log_prob, logits = columns
    rewards = np.zeros(len(decisions), np.float32)
    if payoff is not None:
        rewards[-1] = payoff
    return SingleAgentEpisode(
        observations=InfiniteLookbackBuffer({"observation": observation[seen], "action_mask": mask[seen]}),
        infos=InfiniteLookbackBuffer([{} for _ in seen]),
        actions=InfiniteLookbackBuffer(action[decisions]),
        rewards=InfiniteLookbackBuffer(rewards),
        terminated=payoff is not None,
        extra_model_outputs={
            Columns.ACTION_LOGP: InfiniteLookbackBuffer(log_prob[decisions]),
            Columns.ACTION_DIST_INPUTS: InfiniteLookbackBuffer(logits[decisions]),
        },
        len_lookback_buffer=0,
        agent_id="seat",
        module_id=MODULE,
        multi_agent_episode_id=os.urandom(16).hex(),
    )


class SelfPlayConfig(PPOConfig):
    """RLlib's PPO with our config. training_config: a ``TrainingConfig`` as plain values."""

    def __init__(self, algo_class: type | None = None):
        super().__init__(algo_class=algo_class or PPO)
        self.training_config: dict[str, Any] = {}


class SelfPlayRunner(MultiAgentEnvRunner):
    """An env runner that plays by ``SelfPlay``. RLlib's own environment gives it nothing but the spaces."""

    def __init__(self, config: SelfPlayConfig, **kwargs: Any):
        super().__init__(config=config, **kwargs)
        self._games: SelfPlay | None = None
        self._samples = 0

    @property
    def games(self) -> SelfPlay:
        """The games, begun when they are first asked for: the process that learns does not always play."""
        if self._games is None:
            run, runners = check_config("the run", self.config.training_config), max(self.config.num_env_runners, 1)
            seed = int(np.random.SeedSequence([run.seed, self.worker_index or 0, self._samples]).generate_state(1)[0])
            torch.manual_seed(seed)
            vec = make_vec(run.game_name, -(-run.rollout.num_envs // runners), seed, skip_forced=True, **run.game_options)
            fixed = [Fixed(name, load_player(name, vec.game)) for name in run.league.fixed]
            self._games = SelfPlay(vec, League(run.league, vec.num_envs, vec.game.num_players, fixed), seed)
        return self._games

    def _sample(self, **_: Any) -> list[SingleAgentEpisode]:
        league, module = self.games.league, self.module[MODULE]
        if self._samples % league.config.snapshot_every == 0 and self._samples and league.config.share > 0:
            league.snapshot(self._samples, module)
        self._samples += 1
        wanted = -(-self.config.train_batch_size_per_learner // max(self.config.num_env_runners, 1))
        episodes, metrics = self.games.play(module, wanted)
        known = sum(len(episode) for episode in episodes)
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED, known, reduce="sum")
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED_LIFETIME, known, reduce="lifetime_sum", with_throughput=True)
        metrics |= {f"league/score against {member.name}": member.score for member in league.opponents if member.games}
        self.metrics.log_value(("boardherd", "games/finished"), metrics.pop("games/finished"), reduce="sum")
        for name, value in metrics.items():
            self.metrics.log_value(("boardherd", name), value, window=1)
        return episodes

    def league_state(self) -> dict[str, Any]:
        """What ``set_league`` needs to go on with the same opponents. Games under way are not part of it."""
        return {"samples": self._samples, **self.games.league.state_dict()}

    def set_league(self, state: dict[str, Any]) -> None:
        self._samples = state["samples"]
        league = self.games.league
        league.load_state_dict({**state, "assigned": np.zeros_like(league.assigned)}, self.module[MODULE])


def algorithm_config(config: TrainingConfig) -> SelfPlayConfig:
    """RLlib's configuration for a config of ours. ValueError for a network that this engine does not have."""
    if config.network.kind != "mlp":
        raise ValueError(f"the rllib engine has fully connected networks only: network.kind must be mlp, got {config.network.kind}")
    ppo, game = config.ppo, make_game(config.game_name, **config.game_options)
    batch = config.rollout.num_envs * config.rollout.steps
    model = {"hidden": list(config.network.hidden), "game": game.name}
    result = SelfPlayConfig()
    result.training_config = config.model_dump(mode="json")
    return (
        result.environment(SelfPlayEnv, env_config={"game": game.name, **game.config}, disable_env_checking=True)
        .multi_agent(policies={MODULE}, policy_mapping_fn=_to_main, policies_to_train=[MODULE])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={MODULE: RLModuleSpec(module_class=MaskedModule, model_config=model)}))
        .env_runners(env_runner_cls=SelfPlayRunner, num_env_runners=config.rllib.env_runners, sample_timeout_s=600)
        .learners(num_learners=0, num_gpus_per_learner=int(choose_device(config.device).type == "cuda"))
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=config.seed % 2**31, log_level="ERROR")
        .training(
            lr=[[0, ppo.learning_rate], [config.decisions, ppo.final_learning_rate]],
            entropy_coeff=[[0, ppo.entropy], [config.decisions, ppo.final_entropy]],
            gamma=ppo.discount,
            lambda_=ppo.gae_lambda,
            clip_param=ppo.clip,
            vf_loss_coeff=ppo.value_weight,
            use_kl_loss=False,
            num_epochs=ppo.epochs,
            minibatch_size=min(ppo.minibatch, batch),
            train_batch_size_per_learner=batch,
            grad_clip=ppo.max_grad_norm,
            grad_clip_by="global_norm",
        )
    )


def _to_main(*_: Any, **__: Any) -> str:
    return MODULE


def unused_keys(config: TrainingConfig) -> list[str]:
    """The keys that are set to something else than their default and that this engine does not heed."""
    unused = []
    defaults = TrainingConfig(game=config.game).model_dump()
    for key, value in config.model_dump().items():
        parts = {f"{key}.{part}": (value[part], defaults[key][part]) for part in value} if isinstance(value, dict) and key != "game" else {}
        for name, (now, default) in (parts or {key: (value, defaults[key])}).items():
            if now != default and name not in USED and key not in USED:
                unused.append(name)
    return unused


def train(config: TrainingConfig, run: str | Path, resume: bool = False) -> dict[str, Evaluation] | None:
    """A whole run, as ``ppo.train`` does it, its checkpoint the folder ``rllib`` within ``run``.

    Returns the final evaluation against each opponent, None if Ctrl-C stopped it before. ValueError as from there.
    """
    run = Path(run).resolve()
    if run.exists() and not run.is_dir():
        raise ValueError(f"{str(run)!r} is no folder")
    run.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(run / ".lock", timeout=0):
            return _train(config, run, resume)
    except Timeout:
        raise ValueError(f"another run is going on in {str(run)!r}") from None


def _train(config: TrainingConfig, run: Path, resume: bool) -> dict[str, Evaluation] | None:
    going_on = _goes_on(config, run, resume)
    settings = algorithm_config(config)
    game = make_game(config.game_name, **config.game_options)
    opponents = {name: load_player(name, game) for name in config.evaluation.opponents}
    keep_memory()
    torch.set_num_threads(config.torch_threads or os.cpu_count() or 1)
    began_here = not ray.is_initialized()
    if began_here:
        _join(config)
    algorithm = settings.build_algo()
    try:
        if going_on:
            _restore(algorithm, run / CHECKPOINT)
        write_whole(run / "config.yaml", config.to_yaml().encode())

        def evaluated(games: int) -> dict[str, Evaluation]:
            player, seed = ModulePlayer(_module(algorithm)), config.seed + 1_000_000  # not the dice that it learned from
            others = [[opponent] * (game.num_players - 1) for opponent in opponents.values()]
            return {name: evaluate([player, *rest], game, games, seed) for name, rest in zip(opponents, others, strict=True)}

        decisions = _decisions(algorithm)
        with RunLog(run, algorithm.iteration, config) as log, TrainingProgress(config.decisions, decisions) as progress, Stop() as stop:
            if unused := unused_keys(config):
                progress.say(f"the rllib engine does not use {', '.join(unused)}")
            while True:
                finished, iteration = decisions >= config.decisions, algorithm.iteration
                if iteration % config.evaluation.every == 0:
                    log.write(iteration, decisions, progress.evaluated(evaluated(config.evaluation.games)))
                if iteration and (finished or stop.asked or iteration % config.checkpoint_every == 0):
                    _save(algorithm, run / CHECKPOINT)
                if finished:
                    break
                if stop.asked:
                    progress.say(f"stopped and saved after {decisions:,} decisions")
                    return None
                began = time.perf_counter()
                result = algorithm.train()
                before, decisions = decisions, _decisions(algorithm)
                metrics = _metrics(result) | {"speed/decisions_per_second": (decisions - before) / (time.perf_counter() - began)}
                log.write(algorithm.iteration, decisions, metrics)
                progress.advance(decisions, metrics)
            progress.say("final evaluation")
            final = evaluated(config.evaluation.final_games)
            log.write(algorithm.iteration, decisions, progress.evaluated(final, "final"))
        write_whole(run / FINAL_EVALUATION, json.dumps({name: result.to_dict() for name, result in final.items()}, indent=1).encode())
        return final
    finally:
        algorithm.stop()
        if began_here:
            ray.shutdown()


def _goes_on(config: TrainingConfig, run: Path, resume: bool) -> bool:
    """Whether there is a checkpoint to go on from. ValueError if the folder's run is not to be resumed, or one of another config."""
    if (run / "checkpoint.pt").exists():
        raise ValueError(f"{str(run)!r} holds a run of another engine: choose another folder by --run")
    if not (run / CHECKPOINT).exists():
        return False
    if not resume:
        raise ValueError(f"{str(run)!r} already holds a run: add --resume to go on with it, or choose another folder by --run")
    before = check_config(str(run / "config.yaml"), yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))).model_dump()
    for key, now in config.model_dump().items():
        if key not in FREE_TO_CHANGE and before[key] != now:
            raise ValueError(f"{str(run)!r} was begun with {key}: {before[key]}, it cannot go on with {key}: {now}")
    return True


def _join(config: TrainingConfig) -> None:
    """Join the cluster that the config names, or begin one of this machine alone."""
    if config.rllib.address is not None:
        try:
            ray.init(address=config.rllib.address, log_to_driver=False, logging_level="error")
        except ConnectionError as error:
            raise ValueError(f"rllib.address {config.rllib.address!r}: {' '.join(str(error).split())[:200]}") from None
        return
    processes = max(os.cpu_count() or 1, config.rllib.env_runners)  # a runner counts as a core: with fewer Ray would wait for ever
    ray.init(address="local", num_cpus=processes, include_dashboard=False, log_to_driver=False, logging_level="error")


def _module(algorithm: Any) -> RLModule:
    """The module as it has been learned, on the CPU."""
    weights = algorithm.learner_group.get_state(components=f"learner/rl_module/{MODULE}")["learner"]["rl_module"][MODULE]
    module = algorithm.get_module(MODULE)
    module.set_state(weights)
    return module


def _decisions(algorithm: Any) -> int:
    return int(algorithm.metrics.peek(("env_runners", NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0))


def _metrics(result: dict[str, Any]) -> dict[str, float]:
    """What is worth keeping of an iteration's result, by the names of ``ppo.py`` where they mean the same."""
    learned = result["learners"][MODULE]
    names = {"policy_loss": "policy_loss", "vf_loss": "value_loss", "vf_explained_var": "explained_variance"}
    metrics = {f"ppo/{ours}": float(learned[theirs]) for theirs, ours in names.items()}
    metrics |= {"rllib/entropy": float(learned["entropy"]), "learning_rate": float(learned["default_optimizer_learning_rate"])}
    metrics["entropy_weight"] = float(learned["curr_entropy_coeff"])
    metrics |= {name: float(value) for name, value in result["env_runners"]["boardherd"].items()}
    metrics["speed/seconds_playing"] = float(result["timers"]["env_runner_sampling_timer"])
    metrics["speed/seconds_learning"] = float(result["timers"]["learner_update_timer"])
    return metrics


def _playing(algorithm: Any, function: Callable[[Any], Any]) -> list[Any]:
    """Call a function of each env runner that plays."""
    return algorithm.env_runner_group.foreach_env_runner(function, local_env_runner=not algorithm.config.num_env_runners)


def _save(algorithm: Any, folder: Path) -> None:
    """Write the checkpoint beside the old one, and then in its place."""
    new, old = folder.with_name(folder.name + ".new"), folder.with_name(folder.name + ".old")
    for left_over in (new, old):
        shutil.rmtree(left_over, ignore_errors=True)
    algorithm.save_to_path(str(new))
    torch.save(_playing(algorithm, lambda runner: runner.league_state())[0], new / LEAGUE)  # the runners' leagues differ by their scores
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _restore(algorithm: Any, folder: Path) -> None:
    try:
        league = torch.load(folder / LEAGUE, weights_only=True)
        algorithm.restore_from_path(str(folder))
    except Exception as error:  # pickle, torch and RLlib each have errors of their own
        raise ValueError(f"{str(folder)!r} cannot be gone on with: {type(error).__name__} {' '.join(str(error).split())[:200]}") from None
    _playing(algorithm, lambda runner: runner.set_league(league))
