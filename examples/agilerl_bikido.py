"""PPO with AgileRL learns Bikido against random players: pip install "boardherd[agilerl]", then python examples/agilerl_bikido.py"""

import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy
from boardherd.envs.adapters.agilerl import AgentPlayer, LearnerVectorEnv
from boardherd.training import evaluate

GAMES, STEPS, ROUNDS = 64, 4096, 25
torch.manual_seed(0)
torch.set_num_threads(1)  # the fastest for networks this small
np.random.seed(0)

envs = LearnerVectorEnv("bikido", GAMES, opponents="random")  # an illegal move would be an error
envs.reset(seed=0)
agent = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    net_config={
        "encoder_config": {"channel_size": [32, 32], "kernel_size": [3, 3], "stride_size": [1, 1]},
        "head_config": {"hidden_size": [128]},
    },
    num_envs=GAMES,
    learn_step=STEPS,
    batch_size=512,
    update_epochs=3,
    lr=5e-4,
    gamma=0.999,
)


def wins():
    return evaluate([AgentPlayer(agent), "random"], "bikido", games=200).score("AgentPlayer").wins


print(f"before: {wins():.0%} won against random")
train_on_policy(envs, "Bikido", "PPO", [agent], max_steps=STEPS * ROUNDS, evo_steps=STEPS * ROUNDS, verbose=False)
print(f"after: {wins():.0%}")
