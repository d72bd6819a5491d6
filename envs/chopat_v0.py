"""Chopat for two, three or four players: a race of four men each, thrown with five cowries.

An action is one of the values thrown and one of the own four men to move by it: 4 * value index + man, the men sorted from
those off the board to those at home. An observation is an int8 vector: men by place for each player in turn order from the
observer, the values held, and whose move it is.
Rules, actions and observations: ``chopat/README.md`` beside this file.
"""

from typing import Any

from pettingzoo import AECEnv

from .core.aec import BoardEnv, wrapped
from .registry import make_game


def env(render_mode: str | None = None, **config: Any) -> AECEnv:
    """The game wrapped the usual way: an illegal move ends it, -1 for who made it. Arguments as of ``raw_env``."""
    return wrapped(raw_env(render_mode, **config))


def raw_env(render_mode: str | None = None, **config: Any) -> BoardEnv:
    """The game itself. Options: ``num_players`` (2..4), ``safe_flowers``, ``play_for_places``, ``mouth_up_probability``, ``max_turns``.

    ValueError for an unknown option or impossible value.
    """
    return BoardEnv(make_game("chopat", **config), "chopat_v0", render_mode)
