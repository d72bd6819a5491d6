import copy
import pickle
import random

import gymnasium
import numpy as np
import pytest
from boardherd.envs import GAMES, make_game
from boardherd.envs.core.players import greedy_player, random_player
from gymnasium.utils.env_checker import check_env

every_game = pytest.mark.parametrize("name", GAMES)


def make(name, **kwargs):
    return gymnasium.make(f"boardherd/{name.capitalize()}-v0", **kwargs).unwrapped


def first_legal(decisions):
    return decisions.action_mask.argmax(axis=1)


def last_legal(decisions):
    return decisions.action_mask.shape[1] - 1 - decisions.action_mask[:, ::-1].argmax(axis=1)


class Watcher:
    """Plays at random, and keeps what it was shown and what it did."""

    def __init__(self):
        self.seen = []

    def __call__(self, decisions):
        assert len(decisions.states) == 1
        actions = random_player(decisions)
        self.seen.append(
            (decisions.states.copy(), decisions.observation[0], decisions.action_mask[0], int(decisions.player[0]), actions[0])
        )
        return actions


def random_step(env, rng):
    return env.step(rng.choice(np.flatnonzero(env.action_masks()).tolist()))


def play(env, rng, **reset):
    """One game of random moves. Returns what there was to see."""
    observation, info = env.reset(**reset)
    seen, over = [(env.seat, observation.tobytes(), info["action_mask"].tobytes())], False
    while not over:
        observation, reward, over, _, info = random_step(env, rng)
        seen.append((reward, over, observation.tobytes(), info["action_mask"].tobytes()))
    return seen


def settled(game, state):
    while game.node(state) == "chance":
        state = game.throw(state)
    return state


