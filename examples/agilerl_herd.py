"""PPO with AgileRL learns Herd of size 3 against random players: pip install "boardherd[agilerl]", then run this file."""

import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy
from boardherd.envs.adapters.agilerl import AgentPlayer, LearnerVectorEnv
from boardherd.training import evaluate

GAMES, STEPS, ROUNDS = 64, 2048, 200
torch.manual_seed(0)
torch.set_num_threads(1)  # the fastest for networks this small
np.random.seed(0)

envs = LearnerVectorEnv("herd", GAMES, opponents="random", size=3)  # an illegal move would be an error
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
    lr=1e-3,
    gamma=0.999,
    ent_coef=0.0,  # its PPO always draws its moves, so it plays no better than it is sure of them
    share_encoders=False,
)


def wins():
    return evaluate([AgentPlayer(agent), "random"], "herd", games=1000, size=3).score("AgentPlayer").wins


print(f"before: {wins():.0%} won against random")
train_on_policy(envs, "Herd", "PPO", [agent], max_steps=STEPS * ROUNDS, evo_steps=STEPS * ROUNDS, verbose=False)
print(f"after: {wins():.0%}")
