"""RLlib's PPO learns Herd of size 3 by self-play, in one to two minutes: pip install "boardherd[rllib,train]" """

from typing import Any

import torch
from boardherd.envs.adapters.rllib import MaskedModule, ModulePlayer, SelfPlayEnv
from boardherd.training import evaluate
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

ITERATIONS = 50
DECISIONS = 4096 * ITERATIONS
torch.set_num_threads(1)


def all_seats(*_: Any, **__: Any) -> str:
    return "main"


config = (
    PPOConfig()
    .environment(SelfPlayEnv, env_config={"game": "herd", "size": 3}, disable_env_checking=True)
    .multi_agent(policies={"main"}, policy_mapping_fn=all_seats)
    .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"main": RLModuleSpec(module_class=MaskedModule)}))
    .env_runners(num_env_runners=0, num_envs_per_env_runner=32)
    .training(
        lr=[[0, 1e-3], [DECISIONS, 0.0]],
        gamma=1.0,
        lambda_=0.95,
        clip_param=0.2,
        vf_loss_coeff=0.5,
        entropy_coeff=0.01,
        use_kl_loss=False,
        num_epochs=4,
    )
    .training(train_batch_size_per_learner=4096, minibatch_size=1024, grad_clip=0.5, grad_clip_by="global_norm")
    .debugging(seed=1, log_level="ERROR")
)


def win_rate(algorithm: Any) -> float:
    """Of the most likely moves against random ones. The players of ``evaluate`` are held to legal moves, as the environment's are."""
    player = ModulePlayer(algorithm.get_module("main"))
    return evaluate([player, "random"], "herd", games=1000, size=3).score("ModulePlayer").wins


algorithm = config.build_algo()
print(f"before: {win_rate(algorithm):.0%} won against random")
for _ in range(ITERATIONS):
    result = algorithm.train()
decisions = result["env_runners"]["num_env_steps_sampled_lifetime"]
print(f"after: {win_rate(algorithm):.0%}, {decisions:,.0f} decisions")
algorithm.stop()
