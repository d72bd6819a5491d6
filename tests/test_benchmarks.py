"""The comparisons compare the same thing, and their command says what is wrong."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import against_c

ROOT = Path(__file__).parents[1]


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_herd_in_c_plays_the_same_games():
    library = against_c.build()
    for size in (2, 5, 8):
        against_c.check_same_games(library, size, steps=150)


def test_an_unknown_benchmark_is_refused():
    done = run("nonsense")
    assert done.returncode == 2
    assert "no benchmark is called nonsense" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_figures_are_written_as_json(tmp_path):
    done = run("against_c", "--seconds", "0.05", "--rounds", "1", "--json", str(tmp_path / "figures.json"))
    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert figures["machine"]["cores"] >= 1
    assert all(row["ratio"] > 0 for row in figures["against_c"].values())
