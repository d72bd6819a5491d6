"""The games for RLlib's new API stack: an environment for self-play, and a module that never chooses what is not legal.

Both speak of observations as ``{"observation": float32 (entries,), "action_mask": float32 (actions,)}``: what the seat sees, flat, each
number divided by its upper bound so that all lie in -1..1, and 1 for each legal action. docs/rllib.md has a whole configuration.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from ..core import loops
from ..core.aec import starting_state
from ..core.game import Game
from ..core.players import Decisions
from ..core.random import seed_of
from ..registry import make_game
from .extras import require

torch: Any = require("torch", "rllib")
MultiAgentEnv: Any = require("ray.rllib.env.multi_agent_env", "rllib").MultiAgentEnv
TorchRLModule: Any = require("ray.rllib.core.rl_module.torch.torch_rl_module", "rllib").TorchRLModule
ValueFunctionAPI: Any = require("ray.rllib.core.rl_module.apis.value_function_api", "rllib").ValueFunctionAPI
Columns: Any = require("ray.rllib.core.columns", "rllib").Columns

_MASKED = -1e9  # added to logits: large, but finite, so that no gradient turns into nan
_MOST_STARTS = 1000


def scale(game: Game) -> np.ndarray:
    """Factors that bring flat observations into -1..1, float32 (entries,)."""
    return (1 / np.maximum(game.observation_high.reshape(-1), 1)).astype(np.float32)


def module_spaces(game: Game) -> tuple[spaces.Dict, spaces.Discrete]:
    """What a module for the game sees and chooses from."""
    mask = spaces.Box(0, 1, (game.num_actions,), np.float32)
    observation = spaces.Box(-1, 1, (game.observation_high.size,), np.float32)
    return spaces.Dict({"observation": observation, "action_mask": mask}), spaces.Discrete(game.num_actions)


class SelfPlayEnv(MultiAgentEnv):
    """A game in which one agent at a time, ``player_0``, ``player_1``, …, observes and is to act. Dice are thrown by the environment.

    Configured by ``env_config={"game": "herd", "size": 5}``: the game's name and options. At the end all agents get a last observation
    and their payoffs, and the episode is terminated for all at once, by the cap on turns, too: its payoff is final, nothing is to be
    estimated beyond it. ``reset`` understands ``options={"position": text}`` and keeps its options for later resets without any.

    RLlib's own check of environments plays actions without looking at the mask: switch it off by ``disable_env_checking=True``.
    """

    def __init__(self, config: Mapping[str, Any]):
        super().__init__()
        options = dict(config)
        self.game = make_game(options.pop("game"), **options)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self.agents = self.possible_agents.copy()
        observation, action = module_spaces(self.game)
        self.observation_spaces = dict.fromkeys(self.agents, observation)
        self.action_spaces = dict.fromkeys(self.agents, action)
        self._scale = scale(self.game)
        self._start = self.game.start()
        self._state = self.game.reseed(self._start, int(np.random.SeedSequence().generate_state(1)[0]))
        self._mask = np.zeros(self.game.num_actions, np.int8)
        self._weights = np.empty(self.game.rules.num_outcomes)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game. ValueError for ``options["position"]`` that is none, or if no game reaches a decision from there."""
        if options:
            self._start = starting_state(self.game, options)
        generator = self._state["rng"].copy() if seed is None else seed_of(seed)
        for _ in range(_MOST_STARTS):
            self._state = self._start.copy()
            self._state["rng"] = generator
            if self._advance(-1):
                return {self._mover: self._observe(self._seat)}, {}
            generator = self._state["rng"].copy()
        raise ValueError(f"no game of {self.game} reaches a decision from {self.game.position(self._start)!r}")

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """The move of the agent that observed last. ValueError if another acts, or for an action that is not legal."""
        mover = self._mover
        if set(action_dict) != {mover}:
            raise ValueError(f"{mover} is to move, got actions of {', '.join(action_dict) or 'nobody'}")
        action = int(action_dict[mover])
        if not 0 <= action < len(self._mask) or not self._mask[action]:
            self.game.action_text(self._state, action)  # raises the error that names the legal moves
        if self._advance(action):
            return {self._mover: self._observe(self._seat)}, {mover: 0.0}, {"__all__": False}, {"__all__": False}, {}
        observations = {agent: self._observe(seat) for seat, agent in enumerate(self.agents)}
        rewards = dict(zip(self.agents, self.game.payoffs(self._state).tolist(), strict=True))
        return observations, rewards, {"__all__": True}, {"__all__": False}, {}

    def _advance(self, action: int) -> bool:
        return loops.step_one(self.game.rules, self._state, action, self._mask, self._weights) > 0

    @property
    def _seat(self) -> int:
        return int(self._state["player"][0])

    @property
    def _mover(self) -> str:
        return self.possible_agents[self._seat]

    def _observe(self, seat: int) -> dict[str, np.ndarray]:
        mask = self._mask if seat == self._seat else np.zeros_like(self._mask)
        return {"observation": self.game.observe(self._state, seat).reshape(-1) * self._scale, "action_mask": mask.astype(np.float32)}


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Fully connected layers of widths ``model_config["hidden"]``, (128, 128) by default, that policy and value share."""

    def setup(self) -> None:
        def linear(inputs: int, outputs: int, gain: float) -> Any:
            layer = torch.nn.Linear(inputs, outputs)
            torch.nn.init.orthogonal_(layer.weight, gain)
            torch.nn.init.zeros_(layer.bias)
            return layer

        width = self.observation_space["observation"].shape[0]
        layers = []
        for outputs in self.model_config.get("hidden", (128, 128)):
            layers += [linear(width, outputs, math.sqrt(2)), torch.nn.ReLU()]
            width = outputs
        self.trunk = torch.nn.Sequential(*layers)
        self.policy = linear(width, self.action_space.n, 0.01)
        self.value = linear(width, 1, 0.1)

    def _logits(self, hidden: Any, mask: Any) -> Any:
        return self.policy(hidden) + (1 - mask) * _MASKED

    def _forward(self, batch: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        observation = batch[Columns.OBS]
        return {Columns.ACTION_DIST_INPUTS: self._logits(self.trunk(observation["observation"]), observation["action_mask"])}

    def _forward_train(self, batch: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        observation = batch[Columns.OBS]
        hidden = self.trunk(observation["observation"])
        return {Columns.ACTION_DIST_INPUTS: self._logits(hidden, observation["action_mask"]), Columns.EMBEDDINGS: hidden}

    def compute_values(self, batch: Mapping[str, Any], embeddings: Any = None) -> Any:
        hidden = self.trunk(batch[Columns.OBS]["observation"]) if embeddings is None else embeddings
        return self.value(hidden).squeeze(-1)


class ModulePlayer:
    """Plays the most likely move of a module trained on ``SelfPlayEnv``."""

    def __init__(self, module: Any):
        self.module = module

    def __call__(self, decisions: Decisions) -> np.ndarray:
        observation = decisions.observation.reshape(len(decisions.player), -1) * scale(decisions.game)
        batch = {"observation": torch.from_numpy(observation), "action_mask": torch.from_numpy(decisions.action_mask.astype(np.float32))}
        with torch.no_grad():
            logits = self.module.forward_inference({Columns.OBS: batch})[Columns.ACTION_DIST_INPUTS]
        return logits.argmax(dim=1).numpy()
