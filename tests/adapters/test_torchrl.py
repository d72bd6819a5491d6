"""The TorchRL environment: its specs, its games, and that a stock PPO learns on it."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

from boardherd.envs import GAMES
from boardherd.envs.adapters.torchrl import LearnerEnv
from boardherd.envs.registry import make_learner_vec
from torchrl.envs import RewardSum, TransformedEnv, check_env_specs

every_game = pytest.mark.parametrize("name", GAMES)


def make(name, num_envs, **kwargs):
    return LearnerEnv(name, num_envs, **{"max_turns": 30, **kwargs})


@every_game
def test_specs(name):
    env = make(name, 3)
    check_env_specs(env, seed=0, break_when_any_done="both")
    check_env_specs(TransformedEnv(make(name, 3), RewardSum()), seed=0)
    low, high = env.observation_spec["observation"].space.low, env.observation_spec["observation"].space.high
    np.testing.assert_array_equal(low[0], env.game.observation_low)
    np.testing.assert_array_equal(high[2], env.game.observation_high)


@every_game
@pytest.mark.parametrize("wrap", [lambda env: env, lambda env: TransformedEnv(env, RewardSum())], ids=["plain", "transformed"])
def test_random_rollouts_are_legal_and_go_on_after_the_end(name, wrap):
    env = wrap(make(name, 6, opponents="greedy"))
    env.set_seed(0)
    data = env.rollout(200, break_when_any_done=False)
    chosen = data["action_mask"].gather(-1, data["action"].unsqueeze(-1))
    assert chosen.all()
    assert data["action"].unique().numel() > 4
    done, reward = data["next", "done"], data["next", "reward"]
    assert done.sum() > 6
    assert (data["next", "terminated"] == done).all()
    assert (reward[~done] == 0).all()
    assert not data["next", "action_mask"][done.squeeze(-1)].any()
    assert data["next", "action_mask"][~done.squeeze(-1)].any(dim=-1).all()


@every_game
def test_the_games_are_those_of_the_gymnasium_vector_environment(name):
    kwargs = {"max_turns": 30, "opponents": "greedy", "seat": "random"}
    env, other = LearnerEnv(name, 5, **kwargs), make_learner_vec(name, 5, **kwargs)
    env.set_seed(7)
    state = env.reset()
    observations, infos = other.reset(seed=7)
    generator, ends = np.random.default_rng(0), 0
    for _ in range(100):
        np.testing.assert_array_equal(state["observation"], observations)
        np.testing.assert_array_equal(state["action_mask"], infos["action_mask"] == 1)
        np.testing.assert_array_equal(env.seats, other.seats)
        actions = (generator.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(axis=1)
        observations, rewards, ended, _, infos = other.step(actions)
        after, state = env.step_and_maybe_reset(state.set("action", torch.from_numpy(actions)))
        np.testing.assert_array_equal(after["next", "reward"].squeeze(1), rewards.astype(np.float32))
        np.testing.assert_array_equal(after["next", "done"].squeeze(1), ended)
        for row in np.flatnonzero(ended):
            np.testing.assert_array_equal(after["next", "observation"][row], infos["final_obs"][row])
            ends += 1
    assert ends >= 2


def test_games_that_are_over_are_left_alone_until_all_are():
    env = make("chopat", 8, num_players=2)
    env.set_seed(0)
    data = env.rollout(1000, break_when_any_done=False, break_when_all_done=True)
    assert data["next", "done"][:, -1].all()
    lengths = data["next", "done"].squeeze(-1).int().argmax(dim=1)
    assert lengths.unique().numel() > 1
    for row, end in enumerate(lengths.tolist()):
        assert (data["next", "observation"][row, end:] == data["next", "observation"][row, end]).all()


def test_what_was_handed_out_is_not_rewritten():
    env = make("herd", 4)
    state = env.reset()
    kept = []
    for _ in range(20):
        kept.append((state, state.clone()))
        _, state = env.step_and_maybe_reset(env.rand_action(state))
    for one, copy in kept:
        assert (one.select("observation", "action_mask") == copy.select("observation", "action_mask")).all()


def test_the_same_seed_gives_the_same_games():
    def play():
        env = make("berd", 4)
        env.set_seed(3)
        torch.manual_seed(0)
        return env.rollout(50, break_when_any_done=False)

    assert (play() == play()).all()


def test_illegal_actions_are_refused_before_anything_moves():
    env = make("herd", 3, size=3, seat=1)  # the opponent has taken some cells by then
    state = env.reset()
    legal = state["action_mask"].int().argmax(dim=1)
    illegal = legal.clone()
    illegal[1] = state["action_mask"][1].int().argmin()
    with pytest.raises(ValueError, match=r"environment 1: .* is not legal in herd position"):
        env.step(state.clone().set("action", illegal))
    np.testing.assert_array_equal(env._games.masks == 1, state["action_mask"])
    while not state["done"].any():
        state = env.step(env.rand_action(state))["next"]
    over = int(state["done"].squeeze(1).int().argmax())
    with pytest.raises(ValueError, match=f"environment {over}: no game is going on, reset it first"):
        env.step(env.rand_action(state))


def test_bad_arguments():
    with pytest.raises(ValueError, match="no game is called 'heard'"):
        LearnerEnv("heard")
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="num_envs"):
            make("herd", wrong)
    with pytest.raises(ValueError, match="no option 'board'"):
        LearnerEnv("herd", board=5)
    with pytest.raises(ValueError, match="seat"):
        LearnerEnv("herd", seat=2)
