"""PPO with TorchRL learns Herd against random players: pip install "boardherd[torchrl]", then python examples/torchrl_herd.py"""

import numpy as np
import torch
from boardherd.envs.adapters.torchrl import LearnerEnv
from boardherd.training import evaluate
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer, SamplerWithoutReplacement
from torchrl.envs import ExplorationType, set_exploration_type
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

GAMES, STEPS, ROUNDS, EPOCHS, MINIBATCH = 128, 32, 100, 3, 512
torch.manual_seed(0)
torch.set_num_threads(1)  # the fastest for networks this small

env = LearnerEnv("herd", num_envs=GAMES, opponents="random", size=4)
env.set_seed(0)


class Network(nn.Module):
    """Scaled board in, ``outputs`` numbers out."""

    def __init__(self, outputs: int, gain: float):
        super().__init__()
        self.register_buffer("high", torch.from_numpy(np.maximum(env.game.observation_high, 1)).float())
        size = self.high.numel()
        self.layers = MLP(in_features=size, out_features=outputs, num_cells=[128, 128], activation_class=nn.ReLU)
        nn.init.orthogonal_(self.layers[-1].weight, gain)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.layers((observation.float() / self.high).flatten(-3))


logits = TensorDictModule(Network(env.game.num_actions, gain=0.01), in_keys=["observation"], out_keys=["logits"])
keys = {"logits": "logits", "mask": "action_mask"}
actor = ProbabilisticActor(logits, in_keys=keys, spec=env.action_spec, distribution_class=MaskedCategorical, return_log_prob=True)
critic = ValueOperator(Network(1, gain=1.0), in_keys=["observation"])


def trained(decisions):
    """The policy as a boardherd player: its most likely moves."""
    observation, mask = torch.from_numpy(decisions.observation), torch.from_numpy(decisions.action_mask).bool()
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        return actor(TensorDict({"observation": observation, "action_mask": mask}, len(mask)))["action"].numpy()


def wins():
    return evaluate([trained, "random"], "herd", games=400, size=4).score("trained").wins


print(f"before: {wins():.0%} won against random")
advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic, average_gae=True)
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
frames = GAMES * STEPS
buffer = ReplayBuffer(storage=LazyTensorStorage(frames), sampler=SamplerWithoutReplacement(), batch_size=MINIBATCH)
for data in Collector(env, actor, frames_per_batch=frames, total_frames=frames * ROUNDS, auto_register_policy_transforms=False):
    for _ in range(EPOCHS):
        with torch.no_grad():
            advantage(data)
        buffer.extend(data.reshape(-1))
        for minibatch in buffer:
            losses = loss(minibatch)
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_entropy"] + losses["loss_critic"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
print(f"after: {wins():.0%}")
