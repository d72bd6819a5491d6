"""The Python of the pages on other frameworks runs as it stands, trainings shortened."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = {
    "frameworks: stable-baselines3": "sb3_contrib",
    "frameworks: TorchRL": "torchrl",
    "frameworks: Tianshou": "tianshou",
    "frameworks: AgileRL": "agilerl",
    "frameworks: OpenSpiel": "pyspiel",
    "frameworks: Export to ONNX": "numpy",
    "rllib: Your own configuration": "ray.rllib",
}


def python_of(page):
    """The Python of each section that has some, by the page's name and the section's heading."""
    _, *parts = re.split(r"^## (.*)\n", (DOCS / f"{page}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = {f"{page}: {heading}": "\n".join(BLOCK.findall(text)) for heading, text in zip(parts[::2], parts[1::2], strict=True)}
    return {section: source for section, source in blocks.items() if source}


SECTIONS = python_of("frameworks") | python_of("rllib")


def test_every_section_is_here():
    assert sorted(NEEDS) == sorted(SECTIONS)


@pytest.mark.parametrize("section", NEEDS)
def test_it_runs(section, tmp_path):
    pytest.importorskip(NEEDS[section])
    program = tmp_path / "program.py"
    program.write_text(SECTIONS[section].replace("1_000_000", "1_000"), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
