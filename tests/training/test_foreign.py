"""Policies trained elsewhere play by their own logits among the legal moves, and what does not fit is told in one line."""

import sys

import numpy as np
import pytest
import torch
from boardherd.envs import make_game, make_vec
from boardherd.training import evaluate
from boardherd.training.cli import main
from boardherd.training.players import load_player

GAME = make_game("herd", size=3)
SIZE, ACTIONS = int(np.prod(GAME.observation_shape)), GAME.num_actions
WEIGHTS = np.random.default_rng(0).normal(size=(SIZE, ACTIONS)).astype(np.float32)

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


class Linear(torch.nn.Module):
    """What a user would have trained; ``factor`` scales its logits."""

    def __init__(self, weights=WEIGHTS, factor: float = 1.0):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.from_numpy(weights))
        self.factor = factor

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        return observation.flatten(1).float() @ self.weights * self.factor - 1000.0 * action_mask  # it would rather not obey the mask


def torchscript(path, **kwargs):
    torch.jit.script(Linear(**kwargs)).save(str(path))
    return f"torchscript:{path}"


def linear_onnx(path, inputs=("observation",), batch="B", shape=GAME.observation_shape, kind="FLOAT", weights=WEIGHTS):
    """A model as another tool writes it: the logits are observation @ weights."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper, proto = onnx.helper, onnx.TensorProto
    first = inputs[0]
    nodes = [
        helper.make_node("Cast", [first], ["numbers"], to=proto.FLOAT),
        helper.make_node("Flatten", ["numbers"], ["flat"], axis=1),
        helper.make_node("MatMul", ["flat", "weights"], ["logits"]),
    ]
    declared = [helper.make_tensor_value_info(first, getattr(proto, kind), [batch, *shape])]
    declared += [helper.make_tensor_value_info(name, proto.BOOL, [batch, ACTIONS]) for name in inputs[1:]]
    output = helper.make_tensor_value_info("logits", proto.FLOAT, [batch, weights.shape[1]])
    graph = helper.make_graph(nodes, "linear", declared, [output], [onnx.numpy_helper.from_array(weights, "weights")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return f"onnx:{path}"


def decisions_of(game, steps=40):
    vec = make_vec(game.name, num_envs=8, seed=1, **game.config)
    for _ in range(steps):
        yield vec.decisions()
        vec.step(vec.sample())


def assert_plays_by_the_weights(player):
    for decisions in decisions_of(GAME):
        logits = decisions.observation.reshape(8, -1) @ WEIGHTS
        np.testing.assert_array_equal(player(decisions), np.where(decisions.action_mask, logits, -np.inf).argmax(axis=1))


def refused(name, *needles, game=GAME):
    with pytest.raises(ValueError) as caught:
        load_player(name, game)
    assert "\n" not in str(caught.value)
    assert all(needle in str(caught.value) for needle in (name, *needles)), caught.value


def test_torchscript(tmp_path):
    assert_plays_by_the_weights(load_player(torchscript(tmp_path / "linear.pt"), GAME))


@pytest.mark.parametrize("kind", ["FLOAT", "INT8", "DOUBLE"])
@pytest.mark.parametrize("inputs", [("observation",), ("observation", "action_mask")], ids=len)
def test_onnx(tmp_path, kind, inputs):
    assert_plays_by_the_weights(load_player(linear_onnx(tmp_path / "linear.onnx", inputs, kind=kind), GAME))


def test_moves_are_drawn_by_the_softmax_over_legal_ones(tmp_path):
    name = torchscript(tmp_path / "linear.pt", factor=0.2)
    decisions = next(decisions_of(GAME))
    many = decisions._replace(
        states=np.repeat(decisions.states[:1], 4000),
        observation=np.repeat(decisions.observation[:1], 4000, axis=0),
        action_mask=np.repeat(decisions.action_mask[:1], 4000, axis=0),
        seeds=np.arange(4000, dtype=np.uint64) * np.uint64(0x1234567),
    )
    player = load_player(name, GAME, sample=True)
    actions = player(many._replace(seeds=many.seeds.copy()))
    np.testing.assert_array_equal(actions, player(many._replace(seeds=many.seeds.copy())))
    weights = np.exp(0.2 * decisions.observation[0].reshape(-1) @ WEIGHTS) * decisions.action_mask[0]
    np.testing.assert_allclose(np.bincount(actions, minlength=ACTIONS) / 4000, weights / weights.sum(), atol=0.03)
    half = many._replace(seeds=many.seeds[2000:].copy(), **{key: getattr(many, key)[2000:] for key in ("observation", "action_mask")})
    np.testing.assert_array_equal(player(half), actions[2000:])  # whatever else the batch holds


def test_results_can_be_reproduced(tmp_path):
    name = torchscript(tmp_path / "linear.pt")
    one, other = (evaluate([name, "random"], GAME, games=40, sample=True) for _ in range(2))
    assert one == other
    assert one.score(name).wins != evaluate([name, "random"], GAME, games=40, seed=9, sample=True).score(name).wins


def test_the_command_line_takes_them(tmp_path, capsys):
    name = torchscript(tmp_path / "linear.pt")
    assert main(["evaluate", "herd", name, "random", "size=3", "--games", "20", "--json", "-"]) == 0
    assert f'"name": "{name}"' in capsys.readouterr().out
    assert main(["play", "herd", name, "--watch", "size=3", "--delay", "0"]) == 0
    assert main(["evaluate", "herd", name, "random"]) == 2  # the default size is another one
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(f"boardherd: player {name!r} cannot play make_game('herd'")


@pytest.mark.parametrize("kind", ["sb3", "onnx", "torchscript"])
def test_missing_and_damaged_files(tmp_path, kind):
    pytest.importorskip({"sb3": "sb3_contrib", "onnx": "onnxruntime", "torchscript": "torch"}[kind])
    refused(f"{kind}:{tmp_path / 'none'}", "there is no file")
    refused(f"{kind}:{tmp_path}", "there is no file")
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(b"no policy at all")
    refused(f"{kind}:{damaged}", "cannot play make_game('herd', size=3")


@pytest.mark.parametrize(
    ("kind", "library", "extra"), [("sb3", "sb3_contrib", "sb3"), ("onnx", "onnxruntime", "onnx"), ("torchscript", "torch", "train")]
)
def test_missing_libraries(tmp_path, monkeypatch, capsys, kind, library, extra):
    (tmp_path / "policy").touch()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf'needs {library}.*pip install "boardherd\[{extra}\]"'):
        load_player(f"{kind}:{tmp_path / 'policy'}", GAME)
    assert main(["play", "herd", f"{kind}:{tmp_path / 'policy'}"]) == 2
    assert capsys.readouterr().err == f'boardherd: this needs {library}, which is not installed: pip install "boardherd[{extra}]"\n'


def test_wrong_shapes(tmp_path):
    refused(torchscript(tmp_path / "a.pt"), "cannot play make_game('chopat'", game=make_game("chopat"))
    few = np.ascontiguousarray(WEIGHTS[:, :5])
    refused(torchscript(tmp_path / "b.pt", weights=few), "")
    refused(linear_onnx(tmp_path / "c.onnx", weights=few), f"c.onnx must be of shape (3, {ACTIONS}), got (3, 5)")
    refused(linear_onnx(tmp_path / "d.onnx", shape=(1, 2, 3), weights=WEIGHTS[:6]), "observation")
    refused(linear_onnx(tmp_path / "e.onnx", batch=1), "observation")
    refused(linear_onnx(tmp_path / "f.onnx", ("obs", "mask")), "must be called observation and action_mask, they are called obs, mask")


def test_logits_that_are_no_numbers(tmp_path):
    refused(torchscript(tmp_path / "nan.pt", factor=float("nan")), "must be finite numbers")


@pytest.mark.parametrize("algorithm", ["MaskablePPO", "PPO"])
def test_sb3(tmp_path, algorithm):
    contrib, sb3 = pytest.importorskip("sb3_contrib"), pytest.importorskip("stable_baselines3")
    from boardherd.envs.adapters.sb3 import BatchVecEnv

    env = BatchVecEnv(GAME, 4)
    model = getattr(contrib if algorithm == "MaskablePPO" else sb3, algorithm)("MlpPolicy", env, seed=1, device="cpu")
    with torch.no_grad():
        model.policy.action_net.weight.normal_(std=1.0)
    path = tmp_path / "model.zip"
    model.save(path)
    before = torch.get_rng_state()
    player = load_player(f"sb3:{path}", GAME)
    assert (torch.get_rng_state() == before).all()
    for decisions in decisions_of(GAME):
        actions = player(decisions)
        if algorithm == "MaskablePPO":
            np.testing.assert_array_equal(
                actions, model.predict(decisions.observation, action_masks=decisions.action_mask, deterministic=True)[0]
            )
        probabilities = model.policy.get_distribution(model.policy.obs_to_tensor(decisions.observation)[0]).distribution.probs
        np.testing.assert_array_equal(actions, (probabilities.detach().numpy() * decisions.action_mask).argmax(axis=1))
    refused(f"sb3:{path}", "its observations are of shape", game=make_game("herd"))
    assert evaluate([f"sb3:{path}", "random"], GAME, games=10).games >= 10


def test_sb3_of_another_kind(tmp_path):
    sb3 = pytest.importorskip("stable_baselines3")
    pytest.importorskip("sb3_contrib")
    model = sb3.DQN("MlpPolicy", "CartPole-v1", buffer_size=10, device="cpu")
    model.save(tmp_path / "dqn.zip")
    refused(f"sb3:{tmp_path / 'dqn.zip'}", "it holds a DQNPolicy, but only policies of PPO and MaskablePPO can play")
