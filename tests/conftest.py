"""What tests share: every registered game, in every configuration worth a test, without naming one."""

import importlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from annotated_types import Ge, Gt, Le, Lt
from boardherd.envs import GAMES, make_game
from boardherd.envs.core.game import Game
from pydantic import ValidationError
from pydantic.fields import FieldInfo

os.environ["SDL_VIDEODRIVER"] = "dummy"  # no test opens a window

GOLDEN = Path(__file__).parent / "golden"
_STEPS_INSIDE = 4  # how far from a bound a value is looked for that the config accepts, such as a multiple of 4


def _bounds(field: FieldInfo) -> tuple[Any, Any]:
    low = next((getattr(part, "ge", None) or getattr(part, "gt", None) or 0 for part in field.metadata if isinstance(part, Ge | Gt)), None)
    high = next((getattr(part, "le", None) or getattr(part, "lt", None) for part in field.metadata if isinstance(part, Le | Lt)), None)
    return low, high


def _extremes(field: FieldInfo) -> list[list[Any]]:
    """Values at the ends of what an option may be, each with others to try where the config refuses it."""
    low, high = _bounds(field)
    if field.annotation is bool:
        return [[not field.default]]
    if low is None or high is None:
        return []
    if field.annotation is float:
        return [[low + (high - low) / 10]]
    return [[low + k for k in range(_STEPS_INSIDE)], [high - k for k in range(_STEPS_INSIDE)]]


def _accepted(model: type, option: str, values: list[Any]) -> dict[str, Any] | None:
    for value in values:
        try:
            model(**{option: value})
        except ValidationError:
            continue
        return {option: value}
    return None


def configurations(name: str) -> Iterator[dict[str, Any]]:
    """The default, each option at its extremes, and what the golden games are played with. The cap on turns is left to its own test."""
    model = importlib.import_module(f"boardherd.envs.{GAMES[name]}.config").Config
    candidates: list[dict[str, Any] | None] = [{}]
    for option, field in model.model_fields.items():
        if option != "max_turns":
            candidates += [_accepted(model, option, values) for values in _extremes(field)]
    for path in sorted(GOLDEN.glob(f"{name}*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            candidates.append(json.loads(next(lines))["config"])
    seen = []
    for config in candidates:
        if config is not None and (whole := model(**config)) not in seen:
            seen.append(whole)
            yield config


def label(name: str, config: dict[str, Any]) -> str:
    """A short test id."""
    return "-".join([name, *(f"{key}={str(value)[:12]}" for key, value in config.items())])


ALL = [(name, config) for name in GAMES for config in configurations(name)]


@pytest.fixture(scope="session", params=GAMES)
def game_name(request: pytest.FixtureRequest) -> str:
    """The name of each registered game."""
    return request.param


@pytest.fixture(scope="session", params=ALL, ids=[label(*one) for one in ALL])
def game(request: pytest.FixtureRequest) -> Game:
    """Each registered game in each configuration."""
    name, config = request.param
    return make_game(name, **config)


@pytest.fixture(scope="session")
def configurations_of() -> Callable[[str], Iterator[dict[str, Any]]]:
    """The configurations of a game worth a test, by its name."""
    return configurations
