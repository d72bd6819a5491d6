"""PPO with Tianshou learns two-player Chopat against random players: pip install "boardherd[tianshou]", then run this file."""

import numpy as np
import torch
from boardherd.envs.adapters.tianshou import LearnerVectorEnv
from boardherd.training import evaluate
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, CollectStats, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

GAMES, STEPS, ROUNDS = 64, 4096, 25
torch.manual_seed(0)
torch.set_num_threads(1)  # the fastest for networks this small
np.random.seed(0)

envs = LearnerVectorEnv("chopat", num_envs=GAMES, opponents="random", num_players=2)
envs.seed(0)


class BoardNet(Net):
    """Hidden layers over the scaled board of an observation."""

    def __init__(self):
        super().__init__(state_shape=envs.game.observation_shape, hidden_sizes=[128, 128])
        self.register_buffer("high", torch.from_numpy(np.maximum(envs.game.observation_high, 1)).float())

    def forward(self, obs, state=None, info=None):
        return super().forward(torch.as_tensor(obs.obs).float() / self.high, state, info)


class MaskedActor(DiscreteActor):
    """Logits that leave no probability to moves that are not legal."""

    def forward(self, obs, state=None, info=None):
        logits, state = super().forward(obs, state, info)
        return logits.masked_fill(~torch.as_tensor(obs.mask), -1e9), state


actor = MaskedActor(preprocess_net=BoardNet(), action_shape=envs.game.num_actions, softmax_output=False)
policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0], deterministic_eval=True)
critic, adam = DiscreteCritic(preprocess_net=BoardNet()), AdamOptimizerFactory(lr=5e-4)
algorithm = PPO(policy=policy, critic=critic, optim=adam, gamma=0.999, max_grad_norm=0.5, max_batchsize=4096)


def trained(decisions):
    """The policy as a boardherd player: its most likely moves."""
    with torch.no_grad():
        return policy(Batch(obs=Batch(obs=decisions.observation, mask=decisions.action_mask != 0), info=Batch())).act.numpy()


def wins():
    return evaluate([trained, "random"], "chopat", games=400, num_players=2).score("trained").wins


print(f"before: {wins():.0%} won against random")
collector = Collector[CollectStats](algorithm, envs, VectorReplayBuffer(STEPS, GAMES))
collector.reset()
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=STEPS * ROUNDS,
        collection_step_num_env_steps=STEPS,
        update_step_num_repetitions=3,
        batch_size=512,
    )
)
print(f"after: {wins():.0%}")
