"""What a game's ``rules.py`` provides, and how generic compiled code calls it.

A state is one record of a NumPy structured array. Each game's record begins with the fields of ``state_head``; then come its
own. ``rules.py`` defines

``Rules``
    a NamedTuple of constants and tables made from a config, the same types in every config (Numba compiles once per type).
    It has at least ``num_players``, ``num_actions``, ``num_outcomes`` (the most outcomes any chance node has), ``observation_size``
    and ``max_legal`` (no decision has more legal actions), all plain ints.
``make_rules(config) -> Rules``, ``state_dtype(config) -> np.dtype``, ``observation_bounds(config) -> ObservationBounds``
    in plain Python. Games observed as planes also have ``action_planes(config)``, see ``Game.action_planes``.
``ENDINGS``
    a tuple of short texts that name how a game ended; ``state["ending"]`` is the index. The first, ``""``, means not over.

and these functions, compiled, which neither allocate nor touch anything but their arguments:

``start(rules, state)``
    make ``state`` the bare first node. Every field is written but ``rng``.
``legal(rules, state, mask) -> int``
    at a decision: write 1 for legal actions and 0 for others to ``mask`` (int8, num_actions), return how many are legal.
``apply(rules, state, action)``
    make the legal move ``action``.
``chance(rules, state, weights) -> int``
    at a chance node: write the outcomes' probabilities to ``weights`` (float64), return how many outcomes there are.
``resolve(rules, state, outcome)``
    let ``outcome`` happen.
``observe(rules, state, player, out)``
    write what ``player`` sees to ``out`` (int8, observation_size), at any node. Every entry is written.

and a game's ``players.py`` defines, compiled,

``score_actions(rules, state, mask, scratch, scores)``
    the greedy player: write a float64 score to ``scores`` for every action that ``mask`` allows (higher is better; ties are
    broken at random by the caller). ``scratch`` is an array of two states to try moves on.

Where a plain observation hides what an action would do, a game may also have a ``features.py`` with

``observe_actions(rules, state, mask, scratch, out)``
    at a decision: write some numbers for each action that ``mask`` allows, by rising action, side by side, to ``out`` (int8,
    at least the number of legal actions times the number of features; what lies beyond is left alone); ``scratch`` as above;
``action_feature_high(config) -> int8 array (features,)``
    in plain Python, the numbers' upper bounds.

The functions below are what generic code calls: each finds the game's function by the type of ``rules``. Numba resolves
them when it compiles; in plain Python their bodies run.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

DECISION, CHANCE, TERMINAL, TRUNCATED = 0, 1, 2, 3
NODES = ("decision", "chance", "terminal", "truncated")


class ObservationBounds(NamedTuple):
    """The true bounds of each entry of an observation.

    low, high: int8 arrays of the observation's shape; entries with low == high never change.
    broadcast_planes: indices of planes (first axis) that hold one number all over.
    """

    low: np.ndarray
    high: np.ndarray
    broadcast_planes: tuple[int, ...] = ()


def state_head(num_players: int) -> list[tuple]:
    """The fields that every game's state record begins with, for a capacity of ``num_players`` seats.

    rng: generator of the state; node: one of DECISION, CHANCE, TERMINAL, TRUNCATED; player: who decides (at other nodes the
    rules' own use); ending: index into ENDINGS; turn: turns completed; payoff: of each seat, zero until the game is over.
    """
    return [
        ("rng", "u8"),
        ("node", "i1"),
        ("player", "i1"),
        ("ending", "i1"),
        ("turn", "i4"),
        ("payoff", "f8", (num_players,)),
    ]


def _function(rules_class: type, module: str, name: str) -> Callable[..., Any]:
    package = sys.modules[rules_class.__module__].__package__
    return getattr(importlib.import_module(f"{package}.{module}"), name)


def start(rules, state):
    return _function(type(rules), "rules", "start")(rules, state)


@overload(start)
def _start(rules, state):
    function = _function(rules.instance_class, "rules", "start")
    return lambda rules, state: function(rules, state)


def legal(rules, state, mask):
    return _function(type(rules), "rules", "legal")(rules, state, mask)


@overload(legal)
def _legal(rules, state, mask):
    function = _function(rules.instance_class, "rules", "legal")
    return lambda rules, state, mask: function(rules, state, mask)


def apply(rules, state, action):
    return _function(type(rules), "rules", "apply")(rules, state, action)


@overload(apply)
def _apply(rules, state, action):
    function = _function(rules.instance_class, "rules", "apply")
    return lambda rules, state, action: function(rules, state, action)


def chance(rules, state, weights):
    return _function(type(rules), "rules", "chance")(rules, state, weights)


@overload(chance)
def _chance(rules, state, weights):
    function = _function(rules.instance_class, "rules", "chance")
    return lambda rules, state, weights: function(rules, state, weights)


def resolve(rules, state, outcome):
    return _function(type(rules), "rules", "resolve")(rules, state, outcome)


@overload(resolve)
def _resolve(rules, state, outcome):
    function = _function(rules.instance_class, "rules", "resolve")
    return lambda rules, state, outcome: function(rules, state, outcome)


def observe(rules, state, player, out):
    return _function(type(rules), "rules", "observe")(rules, state, player, out)


@overload(observe)
def _observe(rules, state, player, out):
    function = _function(rules.instance_class, "rules", "observe")
    return lambda rules, state, player, out: function(rules, state, player, out)


def score_actions(rules, state, mask, scratch, scores):
    return _function(type(rules), "players", "score_actions")(rules, state, mask, scratch, scores)


@overload(score_actions)
def _score_actions(rules, state, mask, scratch, scores):
    function = _function(rules.instance_class, "players", "score_actions")
    return lambda rules, state, mask, scratch, scores: function(rules, state, mask, scratch, scores)


def observe_actions(rules, state, mask, scratch, out):
    return _function(type(rules), "features", "observe_actions")(rules, state, mask, scratch, out)


@overload(observe_actions)
def _observe_actions(rules, state, mask, scratch, out):
    function = _function(rules.instance_class, "features", "observe_actions")
    return lambda rules, state, mask, scratch, out: function(rules, state, mask, scratch, out)
