"""The rules of a game without an environment: states, texts, legal moves, chances, payoffs."""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from . import loops
from .contract import CHANCE, DECISION, NODES, TERMINAL
from .random import seed_of

State = np.ndarray


class Game:
    """One game with one config. It holds no position: every method takes a state, and none changes the state given to it.

    A state is a NumPy structured array of shape (1,): ``state.copy()`` copies it, ``state.tobytes()`` is a key for a
    dictionary, pickling works. Its dice are its own: a copy replays the same ones until it is given to ``reseed``.

    name: the game's name, such as ``"herd"``.
    config: every option with its value, a dict.
    num_players, num_actions: ints. observation_shape: tuple of ints.
    observation_low, observation_high: int8 arrays of that shape, the true bounds of each entry.
    broadcast_planes: indices of planes that hold one number all over.
    action_feature_high: int8 (action_features,), upper bounds of the numbers that ``observe_actions`` tells of each action; empty
        for games whose plain observation is enough.
    action_planes: int64 (num_actions,) for games observed as planes, else None: where each action lies on planes of the same height and
        width, as a flat index into (kinds of action, height, width).
    endings: the texts that ``result`` gives, by the number in ``state["ending"]``.
    """

    def __init__(self, name: str, package: str, config: Mapping[str, Any]):
        self.name = name
        self._package = package
        self._rules_module: ModuleType = importlib.import_module(f"{package}.rules")
        self._notation: ModuleType = importlib.import_module(f"{package}.notation")
        self._model = _checked_config(name, importlib.import_module(f"{package}.config").Config, config)
        self.config: dict[str, Any] = self._model.model_dump()
        self.rules = self._rules_module.make_rules(self._model)
        self.state_dtype: np.dtype = self._rules_module.state_dtype(self._model)
        bounds = self._rules_module.observation_bounds(self._model)
        self.observation_low, self.observation_high, self.broadcast_planes = bounds
        self.observation_shape: tuple[int, ...] = bounds.low.shape
        self.action_feature_high: np.ndarray = np.zeros(0, np.int8)
        if importlib.util.find_spec(f"{package}.features"):
            self.action_feature_high = importlib.import_module(f"{package}.features").action_feature_high(self._model)
        planes = getattr(self._rules_module, "action_planes", None)
        self.action_planes: np.ndarray | None = planes(self._model) if planes else None
        self.endings: tuple[str, ...] = self._rules_module.ENDINGS
        self.num_players: int = self.rules.num_players
        self.num_actions: int = self.rules.num_actions

    def __repr__(self) -> str:
        return f"make_game({self.name!r}, {', '.join(f'{key}={value!r}' for key, value in self.config.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Game, (self.name, self._package, self.config)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self  # nothing in it changes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.name, self.config) == (other.name, other.config)

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.config.items())))

    def plays_like(self, other: "Game") -> bool:
        """Whether a policy for one can play the other: the same game with the same coding of observations and actions."""
        return (
            self.name == other.name
            and self.num_players == other.num_players
            and self.num_actions == other.num_actions
            and np.array_equal(self.observation_high, other.observation_high)
        )

    # --- states

    def _empty(self) -> State:
        return np.zeros(1, self.state_dtype)

    def start(self) -> State:
        """The bare first node, which may be a chance node. Its generator has seed 0: see ``reseed``."""
        state = self._empty()
        state["rng"] = seed_of(0)
        loops.start_one(self.rules, state)
        return state

    def new(self, seed: int) -> State:
        """A new game, played on to its first decision by dice from ``seed``."""
        state = self.reseed(self.start(), seed)
        return self._settled(state)

    def _settled(self, state: State) -> State:
        while state["node"][0] == CHANCE:
            loops.throw_one(self.rules, state, np.empty(self.rules.num_outcomes))
        return state

    def reseed(self, state: State, seed: int) -> State:
        """The same position with other dice to come. ValueError for a negative seed."""
        state = state.copy()
        state["rng"] = seed_of(seed)
        return state

    def from_position(self, text: str) -> State:
        """The state that a position text stands for, its generator with seed 0. ValueError that says what is wrong."""
        state = self.start()
        try:
            self._notation.read_position(self.rules, text, state[0])
            written = self.position(state)
        except ValueError as error:
            raise type(error)(f"{self.name} position {text!r}: {error}") from None
        if written != text:
            raise ValueError(f"{self.name} position {text!r} is not written the one way it should be: {written!r}")
        return state

    def position(self, state: State) -> str:
        """The position's text. It holds all that the rules depend on, but neither the dice to come nor a history."""
        return self._notation.write_position(self.rules, state[0])

    # --- what kind of node

    def node(self, state: State) -> str:
        """``"decision"``, ``"chance"``, ``"terminal"`` or ``"truncated"``."""
        return NODES[state["node"][0]]

    def player(self, state: State) -> int | None:
        """Whose decision it is; None at any other node."""
        return int(state["player"][0]) if state["node"][0] == DECISION else None

    def turn(self, state: State) -> int:
        """How many turns are completed."""
        return int(state["turn"][0])

    def is_over(self, state: State) -> bool:
        return bool(state["node"][0] >= TERMINAL)

    def payoffs(self, state: State) -> np.ndarray:
        """What each player is paid, float64 (num_players,). It sums to zero, and is all zero while the game goes on."""
        return state["payoff"][0, : self.num_players].copy()

    def result(self, state: State) -> str | None:
        """How the game ended, such as ``"board full"`` or ``"turn cap"``; None while it goes on."""
        return self.endings[state["ending"][0]] or None

    # --- decisions

    def legal_mask(self, state: State) -> np.ndarray:
        """int8 (num_actions,): 1 for legal actions. All zero at nodes that are no decisions."""
        mask = np.zeros(self.num_actions, np.int8)
        if state["node"][0] == DECISION:
            loops.legal_one(self.rules, state, mask)
        return mask

    def legal_actions(self, state: State) -> np.ndarray:
        """The indices of the legal actions, rising, int64."""
        return np.flatnonzero(self.legal_mask(state))

    def action_text(self, state: State, action: int) -> str:
        """The text of a legal action. ValueError if it is not legal here."""
        self._check_action(state, action)
        return self._notation.move_text(self.rules, state[0], int(action))

    def moves(self, state: State) -> dict[str, int]:
        """All legal moves: text -> action index, by rising index. Empty at nodes that are no decisions."""
        return {self._notation.move_text(self.rules, state[0], int(action)): int(action) for action in self.legal_actions(state)}

    def play(self, state: State, move: str | int) -> State:
        """The state after a legal move, given as text or action index; it may be a chance node. ValueError if illegal."""
        if isinstance(move, str):
            moves = self.moves(state)
            if move not in moves:
                raise ValueError(self._refusal(state, f"move {move!r}"))
            action = moves[move]
        else:
            self._check_action(state, move)
            action = int(move)
        state = state.copy()
        loops.apply_one(self.rules, state, action)
        return state

    def _check_action(self, state: State, action: Any) -> None:
        whole = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if not whole or not 0 <= action < self.num_actions or not self.legal_mask(state)[action]:
            raise ValueError(self._refusal(state, f"action {action!r}"))

    def _refusal(self, state: State, what: str) -> str:
        where = f"{self.name} position {self.position(state)!r}"
        if state["node"][0] != DECISION:
            return f"{what} cannot be played at a {self.node(state)} node: {where}"
        legal = ", ".join(f"{text} ({action})" for text, action in self.moves(state).items())
        return f"{what} is not legal in {where}; legal moves with their action indices: {legal}"

    # --- chance

    def chances(self, state: State) -> dict[str, float]:
        """What can happen at a chance node: text -> probability. Empty at nodes of other kinds."""
        return dict(self._outcomes(state))

    def _outcomes(self, state: State) -> Iterator[tuple[str, float]]:
        if state["node"][0] == CHANCE:
            weights = np.empty(self.rules.num_outcomes)
            for outcome in range(loops.chance_one(self.rules, state, weights)):
                yield self._notation.chance_text(self.rules, state[0], outcome), float(weights[outcome])

    def resolve(self, state: State, text: str) -> State:
        """The state after the outcome ``text`` of a chance node. ValueError if it cannot happen."""
        outcomes = list(self.chances(state))
        if text not in outcomes:
            where = f"{self.name} position {self.position(state)!r}"
            if state["node"][0] != CHANCE:
                raise ValueError(f"outcome {text!r} cannot happen at a {self.node(state)} node: {where}")
            raise ValueError(f"outcome {text!r} cannot happen in {where}; possible: {', '.join(outcomes)}")
        state = state.copy()
        loops.resolve_one(self.rules, state, outcomes.index(text))
        return state

    def throw(self, state: State) -> State:
        """The state after the outcome that the state's own generator draws. ValueError if it is no chance node."""
        if state["node"][0] != CHANCE:
            raise ValueError(f"nothing is thrown at a {self.node(state)} node: {self.name} position {self.position(state)!r}")
        state = state.copy()
        loops.throw_one(self.rules, state, np.empty(self.rules.num_outcomes))
        return state

    # --- what players see

    def observe(self, state: State, player: int) -> np.ndarray:
        """What ``player`` sees, at any node: int8, observation_shape. ValueError for a player who is not in the game."""
        if not 0 <= player < self.num_players:
            raise ValueError(f"player must be 0..{self.num_players - 1}, got {player!r}")
        out = np.empty(self.rules.observation_size, np.int8)
        loops.observe_one(self.rules, state, player, out)
        return out.reshape(self.observation_shape)

    def observe_actions(self, states: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """What the game's ``features.py`` tells of each legal action: int8 (B, num_actions, features), zeros for the others.

        states: B decisions, a structured array (B,). action_mask: int8 (B, num_actions), of their legal actions.
        """
        features = len(self.action_feature_high)
        out = np.zeros((len(states), self.num_actions, features), np.int8)
        if features:
            scratch, packed = np.zeros(2, self.state_dtype), np.zeros(self.rules.max_legal * features, np.int8)
            loops.observe_actions_range(self.rules, states, action_mask, scratch, packed, out, 0, len(states))
        return out


def _checked_config(name: str, model: type[BaseModel], config: Mapping[str, Any]) -> BaseModel:
    try:
        return model(**config)
    except ValidationError as error:
        first = error.errors()[0]
        option = ".".join(str(part) for part in first["loc"]) or "config"
        if first["type"] == "extra_forbidden":
            message = f"{name} has no option {option!r}; it has {', '.join(model.model_fields)}"
        else:
            reason = first["msg"].removeprefix("Value error, ")
            message = f"{name} option {option}: {reason}; got {first['input']!r}"
        raise ValueError(message) from None
