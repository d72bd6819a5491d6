"""What is played: read from ``bench.yaml``, and refused if that is no longer what it was."""

import functools
import hashlib
import json
from importlib import resources
from typing import Any, NamedTuple

import yaml

from ...envs import make_game
from ...envs.core.game import Game
from ..policy_file import pretrained_file

NAME = "boardherd-bench-v1"
SHA256 = "20dad2b1b0e55d55b3635dbf6b2a6659fb8495c6ba37e7be6ee5a9b56c19f060"
FILE = "bench.yaml"


class Table(NamedTuple):
    """One game with one config, and how it is played.

    seed: of the dice. openings: position texts. opponents: how many dice each opening is played with against each of them; with each,
    the player sits in every seat once, and the opponent in all others.
    """

    name: str
    game: Game
    seed: int
    opponents: dict[str, int]
    openings: list[str]

    def games(self, opponent: str) -> int:
        """How many games are played against it."""
        return self.opponents[opponent] * len(self.openings) * self.game.num_players


def content_hash(values: Any) -> str:
    """SHA-256 of YAML's content, whatever the file's line ends and layout."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


@functools.cache
def load_tables() -> dict[str, Table]:
    """The tables of the benchmark by name. ValueError if its data are not those that it was published with."""
    values = yaml.safe_load((resources.files(__package__) / FILE).read_text(encoding="utf-8"))
    found = content_hash(values)
    if found != SHA256:
        raise ValueError(
            f"the data of {NAME} were altered, scores would be comparable with nobody's: {FILE} has the hash {found}, not {SHA256}"
        )
    for name, published in values["policies"].items():
        if fingerprint(name) != published:
            raise ValueError(f"{name} is no longer the policy that {NAME} was published with, scores would be comparable with nobody's")
    return {name: make_table(name, value) for name, value in values["tables"].items()}


def fingerprint(policy: str) -> str:
    """SHA-256 of the file of a policy ``pretrained:NAME``."""
    return hashlib.sha256(pretrained_file(policy).read_bytes()).hexdigest()


def make_table(name: str, value: dict[str, Any]) -> Table:
    """The table that an entry of ``bench.yaml`` stands for."""
    options = dict(value["game"])
    return Table(name, make_game(options.pop("name"), **options), value["seed"], value["opponents"], value["openings"])
