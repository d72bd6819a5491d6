"""Trained policies as players."""

import numpy as np
import torch

from ..envs.core.game import Game
from ..envs.core.players import Decisions
from ..envs.core.random import mix, next_seed, unit_float
from .network import PolicyNetwork
from .policy_file import load_any_policy
from .rollout import infer, sample_choices


class PolicyPlayer:
    """Plays a network's most likely move; draws from its probabilities if ``sample``."""

    def __init__(self, network: PolicyNetwork, sample: bool = False):
        self.network, self.sample = network, sample

    def __call__(self, decisions: Decisions) -> np.ndarray:
        rows, actions = self.network.encoder.encoded(decisions.states, decisions.observation, decisions.action_mask)
        logits, _ = infer(self.network, rows, actions, self.network.device)
        everyone = np.arange(len(rows))
        if not self.sample:
            return actions[everyone, logits.argmax(axis=1)].astype(np.int64)
        uniforms = np.empty(len(rows), np.float32)
        for i in range(len(rows)):
            decisions.seeds[i] = next_seed(decisions.seeds[i])
            uniforms[i] = unit_float(np.uint64(mix(decisions.seeds[i])))  # mix gives a Python integer here, often too big for int64
        choices, log_probs = np.empty(len(rows), np.int64), np.empty(len(rows), np.float32)
        sample_choices(logits, actions, uniforms, choices, log_probs)
        return actions[everyone, choices].astype(np.int64)


def load_network(path: str, game: Game) -> PolicyNetwork:
    """The policy ``path``, as ``load_any_policy`` finds it, on the CPU. ValueError if there is none or it does not go with ``game``."""
    trained_on, network = load_any_policy(path)
    if not _fits(trained_on, game):
        raise ValueError(f"player {path!r} was trained on {trained_on}, which {game} does not match")
    return network.to(torch.device("cpu"))


def _fits(trained_on: Game, game: Game) -> bool:
    """Whether a policy for one game can play the other: the same game with the same coding of observations and actions."""
    return (
        trained_on.name == game.name
        and trained_on.num_players == game.num_players
        and trained_on.num_actions == game.num_actions
        and np.array_equal(trained_on.observation_high, game.observation_high)
    )
