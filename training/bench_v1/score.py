"""Plays the benchmark: which tables a player can sit at, its games block by block, and the file of results.

A *part* is one player at one table against one opponent. It is written to the file as soon as it is played, so that an interruption
loses only the parts under way; what the file holds is not played again.
"""

import functools
import json
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from filelock import FileLock, Timeout

from ...envs.core.files import write_whole
from ...envs.core.players import Decisions, Player
from ..arena import play_games
from ..players import load_player
from ..processes import spread
from ..tournament import checkpoint_fingerprint
from .data import NAME, SHA256, Table, load_tables

_BLOCK = 4  # openings that are played together; another number would give other dice
_RESAMPLES = 2000


class Entry(NamedTuple):
    """A player at a table. content: tells checkpoints of the same name apart. folder: the one that was asked for, if it held runs."""

    player: str
    table: str
    content: str
    folder: str | None


class _Block(NamedTuple):
    player: str
    content: str
    table: str
    opponent: str
    number: int


# --- who plays where


def find_tables(names: Iterable[str] = ()) -> list[str]:
    """Tables by their own or their game's name, all without one. ValueError for any other name."""
    tables, names = load_tables(), list(names)
    known = {*tables, *(table.game.name for table in tables.values())}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{NAME} has no game {unknown[0]!r}; it has {', '.join(tables)}")
    return [name for name, table in tables.items() if not names or name in names or table.game.name in names]


def find_entries(players: Iterable[str], tables: Sequence[str]) -> list[Entry]:
    """Each player at all of the tables that it can sit at. A folder without a checkpoint of its own stands for all runs below it.

    ValueError if there is no such player, or if it can sit at none of the tables.
    """
    entries = []
    for player in players:
        runs = _runs_below(player)
        for one in runs or [player]:
            entries += _sat_down(one, tables, player if runs else None)
    return list(dict.fromkeys(entries))


def _runs_below(player: str) -> list[str]:
    folder = Path(player)
    if not folder.is_dir() or (folder / "checkpoint.pt").exists():
        return []
    runs = sorted(str(checkpoint.parent) for checkpoint in folder.rglob("checkpoint.pt"))
    if not runs:
        raise ValueError(f"folder {player!r} holds no run: there is no checkpoint.pt in it or below it")
    return runs


def _sat_down(player: str, tables: Sequence[str], folder: str | None) -> list[Entry]:
    content, entries, refusal = checkpoint_fingerprint(player), [], None
    for name in tables:
        try:
            load_player(player, load_tables()[name].game)
        except ValueError as error:
            refusal = error
            continue
        entries.append(Entry(player, name, content, folder))
    if not entries:
        raise refusal or ValueError("name a table")
    return entries


# --- games


