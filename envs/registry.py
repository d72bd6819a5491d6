"""The games there are: name -> folder."""

import difflib
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from .core.game import Game
from .core.vector import BatchEnv

if TYPE_CHECKING:
    from .core.gymnasium_vector import GameVectorEnv
    from .core.learners import Opponents
    from .core.single_agent import SingleLearnerEnv

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
        raise ValueError(f"no game is called {name!r}{f'; did you mean {near[0]!r}?' if near else '.'} There are {', '.join(GAMES)}")
    return Game(name, f"{__package__}.{GAMES[name]}", config)


def make_vec(name: str, num_envs: int, seed: int | None = None, threads: int = 1, skip_forced: bool = False, **config: Any) -> BatchEnv:
    """``num_envs`` games stepped together: see ``BatchEnv``. ValueError as from ``make_game``, or for impossible numbers."""
    return BatchEnv(make_game(name, **config), num_envs, seed, threads, skip_forced)


def make_single_learner(
    game: str, opponents: "Opponents" = "random", seat: int | str = "random", render_mode: str | None = None, **config: Any
) -> "SingleLearnerEnv":
    """What ``gymnasium.make("boardherd/Herd-v0", …)`` calls: see ``SingleLearnerEnv``. ValueError as from ``make_game``."""
    from .core.single_agent import SingleLearnerEnv

    return SingleLearnerEnv(make_game(game, **config), opponents, seat, render_mode)


def make_learner_vec(
    game: str,
    num_envs: int = 1,
    opponents: "Opponents" = "random",
    seat: int | str = "random",
    render_mode: str | None = None,
    **config: Any,
) -> "GameVectorEnv":
    """What ``gymnasium.make_vec("boardherd/Herd-v0", …)`` calls: see ``GameVectorEnv``. ValueError as from ``make_game``."""
    from .core.gymnasium_vector import GameVectorEnv

    return GameVectorEnv(make_game(game, **config), num_envs, opponents, seat, render_mode)


def register_environments() -> None:
    """Register every game as ``boardherd/Herd-v0`` and the like, with Gymnasium and, where it has a registry (1.27), PettingZoo."""
    for name in GAMES:
        environment_id = f"boardherd/{name.capitalize()}-v0"
        gymnasium.register(
            environment_id,
            entry_point=f"{__name__}:make_single_learner",
            vector_entry_point=f"{__name__}:make_learner_vec",
            kwargs={"game": name},
        )
        if hasattr(pettingzoo, "register"):
            pettingzoo.register("aec", environment_id, f"{__package__}.{name}_v0:env")
