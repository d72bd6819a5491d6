"""Each example, run as its reader would: it has to learn, by the win rates that it prints itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NEEDS = {  # and how many points its win rate has to rise by
    "agilerl_herd": ("agilerl", 15),
    "openspiel_herd": ("pyspiel", 15),
    "rllib_herd": ("ray.rllib", 15),
    "sb3_herd": ("sb3_contrib", 32),
    "tianshou_chopat": ("tianshou", 20),
    "torchrl_herd": ("torchrl", 20),
}


def test_every_example_is_here():
    assert sorted(NEEDS) == sorted(file.stem for file in EXAMPLES.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDS)
def test_it_learns(name, tmp_path):
    library, points = NEEDS[name]
    pytest.importorskip(library)
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    (before, after) = (int(rate) for rate in re.findall(r"^(?:before|after): (\d+)%", done.stdout, re.MULTILINE))
    print(f"{name}: {before} % of games won before, {after} % after")
    assert after >= before + points, done.stdout
