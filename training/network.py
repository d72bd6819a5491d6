"""The actor-critic network, and how a decision becomes the row of numbers that it reads."""

import itertools
import math
from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import nn

from ..envs.core import contract
from ..envs.core.compiling import compiled
from ..envs.core.game import Game
from .choice import NO_ACTION
from .config import NetworkConfig

SUMMARY_CHANNELS = 4  # of the board that the fully connected layers see after convolutions
MASKED = -1e9  # added to the logit of a place without an action: large, but finite, so that no gradient turns into nan


@compiled
def _observe_actions(rules, states, masks, scratch, rows, first_column):
    for i in range(len(states)):
        contract.observe_actions(rules, states[i], masks[i], scratch, rows[i][first_column:])


@compiled
def _encode(observations, masks, columns, rows, actions):
    for i in range(len(observations)):
        observation, row, mask, legal = observations[i], rows[i], masks[i], actions[i]
        for k in range(np.uintp(len(columns))):
            row[k] = observation[columns[k]]
        count = 0
        for action in range(len(mask)):
            if mask[action] != 0:
                legal[count] = action
                count += 1
        for k in range(count, len(legal)):
            legal[k] = NO_ACTION


class Encoder:
    """Turns decisions into what a network reads: a row of int8 and the list of legal actions.

    A row is the observation, then the features of each legal action where a game has any. For a plain network the observation is cut
    to the entries that tell something: those that can change, and of a plane with one number all over only a single entry.
    Convolutions read the whole planes. Legal actions come by rising index, NO_ACTION behind them: games have hundreds of
    actions, of which few are legal.

    size: length of a row. max_legal: length of the list of actions. scale: float32 (columns,), factors that bring the observation's
    entries into -1..1 by their true upper bounds; action_scale: float32 (features,), likewise.
    """

    def __init__(self, game: Game, kind: str):
        self.game = game
        informative = game.observation_high > game.observation_low
        for plane in game.broadcast_planes:
            informative[plane].flat[1:] = False
        every = np.arange(informative.size)
        self.columns = every if kind == "conv" else every[informative.reshape(-1)]
        high = game.observation_high.reshape(-1)[self.columns]
        action_high = game.action_feature_high[:0] if kind == "conv" else game.action_feature_high
        self.scale, self.action_scale = (1 / np.maximum(bound.astype(np.float32), 1) for bound in (high, action_high))
        self.max_legal: int = game.rules.max_legal
        self.size = len(self.columns) + self.max_legal * len(action_high)

    def encode(self, states: np.ndarray, observation: np.ndarray, action_mask: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> None:
        """Write rows int8 (B, size) and legal actions int16 (B, max_legal).

        Of B decisions: states (B,), observation int8 (B, *observation_shape), action_mask int8 (B, num_actions).
        """
        _encode(observation.reshape(len(states), -1), action_mask, self.columns, rows, actions)
        if len(self.action_scale):
            rows[:, len(self.columns) :] = 0
            _observe_actions(self.game.rules, states, action_mask, np.zeros(2, self.game.state_dtype), rows, len(self.columns))

    def encoded(self, states: np.ndarray, observation: np.ndarray, action_mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """New arrays that ``encode`` has written to."""
        rows, actions = np.empty((len(states), self.size), np.int8), np.empty((len(states), self.max_legal), np.int16)
        self.encode(states, observation, action_mask, rows, actions)
        return rows, actions


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
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(inputs, self.linear.weight * self.scale, self.linear.bias)


def num_values(game: Game, config: NetworkConfig) -> int:
    """How many payoffs the network foretells: one for each seat, or only that of the deciding one."""
    return game.num_players if config.value == "seats" else 1


class PolicyNetwork(nn.Module, ABC):
    """What an ``Encoder`` makes of decisions -> a logit for each legal action, and a value for each seat.

    Values are in relative order: the deciding seat's first, then the next one's in turn order. They sum to zero, as payoffs do.
    """

    encoder: Encoder
    num_players: int

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def forward(self, rows: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """rows: int8 (B, encoder.size). actions: int16 (B, max_legal), legal ones, then NO_ACTION.

        Returns logits (B, W), where W is the largest number of legal actions among the B decisions and places without an action
        hold about MASKED, and values (B, num_players).
        """
        inside = actions != NO_ACTION
        width = int(inside.sum(dim=1).max())
        actions, inside = actions[:, :width], inside[:, :width]
        logits, values = self.heads(rows, actions.clamp(min=0).long())
        return logits + (~inside).to(logits.dtype) * MASKED, self.seat_values(values)

    def seat_values(self, values: torch.Tensor) -> torch.Tensor:
        """Values of all seats (B, num_players) that sum to zero, from those of ``heads``."""
        if values.shape[1] > 1:
            return values - values.mean(dim=1, keepdim=True)
        others = self.num_players - 1
        return torch.cat([values, (-values / others).expand(-1, others)], dim=1)

    @abstractmethod
    def heads(self, rows: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits float32 (B, W) for actions int64 (B, W), and values float32 (B, num_values), as they leave the last layers: of every
        seat, or of the deciding one alone."""


class DenseNetwork(PolicyNetwork):
    """Fully connected layers. Where a game tells features of its actions, the last layer also makes weights for them: a feature then means
    the same for every action, and as much as the position at hand lets it mean."""

    def __init__(self, game: Game, config: NetworkConfig):
        super().__init__()
        self.encoder, self.num_players = Encoder(game, config.kind), game.num_players
        self.num_columns, self.action_features = len(self.encoder.columns), len(self.encoder.action_scale)
        layers: list[nn.Module] = [ScaledLinear(config.hidden[0], self.encoder.scale), nn.ReLU()]
        for inputs, outputs in itertools.pairwise(config.hidden):
            layers += [_linear(inputs, outputs, math.sqrt(2)), nn.ReLU()]
        width = config.hidden[-1]
        self.trunk = nn.Sequential(*layers)
        self.policy = _linear(width, game.num_actions, 0.01)
        self.value = _linear(width, num_values(game, config), 0.1)
        if self.action_features:
            self.action_weights = _linear(width, self.action_features, 0.01)
            self.register_buffer("action_scale", torch.from_numpy(self.encoder.action_scale), persistent=False)

    def heads(self, rows: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.trunk(rows[:, : self.num_columns].float())
        logits = self.policy(hidden).gather(1, actions)
        if self.action_features:
            end = self.num_columns + actions.shape[1] * self.action_features
            features = rows[:, self.num_columns : end].float().unflatten(1, (-1, self.action_features))
            weights = self.action_weights(hidden) * self.action_scale
            logits = logits + torch.bmm(features, weights.unsqueeze(2)).squeeze(2)
        return logits, self.value(hidden)


class ConvolutionalNetwork(PolicyNetwork):
    """3x3 convolutions over the planes. The policy reads each action off the square that it belongs to, so that what is learned on one
    square holds on all; fully connected layers make the values of the whole board."""

    def __init__(self, game: Game, config: NetworkConfig):
        super().__init__()
        self.encoder, self.num_players = Encoder(game, config.kind), game.num_players
        assert game.action_planes is not None
        planes, height, width = self.shape = game.observation_shape
        self.scale: torch.Tensor
        self.action_planes: torch.Tensor
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
        self.value = nn.Sequential(*layers, _linear(config.hidden[-1], num_values(game, config), 0.1))
        nn.init.normal_(self.policy.weight, std=0.01)

    def heads(self, rows: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        board = self.trunk(rows.float().unflatten(1, self.shape) * self.scale)
        return self.policy(board).flatten(1).gather(1, self.action_planes[actions]), self.value(self.summary(board))


def make_network(game: Game, config: NetworkConfig) -> PolicyNetwork:
    """The network that a config asks for. ValueError if it does not go with the game."""
    if config.kind == "mlp":
        return DenseNetwork(game, config)
    if game.action_planes is None:
        raise ValueError(f"network.kind: conv needs a board of planes, but {game.name} observes {game.observation_shape}; use mlp")
    return ConvolutionalNetwork(game, config)
