"""The actor-critic network, and how a decision becomes the row of numbers that it reads."""

import math

import numpy as np
import torch
from torch import nn

from ..envs.core import contract
from ..envs.core.compiling import compiled
from ..envs.core.game import Game
from .config import NetworkConfig

MASKED = -1e9  # logit of an illegal action: large, but finite, so that no gradient turns into nan


@compiled
def _take_columns(observations, columns, rows):
    for i in range(len(observations)):
        observation, row = observations[i], rows[i]
        for k in range(np.uintp(len(columns))):
            row[k] = observation[columns[k]]


@compiled
def _observe_actions(rules, states, masks, rows, first_column):
    for i in range(len(states)):
        contract.observe_actions(rules, states[i], masks[i], rows[i][first_column:])


class Encoder:
    """Turns decisions into rows of int8: the observation, then the features of each action where a game has any.

    For a plain network the observation is cut to the entries that tell something: those that can change, and of a plane with one
    number all over only a single entry. Convolutions read the whole planes.

    size: length of a row. scale: float32 (size,), each entry's true upper bound as a factor, so that inputs lie in -1..1.
    """

    def __init__(self, game: Game, kind: str):
        if kind == "conv" and len(game.observation_shape) != 3:
            raise ValueError(f"network.kind: conv needs planes, but {game.name} observes {game.observation_shape}; use mlp")
        self.game = game
        informative = game.observation_high > game.observation_low
        for plane in game.broadcast_planes:
            informative[plane].flat[1:] = False
        every = np.arange(informative.size)
        self.columns = every if kind == "conv" else every[informative.reshape(-1)]
        self.action_features: int = getattr(game.rules, "action_features", 0)
        self.size = len(self.columns) + game.num_actions * self.action_features
        high = np.maximum(game.observation_high.reshape(-1)[self.columns].astype(np.float32), 1)
        action_high = np.tile(np.maximum(game.action_feature_high.astype(np.float32), 1), game.num_actions)
        self.scale = 1 / np.concatenate([high, action_high])

    def encode(self, states: np.ndarray, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """int8 (B, size) of B decisions: their states, observations (B, *shape) and masks (B, num_actions)."""
        rows = np.empty((len(states), self.size), np.int8)
        _take_columns(observation.reshape(len(states), -1), self.columns, rows)
        if self.action_features:
            _observe_actions(self.game.rules, states, action_mask, rows, len(self.columns))
        return rows


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class PolicyNetwork(nn.Module):
    """Rows of an ``Encoder`` -> a logit for each action, and a value for each seat.

    Values are in relative order: the deciding seat's first, then the next one's in turn order. They sum to zero, as payoffs do.
    """

    def __init__(self, game: Game, config: NetworkConfig):
        super().__init__()
        self.encoder = Encoder(game, config.kind)
        self.register_buffer("scale", torch.from_numpy(self.encoder.scale), persistent=False)
        self.num_columns, self.action_features = len(self.encoder.columns), self.encoder.action_features
        width = self.num_columns
        layers: list[nn.Module] = []
        if config.kind == "conv":
            planes, height, breadth = game.observation_shape
            layers.append(nn.Unflatten(1, (planes, height, breadth)))
            for _ in range(config.convolutions):
                layers += [nn.Conv2d(planes, config.channels, 3, padding=1), nn.ReLU()]
                planes = config.channels
            layers.append(nn.Flatten())
            width = planes * height * breadth
        for hidden in config.hidden:
            layers += [_linear(width, hidden, math.sqrt(2)), nn.ReLU()]
            width = hidden
        self.trunk = nn.Sequential(*layers)
        self.policy = _linear(width, game.num_actions, 0.01)
        self.value = _linear(width, game.num_players, 0.1)
        if self.action_features:
            self.action_context = _linear(width, 32, math.sqrt(2))
            self.action_hidden = nn.Linear(self.action_features, 32, bias=False)
            self.action_score = _linear(32, 1, 0.01)

    def forward(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """rows: int8 (B, encoder.size). Returns logits (B, num_actions), not yet masked, and values (B, num_players)."""
        inputs = rows.to(self.scale.dtype) * self.scale
        hidden = self.trunk(inputs[:, : self.num_columns])
        logits = self.policy(hidden)
        if self.action_features:
            features = inputs[:, self.num_columns :].unflatten(1, (-1, self.action_features))
            mixed = torch.relu(self.action_hidden(features) + self.action_context(hidden).unsqueeze(1))
            logits = logits + self.action_score(mixed).squeeze(-1)
        values = self.value(hidden)
        return logits, values - values.mean(dim=1, keepdim=True)


def masked_logits(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Logits with illegal actions (mask 0) put out of reach."""
    return logits.masked_fill(mask == 0, MASKED)
