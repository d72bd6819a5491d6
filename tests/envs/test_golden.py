"""Every registered game agrees with golden games and positions made by independent engines, and has all that a game must have."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boardherd.envs import GAMES, make_game
from boardherd.envs.core.game import Game, State

GOLDEN = Path(__file__).parents[1] / "golden"
README_HEADINGS = ("Options", "Rulings", "Actions", "Observation", "Notation")

RECORDED = sorted(path for name in GAMES for path in GOLDEN.glob(f"{name}*.jsonl"))
SCENARIOS = [
    pytest.param(name, scenario, id=f"{name}-{index}")
    for name in GAMES
    if (GOLDEN / f"{name}-scenarios.json").exists()
    for index, scenario in enumerate(json.loads((GOLDEN / f"{name}-scenarios.json").read_text(encoding="utf-8")))
]


def games_of(path: Path) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each recorded game of a file: its header and its nodes."""
    header, nodes = None, []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "game" not in record:
            nodes.append(record)
            continue
        if header:
            yield header, nodes
        header, nodes = record, []
    yield header, nodes


def check_node(game: Game, state: State, record: dict[str, Any]) -> None:
    assert game.position(state) == record["position"]
    assert game.node(state) == record["node"]
    assert game.player(state) == record["player"]
    if record["node"] == "decision":
        assert [list(move) for move in game.moves(state).items()] == record["moves"]
        seen = game.observe(state, record["player"]).ravel()
        assert [[int(i), int(seen[i])] for i in np.flatnonzero(seen)] == record["obs"]
    elif record["node"] == "chance":
        expected = {text: float(Fraction(chance)) for text, chance in record["chance"]}
        assert list(game.chances(state)) == list(expected)
        assert game.chances(state) == pytest.approx(expected, abs=1e-12)
    else:
        assert game.payoffs(state) == pytest.approx([float(Fraction(text)) for text in record["payoffs"]], abs=1e-12)


def advance(game: Game, state: State, text: str) -> State:
    return game.play(state, text) if game.node(state) == "decision" else game.resolve(state, text)


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_recorded_games(path):
    for header, nodes in games_of(path):
        game = make_game(header["game"], **header["config"])
        state = game.start()
        for record in nodes:
            check_node(game, state, record)
            if "play" in record:
                state = advance(game, state, record["play"])
        assert game.is_over(state)


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS)
def test_scenarios(name, scenario):
    game = make_game(name, **scenario.get("config", {}))
    state = game.start()
    if scenario.get("position"):
        state = game.from_position(scenario["position"])
        assert game.position(state) == scenario["position"]
    for text in scenario["steps"]:
        state = advance(game, state, text)
    moves = set(game.moves(state))
    found = {
        "legal": sorted(moves),
        "position_after": game.position(state),
        "node_after": game.node(state),
        "player_after": game.player(state),
    }
    for check in found.keys() & scenario.keys():
        assert found[check] == (sorted(scenario[check]) if check == "legal" else scenario[check]), scenario["why"]
    assert moves >= set(scenario.get("legal_includes", ())), scenario["why"]
    assert not moves & set(scenario.get("legal_excludes", ())), scenario["why"]
    if "payoffs" in scenario:
        assert game.payoffs(state) == pytest.approx([float(Fraction(text)) for text in scenario["payoffs"]])


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_all_that_a_game_must_have(name):
    assert list(GOLDEN.glob(f"{name}*.jsonl")), f"no golden games tests/golden/{name}*.jsonl"
    assert (GOLDEN / f"{name}-scenarios.json").exists(), f"no scenarios tests/golden/{name}-scenarios.json"
    assert (resources.files("boardherd.configs") / f"{name}.yaml").is_file(), f"no training config configs/{name}.yaml"
    folder = resources.files(f"boardherd.envs.{GAMES[name]}")
    assert (folder / "board.svg").read_text(encoding="utf-8").startswith("<svg"), "board.svg is no picture"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "(board.svg)" in readme, f"README.md of {name} does not show board.svg"
    headings = re.findall(r"^## +(.*)$", readme, re.MULTILINE)
    for heading in README_HEADINGS:
        assert any(heading in found for found in headings), f"README.md of {name} has no section {heading!r}: it has {headings}"
