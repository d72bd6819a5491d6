"""What importing costs, what the packages hold when installed, and that compiled code is never stale."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from boardherd.envs import GAMES
from boardherd.envs.core.compiling import sources_fingerprint

ROOT = Path(__file__).parents[2]
TOP_FOLDERS = ("configs", "envs", "training")
FRAMEWORKS = {"stable_baselines3", "sb3_contrib", "onnx", "onnxruntime", "torchrl", "tensordict", "tianshou", "agilerl", "ray", "pyspiel"}
HEAVY = {"torch", "pygame", "resvg_py", "matplotlib", "tensorboard", "pandas", *FRAMEWORKS}  # numba itself looks at scipy if it is there
DATA = (".py", ".yaml", ".md", ".svg", ".typed", ".safetensors")


def python(*arguments: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["boardherd.envs", "boardherd.training.cli"])
def test_importing_imports_nothing_heavy(module):
    program = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    assert not HEAVY & set(python("-c", program).split())


def test_playing_imports_nothing_heavy():
    program = """
import importlib, sys
from boardherd.envs import GAMES
for name in GAMES:
    env = importlib.import_module(f"boardherd.envs.{name}_v0").env(render_mode="ansi")
    env.reset()
    env.render()
print(*{name.partition(".")[0] for name in sys.modules})
"""
    assert not HEAVY & set(python("-c", program).split())


def test_the_packages_listed_are_the_folders_there_are():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    folders = [file.parent.relative_to(ROOT) for top in TOP_FOLDERS for file in (ROOT / top).rglob("__init__.py")]
    assert sorted(listed) == sorted(".".join(("boardherd", *folder.parts)) for folder in folders)


def test_every_typed_package_says_so():
    for top in ("envs", "training"):
        assert (ROOT / top / "py.typed").exists()


@pytest.mark.slow
def test_a_wheel_holds_everything_and_works_from_where_it_is_installed(tmp_path):
    """Built from a copy, so that the checkout stays as it is."""
    source, target = tmp_path / "source", tmp_path / "target"
    for top in TOP_FOLDERS:
        shutil.copytree(ROOT / top, source / top, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    python("-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(source))
    (wheel,) = tmp_path.glob("boardherd-*.whl")
    files = [file for top in TOP_FOLDERS for file in (ROOT / top).rglob("*") if file.suffix in DATA]
    expected = {f"boardherd/{file.relative_to(ROOT).as_posix()}" for file in files}
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("boardherd/")}
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    assert packed == expected
    python("-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(wheel))
    program = f"""
import sys
sys.path.insert(0, {str(target)!r})
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in str(finder)]
from importlib import resources
import boardherd.envs
assert boardherd.envs.__file__.startswith({str(target)!r}), boardherd.envs.__file__
for name in boardherd.envs.GAMES:
    game = boardherd.envs.make_game(name)
    assert game.moves(game.new(0))
    assert (resources.files("boardherd.configs") / f"{{name}}.yaml").is_file()
"""
    python("-c", program, BOARDHERD_CACHE_DIR=str(tmp_path / "cache"))
    assert (target / "bin").is_dir() or (target / "Scripts").is_dir(), "no command boardherd"


def test_an_edit_of_any_source_changes_the_fingerprint(tmp_path):
    copy = tmp_path / "envs"
    shutil.copytree(ROOT / "envs", copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = sources_fingerprint(copy)
    assert before == sources_fingerprint(ROOT / "envs")
    for edited in (copy / "core" / "loops.py", *(copy / folder / "rules.py" for folder in GAMES.values())):
        edited.write_text(edited.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        after = sources_fingerprint(copy)
        assert after != before
        before = after


def cache_folder(**environment: str) -> Path:
    return Path(python("-c", "from boardherd.envs.core.compiling import CACHE_FOLDER; print(CACHE_FOLDER)", **environment))


def test_compiled_code_goes_where_it_is_told_to(tmp_path):
    folder = cache_folder(BOARDHERD_CACHE_DIR=str(tmp_path))
    assert folder.is_relative_to(tmp_path)
    assert folder.name == sources_fingerprint(ROOT / "envs")


def test_compiled_code_goes_elsewhere_where_the_cache_folder_cannot_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    folder = cache_folder(BOARDHERD_CACHE_DIR=str(blocked))
    assert folder.is_dir()
    assert not folder.is_relative_to(tmp_path)


def test_folders_that_nobody_used_for_long_are_removed(tmp_path):
    old, young = tmp_path / "compiled" / "old", tmp_path / "compiled" / "young"
    for folder in (old, young):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    cache_folder(BOARDHERD_CACHE_DIR=str(tmp_path))
    assert young.exists()
    assert not old.exists()
