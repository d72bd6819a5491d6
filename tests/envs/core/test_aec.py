import copy
import importlib
import pickle
import random
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from boardherd.envs import GAMES, make_game

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the tests import PettingZoo's own games in a way it deprecates
    from pettingzoo.test import api_test, seed_test

# Any third-party environment whose observation holds a mask gets these two, and no others are allowed.
pettingzoo_warnings = pytest.mark.filterwarnings(
    "error",
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)
every_game = pytest.mark.parametrize("name", GAMES)


def face(name):
    return importlib.import_module(f"boardherd.envs.{name}_v0")


def random_action(env, rng):
    """A random legal action of the agent to step, None for one whose game is over."""
    observation, _, terminated, truncated, _ = env.last()
    return None if terminated or truncated else rng.choice(np.flatnonzero(observation["action_mask"]).tolist())


def play(env, rng, most=100_000):
    """Random legal moves until all agents are gone. Returns what there was to see."""
    seen = []
    for agent in env.agent_iter(most):
        observation, reward, terminated, truncated, info = env.last()
        assert info.keys() == {"action_mask"}
        seen.append((agent, observation["observation"].tobytes(), info["action_mask"].tobytes(), reward, terminated, truncated))
        env.step(random_action(env, rng))
    return seen


def settled(game, state):
    while game.node(state) == "chance":
        state = game.throw(state)
    return state


def final_position(name, **config):
    """A position at the end of a random game."""
    env = face(name).raw_env(**config)
    env.reset(seed=5)
    rng = random.Random(5)
    while not env.game.is_over(env.state()):
        env.step(random_action(env, rng))
    return env.position


@every_game
@pettingzoo_warnings
def test_pettingzoo_checks_the_interface(name):
    for make in (face(name).env, face(name).raw_env):
        api_test(make(), num_cycles=100)


@every_game
def test_pettingzoo_checks_the_seeds(name):
    seed_test(face(name).env, num_cycles=100)
    seed_test(face(name).raw_env, num_cycles=100)


@every_game
def test_whole_games_follow_the_rules_for_every_agent(name):
    env, rng = face(name).raw_env(), random.Random(3)
    game = env.game
    assert game == make_game(name)
    for seed in range(3):
        env.reset(seed=seed)
        expected = settled(game, game.reseed(game.start(), seed))
        while True:
            state = env.state()
            assert state.tobytes() == expected.tobytes()
            assert env.position == game.position(state)
            mover = game.player(state)
            assert env.agents == env.possible_agents
            for seat, agent in enumerate(env.agents):
                observation = env.observe(agent)
                assert observation in env.observation_space(agent)
                np.testing.assert_array_equal(observation["observation"], game.observe(state, seat))
                mask = game.legal_mask(state) if seat == mover else np.zeros(game.num_actions, np.int8)
                assert observation["action_mask"].dtype == env.infos[agent]["action_mask"].dtype == np.int8
                np.testing.assert_array_equal(observation["action_mask"], mask)
                np.testing.assert_array_equal(env.infos[agent]["action_mask"], mask)
                assert env.infos[agent].keys() == {"action_mask"}
            if mover is None:
                break
            assert env.agent_selection == f"player_{mover}"
            assert all(flag is False for flags in (env.terminations, env.truncations) for flag in flags.values())
            assert not any(env.rewards.values())
            action = rng.choice(game.legal_actions(state).tolist())
            expected = settled(game, game.play(expected, action))
            env.step(np.int32(action) if rng.random() < 0.5 else action)

        payoffs = dict(zip(env.agents, game.payoffs(state).tolist(), strict=True))
        assert env.rewards == payoffs
        assert sum(payoffs.values()) == pytest.approx(0)
        over = (game.node(state) == "terminal", game.node(state) == "truncated")
        for agent in env.possible_agents:  # the loser is told of its loss, whoever moved last
            assert env.agent_selection == agent
            _, reward, terminated, truncated, _ = env.last()
            assert (reward, terminated, truncated) == (payoffs[agent], *over)
            assert isinstance(terminated, bool)
            assert isinstance(truncated, bool)
            env.observe(env.possible_agents[-1])
            env.step(None)
        assert env.agents == []
        env.observe(env.possible_agents[0])  # a removed agent can still look
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(None)


