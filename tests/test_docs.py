"""What the documentation shows really runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LISTING = re.compile(r"^`([\w/]+\.py)`\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REGISTRY_LINE = '    "herd": "herd",\n'


def test_the_game_that_the_page_adds_passes_the_contract_tests(tmp_path):
    """Built from the page's listings in a copy of the package, and put to the tests that every game has to pass."""
    package = tmp_path / "boardherd"
    for folder in ("envs", "configs"):
        shutil.copytree(ROOT / folder, package / folder, ignore=shutil.ignore_patterns("__pycache__"))
    page = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
    listings = dict(LISTING.findall(page))
    assert {path for path in listings if path.startswith("envs/heap/")} >= {
        f"envs/heap/{name}.py" for name in ("__init__", "config", "rules", "notation", "drawing", "players")
    }
    for path, source in listings.items():
        (package / path).parent.mkdir(exist_ok=True)
        (package / path).write_text(source, encoding="utf-8")
    line = re.search(r'^ +"heap": "heap",\n', page, re.MULTILINE)[0]
    registry = package / "envs" / "registry.py"
    text = registry.read_text(encoding="utf-8")
    assert REGISTRY_LINE in text
    registry.write_text(text.replace(REGISTRY_LINE, REGISTRY_LINE + line), encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    tests = tmp_path / "tests"
    (tests / "golden").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    names = [path.name for path in (ROOT / "tests" / "envs").glob("test_contract*.py")]
    for name in (*names, "trace.py"):
        shutil.copy(ROOT / "tests" / "envs" / name, tests)

    def python(*arguments: str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "BOARDHERD_CACHE_DIR": str(tmp_path / "cache")}
        return subprocess.run(
            [sys.executable, *arguments], cwd=tests, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
        )

    played = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "heap", *names)
    assert played.returncode == 0, played.stdout[-4000:] + played.stderr
    program = """
from boardherd.envs import heap_v0
env = heap_v0.env(render_mode="ansi")
env.reset(seed=1)
print(env.render(), env.unwrapped.svg())
"""
    shown = python("-c", program)
    assert "takes 1 to" in shown.stdout, shown.stderr
    assert "<svg" in shown.stdout
