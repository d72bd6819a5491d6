"""Learning Herd with two hidden layers of 128 and three epochs: boardherd's PPO against stable-baselines3's MaskablePPO.

Decisions of the learner a second of the processor, one thread of torch on both sides, games and updates included. SB3 learns as its users
do, in eight Gymnasium environments of a DummyVecEnv, and in the batch engine's VecEnv; its opponents are random players, who cost
least. ``--minutes M`` also lets boardherd (self-play) and SB3 (against the greedy player, in the batch engine) learn that long, and
tells what they then win against greedy.
"""

import tempfile
import time
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


def dummy_vec_env() -> Any:
    import boardherd.envs  # noqa: F401  registers the games
    import gymnasium
    from stable_baselines3.common.vec_env import DummyVecEnv

    return DummyVecEnv([lambda: gymnasium.make("boardherd/Herd-v0", opponents="random")] * GAMES)


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
    usual = sb3_model(dummy_vec_env(), 256, 512)
    batch = sb3_model(BatchVecEnv("herd", 256, opponents="random"), 64, 4096)
    mine, theirs, theirs_batch = rates([_boardherd_work(ours), _sb3_work(usual), _sb3_work(batch)], seconds, rounds)
    return [
        Row("SB3, 8 environments in a DummyVecEnv", {"ours": mine, "SB3": theirs, "ratio": mine / theirs}),
        Row("SB3, batch VecEnv of 256", {"ours": mine, "SB3": theirs_batch, "ratio": mine / theirs_batch}),
    ]


def run_for(minutes: float) -> list[Row]:
    """What both win against greedy after learning for so many minutes by the clock, on all cores."""
    from boardherd.envs.adapters.sb3 import BatchVecEnv
    from boardherd.training.arena import evaluate
    from boardherd.training.policy import PolicyPlayer

    ours = boardherd_trainer(torch_threads=None, decisions=int(20_000 * 60 * minutes))  # how many it will be only bends the schedules
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        ours.iterate()
    model = sb3_model(BatchVecEnv("herd", 256, opponents="greedy"), 64, 1024)
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        model.learn(model.n_steps * model.n_envs, reset_num_timesteps=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sb3.zip"
        model.save(path)
        players = {"boardherd": (PolicyPlayer(ours.network.eval()), ours.decisions), "SB3": (f"sb3:{path}", model.num_timesteps)}
        rows = []
        for name, (player, decisions) in players.items():
            score = evaluate([player, "greedy"], "herd", games=EVALUATED_GAMES).scores[0]
            figures = {"decisions": decisions, "wins %": 100 * score.wins, "low %": 100 * score.wins_low, "high %": 100 * score.wins_high}
            rows.append(Row(f"{name} after {minutes:g} minutes, against greedy", figures))
    return rows
