"""Trained policies as players."""

import numpy as np
import torch

from ..envs.core.game import Game
from ..envs.core.players import Decisions
from .choice import choose
from .network import PolicyNetwork
from .policy_file import load_any_policy
from .rollout import infer


class PolicyPlayer:
    """Plays a network's most likely move; draws from its probabilities if ``sample``."""

    def __init__(self, network: PolicyNetwork, sample: bool = False):
        self.network, self.sample = network, sample

    def __call__(self, decisions: Decisions) -> np.ndarray:
        rows, actions = self.network.encoder.encoded(decisions.states, decisions.observation, decisions.action_mask)
        logits, _ = infer(self.network, rows, actions, self.network.device)
        return choose(logits, actions, decisions.seeds, self.sample)


def load_network(path: str, game: Game) -> PolicyNetwork:
    """The policy ``path``, as ``load_any_policy`` finds it, on the CPU. ValueError if there is none or it does not go with ``game``."""
    trained_on, network = load_any_policy(path)
    if not trained_on.plays_like(game):
        raise ValueError(f"player {path!r} was trained on {trained_on}, which {game} does not match")
    return network.to(torch.device("cpu"))
