"""Learning Herd with two hidden layers of 128 and three epochs: boardherd's PPO against stable-baselines3's MaskablePPO.

Decisions of the learner a second of the processor, one thread of torch on both sides, games and updates included. SB3 learns as its users
do, in eight Gymnasium environments of a DummyVecEnv, and in the batch engine's VecEnv; its opponents are random players, who cost
least. ``--minutes M`` also lets each of them learn that long by the clock, on all cores: boardherd in self-play, SB3 against the greedy
player. It tells what they then win against greedy.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boardherd.envs.adapters.extras import require

from .timing import Row, Work, rates

HIDDEN, EPOCHS, GAMES = [128, 128], 3, 8
EVALUATED_GAMES = 1000


def boardherd_trainer(**overrides: Any) -> Any:
    """A run of boardherd with the defaults of its configs."""
    from boardherd.training.config import TrainingConfig
    from boardherd.training.ppo import Trainer

    config = {"game": {"name": "herd"}, "network": {"hidden": HIDDEN}, "ppo": {"epochs": EPOCHS}, "device": "cpu", "torch_threads": 1}
    return Trainer(TrainingConfig.model_validate({**config, **overrides}))


def sb3_model(env: Any, steps: int, minibatch: int) -> Any:
    """MaskablePPO with the same network, epochs, discount and learning rate. steps: in each environment between two updates."""
    return require("sb3_contrib", "sb3").MaskablePPO(
        "MlpPolicy", env, n_steps=steps, batch_size=minibatch, n_epochs=EPOCHS, learning_rate=1e-3, gamma=1.0, ent_coef=0.01,
        policy_kwargs={"net_arch": HIDDEN}, seed=1, device="cpu",
    )  # fmt: skip


def dummy_vec_env(opponents: str) -> Any:
    import boardherd.envs  # noqa: F401  registers the games
    import gymnasium
    from stable_baselines3.common.vec_env import DummyVecEnv

    return DummyVecEnv([lambda: gymnasium.make("boardherd/Herd-v0", opponents=opponents)] * GAMES)


def _boardherd_work(trainer: Any) -> Work:
    def work() -> int:
        before = trainer.decisions
        trainer.iterate()
        return trainer.decisions - before

    return work


def _sb3_work(model: Any) -> Work:
    """One rollout and its update a call."""
    decisions = model.n_steps * model.n_envs

    def work() -> int:
        model.learn(decisions, reset_num_timesteps=False)
        return decisions

    return work


def run(seconds: float, rounds: int) -> list[Row]:
    """ImportError without SB3."""
    import torch
    from boardherd.envs.adapters.sb3 import BatchVecEnv

    ours = boardherd_trainer()
    torch.set_num_threads(1)
    usual = sb3_model(dummy_vec_env("random"), 256, 512)
    batch = sb3_model(BatchVecEnv("herd", 256, opponents="random"), 64, 4096)
    mine, theirs, theirs_batch = rates([_boardherd_work(ours), _sb3_work(usual), _sb3_work(batch)], seconds, rounds)
    return [
        Row("SB3, 8 environments in a DummyVecEnv", {"ours": mine, "SB3": theirs, "ratio": mine / theirs}),
        Row("SB3, batch VecEnv of 256", {"ours": mine, "SB3": theirs_batch, "ratio": mine / theirs_batch}),
    ]


def run_for(minutes: float) -> list[Row]:
    """What they win against greedy after learning for so many minutes by the clock, on all cores."""
    import torch
    from boardherd.envs.adapters.sb3 import BatchVecEnv
    from boardherd.training.arena import evaluate
    from boardherd.training.policy import PolicyPlayer

    ours = boardherd_trainer(torch_threads=None, decisions=int(20_000 * 60 * minutes))  # how many it will be only bends the schedules
    _work_for(minutes, ours.iterate)
    torch.set_num_threads(os.cpu_count() or 1)
    models = {
        "SB3, 8 environments": sb3_model(dummy_vec_env("greedy"), 256, 512),
        "SB3, batch VecEnv": sb3_model(BatchVecEnv("herd", 256, opponents="greedy"), 64, 1024),
    }
    with tempfile.TemporaryDirectory() as folder:
        learned: dict[str, tuple[Any, int]] = {"boardherd": (PolicyPlayer(ours.network.eval()), ours.decisions)}
        for name, model in models.items():
            _work_for(minutes, _sb3_work(model))
            model.save(Path(folder) / f"{name}.zip")
            learned[name] = (f"sb3:{Path(folder) / name}.zip", model.num_timesteps)
        rows = []
        for name, (player, decisions) in learned.items():
            score = evaluate([player, "greedy"], "herd", games=EVALUATED_GAMES).scores[0]
            figures = {"decisions": decisions, "a second": decisions / (60 * minutes)}
            wins = {"wins %": 100 * score.wins, "low %": 100 * score.wins_low, "high %": 100 * score.wins_high}
            rows.append(Row(f"{name}, {minutes:g} minutes, against greedy", figures | wins))
    return rows


def _work_for(minutes: float, work: Callable[[], Any]) -> None:
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        work()
