"""What every game owes its users, seen through ``Game``: each registered game in each configuration, played at random."""

import copy
import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.core import loops
from boardherd.envs.core.game import Game, State

NODES_LOOKED_AT = 80


def next_state(game: Game, state: State, random: np.random.Generator) -> State:
    return game.throw(state) if game.node(state) == "chance" else game.play(state, random.choice(game.legal_actions(state)))


def nodes(game: Game, seed: int, most: int = 20_000) -> Iterator[State]:
    """A random game, node by node, as long as it lasts."""
    random = np.random.default_rng(seed)
    state = game.reseed(game.start(), seed)
    for _ in range(most):
        yield state
        if game.is_over(state):
            return
        state = next_state(game, state, random)


def some_nodes(game: Game, seed: int) -> list[State]:
    """Nodes spread over a whole random game, the first and the last among them."""
    every = list(nodes(game, seed))
    return [every[i] for i in np.unique(np.linspace(0, len(every) - 1, NODES_LOOKED_AT).astype(int))]


def check_observations(game: Game, state: State) -> None:
    for player in range(game.num_players):
        seen = game.observe(state, player)
        assert (seen.dtype, seen.shape) == (np.int8, game.observation_shape)
        assert (seen >= game.observation_low).all()
        assert (seen <= game.observation_high).all()
        for plane in game.broadcast_planes:
            assert (seen[plane] == seen[plane].flat[0]).all()


def check_decision(game: Game, state: State) -> None:
    moves, legal = game.moves(state), game.legal_actions(state)
    assert game.player(state) in range(game.num_players)
    assert list(moves.values()) == legal.tolist(), "two moves share a text"
    assert len(legal) >= 1
    assert not game.chances(state)
    for text, action in moves.items():
        assert game.action_text(state, action) == text


def check_chance(game: Game, state: State) -> None:
    weights = np.empty(game.rules.num_outcomes)
    count = loops.chance_one(game.rules, state, weights)
    chances = game.chances(state)
    assert len(chances) == count, "two outcomes share a text"
    assert min(chances.values()) >= 0
    assert sum(chances.values()) == pytest.approx(1, abs=1e-12)
    assert game.player(state) is None
    assert not game.moves(state)
    assert not game.legal_mask(state).any()


def check_payoffs(game: Game, state: State) -> None:
    payoffs = game.payoffs(state)
    assert (payoffs.dtype, payoffs.shape) == (np.float64, (game.num_players,))
    assert payoffs.sum() == pytest.approx(0, abs=1e-9)
    assert np.abs(payoffs).max() <= 1
    assert game.is_over(state) or not payoffs.any()
    assert bool(game.result(state)) == game.is_over(state)


def test_every_node_of_a_random_game(game):
    for state in some_nodes(game, 1):
        check_observations(game, state)
        check_payoffs(game, state)
        {"decision": check_decision, "chance": check_chance}.get(game.node(state), lambda *_: None)(game, state)


def test_a_position_text_stands_for_its_position(game):
    for state in some_nodes(game, 2):
        text = game.position(state)
        remembers = "history" in state.dtype.names  # what a text leaves out: it may forbid moves, and end a game by that
        if remembers and game.is_over(state):
            continue
        read = game.from_position(text)
        assert game.position(read) == text
        assert (game.node(read), game.player(read), game.turn(read)) == (game.node(state), game.player(state), game.turn(state))
        assert game.payoffs(read) == pytest.approx(game.payoffs(state))
        for player in range(game.num_players):
            assert (game.observe(read, player) == game.observe(state, player)).all()
        moves = game.moves(state)
        assert moves.items() <= game.moves(read).items() if remembers else moves == game.moves(read)


def test_replay_by_text_and_by_index_gives_the_same_bytes(game):
    random = np.random.default_rng(3)
    by_text = by_index = game.new(3)
    for _ in range(200):
        if game.is_over(by_text):
            break
        if game.node(by_text) == "chance":
            outcome = str(random.choice(list(game.chances(by_text))))
            by_text, by_index = game.resolve(by_text, outcome), game.resolve(by_index, outcome)
        else:
            moves = list(game.moves(by_text).items())
            text, action = moves[random.integers(len(moves))]
            by_text, by_index = game.play(by_text, text), game.play(by_index, action)
        assert by_text.tobytes() == by_index.tobytes()


