"""Records of games: text files that people can read, and that play again to the same positions.

A file is JSON Lines, in this order:

``{"record": "boardherd game 1", "game": "herd", "config": {…}, "seed": 7, "players": ["human", "greedy"]}``
    the header. ``config`` has every option; ``players`` names one for each seat; ``seed`` is that of the game's dice, null if they
    were thrown some other way.
``{"position": "…"}``
    where the game began, if not at the usual start.
``{"throw": "2-5"}``, ``{"move": "+c4"}``
    what happened, one line each.
``{"result": "board full", "payoffs": [1.0, -1.0]}``
    the last line of a game that is over.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .files import write_whole
from .game import Game, State
from .random import mix, next_seed, unit_float

FORMAT = "boardherd game 1"
_HEADER = {"record": str, "game": str, "config": dict, "seed": int | None, "players": list}


class Event(NamedTuple):
    """Something that happened. kind: ``"throw"`` or ``"move"``; text: as ``game.chances`` or ``game.moves`` writes it."""

    kind: str
    text: str


@dataclass
class Record:
    """A game as it was played, finished or not.

    players: a name for each seat. seed: of the dice, None if they did not come from the game's own generator.
    position: where it began, None for the usual start.
    """

    game: Game
    players: list[str]
    seed: int | None = None
    position: str | None = None
    events: list[Event] = field(default_factory=list)

    def first_state(self) -> State:
        """The state before the first event. ValueError if ``position`` is none or ``seed`` negative."""
        state = self.game.start() if self.position is None else self.game.from_position(self.position)
        return state if self.seed is None else self.game.reseed(state, self.seed)


def throw(game: Game, state: State) -> tuple[str, State]:
    """Resolve a chance node from the state's own generator: the outcome's text, and the state after it. ValueError elsewhere."""
    after = game.throw(state)
    # Found as core.loops.throw finds it: two outcomes may lead to the same state, so the state after does not tell.
    left = unit_float(np.uint64(mix(np.uint64(next_seed(state["rng"][0])))))  # compiled functions return a u8 as a Python int
    *others, last = game.chances(state).items()
    for text, probability in others:
        if left < probability:
            return text, after
        left -= probability
    return last[0], after


def happen(game: Game, state: State, event: Event, own_dice: bool) -> State:
    """The state after ``event``. own_dice: a throw must be the one that the state's generator makes.

    ValueError if it cannot happen here.
    """
    if event.kind == "move":
        return game.play(state, event.text)
    after = game.resolve(state, event.text)
    if not own_dice:
        return after
    thrown, after = throw(game, state)
    if thrown != event.text:
        raise ValueError(
            f"throw {event.text!r} is not what the record's seed throws here, {thrown!r}; a game with other dice has the seed null"
        )
    return after


def replay(record: Record) -> Iterator[State]:
    """The states of the game: the first, then one after each event. ValueError that names the line of an event that cannot happen."""
    state = record.first_state()
    yield state
    for line, event in enumerate(record.events, _first_event_line(record)):
        try:
            state = happen(record.game, state, event, record.seed is not None)
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from None
        yield state


def _first_event_line(record: Record) -> int:
    return 2 if record.position is None else 3


def write_record(path: str | Path, record: Record) -> None:
    """Write a record, whole or not at all. OSError if it can't be written, ValueError if an event cannot happen."""
    for state in replay(record):
        last = state
    header = {"record": FORMAT, "game": record.game.name, "config": record.game.config, "seed": record.seed, "players": record.players}
    lines: list[dict[str, Any]] = [header]
    if record.position is not None:
        lines.append({"position": record.position})
    lines += [{event.kind: event.text} for event in record.events]
    if record.game.is_over(last):
        lines.append(_result(record.game, last))
    write_whole(path, "".join(json.dumps(line) + "\n" for line in lines).encode())


def _result(game: Game, state: State) -> dict[str, Any]:
    return {"result": game.result(state), "payoffs": game.payoffs(state).tolist()}


