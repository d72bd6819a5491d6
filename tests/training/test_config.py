"""Configs: defaults, overrides, and one clear line for whatever is wrong."""

import re
from pathlib import Path

import pytest
from boardherd.envs import GAMES
from boardherd.training.config import TrainingConfig, load_config
from boardherd.training.config_files import shipped_configs
from boardherd.training.ppo import Trainer
from boardherd.training.sweep import SweepConfig
from boardherd.training.tournament import TournamentConfig


@pytest.fixture
def config_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("game: {name: herd, size: 3}\nppo:\n  learning_rate: 0.002\n")
    return path


def test_file_and_overrides(config_file):
    config = load_config(str(config_file), ["ppo.learning_rate=1e-3", "rollout.num_envs=8", "game.size=4", "network.hidden=[32, 16]"])
    assert config.ppo.learning_rate == 1e-3
    assert config.rollout.num_envs == 8
    assert config.game == {"name": "herd", "size": 4}
    assert config.network.hidden == (32, 16)
    assert load_config(str(config_file)).ppo.learning_rate == 0.002


def test_yaml_round_trip(config_file, tmp_path):
    config = load_config(str(config_file))
    (tmp_path / "again.yaml").write_text(config.to_yaml())
    assert load_config(str(tmp_path / "again.yaml")) == config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game: {name: herd}\npp: {}\n", "unknown key pp, did you mean ppo"),
        ("game: {name: herd}\nppo: {lerning_rate: 1}\n", "unknown key ppo.lerning_rate, did you mean learning_rate.*allowed here"),
        ("game: {name: herd}\nppo: {clip: zero}\n", "ppo.clip.*'zero'"),
        ("game: {name: herd}\nppo: {discount: 1.5}\n", "ppo.discount.*less than or equal to 1.*1.5"),
        ("game: {size: 5}\n", "game.name must be the name of a game"),
        ("ppo: {}\n", "game"),
        ("game: {name: herd}\nppo: {learning_rate: .inf}\n", "ppo.learning_rate.*finite"),
        ("game: {name: herd}\ntorch_threads: 100000\n", "torch_threads.*1024"),
        ("game: {name: herd}\ndevice: toaster\n", "device.*toaster"),
        ("game: {name: herd}\nrollout: {num_envs: 100000000000}\n", "rollout.num_envs"),
        ("game: [\n", "no valid YAML"),
        ("a: " + "[" * 5000 + "\n", "no valid YAML"),
        ("just text\n", "must hold keys"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, text, message):
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        load_config(str(path))
    assert "\n" not in str(caught.value)
    assert "wrong.yaml" in str(caught.value)


@pytest.mark.parametrize(
    ("override", "message"), [("ppo", "must look like"), ("game.size.x=1", "size is a single value"), ("ppo.clip=[", "no valid YAML")]
)
def test_wrong_overrides(config_file, override, message):
    with pytest.raises(ValueError, match=message):
        load_config(str(config_file), [override])


def test_missing_file_names_what_there_is():
    with pytest.raises(ValueError, match=r"no config file 'nowhere'.*berd, bikido, chopat, chopat-2, herd, herd-2, smoke") as caught:
        load_config("nowhere")
    assert not {"ladder", "sweep"} & set(re.findall(r"\w+", str(caught.value)))


def test_every_config_that_comes_along_is_of_one_kind():
    kinds = [name for model in (TrainingConfig, TournamentConfig, SweepConfig) for name in shipped_configs(model)]
    assert sorted(kinds) == sorted(path.stem for path in (Path(__file__).parents[2] / "configs").glob("*.yaml"))


@pytest.mark.parametrize("name", shipped_configs(TrainingConfig))
def test_shipped_configs_are_valid(name):
    config = load_config(name)
    assert config.game_name in GAMES
    Trainer(load_config(name, ["rollout.num_envs=2", "rollout.steps=1"]))
