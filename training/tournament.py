"""Tournaments: every pair, or group, of players plays fairly, on all cores; what is finished survives any interruption.

The games are cut into matches: one group of players, a few seeds, every seating of each. A finished match is a line of
``results.jsonl``, with a key that tells all it depends on. Going on means to play the matches whose keys are not there yet.
"""

import functools
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

from ..envs import make_game
from ..envs.core.files import write_whole
from ..envs.core.game import Game
from ..envs.core.players import Player
from .arena import Games, play_games
from .config_files import checked, read_config
from .player_names import PRETRAINED, policy_in
from .players import load_player
from .policy_file import pretrained_file
from .processes import spread

RESULTS = "results.jsonl"


class TournamentConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    game: dict[str, Any] = Field(description="name, and the options of that game")
    players: tuple[str, ...] = Field(min_length=2, description="names as boardherd evaluate takes them")
    games: PositiveInt = Field(
        400, description="games of each pair, or group, of players; rounded up so that all seatings are played alike"
    )
    seed: int = Field(1, ge=0)
    sample: bool = Field(False, description="policies draw their moves instead of playing the most likely one")
    anchor: str | None = Field(None, description="the player whose rating is 0; none: random if it plays, else the first")
    games_per_match: PositiveInt = Field(64, description="games after which a result is written down; fewer if players are slow")
    processes: PositiveInt | None = Field(None, description="none: as many as there are cores")

    @model_validator(mode="after")
    def _makes_sense(self) -> "TournamentConfig":
        if not isinstance(self.game.get("name"), str):
            raise ValueError("game: name is missing, as in game: {name: herd}")
        twice = [name for name in self.players if self.players.count(name) > 1]
        if twice:
            raise ValueError(f"players: {twice[0]!r} is named twice")
        if self.anchor is not None and self.anchor not in self.players:
            raise ValueError(f"anchor: {self.anchor!r} is none of the players")
        return self

    @property
    def anchored_at(self) -> str:
        return self.anchor or ("random" if "random" in self.players else self.players[0])

    def make_game(self) -> Game:
        """The game. ValueError if there is none of that name, or with those options."""
        return make_game(self.game["name"], **{key: value for key, value in self.game.items() if key != "name"})


def load_tournament(name: str) -> TournamentConfig:
    """Read a tournament's config: a file, or one that comes with the package. ValueError of one line that names file and key."""
    return checked(TournamentConfig, *read_config(TournamentConfig, name, "players: [random, greedy]"))


@dataclass(frozen=True)
class Match:
    """One player of ``group`` a seat, in every seating; block: which seeds, the same ones for every group; key: see the module."""

    group: tuple[str, ...]
    block: int
    games: int
    key: str


