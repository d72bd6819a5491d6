# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""What a network says of positions."""

import numpy as np

from ...envs.core import contract
from ...envs.core.compiling import compiled
from ...envs.core.game import Game
from ..network import PolicyNetwork
from ..rollout import infer

ALONE = 1.0  # what winning alone is paid, whatever the number of players: there is nothing better


@compiled
def _look(rules, states, masks, players, observations):
    """Masks, players and observations of decisions."""
    for i in range(len(states)):
        contract.legal(rules, states[i], masks[i])
        players[i] = states[i]["player"]
        contract.observe(rules, states[i], int(players[i]), observations[i])


def judge_by_network(network: PolicyNetwork, game: Game, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits (B, W), legal actions (B, max_legal) and each seat's value (B, num_players) of B decisions."""
    count, n = len(states), game.num_players
    masks, players = np.zeros((count, game.num_actions), np.int8), np.zeros(count, np.int64)
    observations = np.zeros((count, game.rules.observation_size), np.int8)
    _look(game.rules, states, masks, players, observations)
    rows, actions = network.encoder.encoded(states, observations.reshape(count, *game.observation_shape), masks)
    logits, values = infer(network, rows, actions, network.device)
    relative = (np.arange(n) - players[:, None]) % n
    return logits, actions, np.take_along_axis(values, relative, 1)
