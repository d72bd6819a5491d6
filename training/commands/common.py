"""What several commands share: game options as ``key=value``, and players by name."""

import importlib
import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from ...envs import GAMES, make_game
from ...envs.core.game import Game
from ..player_names import policy_in

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
    """The game that was asked for; without options, as a policy among ``players`` was trained on it.

    ValueError for an unknown game or option, an impossible value, or a damaged policy.
    """
    if name not in GAMES:
        return make_game(name)  # raises the error that names the games
    fields = config_class(name).model_fields
    unknown = [key for key in options if key not in fields]
    if unknown:
        raise ValueError(f"{name} has no option {unknown[0]!r}; it has {', '.join(fields)}")
    for policy in filter(None, map(policy_in, players)) if not options else ():
        from ..policy_file import load_any_policy

        trained_on, _ = load_any_policy(policy)
        if trained_on.name == name:
            return trained_on
    return make_game(name, **{key: _value(text, fields[key].annotation) for key, text in options.items()})
