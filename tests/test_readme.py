"""The README's Python runs as it stands."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("source", BLOCKS, ids=[f"block-{k}" for k in range(1, len(BLOCKS) + 1)])
def test_python_blocks_run(source, capsys):
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})
    if "print(" in source:
        assert capsys.readouterr().out.strip()


def test_there_are_some():
    assert len(BLOCKS) >= 4