@every_game
def test_the_same_seed_gives_the_same_games(name):
    first, second = face(name).env(), face(name).env()
    for env in (first, second):
        env.reset(seed=11)
    assert play(first, random.Random(0)) == play(second, random.Random(0))
    for env in (first, second):
        env.reset()  # goes on with the generator
    assert play(first, random.Random(1)) == play(second, random.Random(1))


@every_game
def test_no_generator_but_its_own(name):
    numpy_before, python_before = np.random.get_state()[1].tobytes(), random.getstate()
    env = face(name).raw_env()
    env.reset()
    other = face(name).raw_env()
    other.reset()
    assert env.state()["rng"] != other.state()["rng"]
    env.reset(seed=1)
    first = env.state()["rng"]
    env.step(random_action(env, random.Random(0)))
    env.reset(seed=1)
    assert env.state()["rng"] == first
    assert np.random.get_state()[1].tobytes() == numpy_before
    assert random.getstate() == python_before
    for seed in (-1, 1.5):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    assert env.state()["rng"] == first


@every_game
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copy_in_mid_game_plays_the_same_game(name, duplicate):
    for make in (face(name).raw_env, face(name).env):
        env = make()
        env.reset(seed=4)
        rng = random.Random(4)
        for _ in range(9):
            env.step(random_action(env, rng))
        before = env.unwrapped.state().tobytes()
        twin = duplicate(env)
        play(duplicate(env), random.Random(1))
        assert env.unwrapped.state().tobytes() == before
        assert play(env, random.Random(2)) == play(twin, random.Random(2))
        env.reset()
        twin.reset()
        assert env.unwrapped.state().tobytes() == twin.unwrapped.state().tobytes()


@every_game
def test_spaces_are_the_same_objects_each_time_and_tell_the_true_bounds(name):
    env = face(name).env()
    env.reset(seed=0)
    game = env.unwrapped.game
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent) == gymnasium.spaces.Discrete(game.num_actions)
        box = env.observation_space(agent)["observation"]
        assert box.dtype == np.int8
        np.testing.assert_array_equal(box.low, game.observation_low)
        np.testing.assert_array_equal(box.high, game.observation_high)
    assert len({id(env.action_space(agent)) for agent in env.possible_agents}) == env.max_num_agents  # each samples for itself


@every_game
def test_metadata(name):
    env = face(name).env(render_mode="ansi")
    assert env.metadata["name"] == str(env) == f"{name}_v0"
    assert set(env.metadata["render_modes"]) == {"ansi", "rgb_array", "human"}
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_fps"] > 0
    assert env.render_mode == "ansi"


@every_game
def test_what_was_handed_out_can_be_overwritten(name):
    env, untouched = face(name).raw_env(), face(name).raw_env()
    for each in (env, untouched):
        each.reset(seed=2)
    rng = random.Random(2)
    for _ in range(40):
        action = random_action(env, rng)
        observation, *_, info = env.last()
        for array in (observation["observation"], observation["action_mask"], info["action_mask"], env.state()["payoff"]):
            array[...] = 1
        env.step(action)
        untouched.step(action)
        assert env.state().tobytes() == untouched.state().tobytes()
        agent = env.agent_selection
        np.testing.assert_array_equal(env.observe(agent)["action_mask"], untouched.observe(agent)["action_mask"])


@every_game
def test_a_wrong_action_is_named_and_changes_nothing(name):
    env = face(name).raw_env()
    env.reset(seed=6)
    rng = random.Random(6)
    for _ in range(5):
        env.step(random_action(env, rng))
    game, state = env.game, env.state()
    illegal = np.flatnonzero(game.legal_mask(state) == 0)
    before = pickle.dumps((state, env.rewards, env._cumulative_rewards, env.agent_selection, env.terminations))
    for action in (int(illegal[0]), np.int64(illegal[-1]), -1, game.num_actions, 10**30, 1.5, "x", None, True, [0], np.zeros(2, int)):
        with pytest.raises(ValueError, match="legal") as refusal:
            env.step(action)
        assert env.position in str(refusal.value)
        assert all(text in str(refusal.value) for text in game.moves(state))
        assert pickle.dumps((env.state(), env.rewards, env._cumulative_rewards, env.agent_selection, env.terminations)) == before
    env.step(np.array(game.legal_actions(state)[0]))


