"""The actor-critic network, and how a decision becomes the row of numbers that it reads."""

import itertools
import math

import numpy as np
import torch
from torch import nn

from ..envs.core import contract
from ..envs.core.compiling import compiled
from ..envs.core.game import Game
from .config import NetworkConfig

ACTION_WIDTH = 32  # of the hidden layer that scores an action's features
SUMMARY_CHANNELS = 4  # of the board that the fully connected layers see after convolutions
MASKED = -1e9  # added to the logit of an illegal action: large, but finite, so that no gradient turns into nan


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
        self.game = game
        informative = game.observation_high > game.observation_low
        for plane in game.broadcast_planes:
            informative[plane].flat[1:] = False
        every = np.arange(informative.size)
        self.columns = every if kind == "conv" else every[informative.reshape(-1)]
        self.action_features = 0 if kind == "conv" else len(game.action_feature_high)
        self.size = len(self.columns) + game.num_actions * self.action_features
        high = np.maximum(game.observation_high.reshape(-1)[self.columns].astype(np.float32), 1)
        action_high = np.tile(np.maximum(game.action_feature_high[: self.action_features].astype(np.float32), 1), game.num_actions)
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


class ScaledLinear(nn.Module):
    """A linear layer over inputs times ``scale``. Scaling its weights instead of a whole batch of inputs saves a pass over them."""

    def __init__(self, outputs: int, scale: np.ndarray):
        super().__init__()
        self.linear = _linear(len(scale), outputs, math.sqrt(2))
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(inputs, self.linear.weight * self.scale, self.linear.bias)


class PolicyNetwork(nn.Module):
    """Rows of an ``Encoder`` -> a logit for each action, and a value for each seat.

    Values are in relative order: the deciding seat's first, then the next one's in turn order. They sum to zero, as payoffs do.
    """

    encoder: Encoder

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def forward(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """rows: int8 (B, encoder.size). Returns logits (B, num_actions), not yet masked, and values (B, num_players)."""
        logits, values = self.heads(rows)
        return logits, values - values.mean(dim=1, keepdim=True)

    def heads(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        raise NotImplementedError


class DenseNetwork(PolicyNetwork):
    """Fully connected layers; a small network of its own, the same for every action, scores the actions' features where a game has any."""

    def __init__(self, game: Game, config: NetworkConfig):
        super().__init__()
        self.encoder = Encoder(game, config.kind)
        self.num_columns, self.action_features = len(self.encoder.columns), self.encoder.action_features
        scale = self.encoder.scale[: self.num_columns]
        layers: list[nn.Module] = [ScaledLinear(config.hidden[0], scale), nn.ReLU()]
        for inputs, outputs in itertools.pairwise(config.hidden):
            layers += [_linear(inputs, outputs, math.sqrt(2)), nn.ReLU()]
        width = config.hidden[-1]
        self.trunk = nn.Sequential(*layers)
        self.policy = _linear(width, game.num_actions, 0.01)
        self.value = _linear(width, game.num_players, 0.1)
        if self.action_features:
            self.action_hidden = ScaledLinear(ACTION_WIDTH, self.encoder.scale[self.num_columns :][: self.action_features])
            self.action_context = _linear(width, ACTION_WIDTH, math.sqrt(2))
            self.action_score = _linear(ACTION_WIDTH, 1, 0.01)

    def heads(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.trunk(rows[:, : self.num_columns].float())
        logits = self.policy(hidden)
        if self.action_features:
            features = rows[:, self.num_columns :].float().unflatten(1, (-1, self.action_features))
            mixed = torch.relu(self.action_hidden(features) + self.action_context(hidden).unsqueeze(1))
            logits = logits + self.action_score(mixed).squeeze(-1)
        return logits, self.value(hidden)


class ConvolutionalNetwork(PolicyNetwork):
    """3x3 convolutions over the planes. The policy reads each action off the square that it belongs to, so that what is learned on one
    square holds on all; fully connected layers make the values of the whole board."""

    def __init__(self, game: Game, config: NetworkConfig):
        super().__init__()
        self.encoder = Encoder(game, config.kind)
        planes, height, width = self.shape = game.observation_shape
        self.register_buffer("scale", torch.from_numpy(self.encoder.scale).reshape(1, *self.shape), persistent=False)
        self.register_buffer("action_planes", torch.from_numpy(game.action_planes), persistent=False)
        kinds = int(game.action_planes.max()) // (height * width) + 1
        channels = [planes] + [config.channels] * config.convolutions
        self.trunk = nn.Sequential(
            *(layer for i, o in itertools.pairwise(channels) for layer in (nn.Conv2d(i, o, 3, padding=1), nn.ReLU()))
        )
        self.policy = nn.Conv2d(config.channels, kinds, 1)
        self.summary = nn.Sequential(nn.Conv2d(config.channels, SUMMARY_CHANNELS, 1), nn.ReLU(), nn.Flatten())
        layers: list[nn.Module] = []
        for inputs, outputs in itertools.pairwise([SUMMARY_CHANNELS * height * width, *config.hidden]):
            layers += [_linear(inputs, outputs, math.sqrt(2)), nn.ReLU()]
        self.value = nn.Sequential(*layers, _linear(config.hidden[-1], game.num_players, 0.1))
        nn.init.normal_(self.policy.weight, std=0.01)

    def heads(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        board = self.trunk(rows.float().unflatten(1, self.shape) * self.scale)
        return self.policy(board).flatten(1).index_select(1, self.action_planes), self.value(self.summary(board))


def make_network(game: Game, config: NetworkConfig) -> PolicyNetwork:
    """The network that a config asks for. ValueError if it does not go with the game."""
    if config.kind == "mlp":
        return DenseNetwork(game, config)
    if game.action_planes is None:
        raise ValueError(f"network.kind: conv needs a board of planes, but {game.name} observes {game.observation_shape}; use mlp")
    return ConvolutionalNetwork(game, config)


def masked_logits(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Logits with illegal actions (mask 0) put out of reach. Adding is several times as fast on a CPU as filling."""
    return logits + (1 - mask.to(logits.dtype)) * MASKED
