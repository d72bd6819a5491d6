"""Checkpoints: whole or not at all; what is no checkpoint is told so in one line."""

import errno
import os

import pytest
import torch
from boardherd.envs import make_game
from boardherd.envs.core.files import write_whole
from boardherd.training.checkpoint import load_policy, read_checkpoint, save_checkpoint
from boardherd.training.config import check_config
from boardherd.training.network import make_network
from boardherd.training.players import load_player

CONFIG = check_config("test", {"game": {"name": "herd", "size": 2}, "network": {"hidden": [8]}})


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run" / "checkpoint.pt"
    save_checkpoint(path, CONFIG, make_network(make_game("herd", size=2), CONFIG.network), {"iteration": 3})
    return path


def test_round_trip(path):
    game, network = load_policy(path)
    assert game == make_game("herd", size=2)
    saved = read_checkpoint(path.parent)  # a run's folder will do
    assert saved["training"] == {"iteration": 3}
    assert all(torch.equal(value, saved["network"][name]) for name, value in network.state_dict().items())


@pytest.mark.parametrize("keep", [0, 1, 100, -1, -1000])
def test_truncated_file(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match="no checkpoint, or a damaged one") as caught:
        read_checkpoint(path)
    assert "\n" not in str(caught.value)


def test_flipped_bits(path):
    data = bytearray(path.read_bytes())
    middle = data.index(b"data/0") + 200
    data[middle] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        read_checkpoint(path)


def test_foreign_files(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a checkpoint")
    other = tmp_path / "other.pt"
    torch.save({"weights": torch.zeros(3)}, other)
    for foreign in (text, other):
        with pytest.raises(ValueError, match="no checkpoint"):
            read_checkpoint(foreign)
    with pytest.raises(ValueError, match="no checkpoint file"):
        read_checkpoint(tmp_path / "absent.pt")


@pytest.mark.parametrize("part", ["game", "config", "network", "training"])
@pytest.mark.parametrize("value", [None, [1], "x"])
def test_missing_parts(path, part, value):
    content = torch.load(path, weights_only=True)
    content[part] = value
    torch.save(content, path)
    with pytest.raises(ValueError, match=f"damaged checkpoint: its part '{part}'"):
        read_checkpoint(path)


def test_weights_that_are_no_numbers(path):
    content = torch.load(path, weights_only=True)
    content["network"]["value.bias"].fill_(float("nan"))
    torch.save(content, path)
    with pytest.raises(ValueError, match="not finite"):
        load_policy(path)


def test_reading_runs_no_code(tmp_path):
    class Harmful:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "harmed"),)

    torch.save({"format": Harmful()}, tmp_path / "harmful.pt")
    with pytest.raises(ValueError, match="no checkpoint"):
        read_checkpoint(tmp_path / "harmful.pt")
    assert not (tmp_path / "harmed").exists()


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_full_disk_leaves_the_old_file(path, monkeypatch, fails):
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, fails, full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["checkpoint.pt"]


@pytest.mark.parametrize(("name", "options"), [("herd", {"size": 3}), ("chopat", {})])
def test_policy_of_another_game_or_size(path, name, options):
    with pytest.raises(ValueError, match=r"was trained on make_game\('herd', size=2"):
        load_player(str(path), make_game(name, **options))


def test_policy_plays_under_another_cap(path):
    load_player(str(path), make_game("herd", size=2, max_turns=20))


def test_unknown_player():
    with pytest.raises(ValueError, match=r"no player 'gredy'.*random, greedy"):
        load_player("gredy", make_game("herd"))
