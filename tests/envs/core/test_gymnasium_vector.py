import copy
import pickle

import gymnasium
import numpy as np
import pytest
from boardherd.envs import GAMES
from gymnasium.vector import AutoresetMode, SyncVectorEnv

every_game = pytest.mark.parametrize("name", GAMES)


def environment_id(name):
    return f"boardherd/{name.capitalize()}-v0"


def make(name, num_envs, **kwargs):
    return gymnasium.make_vec(environment_id(name), num_envs=num_envs, **kwargs)


def first_legal(decisions):
    return decisions.action_mask.argmax(axis=1)


def random_actions(masks, rng):
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def assert_same(one, other, where):
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, tuple) or (isinstance(one, np.ndarray) and one.dtype == object):
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{k}]")
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, where)
    else:
        assert one == other, where


@every_game
@pytest.mark.parametrize("opponents", ["random", "greedy", first_legal])
@pytest.mark.filterwarnings("error")
def test_it_is_a_sync_vector_env_of_single_environments(name, opponents):
    config = {"max_turns": 40, "opponents": opponents}
    ours = make(name, 5, **config)
    theirs = SyncVectorEnv([lambda: gymnasium.make(environment_id(name), **config)] * 5, autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    for space in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, space) == getattr(theirs, space)
    assert_same(ours.reset(seed=3)[1], theirs.reset(seed=3)[1], "reset")
    rng, ends = np.random.default_rng(0), 0
    masks = ours.action_masks()
    for step in range(150):
        actions = random_actions(masks, rng)
        if step % 20 == 19:
            actions[step % 5] = masks[step % 5].argmin()  # not legal
        results = ours.step(actions), theirs.step(actions)
        for index, part in enumerate(("observations", "rewards", "terminations", "truncations", "infos")):
            assert_same(results[0][index], results[1][index], f"step {step} {part}")
        masks = results[0][4]["action_mask"] == 1
        np.testing.assert_array_equal(masks, ours.action_masks())
        ends += results[0][2].sum()
    assert ends > 8
    for reset in ({}, {"seed": [4, None, 2, None, 0]}):
        first, second = ours.reset(**reset), theirs.reset(**reset)
        assert_same(first[0], second[0], "observations")
        assert_same(first[1], second[1], "infos")


@every_game
def test_what_was_handed_out_is_not_rewritten(name):
    env, rng = make(name, 4), np.random.default_rng(1)
    observation, info = env.reset(seed=0)
    results = []
    for _ in range(30):
        results.append((observation, observation.copy(), info["action_mask"], info["action_mask"].copy()))
        observation, *_, info = env.step(random_actions(env.action_masks(), rng))
    for kept, copied, kept_mask, copied_mask in results:
        np.testing.assert_array_equal(kept, copied)
        np.testing.assert_array_equal(kept_mask, copied_mask)


@every_game
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copy_goes_on_the_same(name, duplicate):
    env = make(name, 3, opponents="greedy")
    env.reset(seed=1)
    twin = duplicate(env)
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(30):
        assert_same(env.step(random_actions(env.action_masks(), one)), twin.step(random_actions(twin.action_masks(), other)), "step")


@every_game
def test_fixed_seat_and_position(name):
    env = make(name, 3, seat=1)
    env.reset(seed=0)
    assert env.seats.tolist() == [1, 1, 1]
    single = gymnasium.make(environment_id(name), seat=1).unwrapped
    single.reset(seed=0)
    position = single.position
    env.reset(options={"position": position})
    expected = single.game.observe(single.game.from_position(position), 1)
    np.testing.assert_array_equal(env.reset(seed=4)[0], [expected] * 3)  # options survive
    with pytest.raises(ValueError, match="position"):
        env.reset(options={"position": "none"})
    np.testing.assert_array_equal(env.reset()[0], [expected] * 3)


@every_game
def test_bad_arguments(name):
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="num_envs"):
            make(name, wrong)
    with pytest.raises(ValueError, match="render_mode"):
        make(name, 2, render_mode="human")
    env = make(name, 2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(2, int))
    for wrong in ([1], [1, 2, 3], [0, -1]):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=wrong)
    env.reset(seed=0)
    for wrong in ([0], [0, -1], [0, env.single_action_space.n], [0.0, 1.0], [[0, 0]]):
        with pytest.raises(ValueError, match="actions"):
            env.step(np.array(wrong))
    env.step(random_actions(env.action_masks(), np.random.default_rng(0)))


@every_game
def test_rendering(name):
    env = make(name, 2, render_mode="ansi")
    env.reset(seed=0)
    assert [type(frame) for frame in env.render()] == [str, str]
    env.close()
