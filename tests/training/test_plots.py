"""Curves of runs: which points are drawn, and that files come out."""

import json
import subprocess
import sys

import pytest
from boardherd.training.cli import main
from boardherd.training.plots import curve, picture, plot_runs, read_metrics


def entry(iteration, **more):
    metrics = {"ppo/kl": 0.01 * iteration, "games/finished": 0, "games/turns": 0.0, "games/ended by board full": 0.0}
    return {"iteration": iteration, "decisions": 100 * iteration, **metrics, **more}


ENTRIES = [
    {"iteration": 0, "decisions": 0, "evaluation/wins against random": 0.5},
    entry(1),
    entry(2, **{"games/finished": 4, "games/turns": 30.0, "games/ended by board full": 1.0}),
    {"iteration": 2, "decisions": 200, "final/wins against random": 0.9},
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ENTRIES), encoding="utf-8")
    return tmp_path


def test_the_final_evaluation_ends_the_curve_of_the_others():
    decisions, values = curve(read_metrics("one"), "evaluation/wins against random")
    assert (decisions.tolist(), values.tolist()) == ([0, 200], [0.5, 0.9])


def test_where_no_game_ended_there_is_nothing_to_draw():
    decisions, values = curve(read_metrics("one"), "games/turns")
    assert (decisions.tolist(), values.tolist()) == ([200], [30])


def test_long_curves_are_means_of_neighbours():
    decisions, values = curve([entry(k) for k in range(1000)], "ppo/kl")
    assert len(decisions) == 200
    assert (decisions[0], values[0]) == pytest.approx((200, 0.02))
    assert len(curve([entry(k) for k in range(201)], "ppo/kl")[0]) <= 200


def test_a_last_line_cut_short_is_left_out(folder):
    file = folder / "one" / "metrics.jsonl"
    file.write_text(file.read_text(encoding="utf-8")[:-10], encoding="utf-8")
    assert len(read_metrics(file)) == 3


def test_only_metrics_that_a_run_has_get_a_picture():
    titles = [axes.get_title() for axes in plot_runs({"one": read_metrics("one")}).axes]
    assert titles == ["wins", "KL divergence of an update", "games ended by", "turns of a game"]


@pytest.mark.parametrize("runs", [["one"], ["one", "two"]])
def test_each_curve_has_its_place_in_a_legend(runs):
    figure = plot_runs({run: read_metrics(run) for run in runs})
    wins = figure.axes[0]
    assert len(wins.lines) == len(runs)
    assert [text.get_text() for text in wins.get_legend().get_texts()] == ["random"]
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert labels == (runs if len(runs) > 1 else [])


@pytest.mark.parametrize(("name", "beginning"), [("c.png", b"\x89PNG"), ("new/c.svg", b"<?xml"), ("c.pdf", b"%PDF"), ("c", b"\x89PNG")])
def test_the_command_writes_a_picture(name, beginning, folder, capsys):
    assert main(["plot", "one", "two", "--out", name]) == 0
    assert (folder / name).read_bytes().startswith(beginning)
    assert f"written to {name}" in capsys.readouterr().out


def test_the_same_run_gives_the_same_file():
    figures = [plot_runs({"one": read_metrics("one")}) for _ in range(2)]
    assert picture(figures[0], "svg") == picture(figures[1], "svg")


WRONG = [
    (["plot"], "Missing argument"),
    (["plot", "nowhere"], "no run 'nowhere': there is no file"),
    (["plot", "empty.jsonl"], "'empty.jsonl' holds no entries"),
    (["plot", "other.jsonl"], "'other.jsonl', line 1: no entry of a training run"),
    (["plot", "bare.jsonl"], "the runs hold no metrics that could be drawn"),
    (["plot", "one", "--out", "c.doc"], "no picture can be written as 'doc': choose one of"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_input_is_one_line(arguments, message, folder, capsys):
    for name, text in (("empty", ""), ("other", "[1]\n"), ("bare", '{"decisions": 1}\n')):
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_help_has_an_example(capsys):
    assert main(["plot", "--help"]) == 0
    assert "Example: boardherd plot" in capsys.readouterr().out


def test_torch_is_not_needed(folder):
    code = "import sys; from boardherd.training.cli import main; assert main(['plot', 'one']) == 0; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
