"""An exported policy is the policy: the same numbers and the same moves as in torch."""

import json

import numpy as np
import pytest
import torch
from boardherd.envs import make_game, make_vec
from boardherd.training.arena import play_games
from boardherd.training.checkpoint import load_policy, save_checkpoint
from boardherd.training.cli import main
from boardherd.training.config import check_config
from boardherd.training.network import make_network
from boardherd.training.players import load_player

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxscript")
runtime = pytest.importorskip("onnxruntime")

from boardherd.training.export import export_onnx  # noqa: E402

POLICIES = [
    ("herd", "mlp", {}),
    ("herd", "conv", {"size": 3}),
    ("chopat", "mlp", {}),
    ("berd", "mlp", {}),
    ("berd", "mlp", {"num_players": 7, "path": 16}),
    ("bikido", "mlp", {}),
    ("bikido", "conv", {}),
]


def policy(folder, name, kind, options):
    """A run's folder with a policy whose weights say something."""
    config = check_config("test", {"game": {"name": name, **options}, "network": {"kind": kind, "hidden": [32, 16], "channels": 8}})
    torch.manual_seed(1)
    network = make_network(make_game(name, **options), config.network)
    for weights in network.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    save_checkpoint(folder / "checkpoint.pt", config, network, {})
    return folder


@pytest.fixture(scope="module", params=POLICIES, ids=lambda one: f"{one[0]}-{one[1]}-{len(one[2])}")
def exported(request, tmp_path_factory):
    """The run's folder and the file."""
    run = policy(tmp_path_factory.mktemp("run"), *request.param)
    export_onnx(run, run / "policy.onnx")
    return run


def test_numbers_are_those_of_torch(exported):
    game, network = load_policy(exported)
    session = runtime.InferenceSession(exported / "policy.onnx")
    names = [each.name for each in session.get_inputs()]
    vec, compared = make_vec(game.name, num_envs=16, seed=1, **game.config), 0
    for step in range(200):
        if step % 10 == 0:
            rows, actions = network.encoder.encoded(vec.states, vec.observation, vec.action_mask)
            with torch.inference_mode():
                logits, values = network(torch.from_numpy(rows), torch.from_numpy(actions))
            given = {"observation": vec.observation, "action_mask": vec.action_mask}
            if "action_features" in names:
                given["action_features"] = game.observe_actions(vec.states, vec.action_mask)
            assert set(names) == set(given)
            log_probs, told = session.run(None, given)
            assert log_probs.dtype == told.dtype == np.float32
            expected = torch.log_softmax(logits, dim=1).numpy()
            for env in range(vec.num_envs):
                legal = np.flatnonzero(vec.action_mask[env])
                np.testing.assert_allclose(log_probs[env, legal], expected[env, : len(legal)], rtol=1e-4, atol=1e-4)
                compared += len(legal) > 1
            assert (log_probs[vec.action_mask == 0] < -9e8).all()
            np.testing.assert_allclose(told, values.numpy(), rtol=1e-4, atol=1e-4)
        vec.step(vec.sample())
    assert compared > 40


@pytest.mark.parametrize("sample", [False, True], ids=["most likely", "drawn"])
def test_it_chooses_the_moves_of_its_checkpoint(exported, sample):
    game, _ = load_policy(exported)
    ours, theirs = (load_player(name, game, sample) for name in (str(exported), f"onnx:{exported / 'policy.onnx'}"))
    vec, same = make_vec(game.name, num_envs=16, seed=2, **game.config), []
    for _ in range(60):
        decisions = vec.decisions()
        here, there = decisions._replace(seeds=decisions.seeds.copy()), decisions._replace(seeds=decisions.seeds.copy())
        actions = ours(here)
        same.append((actions == theirs(there)).mean())
        assert (here.seeds == there.seeds).all()
        assert (here.seeds == decisions.seeds).all() != sample
        vec.step(actions)
    assert np.mean(same) > 0.99  # what is nearly equal may be rounded to either side


def test_the_command(tmp_path, capsys):
    run, out = policy(tmp_path / "run", "herd", "mlp", {"size": 3}), tmp_path / "made" / "herd.onnx"
    assert main(["export", str(run), str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"written to {out}; inputs: observation, action_mask, action_features; outputs: log_probs, values\n"
    assert captured.err == ""
    model = onnx.load(out)
    onnx.checker.check_model(model, full_check=True)
    assert json.loads({each.key: each.value for each in model.metadata_props}["boardherd"])["size"] == 3
    assert b"site-packages" not in out.read_bytes()
    game = make_game("herd", size=3)
    games = [play_games([player, "greedy"], game, 20) for player in (str(run), f"onnx:{out}")]
    np.testing.assert_array_equal(games[0].payoffs, games[1].payoffs)
    assert main(["evaluate", "herd", f"onnx:{out}", "greedy", "--games", "20", "size=3"]) == 0
    assert main(["evaluate", "herd", f"onnx:{out}", "greedy", "--games", "20", "size=4"]) == 2
    assert "it was trained on make_game('herd', size=3" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["onnx", "onnxscript"])
def test_refusals(tmp_path, capsys, monkeypatch, missing):
    assert main(["export", str(tmp_path / "none"), "out.onnx"]) == 2
    assert "no checkpoint file" in capsys.readouterr().err
    run = policy(tmp_path / "run", "herd", "mlp", {"size": 2})
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert main(["export", str(run), str(blocked / "out.onnx")]) == 2
    assert "out.onnx: " in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, missing, None)
    assert main(["export", str(run), str(tmp_path / "out.onnx")]) == 2
    assert capsys.readouterr().err == f'boardherd: this needs {missing}, which is not installed: pip install "boardherd[onnx]"\n'
    assert not (tmp_path / "out.onnx").exists()
