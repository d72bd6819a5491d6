"""The games in OpenSpiel: they pass its own tests, and are the same games as ours."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel
from boardherd.envs import GAMES, make_game
from boardherd.envs.adapters.openspiel import encode_position
from open_spiel.python.algorithms import mcts
from open_spiel.python.rl_environment import Environment

SMALL = {
    "herd": {"size": 3},
    "chopat": {"num_players": 2, "men": 1},
    "berd": {"num_players": 3, "tokens": 2, "path": 16},
    "bikido": {"max_turns": 12},
}
REACHES_BIRD = "7/3B3/3a3/7/7/7/7/7/7/b6/7/3A3/7 a - 0"  # d11 to d12 wins


def load(name, **options):
    return pyspiel.load_game(f"boardherd_{name}", options or SMALL[name])


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_test(name):
    pyspiel.random_sim_test(load(name), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", GAMES)
def test_the_same_game(name):
    random = np.random.default_rng(1)
    game, rules = load(name), make_game(name, **SMALL[name])
    state, record = game.new_initial_state(), rules.start()
    seen = 0
    while not state.is_terminal():
        assert str(state) == rules.position(record)
        if state.is_chance_node():
            outcomes = dict(state.chance_outcomes())
            texts = [state.action_to_string(outcome) for outcome in outcomes]
            assert dict(zip(texts, outcomes.values(), strict=True)) == rules.chances(record)
            action = int(random.choice(list(outcomes)))
            assert state.string_to_action(texts[action]) == action
            record = rules.resolve(record, texts[action])
        else:
            player = rules.player(record)
            assert state.current_player() == player
            assert state.legal_actions() == rules.legal_actions(record).tolist()
            assert all(state.string_to_action(state.action_to_string(action)) == action for action in state.legal_actions())
            for seat in range(rules.num_players):
                assert bool(state.legal_actions(seat)) == (seat == player)
                tensor = np.array(state.observation_tensor(seat)).reshape(game.observation_tensor_shape())
                np.testing.assert_allclose(tensor * np.maximum(rules.observation_high, 1), rules.observe(record, seat), atol=1e-4)
                assert np.abs(tensor).max() <= 1
            action = int(random.choice(state.legal_actions()))
            record = rules.play(record, action)
            seen += 1
        state.apply_action(action)
    assert seen > 5
    assert state.returns() == rules.payoffs(record).tolist()
    assert sum(state.returns()) == pytest.approx(0)
    assert max(state.returns()) <= game.max_utility()
    assert min(state.returns()) >= game.min_utility()


def test_kinds_and_numbers():
    kinds = {name: load(name).get_type() for name in GAMES}
    assert kinds["bikido"].chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert kinds["herd"].chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert (kinds["berd"].min_num_players, kinds["berd"].max_num_players) == (2, 16)
    assert (kinds["herd"].min_num_players, kinds["herd"].max_num_players) == (2, 2)
    assert load("berd", num_players=16).num_players() == 16


def test_names_and_parameters():
    game = pyspiel.load_game("boardherd_chopat(mouth_up_probability=0.3,safe_flowers=False)")
    assert game.rules == make_game("chopat", mouth_up_probability=0.3, safe_flowers=False)
    assert pyspiel.load_game(str(game)) == game
    with pytest.raises(ValueError, match=r"herd option size: .* got 99"):
        load("herd", size=99)
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'sise'"):
        load("herd", sise=3)


def test_a_game_that_the_cap_ended_is_terminal_with_the_rules_payoffs():
    state = load("herd", size=3, max_turns=2).new_initial_state()
    while not state.is_terminal():
        state.apply_action(20 if state.is_chance_node() else state.legal_actions()[0])  # two sixes: a places six, b takes and places six
    assert state.get_game().rules.node(state.record) == "truncated"
    assert state.returns() == [-1.0, 1.0]
    assert state.current_player() == pyspiel.PlayerId.TERMINAL


def test_positions():
    stacks = "7/3B3/3(aaa)3/7/7/7/7/7/7/b6/7/3A3/7 a - 4"
    for game in (load("bikido", position=encode_position(stacks)), load("bikido", start=encode_position(stacks))):
        assert str(game.new_initial_state()) == stacks
        assert pyspiel.load_game(str(game)) == game
    assert str(load("bikido").new_initial_state(stacks)) == stacks
    with pytest.raises(ValueError, match="bikido position"):
        load("bikido").new_initial_state("nonsense")
    with pytest.raises(ValueError, match="herd position"):
        load("herd", position=encode_position("nonsense"))


def test_copies_are_apart_and_saved_states_go_on():
    game = load("herd")
    state = game.new_initial_state()
    state.apply_action(12)
    copy, (_, saved), pickled = state.clone(), pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state)), None
    pickled = pickle.loads(pickle.dumps(state))
    before = str(state)
    action = state.legal_actions()[3]
    state.apply_action(action)
    assert str(copy) == str(saved) == str(pickled) == before != str(state)
    for other in (copy, saved, pickled):
        other.apply_action(action)
        assert (str(other), other.history()) == (str(state), state.history())


def test_an_illegal_action_is_refused():
    state = load("herd").new_initial_state()
    state.apply_action(0)
    with pytest.raises(ValueError, match="action 400 is not legal in herd position"):
        state.apply_action(400)


def test_its_tree_search_finds_a_win():
    state = load("bikido").new_initial_state(REACHES_BIRD)
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(state.get_game(), 2, 300, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    state.apply_action(bot.step(state))
    assert state.returns() == [1.0, -1.0]


def test_its_learning_environment():
    env = Environment(load("berd"), enable_legality_check=True)
    step, random = env.reset(), np.random.RandomState(1)
    while not step.last():
        step = env.step([random.choice(step.observations["legal_actions"][step.current_player()])])
    assert sum(step.rewards) == pytest.approx(0)
    assert max(step.rewards) > 0


def test_the_process_ends_well():
    code = "import boardherd.envs.adapters.openspiel, pyspiel; print(pyspiel.load_game('boardherd_herd').num_players())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "2", "")
