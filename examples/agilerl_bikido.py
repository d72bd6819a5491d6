"""PPO with AgileRL learns Bikido against random players: pip install "boardherd[agilerl]", then python examples/agilerl_bikido.py"""

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy
from boardherd.training import evaluate

GAMES, STEPS, ROUNDS = 64, 4096, 25
torch.manual_seed(0)
torch.set_num_threads(1)  # the fastest for networks this small
np.random.seed(0)

# A Gymnasium vector environment with the mask in its infos, where AgileRL looks for it. It ends a game at an illegal move, with -1.
envs = gymnasium.make_vec("boardherd.envs:boardherd/Bikido-v0", num_envs=GAMES, opponents="random")
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


def trained(decisions):
    """The policy as a boardherd player; it draws its moves, as AgileRL's PPO always does."""
    return agent.get_action(decisions.observation, action_mask=decisions.action_mask)[0]


def wins():
    return evaluate([trained, "random"], "bikido", games=200).score("trained").wins


print(f"before: {wins():.0%} won against random")
train_on_policy(envs, "Bikido", "PPO", [agent], max_steps=STEPS * ROUNDS, evo_steps=STEPS * ROUNDS, verbose=False)
print(f"after: {wins():.0%}")