@every_game
def test_an_illegal_move_ends_a_wrapped_game_and_the_next_one_is_clean(name):
    env = face(name).env()
    env.reset(seed=7)
    rng = random.Random(7)
    for _ in range(4):
        env.step(random_action(env, rng))
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0]))
    told = {}
    for agent in env.agent_iter():
        _, told[agent], terminated, truncated, _ = env.last()
        assert (terminated, truncated) == (True, True)
        env.step(None)
    assert told == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}

    clean = face(name).env()
    for each in (env, clean):
        each.reset(seed=8)
    assert play(env, random.Random(8)) == play(clean, random.Random(8))
    with pytest.raises(AssertionError, match="action space"):
        env.reset()
        env.step(env.unwrapped.game.num_actions)


@every_game
def test_a_position_survives_later_resets(name):
    env = face(name).raw_env()
    env.reset(seed=9)
    rng = random.Random(9)
    for _ in range(6):
        env.step(random_action(env, rng))
    position = env.position
    env.reset(seed=1, options={"position": position, "something else": 1})
    assert env.position == position
    env.step(random_action(env, rng))
    env.reset()
    assert env.position == position
    for wrong in ("no position", "", 7):
        before = pickle.dumps((env.state(), env.agent_selection, env.infos))
        with pytest.raises(ValueError, match="position"):
            env.reset(seed=3, options={"position": wrong})
        assert pickle.dumps((env.state(), env.agent_selection, env.infos)) == before
    env.reset(seed=2)
    assert env.position == position
    env.reset(seed=2, options={})
    fresh = face(name).raw_env()
    fresh.reset(seed=2)
    assert env.state().tobytes() == fresh.state().tobytes()


@every_game
def test_a_game_can_be_over_before_it_begins(name):
    env = face(name).env()
    position = final_position(name)
    env.reset(options={"position": position})
    game = env.unwrapped.game
    payoffs = game.payoffs(game.from_position(position))
    assert all(a or b for a, b in zip(env.terminations.values(), env.truncations.values(), strict=True))
    seen = play(env, random.Random(0))
    assert [agent for agent, *_ in seen] == env.possible_agents
    assert [entry[3] for entry in seen] == payoffs.tolist()


@every_game
def test_the_cap_on_turns_truncates(name):
    env = face(name).env(max_turns=2)
    env.reset(seed=0)
    seen = play(env, random.Random(0))[-env.max_num_agents :]
    assert all((terminated, truncated) == (False, True) for *_, terminated, truncated in seen)
    assert sum(entry[3] for entry in seen) == pytest.approx(0)
    last = face(name).raw_env(max_turns=2)
    last.reset(options={"position": final_position(name, max_turns=2)})
    assert all(last.truncations.values())
    assert not any(last.terminations.values())


@every_game
def test_bad_arguments(name):
    with pytest.raises(ValueError, match="colour"):
        face(name).env(colour="red")
    with pytest.raises(ValueError, match="max_turns"):
        face(name).env(max_turns=0)
    with pytest.raises(ValueError, match="render_mode"):
        face(name).env(render_mode="film")
    with pytest.raises(AttributeError):
        face(name).env().agents  # noqa: B018
    with pytest.raises(gymnasium.error.ResetNeeded):
        face(name).raw_env().step(0)


@every_game
@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27 on")
def test_pettingzoo_makes_it_by_its_id(name):
    env = pettingzoo.make("aec", f"boardherd/{name.capitalize()}-v0", max_turns=4)
    assert str(env) == f"{name}_v0"
    assert env.unwrapped.game == make_game(name, max_turns=4)


def test_import_brings_in_nothing_heavy():
    code = (
        "import sys, boardherd.envs\n"
        "heavy = {'pygame', 'resvg_py', 'torch', 'matplotlib'} | {f'boardherd.envs.{game}.rules' for game in boardherd.envs.GAMES}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "from boardherd.envs import herd_v0\n"
        "env = herd_v0.env(render_mode='ansi'); env.reset(); env.step(30); env.render()\n"
        "print(sorted({'pygame', 'resvg_py', 'torch', 'matplotlib'} & set(sys.modules)))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == ["[]", "[]"]
