"""Who meets whom, what survives an interruption, and what comes out."""

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from boardherd.envs import make_game
from boardherd.training.arena import play_games
from boardherd.training.checkpoint import save_checkpoint
from boardherd.training.cli import main
from boardherd.training.config import check_config
from boardherd.training.network import make_network
from boardherd.training.page import tournament_page
from boardherd.training.ratings import standings
from boardherd.training.tournament import RESULTS, TournamentConfig, groups, load_tournament, plan, play_tournament

SMALL = {"game": {"name": "herd", "size": 2}, "players": ("random", "greedy"), "games": 24, "games_per_match": 6, "processes": 1}


def config(**changes):
    return TournamentConfig(**{**SMALL, **changes})


def same(one, other):
    return one.names == other.names and all(
        np.array_equal(getattr(one, column), getattr(other, column)) for column in ("sat", "payoffs", "turns", "ending", "seed")
    )


def save_policy(path, seed):
    torch.manual_seed(seed)
    settings = check_config("test", {"game": {"name": "herd", "size": 2}, "network": {"hidden": [8]}})
    save_checkpoint(path, settings, make_network(make_game("herd", size=2), settings.network), {})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The games of SMALL, played in one go."""
    return play_tournament(config(), tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize(
    ("players", "seats", "expected"),
    [
        ("ab", 2, ["ab"]),
        ("cab", 2, ["ca", "cb", "ab"]),
        ("abcd", 3, ["abc", "abd", "acd", "bcd"]),
        ("ba", 4, ["bbba", "bbaa", "baaa"]),
        ("abc", 4, ["aabc", "abbc", "abcc"]),
    ],
)
def test_groups(players, seats, expected):
    assert ["".join(group) for group in groups(tuple(players), seats)] == expected


def test_every_pair_sits_both_ways_with_the_same_dice(folder):
    save_policy(folder / "one.pt", 1)
    games = play_tournament(config(players=("random", "one.pt", "greedy")), "run")
    assert len(games.sat) == 3 * 24
    assert np.array_equal(np.bincount(games.seed), np.full(12, 6))  # a seed: three pairs, both ways
    for seed in range(12):
        met = sorted(map(tuple, games.sat[games.seed == seed].tolist()))
        assert met == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_six_seats_are_a_balanced_sample():
    six = config(game={"name": "berd", "num_players": 6, "tokens": 2, "path": 16}, games=12, games_per_match=12)
    games = play_tournament(six, "run")
    assert len(games.sat) == 5 * 12
    greedy = games.sat == 1
    assert set(greedy.sum(axis=1)) == {1, 2, 3, 4, 5}
    assert len(set(greedy.sum(axis=0))) == 1


def test_blocks_have_dice_and_choices_of_their_own(whole):
    """No match is a copy of another one."""
    lengths = [tuple(whole.turns[whole.seed // 3 == block]) for block in range(4)]
    assert len(set(lengths)) == 4


def test_the_games_are_those_of_the_arena(whole):
    direct = play_games(["random", "greedy"], make_game("herd", size=2), 6, 2 * 1_000_000)
    assert np.array_equal(direct.payoffs, whole.payoffs[:6])


def interrupt_after(matches):
    def progress(done, total):
        if done >= 6 * matches:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("cut", [0, 1, 200])
def test_an_interrupted_tournament_goes_on(cut, folder, whole):
    with pytest.raises(KeyboardInterrupt):
        play_tournament(config(), "run", progress=interrupt_after(2))
    results = folder / "run" / RESULTS
    before = results.read_bytes()
    assert before.count(b"\n") == 2
    results.write_bytes(before[: len(before) - cut])  # as a kill in the midst of writing leaves it
    seen = []
    assert same(play_tournament(config(), "run", resume=True, progress=lambda *at: seen.append(at)), whole)
    kept = 2 if cut < 2 else 1
    assert seen == [(6 * done, 24) for done in range(kept, 5)]
    assert results.read_bytes().count(b"\n") == 4
    assert results.read_bytes().startswith(before[: before.index(b"\n")])


def test_more_players_and_games_go_on_from_what_there_is(folder):
    play_tournament(config(), "run")
    seen = []
    more = config(players=("random", "greedy", "one.pt"), games=30)
    save_policy(folder / "one.pt", 1)
    play_tournament(more, "run", resume=True, progress=lambda *at: seen.append(at))
    assert seen[0] == (24, 90)
    save_policy(folder / "one.pt", 2)  # another policy: its games no longer count
    seen.clear()
    again = play_tournament(more, "run", resume=True, progress=lambda *at: seen.append(at))
    assert seen[0] == (30, 90)
    assert same(again, play_tournament(more, "other"))


def test_other_settings_are_other_matches():
    game = make_game("herd", size=2)
    keys = {match.key for match in plan(config(), game)}
    assert len(keys) == 4
    for changes in ({"seed": 2}, {"sample": True}, {"games_per_match": 8}):
        assert keys.isdisjoint(match.key for match in plan(config(**changes), game))
    assert keys.isdisjoint(match.key for match in plan(config(), make_game("herd", size=3)))
    assert keys == {match.key for match in plan(config(processes=2, anchor="greedy"), game)}


def test_a_checkpoint_behind_a_search_counts(folder):
    game, search = make_game("herd", size=2), config(players=("random", "mcts:9:one.pt"))
    keys = []
    for seed in (1, 2):
        save_policy(folder / "one.pt", seed)
        keys.append({match.key for match in plan(search, game)})
    assert keys[0].isdisjoint(keys[1])


def test_a_folder_with_results_is_not_overwritten():
    play_tournament(config(games=2), "run")
    with pytest.raises(ValueError, match="already holds a tournament: add --resume"):
        play_tournament(config(games=2), "run")


def test_several_processes_killed_at_any_moment(folder, whole):
    """SIGKILL, which leaves no time for anything: the processes end, and what was written counts."""
    program = f"""
