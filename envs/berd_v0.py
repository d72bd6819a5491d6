"""Berd for two to sixteen players: towers of tokens that capture each other on a square path, with two dice.

An action is a corner to start from, a die and the square to move from, a captive to take along (or to go), or a captive to
give back; squares and players are counted from the acting player. An observation is an int8 vector: what stands on each square
of the path, the piles, and what is still to be done.
Rules, actions and observations: ``berd/README.md`` beside this file.
"""

from typing import Any

from pettingzoo import AECEnv

from .core.aec import BoardEnv, wrapped
from .registry import make_game


def env(render_mode: str | None = None, **config: Any) -> AECEnv:
    """The game wrapped the usual way: an illegal move ends it, -1 for who made it. Arguments as of ``raw_env``."""
    return wrapped(raw_env(render_mode, **config))


def raw_env(render_mode: str | None = None, **config: Any) -> BoardEnv:
    """The game itself. Options: ``num_players`` (2..16), ``tokens``, ``path``, ``max_turns``.

    ValueError for an unknown option or impossible value.
    """
    return BoardEnv(make_game("berd", **config), "berd_v0", render_mode)