@every_game
@pytest.mark.filterwarnings("error")
def test_gymnasium_checks_the_environment(name, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(make(name))
    check_env(make(name, opponents="greedy", seat=1))


def without_dice(state):
    state = state.copy()
    state["rng"] = 0
    return state.tobytes()


@every_game
@pytest.mark.parametrize("place", ["first", "last", "random"])
def test_the_learner_is_asked_for_its_own_seat_and_paid_its_own_reward(name, place):
    seat = {"first": 0, "last": make_game(name).num_players - 1, "random": "random"}[place]
    watcher = Watcher()
    env, rng = make(name, opponents=watcher, seat=seat), random.Random(1)
    game, rewards = env.game, []
    for seed in range(4):
        watcher.seen.clear()
        observation, info = env.reset(seed=seed)
        assert seat in ("random", env.seat)
        over, expected = False, None
        while not over:
            state = env.state()
            for before, seen, mask, player, action in watcher.seen:  # the opponents' decisions lead to the learner's
                assert player != env.seat
                assert game.player(before) == player
                np.testing.assert_array_equal(seen, game.observe(before, player))
                np.testing.assert_array_equal(mask, game.legal_mask(before))
                if expected is not None:
                    assert without_dice(before) == without_dice(expected)
                    assert before["rng"] != expected["rng"]  # nobody sees the dice to come
                    expected = settled(game, game.play(expected, action))
            assert expected is None or state.tobytes() == expected.tobytes()
            watcher.seen.clear()
            assert game.player(state) == env.seat
            np.testing.assert_array_equal(observation, game.observe(state, env.seat))
            np.testing.assert_array_equal(info["action_mask"], game.legal_mask(state))
            np.testing.assert_array_equal(env.action_masks(), game.legal_mask(state) == 1)
            assert env.action_masks().dtype == np.bool_
            assert info.keys() == {"action_mask"}
            action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
            expected = settled(game, game.play(state, action))
            observation, reward, over, truncated, info = env.step(action)
            assert truncated is False
            assert over or reward == 0
        state = env.state()
        rewards.append(reward)
        assert reward == game.payoffs(state)[env.seat]
        assert info["ending"] == game.result(state)
        assert info["truncated_by_cap"] == (game.node(state) == "truncated")
        assert not info["action_mask"].any()
        np.testing.assert_array_equal(observation, game.observe(state, env.seat))
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(action)
    assert min(rewards) < 0


@every_game
def test_random_seats_come_in_turn_and_from_the_seed(name):
    env = make(name)
    seats = [env.reset(seed=seed) and env.seat for seed in range(12 * env.game.num_players)]
    assert set(seats) == set(range(env.game.num_players))
    assert seats == [env.reset(seed=seed) and env.seat for seed in range(12 * env.game.num_players)]


@every_game
@pytest.mark.parametrize("opponents", ["random", "greedy", first_legal])
def test_the_same_seed_gives_the_same_games(name, opponents):
    first, second = make(name, opponents=opponents), make(name, opponents=opponents)
    assert play(first, random.Random(0), seed=5) == play(second, random.Random(0), seed=5)
    assert play(first, random.Random(1)) == play(second, random.Random(1))
    assert play(first, random.Random(1), seed=6) != play(second, random.Random(2), seed=7)


@every_game
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copy_in_mid_game_plays_the_same_game(name, duplicate):
    env, rng = make(name, opponents="greedy"), random.Random(2)
    env.reset(seed=3)
    for _ in range(3):
        random_step(env, rng)
    twin = duplicate(env)
    for _ in range(3):
        action = rng.choice(np.flatnonzero(env.action_masks()).tolist())
        np.testing.assert_array_equal(env.step(action)[0], twin.step(action)[0])
        assert env.state().tobytes() == twin.state().tobytes()
    assert play(env, random.Random(3)) == play(twin, random.Random(3))


@every_game
def test_the_cap_on_turns_is_a_final_end(name):
    env, capped = make(name, max_turns=10), 0
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, truncated, info = random_step(env, random.Random(seed))
        capped += info["truncated_by_cap"]
        assert truncated is False
        assert reward == env.game.payoffs(env.state())[env.seat]
    assert capped


@every_game
def test_an_illegal_action_costs_one_and_ends_the_game(name):
    env = make(name)
    env.reset(seed=1)
    while env.action_masks().all():
        random_step(env, random.Random(0))
    position = env.position
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert (info["ending"], info["truncated_by_cap"]) == ("illegal action", False)
    assert not info["action_mask"].any()
    assert env.position == position
    np.testing.assert_array_equal(observation, env.game.observe(env.state(), env.seat))
    env.reset()
    for wrong in (-1, env.game.num_actions, 0.5, None, "x"):
        with pytest.raises(ValueError, match="action"):
            env.step(wrong)
    random_step(env, random.Random(0))


@every_game
def test_a_position_survives_later_resets(name):
    env, rng = make(name, seat=0), random.Random(4)
    env.reset(seed=2)
    for _ in range(2):
        random_step(env, rng)
    position = env.position
    env.reset(seed=1, options={"position": position, "something else": 1})
    assert env.position == position
    random_step(env, rng)
    env.reset()
    assert env.position == position
    play(env, rng)
    finished = env.position
    before = pickle.dumps((env.state(), env.np_random))
    for wrong in ("no position", finished):
        with pytest.raises(ValueError, match="position"):
            env.reset(seed=9, options={"position": wrong})
        assert pickle.dumps((env.state(), env.np_random)) == before
    env.reset()
    assert env.position == position


@every_game
def test_opponents_sit_in_turn_order_after_the_learner(name):
    others = make_game(name).num_players - 1
    seen = []

    def opponent(place):
        def decide(decisions):
            seen.append((place, int(decisions.player[0])))
            return first_legal(decisions)

        return decide

    env = make(name, opponents=[opponent(place) for place in range(others)], seat=others)
    play(env, random.Random(0), seed=0)
    assert {place for place, _ in seen} == set(range(others))
    assert all(player == (others + 1 + place) % env.game.num_players for place, player in seen)
    mixed = ["greedy", last_legal, "random", greedy_player] * 4
    play(make(name, opponents=mixed[:others]), random.Random(0), seed=0)


@every_game
def test_bad_arguments(name):
    others = make_game(name).num_players - 1
    for wrong in (
        {"opponents": "nobody"},
        {"opponents": ["random"] * (others + 1)},
        {"seat": others + 1},
        {"seat": "first"},
        {"seat": True},
    ):
        with pytest.raises(ValueError, match="|".join(wrong).rstrip("s")):
            make(name, **wrong)
    with pytest.raises(ValueError, match="colour"):
        make(name, colour="red")
    with pytest.raises(ValueError, match="no game"):
        gymnasium.make("boardherd/Herd-v0", game="chess")


@every_game
@pytest.mark.parametrize("answer", [lambda decisions: decisions.action_mask.argmin(axis=1), lambda decisions: [0.5], lambda decisions: 0])
def test_an_opponents_wrong_answer_is_named(name, answer):
    env = make(name, opponents=answer, seat=0)
    with pytest.raises(ValueError, match="player <lambda>"):
        for seed in range(20):
            play(env, random.Random(seed), seed=seed)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
