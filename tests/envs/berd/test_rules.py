"""Berd's rules: properties of random play, and a hand-made case for each numbered ruling."""

import random
import re

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.berd import players
from boardherd.envs.berd.drawing import ansi, draw, status
from boardherd.envs.berd.rules import MAX_PATH, MAX_PLAYERS
from hypothesis import given, settings
from hypothesis import strategies as st

LETTERS = "abcdefghijklmnop"


@st.composite
def games(draw):
    return make_game(
        "berd",
        num_players=draw(st.sampled_from([2, 3, 4, 7, 16])),
        tokens=draw(st.integers(2, 11)),
        path=draw(st.sampled_from([16, 28, 40, 64])),
        max_turns=draw(st.sampled_from([3, 40, 1000])),
    )


def random_game(game, seed):
    """Every state of a game played at random, and how the next one was reached (None at the end)."""
    dice = random.Random(seed)
    state = game.start()
    while not game.is_over(state):
        if game.node(state) == "decision":
            step = dice.choice(list(game.moves(state)))
            after = game.play(state, step)
        else:
            chances = game.chances(state)
            step = dice.choices(list(chances), list(chances.values()))[0]
            after = game.resolve(state, step)
        yield state, step
        state = after
    yield state, None


def after(game, position, *steps):
    state = game.from_position(position)
    for step in steps:
        state = game.play(state, step) if game.node(state) == "decision" else game.resolve(state, step)
    return state


def small(**options):
    return make_game("berd", **({"num_players": 2, "tokens": 3, "path": 16} | options))


def counts(text):
    return {letter: int(number) for letter, number in re.findall("([a-p])([0-9]+)", text)}


def written(numbers):
    return "".join(f"{letter}{number}" for letter, number in sorted(numbers.items())) or "-"


def renumbered(game, position, shift):
    """The same position with player i as player i + shift."""
    n = game.num_players
    corners, starts, towers, piles, player, phase, turn = position.split()

    def new(letter):
        return LETTERS[(LETTERS.index(letter) + shift) % n]

    def moved(parts):
        return [parts[(i - shift) % n] for i in range(n)]

    def recoloured(text):
        return written({new(letter): number for letter, number in counts(text).items()})

    def tower(text):
        square, own, captives = re.fullmatch("([0-9]+):([a-p][0-9]+)(.*)", text).groups()
        return f"{square}:{recoloured(own)}{recoloured(captives) if captives else ''}"

    kind, *parts = phase.split(":")
    if kind in ("order", "corner"):
        parts = ["".join(new(letter) for letter in parts[0])]
    elif kind == "split":
        parts[3] = recoloured(parts[3])
    elif kind == "give":
        parts[1] = new(parts[1])
    return " ".join(
        (
            "".join(moved(corners)),
            ",".join(moved(starts.split(","))),
            ",".join(tower(text) for text in towers.split(",")) if towers != "-" else "-",
            "/".join(recoloured(pile) for pile in moved(piles.split("/"))),
            new(player) if player != "?" else "?",
            ":".join([kind, *parts]),
            turn,
        )
    )