def test_start_leaves_nothing_of_what_was_there(game):
    clean, dirty = np.zeros(1, game.state_dtype), np.full(game.state_dtype.itemsize, 0xAB, np.uint8).view(game.state_dtype)
    dirty["rng"] = 0
    loops.start_one(game.rules, clean)
    loops.start_one(game.rules, dirty)
    assert clean.tobytes() == dirty.tobytes()


def test_a_used_record_started_anew_is_a_new_one(game):
    *_, end = nodes(game, 4)
    end["rng"] = game.start()["rng"]
    loops.start_one(game.rules, end)
    assert end.tobytes() == game.start().tobytes()


def test_the_same_seed_gives_the_same_game(game):
    first, again, other = ([state.tobytes() for state in nodes(game, seed, most=200)] for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_a_copy_replays_the_same_dice(game):
    state = game.new(7)
    for twin in (state.copy(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        left, right = (np.random.default_rng(8) for _ in range(2))
        one = state
        for _ in range(60):
            if game.is_over(one):
                break
            one, twin = next_state(game, one, left), next_state(game, twin, right)
            assert one.tobytes() == twin.tobytes()


def test_reseeding_changes_the_dice_and_nothing_else(game):
    state = game.new(9)
    reseeded = game.reseed(state, 10)
    assert reseeded["rng"] != state["rng"]
    reseeded["rng"] = state["rng"]
    assert reseeded.tobytes() == state.tobytes()
    assert game.reseed(state, 10).tobytes() == game.reseed(game.reseed(state, 11), 10).tobytes()


def test_no_method_changes_the_state_given_to_it(game):
    for state in some_nodes(game, 12)[:20]:
        before = state.tobytes()
        game.moves(state), game.chances(state), game.position(state), game.observe(state, 0), game.reseed(state, 1)
        if not game.is_over(state):
            next_state(game, state, np.random.default_rng(0))
        assert state.tobytes() == before


def test_an_illegal_action_is_refused_with_the_legal_ones_named(game):
    state = game.new(13)
    illegal = np.flatnonzero(game.legal_mask(state) == 0)[:1].tolist()
    for action in (*illegal, -1, game.num_actions, 1.0, True, None, "no such move"):
        with pytest.raises(ValueError, match="is not legal in") as refusal:
            game.play(state, action)
        for text, index in game.moves(state).items():
            assert f"{text} ({index})" in str(refusal.value)
        assert game.position(state) in str(refusal.value)


def test_what_does_not_fit_the_node_is_refused(game):
    *_, end = nodes(game, 14)
    for state in (game.new(15), end):
        with pytest.raises(ValueError, match="cannot happen at"):
            game.resolve(state, "no such outcome")
        with pytest.raises(ValueError, match="nothing is thrown"):
            game.throw(state)
    with pytest.raises(ValueError, match="cannot be played at"):
        game.play(end, 0)
    for player in (-1, game.num_players):
        with pytest.raises(ValueError, match="player"):
            game.observe(end, player)


@pytest.mark.parametrize("text", ["", " ", "nonsense", "0 0 0 0 0 0 0", "\n", "é", "9" * 400])
def test_a_text_that_is_no_position_is_refused(game_name, text):
    with pytest.raises(ValueError, match=f"^{game_name} position"):
        make_game(game_name).from_position(text)


def test_a_tiny_cap_on_turns_ends_the_game(game_name):
    game = make_game(game_name, max_turns=2)
    *_, end = nodes(game, 16)
    assert (game.node(end), game.turn(end)) == ("truncated", 2) or game.node(end) == "terminal"
    check_payoffs(game, end)
    check_observations(game, end)


def test_the_config_is_checked(game_name):
    with pytest.raises(ValueError, match="has no option 'colour'"):
        make_game(game_name, colour="red")
    with pytest.raises(ValueError, match="max_turns"):
        make_game(game_name, max_turns=0)
    with pytest.raises(ValueError, match="max_turns"):
        make_game(game_name, max_turns="many")
    with pytest.raises(ValueError, match="did you mean"):
        make_game(game_name + "x")


def test_a_game_is_a_value(game):
    assert pickle.loads(pickle.dumps(game)) == game == make_game(game.name, **game.config)
    assert hash(game) == hash(make_game(game.name, **game.config))
    assert repr(game).startswith(f"make_game({game.name!r}")
