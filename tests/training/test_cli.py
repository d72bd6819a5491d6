import io
import json
import subprocess
import sys

import pytest
from boardherd.envs import GAMES, make_game
from boardherd.envs.core.replay import read_record
from boardherd.training.cli import main

COMMANDS = ("envs", "play", "train", "evaluate", "bench", "export", "replay")
SMALL = ["game.size=3", "rollout.num_envs=32", "network.hidden=[16]", "evaluation.games=4", "evaluation.final_games=10"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a finished run on herd, size 3."""
    folder = tmp_path_factory.mktemp("runs") / "first"
    assert main(["train", "herd", *SMALL, "decisions=1500", "--run", str(folder)]) == 0
    return folder


@pytest.fixture
def person_types(monkeypatch):
    return lambda *lines: monkeypatch.setattr(sys, "stdin", io.StringIO("".join(line + "\n" for line in lines)))


@pytest.fixture
def refusal(capsys):
    """Runs a command that must fail as wrong input does, and returns its one line."""

    def refused(*arguments):
        capsys.readouterr()
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("boardherd: ")
        assert error.count("\n") == 1
        return error

    return refused


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"Example: boardherd {command}" in capsys.readouterr().out


def test_without_a_command_there_is_help(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)


def test_envs_lists_games_and_options(capsys):
    assert main(["envs"]) == 0
    shown = capsys.readouterr().out
    for name in GAMES:
        assert name in shown
        assert all(option in shown for option in make_game(name).config)
    assert "2 to 8" in shown


def test_torch_is_imported_only_where_it_is_needed():
    code = """
import io, sys
from boardherd.training.cli import main
sys.stdin = io.StringIO("quit")
assert main(["envs"]) == main(["play", "herd"]) == main(["play", "--help"]) == 0
assert main(["train", "nothing"]) == main(["play", "herd", "size=99"]) == 2
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


WRONG = [
    (["plai"], "No such command 'plai'"),
    (["play", "herd", "--loud"], "No such option"),
    (["play"], "name a game, one of herd"),
    (["play", "hurd"], "no game is called 'hurd'; did you mean 'herd'"),
    (["play", "herd", "size=9"], "herd option size: Input should be less than or equal to 8; got 9"),
    (["play", "herd", "size=big"], "herd option size: Input should be a valid integer; got 'big'"),
    (["play", "herd", "sise=3"], "herd has no option 'sise'; it has size, max_turns"),
    (["play", "herd", "name=herd"], "herd has no option 'name'"),
    (["play", "herd", "size=3", "size=4"], "option size is given twice"),
    (["play", "herd", "nobody"], "no player 'nobody'"),
    (["play", "herd", "greedy", "random"], "2 players do not fill 1 free seat"),
    (["play", "herd", "--seat", "c"], "--seat must be one of a, b, got 'c'"),
    (["play", "herd", "--seed", "-1"], "--seed"),
    (["play", "herd", "--position", "9 a"], "herd position '9 a': "),
    (["play", "--resume", "missing.jsonl"], "missing.jsonl: No such file"),
    (["play", "herd", "--resume", "missing.jsonl"], "--resume takes the game"),
    (["replay", "missing.jsonl"], "missing.jsonl: No such file"),
    (["replay", "text.jsonl"], "'text.jsonl', line 1: no valid JSON"),
    (["train", "missing.yaml"], "no config file 'missing.yaml'"),
    (["train", "text.jsonl"], "text.jsonl must hold keys with values"),
    (["train", "herd", "ppo.epoch=1"], "herd.yaml: unknown key ppo.epoch, did you mean epochs"),
    (["train", "herd", "ppo.epochs=0"], "herd.yaml: ppo.epochs: Input should be greater than 0, got 0"),
    (["train", "herd", "game.size=99"], "herd option size"),
    (["train", "herd", "--resume"], "--resume needs --run DIR"),
    (["evaluate", "herd"], "Missing argument"),
    (["evaluate", "herd", "greedy"], "herd has 2 seats here"),
    (["evaluate", "herd", "greedy", "nobody"], "no player 'nobody'"),
    (["evaluate", "herd", "greedy", "text.jsonl"], "'text.jsonl' is no checkpoint, or a damaged one"),
    (["evaluate", "herd", "greedy", "random", "--games", "0"], "--games"),
    (["bench", "herd", "fast"], "'fast' is no option of the game"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=lambda value: "-".join(value) if isinstance(value, list) else "")
def test_wrong_input_is_one_line(arguments, message, folder, refusal):
    (folder / "text.jsonl").write_text("just text\n")
    assert message in refusal(*arguments)


def test_a_training_run_ends_with_a_table_and_what_to_do_next(run, capsys):
    assert main(["train", "herd", *SMALL, "decisions=1500", "--run", str(run), "--resume"]) == 0
    shown = capsys.readouterr().out
    assert "random" in shown
    assert "greedy" in shown
    assert "95 % intervals" in shown
    assert f"results: {run / 'evaluation.json'}" in shown
    assert f"boardherd evaluate herd {run} greedy" in shown
    assert json.loads((run / "evaluation.json").read_text()).keys() == {"random", "greedy"}


def test_a_taken_folder_is_refused(run, refusal):
    assert "already holds a run: add --resume" in refusal("train", "herd", *SMALL, "--run", str(run))


def test_a_stopped_run_tells_how_to_go_on(monkeypatch, capsys):
    monkeypatch.setattr("boardherd.training.ppo.train", lambda config, run, resume: None)
    assert main(["train", "herd", "ppo.clip=0.1"]) == 130
    shown = capsys.readouterr()
    assert "boardherd train herd ppo.clip=0.1 --run runs" in shown.out
    assert "Traceback" not in shown.err


def test_an_unwritable_folder_is_one_line(folder, refusal):
    (folder / "file").write_text("")
    assert "file" in refusal("train", "herd", *SMALL, "--run", "file/run")
    assert "file/result.json: " in refusal("evaluate", "herd", "greedy", "random", "size=2", "--games", "2", "--json", "file/result.json")


def test_a_full_disk_leaves_the_old_file(folder, refusal, monkeypatch):
    (folder / "result.json").write_text("old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("boardherd.envs.core.files.os.fsync", full)
    error = refusal("evaluate", "herd", "greedy", "random", "size=2", "--games", "2", "--json", "result.json")
    assert error == "boardherd: result.json: No space left on device\n"
    assert (folder / "result.json").read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["result.json"]


def test_evaluate_prints_a_table_and_writes_json(folder, capsys):
    assert main(["evaluate", "herd", "greedy", "random", "size=3", "--games", "20", "--json", "new/result.json"]) == 0
    shown = capsys.readouterr().out
    assert "95 % intervals" in shown
    assert "board full" in shown
    result = json.loads((folder / "new" / "result.json").read_text())
    assert result["game"] == {"name": "herd", "size": 3, "max_turns": 500}
    assert result["scores"][0]["name"] == "greedy"


def test_evaluate_can_print_nothing_but_json(capsys):
    assert main(["evaluate", "chopat", "greedy", "random", "num_players=2", "--games", "2", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2


def test_a_checkpoint_tells_the_options_of_the_game(run, capsys):
    assert main(["evaluate", "herd", str(run), "greedy", "--games", "2", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["game"]["size"] == 3


def test_a_checkpoint_of_another_game_or_size_is_refused(run, refusal):
    assert "was trained on" in refusal("evaluate", "herd", str(run), "greedy", "size=4")
    assert "was trained on" in refusal("evaluate", "chopat", str(run), "greedy", "num_players=2")
    assert "was trained on" in refusal("play", "herd", str(run), "size=4")


def test_a_truncated_checkpoint_is_refused(run, folder, refusal):
    whole = (run / "checkpoint.pt").read_bytes()
    (folder / "cut.pt").write_bytes(whole[: len(whole) // 2])
    assert "'cut.pt' is no checkpoint, or a damaged one" in refusal("evaluate", "herd", "cut.pt", "greedy")
    assert "'cut.pt' is no checkpoint, or a damaged one" in refusal("play", "herd", "cut.pt")


def test_a_person_plays_saves_and_goes_on(folder, person_types, capsys):
    person_types("c4", "? c", "help", "rules", "board", "", "undo", "save", "+c3", "undo", "+c4", "save game.jsonl", "quit")
    assert main(["play", "herd", "--seed", "5"]) == 0
    shown = capsys.readouterr().out
    assert "'c4' is no legal move: did you mean +c4?" in shown
    assert "+c1, +c2, +c3, +c4, +c5, +c6, +c7\n" in shown
    assert "undo         take back" in shown
    assert "On your turn throw two dice." in shown
    assert "61 moves are legal" in shown
    assert "there is nothing to take back" in shown
    assert "name a file" in shown
    assert "Black (x) places 2" in shown
    record = read_record("game.jsonl", make_game)
    assert [event.text for event in record.events] == ["3-5", "+c4"]
    assert record.players == ["human", "greedy"]

    person_types("+d4", "+e5")  # and then the input ends
    assert main(["play", "--resume", "game.jsonl", "--save", "later.jsonl"]) == 0
    assert "b (greedy) plays -" in capsys.readouterr().out
    later = read_record("later.jsonl", make_game)
    assert [event.text for event in later.events][:4] == ["3-5", "+c4", "+d4", "+e5"]


def test_a_game_goes_on_after_undo_and_resume_as_it_would_have(person_types):
    for name, lines in (("straight", ["+c4", "+d4", "+e5"]), ("back", ["+c4", "+d4", "+e5", "undo", "+e4", "undo", "+e5"])):
        person_types(*lines)
        assert main(["play", "herd", "--seed", "5", "--save", f"{name}.jsonl"]) == 0
    straight, back = (read_record(f"{name}.jsonl", make_game) for name in ("straight", "back"))
    assert len(straight.events) > 6
    assert straight == back


def test_saving_where_nothing_can_be_written_does_not_end_the_game(folder, person_types, capsys):
    (folder / "file").write_text("")
    person_types("save file/game.jsonl", "+c4", "quit")
    assert main(["play", "herd", "--seed", "5"]) == 0
    shown = capsys.readouterr().out
    assert "not saved: " in shown
    assert "Black (x) places 2" in shown


def test_two_people_and_another_start(person_types, capsys):
    person_types("", "+b1")
    assert main(["play", "herd", "human", "size=2", "--seed", "1", "--position", "2/2x/2 b 1 6 1"]) == 0
    shown = capsys.readouterr().out
    assert "White (o) removes 1, then places 6" in shown
    assert "White (o) places 6" in shown  # Enter alone made the only move
    assert "White (o) places 5" in shown


@pytest.mark.parametrize("name", GAMES)
def test_players_are_watched_and_the_game_is_replayed(name, capsys):
    assert main(["play", name, "random", "--watch", "--delay", "0", "max_turns=20", "--seed", "2", "--save", "game.jsonl"]) == 0
    watched = capsys.readouterr().out
    assert "payoffs: a " in watched
    assert main(["replay", "game.jsonl"]) == 0
    replayed = capsys.readouterr().out
    boards = watched[watched.index("\n\n") : watched.index("\npayoffs")]
    assert boards in replayed
    assert main(["replay", "game.jsonl", "--check"]) == 0
    assert "all by the rules; ended by: " in capsys.readouterr().out


def test_interrupting_is_one_line(monkeypatch, capsys):
    def interrupted(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert main(["play", "herd"]) == 130
    assert capsys.readouterr().err == "boardherd: interrupted\n"


def test_bench_measures(folder, capsys, monkeypatch):
    monkeypatch.setattr("boardherd.training.bench.BATCHES", ((4, 1), (4, 2)))
    assert main(["bench", "herd", "size=2", "--seconds", "0.01", "--rounds", "1", "--no-training", "--json", "speed.json"]) == 0
    assert "steps a CPU second" in capsys.readouterr().out
    figures = json.loads((folder / "speed.json").read_text())
    assert [speed["what"] for speed in figures["speeds"]] == ["batch of 4, 1 thread", "batch of 4, 2 threads", "one PettingZoo environment"]
    assert all(speed["per_second"] > 0 and speed["per_cpu_second"] > 0 for speed in figures["speeds"])


def test_training_speed_is_measured():
    from boardherd.training.bench import training_speed

    speed = training_speed(make_game("herd", size=2), rounds=1, rollout={"num_envs": 16, "steps": 8}, network={"hidden": (8,)})
    assert speed.per_second > 0
