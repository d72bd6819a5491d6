"""Bikido for two players: stacks of tokens on a board of 7 by 13, without dice.

An action is 7 * square + kind, one of three single and four stack moves, on a board that each player sees from their own
side. An observation is int8 (2 * levels + 12, 13, 7): planes of tokens by level, and what is still barred.
Rules, actions and observations: ``bikido/README.md`` beside this file.
"""

from typing import Any

from pettingzoo import AECEnv

from .core.aec import BoardEnv, wrapped
from .registry import make_game


def env(render_mode: str | None = None, **config: Any) -> AECEnv:
    """The game wrapped the usual way: an illegal move ends it, -1 for who made it. Arguments as of ``raw_env``."""
    return wrapped(raw_env(render_mode, **config))


def raw_env(render_mode: str | None = None, **config: Any) -> BoardEnv:
    """The game itself. Options: ``start``, ``max_turns``, ``levels``.

    ValueError for an unknown option or impossible value.
    """
    return BoardEnv(make_game("bikido", **config), "bikido_v0", render_mode)
