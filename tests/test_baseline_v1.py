"""The baseline of the benchmark: what is trained, what is skipped, and its tables."""

import json
import sys
from pathlib import Path

import pytest
import torch
from boardherd.envs import make_game
from boardherd.training.bench_v1 import score as scoring
from boardherd.training.bench_v1.data import Table
from boardherd.training.checkpoint import save_checkpoint
from boardherd.training.config import load_config
from boardherd.training.network import make_network

from benchmarks import baseline_v1


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """Stands in for training, with an untrained policy for a tiny table. Returns the commands; ``stop_at`` interrupts one of them."""
    monkeypatch.chdir(tmp_path)
    game = make_game("herd", size=2)
    table = Table("herd", game, 1, {"random": 1, "greedy": 1}, ["2/2x/2 b ? ? 1", "x1/3/2 b ? ? 1", "1x/1x1/2 b ? ? 1", "1x/3/1o a ? ? 2"])
    monkeypatch.setattr(scoring, "load_tables", lambda: {"herd": table})
    monkeypatch.setattr(baseline_v1, "load_tables", lambda: {"herd": table})
    commands, stop_at = [], []

    def command(arguments):
        commands.append(arguments)
        if len(commands) in stop_at:
            return 130
        _, name, *overrides, _, run, _ = arguments
        config, run = load_config(name, ["game.size=2", "network.hidden=[8]", *overrides]), Path(run)
        torch.manual_seed(config.seed)
        save_checkpoint(run / "checkpoint.pt", config, make_network(game, config.network), {})
        (run / "config.yaml").write_text(config.to_yaml())
        (run / "evaluation.json").write_text("{}")
        return 0

    monkeypatch.setattr(baseline_v1, "boardherd", command)
    return commands, stop_at


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["baseline_v1", *arguments, "--processes", "1"])
    return baseline_v1.main()


def test_it_trains_what_is_missing_and_writes_tables(trained, monkeypatch, tmp_path):
    commands, stop_at = trained
    stop_at.append(2)
    assert run(monkeypatch, "herd", "--seeds", "3", "--decisions", "100", "--folder", "base") == 1
    assert run(monkeypatch, "herd", "--seeds", "3", "--decisions", "100", "--folder", "base") == 0
    seeds = [next(word for word in command if word.startswith("seed=")) for command in commands]
    assert seeds == ["seed=1", "seed=2", "seed=2", "seed=3"]
    report = json.loads((tmp_path / "base" / "baseline.json").read_text())
    (herd,) = report["games"]
    assert (herd["table"], herd["runs"], report["decisions"]) == ("herd", 3, 100)
    table = (tmp_path / "base" / "baseline.md").read_text(encoding="utf-8")
    assert f"| herd | {herd['mean']:.1f} ± {herd['deviation']:.1f} | " in table
    assert f"{herd['wins']['greedy']:.1%} against `greedy`" in table
    with pytest.raises(ValueError, match="was begun with decisions=100, not 200"):
        run(monkeypatch, "herd", "--decisions", "200", "--folder", "base")


def test_each_table_of_the_benchmark_has_a_shipped_config():
    from boardherd.training.bench_v1.data import load_tables

    for name, table in load_tables().items():
        config, *overrides = baseline_v1.CONFIGS[name]
        settings = load_config(config, overrides)
        assert make_game(settings.game_name, **settings.game_options) == table.game


def test_an_unknown_game_is_refused(monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, "hurd")
    assert "the benchmark has no game hurd; there are herd" in capsys.readouterr().err
