"""What several commands share: game options as ``key=value``, and players by name."""

import importlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ...envs import GAMES, make_game
from ...envs.core.game import Game
from ...envs.core.players import BASELINES, Player
from ..players import FOREIGN

OPTIONS_HELP = "options of the game as key=value ('boardherd envs' lists them)"
JSON_HELP = "write the results as JSON, too; -: to stdout, and nothing else"


def config_class(name: str) -> type[BaseModel]:
    """The pydantic model of a game's options. KeyError for an unknown game."""
    return importlib.import_module(f"boardherd.envs.{GAMES[name]}.config").Config


def split_arguments(arguments: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Plain arguments, and those that look like ``key=value``. ValueError if a key comes twice."""
    plain, options = [], {}
    for argument in arguments:
        if re.match(r"\w+=", argument):
            key, _, value = argument.partition("=")
            if key in options:
                raise ValueError(f"option {key} is given twice")
            options[key] = value
        else:
            plain.append(argument)
    return plain, options


def _value(text: str, kind: Any) -> Any:
    if kind is str:
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def game_with(name: str, options: dict[str, str], players: Iterable[str] = ()) -> Game:
    """The game that was asked for; without options, as a checkpoint among ``players`` was trained on it.

    ValueError for an unknown game or option, an impossible value, or a damaged checkpoint.
    """
    if name not in GAMES:
        return make_game(name)  # raises the error that names the games
    fields = config_class(name).model_fields
    unknown = [key for key in options if key not in fields]
    if unknown:
        raise ValueError(f"{name} has no option {unknown[0]!r}; it has {', '.join(fields)}")
    if not options:
        for player in players:
            path = Path(player) if Path(player).exists() else Path(player.split(":", 2)[-1])  # mcts:200:PATH holds one, too
            if player not in BASELINES and path.exists() and player.partition(":")[0] not in FOREIGN:
                from ..checkpoint import read_checkpoint

                trained_on = read_checkpoint(path)["game"]
                if trained_on["name"] == name:
                    return make_game(**trained_on)
    return make_game(name, **{key: _value(text, fields[key].annotation) for key, text in options.items()})


def player_named(name: str, game: Game) -> Player:
    """A player as ``training.players.load_player`` has it, without importing torch for baselines."""
    if name in BASELINES:
        return BASELINES[name]
    from ..players import load_player

    return load_player(name, game)