from boardherd.training.tournament import TournamentConfig, play_tournament
if __name__ == "__main__":
    play_tournament(TournamentConfig(**{ {**SMALL, "processes": 2, "games": 60_000} }), "run")
"""
    (folder / "program.py").write_text(program, encoding="utf-8")
    process = subprocess.Popen([sys.executable, "program.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    results = folder / "run" / RESULTS
    deadline = time.monotonic() + 120
    while not (results.exists() and results.read_bytes().count(b"\n") >= 4):
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.communicate(timeout=60)  # the pipe closes when the last of its processes is gone
    written = len(results.read_bytes().splitlines())
    seen = []
    play_tournament(config(games=6 * (written + 2)), "run", resume=True, progress=lambda *at: seen.append(at))
    assert seen[0][0] >= 6 * (written - 3)
    assert seen[-1] == (6 * (written + 2), 6 * (written + 2))
    assert same(play_tournament(config(), "run", resume=True), whole)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to another process")
def test_ctrl_c_on_the_command_line(folder):
    settings = "game: {name: herd, size: 2}\nplayers: [random, greedy]\ngames: 60000\ngames_per_match: 6\nprocesses: 1\n"
    (folder / "big.yaml").write_text(settings, encoding="utf-8")
    # Where the tests themselves run in the background, a child would ignore Ctrl-C.
    program = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command = [sys.executable, "-c", program + "from boardherd.training.cli import main; sys.exit(main())"]
    process = subprocess.Popen(
        [*command, "tournament", "big.yaml", "--run", "run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    results = folder / "run" / RESULTS
    deadline = time.monotonic() + 120
    while not (results.exists() and results.read_bytes().count(b"\n") >= 2):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "boardherd tournament big.yaml --run run --resume" in shown
    assert "Traceback" not in errors
    assert all(json.loads(line)["key"] for line in results.read_text().splitlines())


def test_the_command_writes_tables_json_and_a_page(folder, capsys):
    save_policy(folder / "a&b<c>.pt", 1)
    text = "game: {name: chopat, num_players: 3, men: 1}\nplayers: [random, greedy]\ngames: 12\nprocesses: 1\n"
    (folder / "three.yaml").write_text(text, encoding="utf-8")
    assert main(["tournament", "three.yaml", "--run", "run"]) == 0
    shown = capsys.readouterr().out
    assert "Plackett-Luce, random at 0" in shown
    assert "24 games of chopat" in shown
    result = json.loads((folder / "run" / "tournament.json").read_text())
    assert [player["name"] for player in result["players"]] == ["greedy", "random"]
    assert result["players"][1]["rating"] == {"value": 0, "low": 0, "high": 0}
    assert len(result["seats"]) == 3
    page = (folder / "run" / "tournament.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert main(["tournament", "three.yaml", "--run", "run", "--resume"]) == 0
    assert json.loads((folder / "run" / "tournament.json").read_text()) == result


def test_the_page_fetches_nothing_and_shows_names_as_they_are(whole):
    whole = type(whole)(["random", "<script>&"], whole.sat, whole.payoffs, whole.turns, whole.ending, whole.seed)
    page = tournament_page(standings(make_game("herd", size=2), whole, "random", 1))
    assert "<script" not in page
    assert "&lt;script&gt;&amp;" in page
    assert not re.findall(r"""(?:src|href)=["'](?!#)|url\((?!#)|@import""", page)


WRONG = [
    ("players: [random, greedy]", "wrong.yaml: game: Field required"),
    ("game: {size: 3}\nplayers: [random, greedy]", "wrong.yaml: game: name is missing"),
    ("game: {name: herd}\nplayers: [random]", "wrong.yaml: players: Tuple should have at least 2 items"),
    ("game: {name: herd}\nplayers: [random, random]", "wrong.yaml: players: 'random' is named twice"),
    ("game: {name: herd}\nplayers: [random, greedy]\nanchor: none", "wrong.yaml: anchor: 'none' is none of the players"),
    ("game: {name: herd}\nplayers: [random, greedy]\ngame_per_match: 4", "unknown key game_per_match, did you mean games_per_match"),
    ("game: {name: herd}\nplayers: [random, greedy]\ngames: 0", "wrong.yaml: games: Input should be greater than 0, got 0"),
    ("game: {name: hurd}\nplayers: [random, greedy]", "no game is called 'hurd'"),
    ("game: {name: herd, size: 99}\nplayers: [random, greedy]", "herd option size"),
    ("game: {name: herd}\nplayers: [random, nobody]", "no player 'nobody'"),
    ("just text", "wrong.yaml must hold keys with values"),
    ("game: {", "wrong.yaml is no valid YAML"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_input_is_one_line(text, message, folder, capsys):
    (folder / "wrong.yaml").write_text(text, encoding="utf-8")
    assert main(["tournament", "wrong.yaml"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (folder / "runs").exists()


def test_resuming_needs_a_folder(capsys):
    assert main(["tournament", "ladder", "--resume"]) == 2
    assert "--resume needs --run DIR" in capsys.readouterr().err


def test_help_has_an_example(capsys):
    assert main(["tournament", "--help"]) == 0
    assert "Example: boardherd tournament" in capsys.readouterr().out


def test_the_shipped_ladder_can_be_played():
    ladder = load_tournament("ladder")
    games = play_tournament(ladder.model_copy(update={"games": 4, "processes": 1}), "run")
    result = standings(ladder.make_game(), games, ladder.anchored_at, ladder.seed)
    assert result.anchor == "random"
    assert result.model == "Bradley-Terry"