def groups(players: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Who meets: every set of as many players as there are seats. With fewer players than seats, every way to fill the seats with
    all of them."""
    if len(players) >= seats:
        return list(itertools.combinations(players, seats))
    filled = itertools.combinations_with_replacement(players, seats - len(players))
    return [tuple(sorted((*players, *more), key=list(players).index)) for more in filled]


def plan(config: TournamentConfig, game: Game) -> list[Match]:
    """All matches, the first block of every group first, so that an early stop leaves something of everything."""
    prints = {name: checkpoint_fingerprint(name) for name in config.players}
    matches = []
    for block in range(-(-config.games // config.games_per_match)):
        games = min(config.games_per_match, config.games - block * config.games_per_match)
        for group in groups(config.players, game.num_players):
            what = [game.name, game.config, config.seed, config.sample, group, [prints[name] for name in group], block, games]
            key = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]
            matches.append(Match(group, block, games, key))
    return matches


def checkpoint_fingerprint(player: str) -> str:
    """Tells whether the policy that a name ends with, as in ``mcts:200:runs/first``, is still the same; empty if there is none."""
    policy = policy_in(player) or ""
    if policy.startswith(PRETRAINED):
        return hashlib.sha256(pretrained_file(policy).read_bytes()).hexdigest()
    parts = player.split(":")
    for first in range(len(parts)):
        path = Path(":".join(parts[first:]))
        path = path / "checkpoint.pt" if path.is_dir() else path
        if path.is_file():
            return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""


def play_tournament(
    config: TournamentConfig, run: str | Path, resume: bool = False, progress: Callable[[int, int], None] | None = None
) -> Games:
    """Play what is not played yet, and return all games.

    run: the folder for ``config.yaml`` and ``results.jsonl``. resume: count matches that the folder already has, unless something
    they depend on has changed: the game, the seed, the players who met, a checkpoint's content. progress: called with (games done,
    games). An interruption loses the matches under way. Processes are spawned: a script must call this under
    ``if __name__ == "__main__"``.

    ValueError for an impossible game or player, or if the folder holds results and is not to be resumed.
    """
    run, game = Path(run), config.make_game()
    for name in config.players:
        load_player(name, game, config.sample)
    if (run / RESULTS).exists() and not resume:
        raise ValueError(f"{str(run)!r} already holds a tournament: add --resume to go on with it, or choose another folder by --run")
    matches = plan(config, game)
    wanted = {match.key for match in matches}
    write_whole(run / "config.yaml", yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False).encode())
    results = {key: result for key, result in _read_results(run / RESULTS).items() if key in wanted}
    missing = [match for match in matches if match.key not in results]
    total = sum(match.games for match in matches)
    done = total - sum(match.games for match in missing)
    games_of = {match.key: match.games for match in missing}
    with (run / RESULTS).open("a", encoding="utf-8") as file:
        if progress:
            progress(done, total)
        for result in _play_all(config, game, missing):
            file.write(json.dumps(result, separators=(",", ":")) + "\n")
            file.flush()
            results[result["key"]] = result
            done += games_of[result["key"]]
            if progress:
                progress(done, total)
    return _together(config.players, [results[match.key] for match in matches])


def _read_results(path: Path) -> dict[str, dict[str, Any]]:
    """The finished matches by key. What a kill has left of a line is cut off the file, so that lines can be added to it."""
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    results, whole = {}, []
    for line in lines:
        try:
            result = json.loads(line)
            results[result["key"]] = result
        except (ValueError, TypeError, KeyError):
            continue
        whole.append(line if line.endswith(b"\n") else line + b"\n")
    write_whole(path, b"".join(whole))
    return results


def _play_all(config: TournamentConfig, game: Game, matches: list[Match]) -> Iterator[dict[str, Any]]:
    """Results as they come, from as many processes as are wanted."""
    begin = functools.partial(_load_players, game, config.players, config.sample)
    return spread(functools.partial(_play_match, game, config.seed, config.sample), matches, config.processes, begin)


def _load_players(game: Game, players: Sequence[str], sample: bool) -> None:
    """What a new process does first: load all players as they are now."""
    for name in players:
        _player(name, game, sample)


@functools.cache
def _player(name: str, game: Game, sample: bool) -> Player:
    return load_player(name, game, sample)


def _play_match(game: Game, seed: int, sample: bool, match: Match) -> dict[str, Any]:
    """The line of ``results.jsonl``: the match, and of each game who sat where (numbers in ``players``), payoffs, turns, ending, seed."""
    players = [_player(name, game, sample) for name in match.group]
    # Dice come from a seed, choices from the next one: blocks take every other.
    games = play_games(players, game, match.games, 2 * (seed * 1_000_000 + match.block))
    columns = {key: value.tolist() for key, value in asdict(games).items() if isinstance(value, np.ndarray)}
    return {**asdict(match), "players": list(dict.fromkeys(match.group)), **columns, "games": len(games.sat)}


def _together(names: Sequence[str], results: list[dict[str, Any]]) -> Games:
    """All games in one, players numbered as in ``names``, seeds so that the same dice have the same number whoever played."""
    seeds_per_block = 1 + max(max(result["seed"]) for result in results)
    parts = [
        Games(
            list(names),
            np.array([names.index(name) for name in result["players"]])[np.array(result["sat"])],
            np.array(result["payoffs"], np.float64),
            np.array(result["turns"]),
            np.array(result["ending"]),
            np.array(result["seed"]) + result["block"] * seeds_per_block,
        )
        for result in results
    ]
    parts.sort(key=lambda part: int(part.seed[0]))
    columns = ("sat", "payoffs", "turns", "ending", "seed")
    whole = {column: np.concatenate([getattr(part, column) for part in parts]) for column in columns}
    order = np.argsort(whole["seed"], kind="stable")
    return Games(list(names), **{column: values[order] for column, values in whole.items()})
