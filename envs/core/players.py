"""Players: anything that can be called with a batch of decisions and returns an action for each.

A player of one's own is a function::

    def first_legal(decisions):
        return decisions.action_mask.argmax(axis=1)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import loops
from .game import Game


class Decisions(NamedTuple):
    """B decisions that a player is asked for, of one game each, all of the same game and config.

    game: the rules.
    states: structured array (B,), copies of the games' states; ``states[i : i + 1]`` is a state for the methods of ``game``. Their
        generators are not the games' own: nobody sees the dice to come.
    observation: int8 (B, *observation_shape), as the deciding seat sees it.
    action_mask: int8 (B, num_actions), 1 for legal actions.
    player: int64 (B,), the deciding seats.
    seeds: uint64 (B,), a random generator for each game, for players that draw; advance it in place. It has nothing
        to do with the game's dice, so that choices are reproducible whatever the batch holds.
    """

    game: Game
    states: np.ndarray
    observation: np.ndarray
    action_mask: np.ndarray
    player: np.ndarray
    seeds: np.ndarray


Player = Callable[[Decisions], np.ndarray]


def ask(player: Player, decisions: Decisions) -> np.ndarray:
    """The player's legal actions, int64 (B,). ValueError that says what is wrong with any other answer."""
    decisions.states["rng"] = decisions.seeds
    answer = np.asarray(player(decisions))
    name = getattr(player, "__name__", type(player).__name__)
    if answer.shape != decisions.player.shape or not np.issubdtype(answer.dtype, np.integer):
        raise ValueError(
            f"player {name} must return integers of shape {decisions.player.shape}, got {answer.dtype} of shape {answer.shape}"
        )
    actions = answer.astype(np.int64)
    wrong = loops.find_illegal(decisions.action_mask, actions)
    if wrong >= 0:
        try:
            decisions.game.action_text(decisions.states[wrong : wrong + 1], int(actions[wrong]))
        except ValueError as error:
            raise ValueError(f"player {name}: {error}") from None
    return actions


def random_player(decisions: Decisions) -> np.ndarray:
    """Uniformly random legal actions."""
    actions = np.empty(len(decisions.states), np.int64)
    loops.sample_range(decisions.action_mask, decisions.seeds, actions, 0, len(actions))
    return actions


def greedy_player(decisions: Decisions) -> np.ndarray:
    """The actions that the game's own heuristic (``players.py`` in its folder) scores highest, ties broken at random."""
    game, actions = decisions.game, np.empty(len(decisions.states), np.int64)
    scratch, scores = np.zeros(2, game.state_dtype), np.empty(game.num_actions)
    loops.greedy_range(game.rules, decisions.states, decisions.action_mask, decisions.seeds, scratch, scores, actions, 0, len(actions))
    return actions


BASELINES: dict[str, Player] = {"random": random_player, "greedy": greedy_player}
