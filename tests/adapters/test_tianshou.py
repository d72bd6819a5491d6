"""The Tianshou vector environment: its games, and that collectors and a masked DQN work on it."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tianshou")

from boardherd.envs import GAMES
from boardherd.envs.adapters.tianshou import LearnerVectorEnv
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv

every_game = pytest.mark.parametrize("name", GAMES)


def make(name, num_envs, **kwargs):
    return LearnerVectorEnv(name, num_envs, **{"max_turns": 30, **kwargs})


def random_actions(masks, generator):
    return (generator.random(masks.shape) * masks).argmax(axis=1)


@every_game
def test_the_games_are_those_of_single_environments(name):
    """Played like a collector does, against Tianshou's own vector environment of our single ones."""
    config = {"max_turns": 30, "opponents": "greedy"}
    ours = LearnerVectorEnv(name, 5, **config)
    theirs = DummyVectorEnv([lambda: gymnasium.make(f"boardherd/{name.capitalize()}-v0", **config)] * 5)
    ours.seed(3)
    theirs_observations, infos = zip(*(theirs.reset(env_id=row, seed=3 + row) for row in range(5)), strict=True)
    masks = np.array([info[0]["action_mask"] for info in infos])
    observations, info = ours.reset()
    np.testing.assert_array_equal(observations.obs, np.concatenate(theirs_observations))
    assert info.tolist() == [{"env_id": row} for row in range(5)]
    generator, ends = np.random.default_rng(0), 0
    for step in range(100):
        rows = np.arange(5) if step % 3 else np.array([1, 3, 4])
        actions = random_actions(masks[rows], generator)
        ours_results, theirs_results = ours.step(actions, rows), theirs.step(actions, rows)
        np.testing.assert_array_equal(ours_results[0].obs, theirs_results[0])
        for index in (1, 2, 3):
            np.testing.assert_array_equal(ours_results[index], theirs_results[index])
            assert ours_results[index].dtype == theirs_results[index].dtype
        masks[rows] = [info["action_mask"] for info in theirs_results[4]]
        np.testing.assert_array_equal(ours_results[0].mask, masks[rows] == 1)
        ended = rows[ours_results[2]]
        if len(ended):
            assert not ours_results[0].mask[ours_results[2]].any()
            fresh, _ = ours.reset(ended)
            theirs_fresh, theirs_infos = theirs.reset(ended)
            np.testing.assert_array_equal(fresh.obs, theirs_fresh)
            masks[ended] = [info["action_mask"] for info in theirs_infos]
            np.testing.assert_array_equal(fresh.mask, masks[ended] == 1)
            ends += len(ended)
    assert ends >= 2


@every_game
def test_a_collector_plays_whole_episodes(name):
    env = make(name, 6)
    assert len(env) == 6
    policy = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space[0])
    buffer = VectorReplayBuffer(6 * 4000, 6)
    collector = Collector[CollectStats](policy, env, buffer)
    collector.reset(gym_reset_kwargs={"seed": 0})
    stats = collector.collect(n_episode=20)
    assert stats.n_collected_episodes == 20
    data, _ = buffer.sample(0)
    assert data.obs.mask[np.arange(len(data)), data.act].all()
    assert data.terminated.sum() >= 20
    assert (data.rew[~data.terminated] == 0).all()
    assert not data.truncated.any()
    following = buffer.next(np.arange(len(buffer)))
    assert following.shape == (len(buffer),)


def test_spaces_are_lists_of_what_one_game_has():
    env = make("herd", 4, size=3)
    assert [space.n for space in env.action_space] == [env.game.num_actions] * 4
    assert env.observation_space[0]["obs"].shape == env.game.observation_shape
    assert env.observation_space[0]["mask"].n == env.game.num_actions
    assert env.get_env_attr("action_space", [1, 2]) == env.action_space[:2]
    with pytest.raises(AttributeError, match="but no size"):
        env.get_env_attr("size")
    with pytest.raises(AttributeError, match="size cannot be set"):
        env.set_env_attr("size", 4)


def test_illegal_actions_are_refused_before_anything_moves():
    env = make("herd", 3, size=3, seat=1)  # the opponent has taken some cells by then
    observations, _ = env.reset()
    legal = observations.mask.argmax(axis=1)
    illegal = legal.copy()
    illegal[1] = observations.mask[1].argmin()
    with pytest.raises(ValueError, match=r"environment 1: .* is not legal in herd position"):
        env.step(illegal)
    with pytest.raises(ValueError, match=r"environment 1: "):
        env.step(illegal[1:2], [1])
    env.step(legal)
    generator = np.random.default_rng(0)
    while True:
        masks = env._games.masks
        *_, terminated, _, _ = env.step(random_actions(masks, generator))
        if terminated.any():
            break
    over = int(terminated.argmax())
    with pytest.raises(ValueError, match=f"environment {over}: no game is going on, reset it first"):
        env.step(np.zeros(1, int), over)


def test_positions_seeds_rendering():
    env = make("herd", 2, size=3, seat=1, render_mode="ansi")
    env.reset(seed=1)
    first = env._games.states.copy()
    env.reset(seed=1)
    np.testing.assert_array_equal(first, env._games.states)
    position = env.game.position(first[:1])
    env.reset(options={"position": position})
    assert {env.game.position(env._games.states[row : row + 1]) for row in range(2)} == {position}
    with pytest.raises(ValueError, match="position"):
        env.reset(options={"position": "none"})
    assert [type(frame) for frame in env.render()] == [str, str]
    with pytest.raises(ValueError, match="there are 2 games, got 3 seeds"):
        env.seed([1, 2, 3])
    assert env.seed([4, None]) == [[4], None]
    env.close()


def test_bad_arguments():
    with pytest.raises(ValueError, match="no game is called 'heard'"):
        LearnerVectorEnv("heard")
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="num_envs"):
            make("herd", wrong)
    with pytest.raises(ValueError, match="render_mode"):
        make("herd", 2, render_mode="human")
