"""The VecEnv is what SB3 makes of single environments, and MaskablePPO learns in it."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from boardherd.envs import GAMES, make_game

pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")

from boardherd.envs.adapters.sb3 import BatchVecEnv
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

every_game = pytest.mark.parametrize("name", GAMES)


def first_legal(decisions):
    return decisions.action_mask.argmax(axis=1)


def random_actions(masks, rng):
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def assert_same(one, other, where):
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list):
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{k}]")
    else:
        assert np.asarray(one).dtype == np.asarray(other).dtype, where
        np.testing.assert_array_equal(one, other, where)


@pytest.mark.parametrize(
    ("name", "config"),
    [*((name, {}) for name in GAMES), ("herd", {"size": 3}), ("chopat", {"num_players": 2}), ("berd", {"num_players": 7, "seat": 2})],
)
@pytest.mark.parametrize("opponents", ["random", "greedy", first_legal])
def test_it_is_a_dummy_vec_env_of_single_environments(name, config, opponents):
    options = {"max_turns": 40, "opponents": opponents, **config}
    ours = BatchVecEnv(name, 5, **options)
    theirs = DummyVecEnv([lambda: gymnasium.make(f"boardherd/{name.capitalize()}-v0", **options)] * 5)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.seed(3) == theirs.seed(3)
    assert_same(ours.reset(), theirs.reset(), "reset")
    assert_same(ours.reset_infos, theirs.reset_infos, "reset_infos")
    rng, ends = np.random.default_rng(0), 0
    for step in range(150):
        masks = get_action_masks(ours)
        assert_same(masks, get_action_masks(theirs), f"step {step} masks")
        actions = random_actions(masks, rng)
        if step % 20 == 19:
            actions[step % 5] = masks[step % 5].argmin()  # not legal
        results = ours.step(actions), theirs.step(actions)
        for index, part in enumerate(("observations", "rewards", "dones", "infos")):
            assert_same(results[0][index], results[1][index], f"step {step} {part}")
        assert_same(ours.reset_infos, theirs.reset_infos, f"step {step} reset_infos")
        ends += results[0][2].sum()
    assert ends > 8
    for attribute in ("seat", "position", "render_mode"):
        assert ours.get_attr(attribute) == [getattr(env.unwrapped, attribute) for env in theirs.envs]


@every_game
def test_maskable_ppo_learns_in_it_without_an_illegal_action(name):
    env = VecMonitor(BatchVecEnv(name, num_envs=8, opponents="greedy", max_turns=30))
    assert is_masking_supported(env)
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=128, n_epochs=1, seed=1, device="cpu")
    endings = []

    def note(local, _):
        masks, actions = local["action_masks"], local["actions"]
        assert masks[np.arange(8), actions].all()
        endings.extend(info["ending"] for info in local["infos"] if "ending" in info)
        return True  # go on

    before = [value.clone() for value in model.policy.parameters()]
    model.learn(1024, callback=note)
    assert endings
    assert "illegal action" not in endings
    assert any((was != value).any() for was, value in zip(before, model.policy.parameters(), strict=True))


def test_what_is_kept_is_not_written_to():
    env = BatchVecEnv("herd", 3, size=3)
    rng, kept = np.random.default_rng(0), []
    observation = env.reset()
    for _ in range(30):
        masks = get_action_masks(env)
        kept.append((observation, observation.copy(), masks, masks.copy()))
        observation, *_ = env.step(random_actions(masks, rng))
    for observation, observed, masks, masked in kept:
        np.testing.assert_array_equal(observation, observed)
        np.testing.assert_array_equal(masks, masked)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copy_goes_on_the_same(duplicate):
    env = BatchVecEnv("chopat", 3, opponents="greedy")
    env.seed(1)
    env.reset()
    twin = duplicate(env)
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(30):
        results = env.step(random_actions(get_action_masks(env), one)), twin.step(random_actions(get_action_masks(twin), other))
        assert_same([*results[0][:3]], [*results[1][:3]], "step")


def test_options_hold_for_all_games_and_for_later_resets():
    game = make_game("herd", size=3)
    position = game.position(game.new(5))
    env = BatchVecEnv(game, 2, seat=0)
    env.set_options({"position": position})
    first = env.reset()
    assert env.get_attr("position") == [position] * 2
    np.testing.assert_array_equal(env.reset(), first)
    env.set_options([{"position": position}, {}])
    with pytest.raises(ValueError, match="all games begin alike"):
        env.reset()
    env.set_options({"position": "nonsense"})
    with pytest.raises(ValueError, match="herd position 'nonsense'"):
        env.reset()


def test_attributes_by_index():
    env = BatchVecEnv("herd", 3)
    env.reset()
    assert env.get_attr("game", indices=1) == [make_game("herd")]
    assert [state.tobytes() for state in env.env_method("state", indices=[0, 2])] == [
        env.env_method("state")[row].tobytes() for row in (0, 2)
    ]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    assert not env.has_attr("nothing")
    with pytest.raises(AttributeError, match="share all they have"):
        env.set_attr("seat", 1)


def test_bad_arguments():
    for wrong in (0, 1.5, True):
        with pytest.raises(ValueError, match="num_envs"):
            BatchVecEnv("herd", wrong)
    with pytest.raises(ValueError, match="render_mode"):
        BatchVecEnv("herd", render_mode="human")
    with pytest.raises(ValueError, match="3 other seats, got 2 opponents"):
        BatchVecEnv("chopat", opponents=["random", "greedy"])
    env = BatchVecEnv("herd", 2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(2, int))
    env.reset()
    for actions in ([0], [0, -1], [0, 999], [0.0, 1.0]):
        with pytest.raises(ValueError, match="actions must be 2 integers"):
            env.step(np.array(actions))


def test_rendering():
    env = BatchVecEnv("herd", 2, render_mode="ansi")
    env.reset()
    assert all("\n" in text for text in env.env_method("render"))
    env.close()
    pytest.importorskip("resvg_py")
    env = BatchVecEnv("herd", 2, render_mode="rgb_array")
    env.reset()
    assert env.render().ndim == 3
    assert np.ptp(env.render()) > 0