def turned(game, position):
    """The same position with everything moved on by a quarter of the path."""
    path = game.config["path"]
    corners, starts, towers, piles, player, phase, turn = position.split()

    def on(square):
        return (int(square) + path // 4) % path

    placed = sorted((on(square), tower) for square, tower in (text.split(":") for text in towers.split(",") if text != "-"))
    kind, *parts = phase.split(":")
    if kind == "split":
        parts[1] = str(on(parts[1]))
    corners = "".join(corner if corner == "-" else "1230"[int(corner)] for corner in corners)
    towers = ",".join(f"{square}:{tower}" for square, tower in placed) or "-"
    return " ".join((corners, starts, towers, piles, player, ":".join([kind, *parts]), turn))


@settings(max_examples=10, deadline=None)
@given(games(), st.integers(0, 10**6))
def test_tokens_are_conserved_and_counts_fit_the_board(game, seed):
    n, path = game.num_players, game.config["path"]
    for state, _ in random_game(game, seed):
        record = state[0]
        captives, piles = record["captives"].reshape(MAX_PATH, MAX_PLAYERS), record["piles"].reshape(MAX_PLAYERS, MAX_PLAYERS)
        assert (record["load"] == captives.sum(1)).all()
        assert ((record["owner"] >= 0) == (record["top"] > 0)).all()
        assert (captives[record["owner"] < 0] == 0).all()
        for colour in range(n):
            owned = record["owner"] == colour
            assert record["towers"][colour] == owned.sum()
            assert (captives[owned, colour] == 0).all()  # recovered tokens are on top
            total = record["starts"][colour] + record["top"][owned].sum() + captives[:, colour].sum() + piles[:, colour].sum()
            assert total == game.config["tokens"]
        assert not record["starts"][n:].any() and not captives[:, n:].any() and not captives[path:].any()
        assert not piles[n:].any() and not piles[:, n:].any()


@settings(max_examples=10, deadline=None)
@given(games(), st.integers(0, 10**6))
def test_every_decision_has_a_legal_move_and_texts_replay_as_indices(game, seed):
    replayed = game.start()
    for state, step in random_game(game, seed):
        assert replayed.tobytes() == state.tobytes()
        if game.node(state) == "decision":
            moves = game.moves(state)
            assert moves
            assert list(moves.values()) == list(game.legal_actions(state))
            replayed = game.play(replayed, moves[step])
        elif step is not None:
            replayed = game.resolve(replayed, step)


@settings(max_examples=10, deadline=None)
@given(games(), st.integers(0, 10**6))
def test_a_position_read_from_its_text_is_the_same_state(game, seed):
    for state, _ in random_game(game, seed):
        read = game.from_position(game.position(state))
        read["rng"] = state["rng"]
        assert read.tobytes() == state.tobytes()


@settings(max_examples=6, deadline=None)
@given(games(), st.integers(0, 10**6), st.integers(1, 15))
def test_everybody_sees_the_same_after_renumbering(game, seed, shift):
    for state, _ in random_game(game, seed):
        other = game.from_position(renumbered(game, game.position(state), shift))
        assert (game.legal_mask(other) == game.legal_mask(state)).all()
        for player in range(game.num_players):
            seen = game.observe(other, (player + shift) % game.num_players)
            assert (seen == game.observe(state, player)).all()


@settings(max_examples=6, deadline=None)
@given(games(), st.integers(0, 10**6))
def test_everybody_with_a_corner_sees_the_same_after_turning_the_board(game, seed):
    for state, _ in random_game(game, seed):
        other = game.from_position(turned(game, game.position(state)))
        assert (game.legal_mask(other) == game.legal_mask(state)).all()
        for player in range(game.num_players):
            if state["corners"][0, player] >= 0:
                assert (game.observe(other, player) == game.observe(state, player)).all()


@settings(max_examples=6, deadline=None)
@given(games(), st.integers(0, 10**6))
def test_pictures_tell_every_tower_and_the_status(game, seed):
    for number, (state, step) in enumerate(random_game(game, seed)):
        if number % 25 and step is not None:
            continue
        text = ansi(game.rules, state[0])
        for square in np.flatnonzero(state["owner"][0] >= 0):
            owner, top = state["owner"][0, square], state["top"][0, square]
            assert f"\n  {square}: {LETTERS[owner]}{top}" in text
        assert text.endswith(status(game.rules, state[0]))
        assert draw(game.rules, state[0]).svg().startswith("<svg")


def test_b2_each_player_is_drawn_once_and_then_chooses_a_corner():
    game = small(num_players=3)
    state = game.start()
    assert game.chances(state) == pytest.approx({"next a": 1 / 3, "next b": 1 / 3, "next c": 1 / 3})
    state = game.resolve(state, "next b")
    assert list(game.moves(state)) == ["corner 0", "corner 1", "corner 2", "corner 3"]
    state = game.play(state, "corner 3")
    assert game.chances(state) == pytest.approx({"next a": 1 / 2, "next c": 1 / 2})
    state = game.play(game.resolve(state, "next c"), "corner 3")
    assert game.chances(state) == {"next a": 1}
    state = game.play(game.resolve(state, "next a"), "corner 0")
    assert game.position(state) == "033 3,3,3 - -/-/- b roll 0"


def test_b2_a_stack_is_off_the_board_until_its_corner_is_chosen():
    game = small()
    before, later = game.start(), after(game, "-- 3,3 - -/- ? order: 0", "next a", "corner 0")
    assert not game.observe(before, 0)[: 16 * 10].any()
    assert np.flatnonzero(game.observe(later, 1)[: 16 * 10]).tolist() == [2 * 2 + 1 + 1, 3 * 2 + 1 + 1]


def test_b3_a_berd_is_jumped_but_not_landed_on():
    assert list(small().moves(after(small(), "02 2,1 5:a1,7:b2 -/- a roll 3", "2-4"))) == ["2@start", "4@start", "4@5"]


def test_b4_the_order_of_the_dice_is_free_even_if_it_loses_one():
    game = small()
    state = after(game, "02 0,1 1:a1,4:b2 a2/- a roll 3", "3-5")
    assert list(game.moves(state)) == ["5@1"]
    assert game.position(game.play(state, "5@1")) == "02 0,1 4:b2,6:a1 a2/- a move:3 3"


def test_b5_the_only_own_token_above_captives_cannot_be_given():
    game = small()
    bare = after(game, "02 2,0 6:b1,9:b1,14:a1 -/b1 a move:2 5", "2@14")
    assert list(game.moves(bare)) == ["give 9 b", "give 6 b", "give pile b"]  # seen from b's corner 8
    loaded = after(game, "02 1,1 6:b1a1,14:a1 -/b1 a move:2 5", "2@14")
    assert list(game.moves(loaded)) == ["give start", "give 6 a", "give pile b"]


def test_b6_recovered_tokens_come_to_the_top_and_go_on_from_there():
    state = after(small(), "02 0,2 4:a1,7:b1a2 -/- a move:3,3 9", "3@4")
    assert small().position(state) == "02 0,2 7:a3b1 -/- a move:3 9"


def test_b7_coming_home_is_never_blocked_and_captures_nothing():
    game = small()
    state = after(game, "02 0,1 0:b1,14:a1 a2/b1 a move:6 9", "6@14", "give 0 b")
    assert game.position(state) == "02 0,1 - a3b1/b1 ? over 9"
    state = after(game, "00 1,1 5:b2,14:a1 a1/- a move:2 9", "2@14", "give 5 b")
    assert game.position(state) == "00 1,1 5:b1 a2b1/- b roll 10"


def test_b8_those_who_are_out_give_nothing_and_are_skipped():
    game = small(num_players=4)
    state = after(game, "0123 2,0,3,0 5:a1d3 -/b3/-/- c move:1 9", "1@start")
    assert game.position(state) == "0123 2,0,2,0 5:a1d3,9:c1 -/b3/-/- a roll 10"
    state = after(game, "0123 2,0,2,0 5:a1d3,7:c1 -/b3/-/- c move:2 9", "2@7")
    assert game.position(state) == "0123 2,0,2,0 5:a1d3 -/b3/c1/- a give:-:c 9"


def test_b8_giving_the_last_token_puts_out():
    game = small(num_players=3)
    state = after(game, "012 2,0,3 5:b1,15:a1 -/b2/- a move:1,2 9", "1@15", "give 5 b")
    assert game.position(state) == "012 2,0,3 - a1b1/b2/- c give:2:a 9"
    assert game.position(game.play(state, "give start")) == "012 2,0,2 - a1b1c1/b2/- a move:2 9"


def test_b9_the_game_ends_with_the_capture_and_the_largest_pile_wins():
    game = small(num_players=3)
    state = after(game, "012 2,0,0 5:a1c3,7:b1 -/b2/- a move:2,6 9", "2@5")
    assert (game.node(state), game.result(state)) == ("terminal", "one player left")
    assert game.position(state) == "012 2,0,0 7:a1b1c3 -/b2/- ? over 9"
    assert game.payoffs(state).tolist() == [-0.5, 1.0, -0.5]


def test_b10_at_the_cap_the_piles_decide():
    game = small(max_turns=10)
    state = after(game, "02 1,2 3:a1 a1/b1 a move:1 9", "1@3")
    assert (game.node(state), game.result(state)) == ("truncated", "turn cap")
    assert game.payoffs(state).tolist() == [0, 0]


def test_b11_a_standoff_comes_with_a_whole_throw_lost():
    game = make_game("berd", num_players=16, tokens=2, path=16)
    berds = ",".join(f"{square}:{LETTERS[square - 1]}2" for square in range(1, 16))
    rest = f"{'0,' * 15}2 {berds} {'/'.join('-' * 16)} p roll 9"
    state = game.resolve(game.from_position(f"{'0' * 16} {rest}"), "1-2")
    assert game.position(state).endswith(" a roll 10")  # j to o, on 10 to 15, could come home to corner 0
    state = game.resolve(game.from_position(f"{'0' * 9}{'2' * 6}0 {rest}"), "1-2")
    assert (game.node(state), game.result(state)) == ("truncated", "standoff")
    assert game.position(state).endswith(" ? over 9")


def test_b12_the_last_captive_taken_makes_the_move():
    game = small(num_players=3)
    state = after(game, "033 1,1,2 5:a2b2c1 -/-/- a move:3 5", "3@5", "take b")
    assert list(game.moves(state)) == ["take b", "take c", "go"]
    assert game.position(game.play(state, "take c")) == "033 1,1,2 5:a1b1,8:a1b1c1 -/-/- b roll 6"
    assert game.position(game.play(state, "go")) == "033 1,1,2 5:a1b1c1,8:a1b1 -/-/- b roll 6"


@pytest.mark.parametrize(
    ("option", "value"),
    [("num_players", 1), ("num_players", 17), ("tokens", 1), ("tokens", 12), ("path", 12), ("path", 68), ("path", 30), ("max_turns", 0)],
)
def test_impossible_options_are_refused(option, value):
    with pytest.raises(ValueError, match=f"berd option {option}"):
        make_game("berd", **{option: value})


def greedy(game, position):
    state = game.from_position(position)
    mask, scores = game.legal_mask(state), np.full(game.num_actions, -np.inf)
    players.score_actions(game.rules, state[0], mask, np.zeros(2, game.state_dtype), scores)
    moves = game.moves(state)
    best = max(scores[action] for action in moves.values())
    return {text for text, action in moves.items() if scores[action] == best}


def test_greedy_brings_home_what_it_can():
    assert greedy(small(), "02 0,0 4:b1,13:a1b2,15:a2 -/- a move:3 9") == {"3@13"}


def test_greedy_takes_captives_along():
    assert "go" not in greedy(small(), "02 1,1 14:a2b2 -/- a split:-:14:3:- 5")


def test_greedy_gives_from_the_pile_last():
    assert "give pile a" not in greedy(small(), "02 1,2 7:b1a1 -/a1 b give:-:a 9")
