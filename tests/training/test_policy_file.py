"""Policies as files of their own, and those that come with boardherd."""

import json

import numpy as np
import pytest
import torch
from boardherd.envs import make_game
from boardherd.training.checkpoint import save_checkpoint
from boardherd.training.config import check_config
from boardherd.training.network import make_network
from boardherd.training.player_names import policy_in
from boardherd.training.players import load_player
from boardherd.training.policy_file import load_any_policy, pretrained, read_policy, save_policy
from safetensors.torch import save_file

CONFIG = check_config("test", {"game": {"name": "herd", "size": 2}, "network": {"hidden": [8]}})


@pytest.fixture
def run(tmp_path):
    save_checkpoint(tmp_path / "run" / "checkpoint.pt", CONFIG, make_network(make_game("herd", size=2), CONFIG.network), {})
    return tmp_path / "run"


def test_round_trip(run, tmp_path):
    path = tmp_path / "mine.safetensors"
    save_policy(run, path)
    game, network = read_policy(path)
    _, before = load_any_policy(str(run))
    assert game == make_game("herd", size=2)
    assert all(torch.equal(value, before.state_dict()[name]) for name, value in network.state_dict().items())
    assert load_player(str(path), game).network.state_dict().keys() == network.state_dict().keys()
    assert load_player(f"mcts:4:{path}", game).network is not None


def test_damaged_and_foreign_files(run, tmp_path):
    path = tmp_path / "mine.safetensors"
    save_policy(run, path)
    data = path.read_bytes()
    for damaged in (data[:50], data[:-10], b""):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="no policy file, or a damaged one") as caught:
            read_policy(path)
        assert "\n" not in str(caught.value)
    save_file({"weight": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="no policy file of this version"):
        read_policy(path)
    with pytest.raises(ValueError, match="no policy file"):
        read_policy(tmp_path / "absent.safetensors")


def test_weights_that_do_not_fit_their_config(run, tmp_path):
    other = check_config("test", {"game": {"name": "herd", "size": 2}, "network": {"hidden": [9]}})
    path = tmp_path / "mine.safetensors"
    _, network = load_any_policy(str(run))
    metadata = {"format": "boardherd policy 1", "game": json.dumps(other.game), "config": json.dumps(other.model_dump(mode="json"))}
    save_file(network.state_dict(), path, metadata)
    with pytest.raises(ValueError, match="weights of another network"):
        read_policy(path)


def test_names():
    assert policy_in("greedy") is None
    assert policy_in("mcts:100") is None
    assert policy_in("mcts:100:pretrained:herd") == policy_in("pretrained:herd") == "pretrained:herd"
    with pytest.raises(ValueError, match=r"no policy 'chess' comes with boardherd: there are .*herd"):
        load_player("pretrained:chess", make_game("herd"))
    with pytest.raises(ValueError, match="was trained on"):
        load_player("pretrained:herd", make_game("herd", size=3))


@pytest.mark.parametrize("name", pretrained())
def test_what_comes_along_is_small_and_plays(name):
    game, network = load_any_policy(f"pretrained:{name}")
    assert sum(value.numel() * value.element_size() for value in network.state_dict().values()) < 2_000_000
    from boardherd.training import evaluate

    others = ["random"] * (game.num_players - 1)
    result = evaluate([f"pretrained:{name}", *others], game, games=48)
    assert result.score(f"pretrained:{name}").wins > 0.5
    assert np.isfinite(result.mean_turns)


def test_every_game_has_one():
    from boardherd.envs import GAMES

    assert set(GAMES) <= set(pretrained())
