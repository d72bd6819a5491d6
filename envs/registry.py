"""The games there are: name -> folder."""

import difflib
from typing import Any

from .core.game import Game
from .core.vector import BatchEnv

GAMES = {
    "herd": "herd",
    "chopat": "chopat",
    "berd": "berd",
    "bikido": "bikido",
}


def make_game(name: str, **config: Any) -> Game:
    """The rules of a game with the given options. ValueError for an unknown game, option or impossible value."""
    if name not in GAMES:
        near = difflib.get_close_matches(str(name), GAMES, n=1)
        raise ValueError(f"no game is called {name!r}{f'; did you mean {near[0]!r}?' if near else ''}; there are {', '.join(GAMES)}")
    return Game(name, f"{__package__}.{GAMES[name]}", config)


def make_vec(name: str, num_envs: int, seed: int | None = None, threads: int = 1, skip_forced: bool = False, **config: Any) -> BatchEnv:
    """``num_envs`` games stepped together: see ``BatchEnv``. ValueError as from ``make_game``, or for impossible numbers."""
    return BatchEnv(make_game(name, **config), num_envs, seed, threads, skip_forced)
