"""The games as OpenSpiel games: import this module, then ``pyspiel.load_game("boardherd_herd(size=4)")``.

Each game's options are parameters under the same names. All take ``position``, too, where every game begins; since OpenSpiel's
game strings know neither commas nor parentheses in a value, texts are passed through ``encode_position``::

    pyspiel.load_game(f"boardherd_herd(position={encode_position(text)})")
    game.new_initial_state(text)  # or so, for a single state

Dice are chance nodes, one action an outcome. A game that the cap on turns ended is terminal, its returns those that the rules give.
Observation tensors are what the player's seat sees, each number divided by its upper bound, so that all lie in -1..1. The
observation's string is the position, which is all that the rules depend on but for Bikido's earlier positions.
OpenSpiel writes numbers with a point to ten digits when it saves a game.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from ..core import loops
from ..core.contract import CHANCE, DECISION
from ..core.game import Game
from ..core.game import State as Record
from ..registry import GAMES, make_game
from .extras import require

pyspiel: Any = require("pyspiel", "openspiel")
_MOST = 2**31 - 1  # OpenSpiel counts in int32


def encode_position(text: str) -> str:
    """A position's text (or that of Bikido's ``start``) as a value in OpenSpiel's game strings."""
    return quote(text, safe="")


class BoardState(pyspiel.State):
    """A position with OpenSpiel's history. Its pickled form, clones included, is the record of the rules."""

    def __init__(self, game: "BoardGame", start: Record):
        super().__init__(game)
        self._rules = game.rules
        self._set(start)

    def _set(self, record: Record) -> None:
        self._record = record
        self._node, self._mover = int(record["node"][0]), int(record["player"][0])

    @property
    def record(self) -> Record:
        """A copy of the state, for the methods of ``boardherd.envs``' Game."""
        return self._record.copy()

    def current_player(self) -> int:
        if self._node == DECISION:
            return self._mover
        return pyspiel.PlayerId.CHANCE if self._node == CHANCE else pyspiel.PlayerId.TERMINAL

    def is_terminal(self) -> bool:
        return self._node != DECISION and self._node != CHANCE

    def _legal_actions(self, player: int) -> list[int]:
        return self._rules.legal_actions(self._record).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        weights = np.empty(self._rules.rules.num_outcomes)
        count = loops.chance_one(self._rules.rules, self._record, weights)
        return list(enumerate(weights[:count].tolist()))

    def _apply_action(self, action: int) -> None:
        if self._node == CHANCE:
            record = self._record.copy()
            loops.resolve_one(self._rules.rules, record, action)
            self._set(record)
        else:
            self._set(self._rules.play(self._record, action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return list(self._rules.chances(self._record))[action]
        return self._rules.action_text(self._record, action)

    def returns(self) -> list[float]:
        return self._rules.payoffs(self._record).tolist()

    def __str__(self) -> str:
        return self._rules.position(self._record)


class BoardObserver:
    """What a player sees: float32 ``tensor``, and the same in its shape as ``dict["observation"]``; the position as text."""

    def __init__(self, rules: Game):
        self._rules = rules
        self._scale = (1 / np.maximum(rules.observation_high, 1)).astype(np.float32)
        self.tensor = np.zeros(rules.rules.observation_size, np.float32)
        self.dict = {"observation": self.tensor.reshape(rules.observation_shape)}

    def set_from(self, state: BoardState, player: int) -> None:
        np.multiply(self._rules.observe(state._record, player), self._scale, out=self.dict["observation"])

    def string_from(self, state: BoardState, player: int) -> str:
        return str(state)


class BoardGame(pyspiel.Game):
    """A game with its options: each registered game is a subclass. rules: the same as ``boardherd.envs`` knows it."""

    name: str
    game_type: Any

    def __init__(self, parameters: Mapping[str, Any]):
        options: dict[str, Any] = {key: unquote(value) if isinstance(value, str) else value for key, value in parameters.items()}
        position = options.pop("position")
        self.rules = make_game(self.name, **options)
        self._start = self.rules.from_position(position) if position else self.rules.start()
        turns, actions, players = options["max_turns"], self.rules.num_actions, self.rules.num_players
        self._most_chances = min(3 * turns + players, _MOST)  # of all games Chopat throws most in a turn, and Berd draws for all seats
        information = pyspiel.GameInfo(
            num_distinct_actions=actions,
            max_chance_outcomes=self.rules.rules.num_outcomes,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=min(4 * actions * turns, _MOST),  # no turn of any game has so many decisions
        )
        defaults = self.game_type.parameter_specification
        super().__init__(self.game_type, information, {key: value for key, value in parameters.items() if value != defaults[key]})

    def new_initial_state(self, position: str | None = None) -> BoardState:
        """Where games begin, or a position. ValueError if the text is none."""
        return BoardState(self, self._start if position is None else self.rules.from_position(position))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> BoardObserver:
        """ValueError for parameters, and where perfect recall is asked for: a position does not tell how it came about."""
        if params:
            raise ValueError(f"observations have no parameters, got {params!r}")
        if iig_obs_type is not None and iig_obs_type.perfect_recall:
            raise ValueError("observations show the position and not how it came about: there are none with perfect recall")
        return BoardObserver(self.rules)

    def max_chance_nodes_in_history(self) -> int:
        return self._most_chances


def _register(name: str) -> None:
    game = make_game(name)
    options = type(game._model).model_json_schema()["properties"]
    seats = options.get("num_players", {"minimum": game.num_players, "maximum": game.num_players})
    modes = pyspiel.GameType.ChanceMode
    game_type = pyspiel.GameType(
        short_name=f"boardherd_{name}",
        long_name=name.capitalize(),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if game.rules.num_outcomes else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=seats["minimum"],
        max_num_players=seats["maximum"],
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**game.config, "position": ""},
    )
    # A class, as OpenSpiel's registry lets go of what it holds when Python has gone: the last reference to a function would crash there.
    pyspiel.register_game(game_type, type(f"{name.capitalize()}Game", (BoardGame,), {"name": name, "game_type": game_type}))


for _name in GAMES:
    _register(_name)