def read_record(path: str | Path, make_game: Callable[..., Game]) -> Record:
    """Read a record and play it through.

    make_game: called with the game's name and its options, as ``boardherd.envs.make_game``.
    ValueError that names the file, the line, what is wrong and what would be right; OSError if the file cannot be read.
    """
    path = Path(path)
    try:
        lines = path.read_bytes().decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{str(path)!r} is no text, so no record of a game") from None
    try:
        return _read_lines(lines, make_game)
    except ValueError as error:
        raise ValueError(f"{str(path)!r}, {error}") from None


def _read_lines(lines: list[str], make_game: Callable[..., Game]) -> Record:
    parsed = [_parsed(number, line) for number, line in enumerate(lines, 1)]
    record = _read_header(parsed[0] if parsed else {}, make_game)
    rest = parsed[1:]
    if rest and "position" in rest[0]:
        record.position = _text(2, rest[0], "position")
        rest = rest[1:]
        try:
            record.first_state()
        except ValueError as error:
            raise ValueError(f"line 2: {error}") from None
    result = rest.pop() if rest and "result" in rest[-1] else None
    for number, line in enumerate(rest, _first_event_line(record)):
        kind = next(iter(line), None)
        if kind not in ("throw", "move"):
            raise ValueError(
                f'line {number}: must be {{"throw": text}} or {{"move": text}}, or the result at the very end, got {json.dumps(line)}'
            )
        record.events.append(Event(kind, _text(number, line, kind)))
    for state in replay(record):
        last = state
    _check_result(record.game, last, result, len(lines))
    return record


def _parsed(number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {number}: no valid JSON ({error.msg} in column {error.colno}); each line must be one JSON object") from None
    if not isinstance(value, dict):
        raise ValueError(f"line {number}: must be a JSON object, got {line[:80]}")
    return value


def _text(number: int, line: dict[str, Any], key: str) -> str:
    if len(line) != 1 or not isinstance(line[key], str):
        raise ValueError(f'line {number}: must be {{"{key}": text}} and nothing else, got {json.dumps(line)[:80]}')
    return line[key]


def _read_header(header: dict[str, Any], make_game: Callable[..., Game]) -> Record:
    if header.get("record") != FORMAT:
        raise ValueError(f'line 1: no record of a game, whose header would begin with "record": {FORMAT!r}')
    if header.keys() != _HEADER.keys():
        raise ValueError(f"line 1: the header must have the keys {', '.join(_HEADER)}, got {', '.join(header)}")
    for key, kind in _HEADER.items():
        if not isinstance(header[key], kind) or isinstance(header[key], bool):
            raise ValueError(f"line 1: {key} must be {_KINDS[kind]}, got {json.dumps(header[key])[:80]}")
    try:
        game = make_game(header["game"], **header["config"])
        record = Record(game, header["players"], header["seed"])
        record.first_state()
    except (TypeError, ValueError) as error:  # TypeError: an option with the name of make_game's own argument
        raise ValueError(f"line 1: {error}") from None
    if len(record.players) != game.num_players or not all(isinstance(name, str) for name in record.players):
        raise ValueError(f"line 1: players must be {game.num_players} names, got {json.dumps(record.players)[:80]}")
    return record


_KINDS = {str: "a text", dict: "an object of the game's options", int | None: "an integer of 0 or more, or null", list: "a list of names"}


def _check_result(game: Game, last: State, result: dict[str, Any] | None, number: int) -> None:
    expected = _result(game, last) if game.is_over(last) else None
    if result == expected:
        return
    if result is None:
        raise ValueError(f"line {number}: the game is over, so a last line must follow: {json.dumps(expected)}")
    if expected is None:
        raise ValueError(f"line {number}: no result can stand here, the game goes on at {game.position(last)!r}")
    raise ValueError(f"line {number}: the result is {json.dumps(expected)}, got {json.dumps(result)[:80]}")
