"""``boardherd envs``: the games and their options."""

import importlib

from pydantic.fields import FieldInfo
from rich.console import Console
from rich.table import Table

from ...envs import GAMES, make_game
from .common import config_class


def envs() -> None:
    """List the games and the options of each."""
    console = Console()
    games = Table(
        "game", "what it is", "players", "actions", "observation", title="Games, with their default options", title_justify="left"
    )
    options = Table("game", "option", "default", "range", "what it does", title="Options, given as key=value", title_justify="left")
    options.columns[1].no_wrap = True
    for name, folder in GAMES.items():
        game = make_game(name)
        package = importlib.import_module(f"boardherd.envs.{folder}")
        shape = " x ".join(map(str, game.observation_shape))
        games.add_row(name, package.__doc__, str(game.num_players), str(game.num_actions), shape)
        for option, info in config_class(name).model_fields.items():
            options.add_row(name, option, str(info.default), allowed_range(info), info.description)
        options.add_section()
    console.print(games)
    console.print(options)


def allowed_range(info: FieldInfo) -> str:
    """The values that an option takes, such as ``2 to 8``."""
    if info.annotation is bool:
        return "true, false"
    limits = {type(limit).__name__: getattr(limit, type(limit).__name__.lower(), None) for limit in info.metadata}
    low = f"{limits['Ge']:,}" if "Ge" in limits else f"above {limits['Gt']:,}," if "Gt" in limits else ""
    high = f"to {limits['Le']:,}" if "Le" in limits else f"below {limits['Lt']:,}" if "Lt" in limits else ""
    return f"{low} {high}".strip() or "text"
