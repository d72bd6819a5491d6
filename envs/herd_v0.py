"""Herd for two players on a hexagonal board.

An action is a cell, numbered row by row: while enemy stones are to be removed, the stone on it; afterwards the empty cell to
place a stone on. An observation is int8 (9, 2 * size - 1, 2 * size - 1): planes of stones and what is still owed.
Rules, actions and observations: ``herd/README.md`` beside this file.
"""

from typing import Any

from pettingzoo import AECEnv

from .core.aec import BoardEnv, wrapped
from .registry import make_game


def env(render_mode: str | None = None, **config: Any) -> AECEnv:
    """The game wrapped the usual way: an illegal move ends it, -1 for who made it. Arguments as of ``raw_env``."""
    return wrapped(raw_env(render_mode, **config))


def raw_env(render_mode: str | None = None, **config: Any) -> BoardEnv:
    """The game itself. Options: ``size`` (2..8), ``max_turns``.

    ValueError for an unknown option or impossible value.
    """
    return BoardEnv(make_game("herd", **config), "herd_v0", render_mode)
