"""Herd by hand-made cases and by invariants that hold in every game."""

import itertools

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.herd import features as features_of
from hypothesis import given, settings
from hypothesis import strategies as st

SIZES = st.integers(2, 4)
SEEDS = st.integers(0, 2**32)


def played(game, seed, moves):
    """A game played at random for some moves: its states, the last first."""
    random = np.random.default_rng(seed)
    states = [game.new(seed)]
    while len(states) <= moves and not game.is_over(states[-1]):
        state = states[-1]
        states.append(
            game.throw(state) if game.node(state) == "chance" else game.play(state, int(random.choice(game.legal_actions(state))))
        )
    return states


def stones(game, state):
    rows = game.position(state).split()[0]
    return rows.count("x"), rows.count("o")


def neighbours(size, cell):
    cells = [(u, v) for v in range(2 * size - 1) for u in range(2 * size - 1) if size - 1 <= u + v <= 3 * size - 3]
    u, v = cells[cell]
    near = [(u - 1, v), (u - 1, v + 1), (u, v + 1), (u + 1, v), (u + 1, v - 1), (u, v - 1)]
    return [cells.index(other) for other in near if other in cells]


def board(game, state):
    observation = game.observe(state, 0)
    inside = observation[3] == 1
    return observation[0][inside] - observation[1][inside].astype(int)  # 1 Black, -1 White, by cell index


@settings(max_examples=25, deadline=None)
@given(SIZES, SEEDS)
def test_legal_moves_follow_from_the_board(size, seed):
    game = make_game("herd", size=size)
    for state in played(game, seed, 60):
        if game.node(state) != "decision":
            continue
        cells, own = board(game, state), 1 if game.player(state) == 0 else -1
        _, _, remove, _, _ = game.position(state).split()
        if remove != "0":
            expected = np.flatnonzero(cells == -own)
        else:
            expected = [c for c in range(len(cells)) if cells[c] == 0 and any(cells[n] in (0, own) for n in neighbours(size, c))]
        assert game.legal_actions(state).tolist() == list(expected)
        assert len(expected) > 0


@settings(max_examples=25, deadline=None)
@given(SIZES, SEEDS)
def test_stones_change_by_removals_placements_and_captures_only(size, seed):
    game = make_game("herd", size=size)
    states = played(game, seed, 60)
    for before, after in itertools.pairwise(states):
        if game.node(before) != "decision":
            assert stones(game, before) == stones(game, after)
            continue
        own = game.player(before)
        gained = stones(game, after)[own] - stones(game, before)[own]
        lost = stones(game, before)[1 - own] - stones(game, after)[1 - own]
        removing = game.position(before).split()[2] != "0"
        assert (gained, lost) == (0, 1) if removing else gained == 1 and 0 <= lost <= 3
        place_before, place_after = int(game.position(before).split()[3]), game.position(after).split()[3]
        if not removing and game.node(after) == "decision" and place_after != "?" and game.player(after) == own:
            assert int(place_after) == place_before - 1 + lost


@settings(max_examples=25, deadline=None)
@given(SIZES, SEEDS)
def test_both_players_see_the_same_board_from_their_side(size, seed):
    game = make_game("herd", size=size)
    for state in played(game, seed, 40):
        black, white = game.observe(state, 0), game.observe(state, 1)
        np.testing.assert_array_equal(black[[0, 1, 2, 3, 7, 8]], white[[1, 0, 2, 3, 8, 7]])


@settings(max_examples=25, deadline=None)
@given(SIZES, SEEDS)
def test_swapping_colours_and_players_swaps_observations(size, seed):
    game = make_game("herd", size=size)
    swap = str.maketrans("xoab", "oxba")
    for state in played(game, seed, 40):
        rows, player, remove, place, turn = game.position(state).split()
        if int(turn) in (0, game.config["max_turns"]) or game.is_over(state):
            continue
        mirrored = game.from_position(f"{rows.translate(swap)} {player.translate(swap)} {remove} {place} {int(turn) + 1}")
        for seat in (0, 1):
            np.testing.assert_array_equal(game.observe(state, seat), game.observe(mirrored, 1 - seat))
        np.testing.assert_array_equal(game.legal_mask(state), game.legal_mask(mirrored))


@settings(max_examples=15, deadline=None)
@given(SIZES, SEEDS)
def test_replay_by_text_and_by_index_gives_the_same_bytes(size, seed):
    game = make_game("herd", size=size)
    states = played(game, seed, 50)
    state = states[0]
    for following in states[1:]:
        if game.node(state) == "chance":
            state = game.throw(state)
        else:
            by_text = [text for text in game.moves(state) if game.play(state, text).tobytes() == following.tobytes()]
            assert by_text
            state = game.play(state, by_text[0])
        assert state.tobytes() == following.tobytes()


def test_action_features_tell_what_a_move_does():
    game = make_game("herd", size=3)
    state = game.from_position("xx1/xoxx/1x1ox/xoxx/xx1 a 0 1 6")
    legal = game.legal_mask(state)
    features = np.zeros((legal.sum(), len(game.action_feature_high)), np.int8)
    features_of.observe_actions(game.rules, state[0], legal, np.zeros(2, game.state_dtype), features.reshape(-1))
    centre = features[list(game.moves(state)).index("+c3")]
    assert centre.tolist() == [0, 3, 3, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 1}, "size"),
        ({"size": 9}, "size"),
        ({"size": 5.0}, "size"),
        ({"max_turns": 3}, "even"),
        ({"max_turns": 0}, "max_turns"),
        ({"colour": 1}, "no option 'colour'; it has size, max_turns"),
    ],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_game("herd", **options)
