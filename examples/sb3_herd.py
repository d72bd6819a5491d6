"""sb3-contrib's MaskablePPO learns Herd against random players, a minute or two on two cores: pip install "boardherd[sb3]".

The policy then plays where any player does: boardherd evaluate herd size=4 sb3:sb3_herd.zip greedy
"""

import time

import torch
from boardherd.envs.adapters.sb3 import BatchVecEnv
from boardherd.training import evaluate
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor

FILE = "sb3_herd.zip"
STEPS = 400_000


class NothingIllegal(BaseCallback):
    """Fails as soon as an action gets past the mask: the game would end by it."""

    def _on_step(self) -> bool:
        assert all(info.get("ending") != "illegal action" for info in self.locals["infos"])
        return True


def wins_against_random(model: MaskablePPO) -> float:
    """The share of 1,000 games that the most likely moves win, in both seats."""
    model.save(FILE)
    return evaluate([f"sb3:{FILE}", "random"], "herd", games=1000, size=4).scores[0].wins


def main() -> None:
    torch.set_num_threads(2)
    env = VecMonitor(BatchVecEnv("herd", num_envs=64, opponents="random", size=4))
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=64,
        batch_size=1024,
        n_epochs=3,
        learning_rate=1e-3,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128]},
        seed=1,
        device="cpu",
    )
    print(f"before: {wins_against_random(model):.0%} won against random")
    began = time.perf_counter()
    model.learn(STEPS, callback=NothingIllegal())
    seconds = time.perf_counter() - began
    print(f"after: {wins_against_random(model):.0%}, {STEPS:,} decisions in {seconds:.0f} s; the policy is in {FILE}")


if __name__ == "__main__":
    main()