def score_player(player: str | Player, name: str, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Play one table through, in this process: the result as a file of results has it.

    player: a name, or a callable. name: of the table. progress: called with (games done, games).
    """
    table, named = load_tables()[name], isinstance(player, str)
    one = load_player(player, table.game) if isinstance(player, str) else player
    total, done, parts = sum(map(table.games, table.opponents)), 0, {}
    for opponent in table.opponents:
        shares = []
        for number in range(_blocks(table)):
            shares.append(_play_block(table, one, opponent, number))
            done += table.games(opponent) // _blocks(table)
            if progress:
                progress(done, total)
        parts[opponent] = _part(table, opponent, shares)
    shown, content = (str(player), checkpoint_fingerprint(str(player))) if named else (getattr(one, "__name__", type(one).__name__), "")
    return _result(Entry(shown, name, content, None), parts)


def _blocks(table: Table) -> int:
    return len(table.openings) // _BLOCK


def _play_block(table: Table, player: Player, opponent: str, number: int) -> np.ndarray:
    """Mean wins and mean payoffs of the player on each opening of a block, float64 (2, openings).

    The dice of an opening are the same whoever the player and the opponent are.
    """

    def scored(decisions: Decisions) -> np.ndarray:  # a name of its own, even where a player meets itself
        return player(decisions)

    game = table.game
    starts = np.concatenate([game.from_position(text) for text in table.openings[number * _BLOCK : (number + 1) * _BLOCK]])
    others = [load_player(opponent, game)] * (game.num_players - 1)
    games = table.opponents[opponent] * len(starts) * game.num_players
    # Dice come from a seed, choices from the next one: blocks take every other.
    played = play_games([scored, *others], game, games, 2 * (1000 * table.seed + number), starts=starts)
    mine, opening = played.sat == 0, played.seed % len(starts)
    return np.array([np.bincount(opening, values[mine]) / np.bincount(opening) for values in (played.wins, played.payoffs)])


@functools.lru_cache(8)
def _loaded(player: str, content: str, table: str) -> Player:
    loaded = load_player(player, load_tables()[table].game)
    if checkpoint_fingerprint(player) != content:
        raise ValueError(f"player {player!r} was changed while it was scored")
    return loaded


def _play(block: _Block) -> tuple[_Block, np.ndarray]:
    player = _loaded(block.player, block.content, block.table)
    return block, _play_block(load_tables()[block.table], player, block.opponent, block.number)


def _part(table: Table, opponent: str, shares: Sequence[np.ndarray]) -> dict[str, Any]:
    wins, payoffs = np.concatenate(shares, axis=1)
    return {
        "games": table.games(opponent),
        "wins": _estimate(wins),
        "payoff": _estimate(payoffs),
        "wins_by_opening": wins.round(6).tolist(),
        "payoff_by_opening": payoffs.round(6).tolist(),
    }


def _estimate(values: np.ndarray) -> dict[str, float]:
    """The mean with its 95 % interval, by bootstrap over openings."""
    resamples = np.random.default_rng(0).integers(len(values), size=(_RESAMPLES, len(values)))
    low, high = np.quantile(values[resamples].mean(axis=1), [0.025, 0.975])
    return {"value": round(float(values.mean()), 6), "low": round(float(low), 6), "high": round(float(high), 6)}


def _result(entry: Entry, parts: dict[str, Any]) -> dict[str, Any]:
    """The result of an entry: of its parts as they are, and of all together if all are there."""
    table = load_tables()[entry.table]
    result: dict[str, Any] = {
        "player": entry.player,
        "table": entry.table,
        "content": entry.content,
        "boardherd": metadata.version("boardherd"),
    }
    ordered = {opponent: parts[opponent] for opponent in table.opponents if opponent in parts}
    if len(ordered) == len(table.opponents):
        result["score"] = _estimate(100 * np.mean([part["payoff_by_opening"] for part in ordered.values()], axis=0))
    return {**result, "opponents": ordered}


# --- the file


class Results:
    """The file of results. ValueError if it is none, or one of another benchmark."""

    def __init__(self, path: Path):
        self.path = path
        self._results: dict[tuple[str, str], dict[str, Any]] = {}
        if not path.exists():
            return
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            made_by = content["benchmark"], content["sha256"]
            self._results = {(result["player"], result["table"]): result for result in content["results"]}
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{str(path)!r} is no file of benchmark results") from None
        if made_by != (NAME, SHA256):
            raise ValueError(f"{str(path)!r} holds results of {made_by[0]} with the hash {made_by[1]}, this is {NAME} with {SHA256}")

    def parts(self, entry: Entry) -> dict[str, Any]:
        """What is already played of an entry."""
        result = self._results.get((entry.player, entry.table), {})
        same = result.get("content") == entry.content and result.get("boardherd") == metadata.version("boardherd")
        return dict(result["opponents"]) if same else {}

    def add(self, entry: Entry, parts: dict[str, Any]) -> None:
        """Take the parts of an entry in, and write the file."""
        self._results[entry.player, entry.table] = _result(entry, parts)
        content = {"benchmark": NAME, "sha256": SHA256, "results": list(self._results.values())}
        write_whole(self.path, (json.dumps(content, indent=1) + "\n").encode())

    def of(self, entry: Entry) -> dict[str, Any]:
        """The result of an entry. KeyError if there is none."""
        return self._results[entry.player, entry.table]


def score(
    entries: Sequence[Entry], out: Path, processes: int | None = None, progress: Callable[[int, int, str], None] | None = None
) -> list[dict[str, Any]]:
    """Play what the file ``out`` does not hold yet, and return the results of all entries.

    processes: none: as many as there are cores. progress: called with (games done, games, what was finished last).
    ValueError if ``out`` is another kind of file, if another process is writing to it, or if a checkpoint changes meanwhile.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out.with_name(f".{out.name}.lock"), timeout=0):
            return _score(entries, Results(out), processes, progress or (lambda *_: None))
    except Timeout:
        raise ValueError(f"another process is writing to {str(out)!r}") from None


def _score(
    entries: Sequence[Entry], results: Results, processes: int | None, progress: Callable[[int, int, str], None]
) -> list[dict[str, Any]]:
    tables = load_tables()
    of_key = {(entry.player, entry.table): entry for entry in entries}
    parts = {key: results.parts(entry) for key, entry in of_key.items()}
    total, done, blocks = 0, 0, []
    for (player, name), entry in of_key.items():
        for opponent in tables[name].opponents:
            games = tables[name].games(opponent)
            total += games
            if opponent in parts[player, name]:
                done += games
            else:
                blocks += [_Block(player, entry.content, name, opponent, number) for number in range(_blocks(tables[name]))]
    progress(done, total, "")
    waiting: dict[tuple[str, str, str], dict[int, np.ndarray]] = {}
    for block, shares in spread(_play, blocks, processes):
        player, name, opponent = block.player, block.table, block.opponent
        table, played = tables[name], waiting.setdefault((player, name, opponent), {})
        played[block.number] = shares
        done += table.games(opponent) // _blocks(table)
        finished = len(played) == _blocks(table)
        if finished:
            parts[player, name][opponent] = _part(table, opponent, [played[number] for number in sorted(played)])
            results.add(of_key[player, name], parts[player, name])
        progress(done, total, f"{player}, {name}, against {opponent}" if finished else "")
    return [results.of(entry) for entry in entries]


class Spread(NamedTuple):
    """The scores of all runs of a folder at one table. deviation: standard deviation of a run's score, 0 of a single one. wins: mean
    share of wins against each opponent."""

    folder: str
    table: str
    runs: int
    mean: float
    deviation: float
    lowest: float
    highest: float
    wins: dict[str, float]


def spreads(entries: Sequence[Entry], results: Sequence[dict[str, Any]]) -> list[Spread]:
    """What each folder of runs reached at each table. results: of the entries, in their order."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for entry, result in zip(entries, results, strict=True):
        if entry.folder is not None:
            groups.setdefault((entry.folder, entry.table), []).append(result)
    found = []
    for (folder, table), members in groups.items():
        scores = np.array([result["score"]["value"] for result in members])
        deviation = float(scores.std(ddof=1)) if len(scores) > 1 else 0.0
        wins = {
            opponent: float(np.mean([result["opponents"][opponent]["wins"]["value"] for result in members]))
            for opponent in load_tables()[table].opponents
        }
        found.append(Spread(folder, table, len(members), float(scores.mean()), deviation, float(scores.min()), float(scores.max()), wins))
    return found
