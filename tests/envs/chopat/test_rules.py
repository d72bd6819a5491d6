"""Chopat's rules: properties of random play, and a hand-made case for each numbered ruling."""

import random
from itertools import pairwise

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.chopat import features as features_of
from boardherd.envs.chopat import players
from boardherd.envs.chopat import rules as chopat
from boardherd.envs.chopat.config import Config
from boardherd.envs.chopat.drawing import ansi, draw
from hypothesis import given, settings
from hypothesis import strategies as st

LETTERS = "abcd"
VALUE = {pips: index for index, pips in enumerate(chopat.PIPS)}


@st.composite
def games(draw, seats=(2, 3, 4)):
    return make_game(
        "chopat",
        num_players=draw(st.sampled_from(seats)),
        men=draw(st.integers(1, 4)),
        safe_flowers=draw(st.booleans()),
        play_for_places=draw(st.booleans()),
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


def two(**options):
    return make_game("chopat", num_players=2, **options)


def sides(position):
    """The places of each player's men, as texts."""
    return [side.rstrip("!").split(",") for side in position.split(" ")[0].split("/")]


def progress(place):
    if place == "-":
        return 0
    if place == "G":
        return 73
    return 65 + int(place[1:]) if place[0] == "h" else int(place) + 1


def walk(tohd, pips, step):
    """Where a man gets from a loop step, cell by cell; None beyond ghar."""
    place = step
    for _ in range(pips):
        if place == "G":
            return None
        if isinstance(place, str):
            place = "G" if place == "h7" else f"h{int(place[1:]) + 1}"
        elif tohd and place == 64:
            place = "h1"
        else:
            place = (place + 1) % 68
    return str(place)


@given(games(), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_men_are_conserved_and_unused_capacity_is_canonical(game, seed):
    for state, _ in random_game(game, seed):
        men = state["men"][0].reshape(4, 4)
        for player in range(4):
            playing = men[player, : game.config["men"] if player < game.num_players else 0]
            assert all(a <= b for a, b in pairwise(playing))
            assert not men[player, len(playing) :].any()
        assert (state["places"][0, state["placed"][0] :] == -1).all()
        seen = game.observe(state, 0)[: 78 * game.num_players].reshape(-1, 78)
        assert (seen[:, :77].sum(axis=1) == game.config["men"]).all()
        if game.is_over(state):
            assert not state["values"].any()


@given(games(), st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_texts_and_indices_replay_to_the_same_bytes(game, seed):
    by_text = by_index = game.start()
    for state, step in random_game(game, seed):
        assert state.tobytes() == by_text.tobytes() == by_index.tobytes()
        if step is None:
            break
        if game.node(state) == "decision":
            by_text, by_index = game.play(by_text, step), game.play(by_index, game.moves(state)[step])
        else:
            by_text = by_index = game.resolve(state, step)


def turned(position, by, seats):
    """The same position with everybody ``by`` seats further on."""
    men, player, values, places, turn = position.split(" ")
    letters = {LETTERS[seat]: LETTERS[(seat + by) % seats] for seat in range(seats)}
    rows = men.split("/")
    rows = [rows[(seat - by) % seats] for seat in range(seats)]
    return " ".join(["/".join(rows), letters.get(player, player), values, "".join(letters.get(place, place) for place in places), turn])


@given(games(seats=(2, 4)), st.integers(0, 2**32), st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_everybody_sees_the_board_in_the_own_frame(game, seed, by):
    seats = game.num_players
    for state, _ in random_game(game, seed):
        other = game.from_position(turned(game.position(state), by, seats))
        for player in range(seats):
            here, there = game.observe(state, player), game.observe(other, (player + by) % seats)
            assert np.array_equal(here[:-4], there[:-4])  # all but the arm
        assert np.array_equal(game.legal_mask(state), game.legal_mask(other))
        assert np.array_equal(np.roll(game.payoffs(state), by), game.payoffs(other))
        if game.node(state) == "decision":
            assert np.array_equal(features(game, state), features(game, other))
            assert np.array_equal(greedy_scores(game, state), greedy_scores(game, other))


@given(games(), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_payoffs_follow_the_standings(game, seed):
    *_, (state, _) = random_game(game, seed)
    position, seats = game.position(state), game.num_players
    standings = [(men.count("G"), sum(map(progress, men))) for men in sides(position)]
    finished = [LETTERS.index(letter) for letter in position.split(" ")[3].replace("-", "")]
    if game.config["play_for_places"]:
        rank = {player: (0, i) for i, player in enumerate(finished)}
        rank |= {player: (1, *(-part for part in standings[player])) for player in range(seats) if player not in finished}
        order = sorted(range(seats), key=rank.__getitem__)
        shares = [[1 - 2 * i / (seats - 1) for i, other in enumerate(order) if rank[other] == rank[player]] for player in range(seats)]
        expected = [np.mean(share) for share in shares]
    else:
        winners = finished or [player for player in range(seats) if standings[player] == max(standings)]
        won = seats / (seats - 1) * (1 / len(winners) - 1 / seats)
        expected = [won if player in winners else -1 / (seats - 1) for player in range(seats)]
    assert game.payoffs(state) == pytest.approx(expected)
    assert game.result(state) == ("turn cap" if game.node(state) == "truncated" else "all men in ghar")


@given(st.booleans(), st.sampled_from(chopat.PIPS), st.integers(0, 67))
@settings(deadline=None)
def test_a_move_is_as_many_steps_as_its_value(tohd, pips, step):
    game = two(men=1)
    state = game.from_position(f"{step}{'!' * tohd}/- a -? - 0")
    state["values"][0, VALUE[pips]] = 1
    state["node"] = 0
    goal = walk(tohd, pips, step)
    assert bool(game.legal_mask(state)[4 * VALUE[pips]]) == (goal is not None)
    if goal is not None and goal != "G":
        assert sides(game.position(game.play(state, 4 * VALUE[pips])))[0] == [goal]


@pytest.mark.parametrize(("up", "value"), list(enumerate([8, 11, 2, 3, 4, 25, 30, 16])))
def test_values_by_mouths_up(up, value):
    state = after(two(), "-,-,-,40/-,-,-,- a -? - 0", f"up{up}")
    assert two().position(state).split(" ")[2] == (f"{value}?" if value >= 8 else str(value))


def test_cowries_fall_mouth_up_with_the_chosen_probability():
    game = two(mouth_up_probability=0.25)
    chances = game.chances(game.from_position("-,-,-,-/-,-,-,- a -? - 0"))
    assert list(chances) == [f"up{k}" for k in range(8)]
    assert sum(k * chances[f"up{k}"] for k in range(8)) == pytest.approx(7 * 0.25)
    assert chances["up7"] == pytest.approx(0.25**7)


@pytest.mark.parametrize(
    ("position", "steps", "expected"),
    [
        ("-,-,-,9/-,-,-,- a -? - 0", ["up5", "up0", "up7"], "-,-,-,9/-,-,-,- b -? - 1"),  # C1
        ("1,2,3,4/-,-,-,- a -? - 4", ["up1", "up6"], "1,2,3,4/-,-,-,- a 30,11,1,1? - 4"),  # C2
        ("-,2,3,4/-,-,-,- a -? - 4", ["up1", "up6"], "-,2,3,4/-,-,-,- a 30,11? - 4"),  # C2
        ("h3,G,G,G!/-,-,-,- a -? - 4", ["up1", "up2"], "h3,G,G,G!/-,-,-,- a 11,2,1 - 4"),  # C2: those in ghar have entered
        ("-,2,3,4/-,-,-,- a 25,8,3 - 4", ["25@-", "8@0", "3@2"], "3,4,5,8/-,-,-,- b -? - 5"),  # C2: entering in mid-turn is too late
        ("-,-,3,4/-,-,-,- a 8,2 - 4", ["8@3", "2@4"], "-,-,6,11/-,-,-,- b -? - 5"),  # C3
        ("-,-,-,65!/-,-,-,- a 30,25 - 4", ["30@65", "25@27"], "-,-,-,52!/-,-,-,- b -? - 5"),  # C5: lapped, then round
        ("-,-,-,62/-,-,-,29 a 3,1 - 4", ["1@62"], "-,-,-,63!/-,-,-,- a 3 - 4"),  # hits: tohd at once
        ("-,-,-,62/-,-,-,29 a 3,1 - 4", ["1@62", "3@63"], "-,-,-,h2!/-,-,-,- b -? - 5"),  # C5
        ("h6,h7,h7,G!/-,-,-,- a 11,3,1 - 9", ["1@h6"], "h7,h7,h7,G!/-,-,-,- b -? - 10"),  # C6: none can use 11 or 3
        ("-,-,-,3/-,-,38,38 a 1 - 9", ["1@3"], "-,-,-,4!/-,-,-,- b -? - 10"),  # all men on the cell
    ],
)
def test_turns(position, steps, expected):
    game = two()
    assert game.position(after(game, position, *steps)) == expected


@pytest.mark.parametrize("step", [0, 9, 13, 17, 26, 30, 34, 43, 47, 51, 60, 64])
def test_flowers_are_safe_only_if_chosen(step):  # C7
    position = f"-,-,-,{step - 1 if step else 67}/-,-,-,{(step + 34) % 68} a 1 - 0"
    assert sides(two().position(after(two(), position, f"1@{step - 1 if step else 67}")))[1][3] != "-"
    open_game = two(safe_flowers=False)
    assert sides(open_game.position(after(open_game, position, f"1@{step - 1 if step else 67}")))[1][3] == "-"


def test_there_are_twelve_flowers():
    assert sum(chopat.is_flower(place) for place in range(chopat.PLACES)) == 12


def test_entering_hits_where_flowers_are_not_safe():  # C7
    game = two(safe_flowers=False)
    assert game.position(after(game, "-,-,-,-/-,34,34,35 a 16 - 0", "16@-")) == "-,-,-,0!/-,-,-,35 b -? - 1"


def test_everybody_may_begin_and_nobody_is_likelier():  # C8
    for seats in (2, 3, 4):
        game = make_game("chopat", num_players=seats)
        assert game.chances(game.start()) == {f"first {letter}": pytest.approx(1 / seats) for letter in LETTERS[:seats]}
        assert game.player(game.start()) is None
        assert not game.observe(game.start(), 1)[-5]


def test_a_finished_player_is_passed_over_and_observed():  # C9
    game = make_game("chopat", num_players=3, play_for_places=True)
    state = after(game, "h6,G,G,G!/-,-,-,5/-,-,-,9 a 11,2 - 60", "2@h6")
    assert game.position(state) == "G,G,G,G!/-,-,-,5/-,-,-,9 b -? a 61"
    state = after(game, game.position(state), "up2", "2@5", "up2", "2@9")
    assert game.position(state) == "G,G,G,G!/-,-,-,7/-,-,-,11 b -? a 63"
    assert game.observe(state, 0)[75] == 4
    assert (game.payoffs(state) == 0).all()


def test_finishing_in_the_last_turn_of_a_game_for_places_is_truncated():  # C9, C10
    game = make_game("chopat", num_players=3, play_for_places=True, max_turns=61)
    state = after(game, "h6,G,G,G!/-,-,-,5/-,-,-,9 a 2 - 60", "2@h6")
    assert game.position(state) == "G,G,G,G!/-,-,-,5/-,-,-,9 b - a 61"
    assert game.payoffs(state).tolist() == [1, -1, 0]


def test_men_in_ghar_count_before_progress():  # C10
    game = two(max_turns=8)
    assert game.payoffs(after(game, "67,67,67,67/-,-,-,G! a -? - 7", "up2", "2@67")).tolist() == [-1, 1]


def test_with_fewer_men_all_of_them_win():
    game = make_game("chopat", men=1)
    state = game.from_position("-/h6!/-/- b 2 - 5")
    assert game.moves(state) == {"2@h6": 4}
    state = game.play(state, "2@h6")
    assert game.node(state) == "terminal"
    assert game.payoffs(state) == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])
    assert game.observation_shape == (634,)
    assert game.num_actions == 36


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_observation_layout(seats):
    game = make_game("chopat", num_players=seats)
    state = game.from_position("/".join(["-,0,5,h2!", "-,-,-,9", "-,-,-,-", "-,-,-,-"][:seats]) + " a 25,4,1 - 3")
    seen = game.observe(state, 0)
    assert seen.shape == (78 * seats + 322,)
    across = 9 + 17 * (2 if seats == 2 else 1)
    men = 78 * seats
    expected = {0: 1, 5: 1, 69: 1, 76: 1, 77: 1, 78 + across: 1, 78 + 76: 3, men: 1, men + 78: 1, men + 77 * 2 + 6: 1, men + 77 * 3 + 70: 1}
    expected |= {78 * seat + 76: 4 for seat in range(2, seats)}
    expected |= {men + 308: 1, men + 311: 1, men + 315: 1, men + 317: 1, men + 318: 1}  # 1, 4, 25, to move, arm S
    assert {int(i): int(seen[i]) for i in np.flatnonzero(seen)} == expected
    last = game.observe(state, seats - 1)
    assert not last[men + 317]
    assert last[men + 308] == 1
    assert np.flatnonzero(last[-4:]).tolist() == [seats if seats == 2 else seats - 1]


def features(game, state):
    """Those of legal actions in their rows, zeros in the others."""
    legal = game.legal_actions(state)
    out = np.full((len(legal), features_of.ACTION_FEATURES), 99, np.int8)
    features_of.observe_actions(game.rules, state[0], game.legal_mask(state), np.zeros(2, game.state_dtype), out.reshape(-1))
    table = np.zeros((game.num_actions, features_of.ACTION_FEATURES), np.int8)
    table[legal] = out
    return table


def greedy_scores(game, state):
    scores = np.zeros(game.num_actions)
    players.score_actions(game.rules, state[0], game.legal_mask(state), np.zeros(2, game.state_dtype), scores)
    return scores


@given(games(), st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_action_features_keep_their_bounds(game, seed):
    high = features_of.action_feature_high(Config(**game.config))
    assert high.dtype == np.int8
    assert high.shape == (features_of.ACTION_FEATURES,)
    for state, _ in random_game(game, seed):
        if game.node(state) == "decision":
            given_features, mask = features(game, state), game.legal_mask(state)
            assert (given_features >= 0).all()
            assert (given_features <= high).all()
            assert not given_features[mask == 0].any()
            assert given_features[mask == 1].any(axis=1).all()


@pytest.mark.parametrize(
    ("position", "move", "expected"),
    [
        # 11 from 12, which b's man on 44 has 2 cells ahead, to 23, where two men of b with 58 steps each stand; the 2 hits the last on 25
        ("-,-,-,12/44,57,57,59 a 11,2 - 4", "11@12", [11, 0, 2, 29, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 13, 24, 41, 0, 1, 1, 1]),
        # entering on a flower where an own man stands; the 3 left can be used from there
        ("-,-,-,0/-,-,-,- a 8,3 - 4", "8@-", [8, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 64, 0, 0, 1, 0]),
        # past the own junction without tohd, from under two men 4 and 8 behind
        ("-,-,-,62/-,-,20,24 a 4 - 4", "4@62", [4, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 63, 67, 66, 1, 0, 0, 0]),
        # home from the junction, a flower
        ("-,-,-,64!/-,-,-,- a 8 - 4", "8@64", [8, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 65, 73, 0, 0, 1, 0, 0]),
    ],
)
def test_action_features(position, move, expected):
    game = two()
    state = game.from_position(position)
    assert features(game, state)[game.moves(state)[move]].tolist() == expected


@pytest.mark.parametrize(
    ("position", "best"),
    [
        ("-,-,3,20/-,-,-,39 a 2 - 9", "2@3"),  # hits
        ("-,-,62,h5!/-,-,-,- a 3 - 9", "3@h5"),  # ghar before the home column
        ("-,-,30,62!/-,-,-,- a 3 - 9", "3@62"),  # the home column before the loop
        ("-,-,11,20/-,-,-,- a 2 - 9", "2@11"),  # a flower
        ("-,-,30,62/-,-,-,- a 4 - 9", "4@30"),  # no new lap without tohd
        ("-,-,-,20/-,-,-,- a 8 - 9", "8@-"),  # enters
    ],
)
def test_greedy_prefers(position, best):
    game = two()
    state = game.from_position(position)
    scores, moves = greedy_scores(game, state), game.moves(state)
    assert max(moves, key=lambda move: scores[moves[move]]) == best


def test_greedy_beats_random():
    game, wins = two(), 0
    for seed in range(40):
        dice, state, greedy = random.Random(seed), game.new(seed), seed % 2
        while not game.is_over(state):
            if game.node(state) == "chance":
                state = game.throw(state)
                continue
            actions = game.legal_actions(state)
            best = max(actions, key=greedy_scores(game, state).__getitem__)
            state = game.play(state, best if game.player(state) == greedy else dice.choice(actions))
        wins += game.payoffs(state)[greedy] > 0
    assert wins >= 32


@given(games(), st.integers(0, 2**32))
@settings(max_examples=5, deadline=None)
def test_pictures_show_every_position(game, seed):
    for state, _ in random_game(game, seed):
        lines = ansi(game.rules, state[0]).split("\n")
        assert len(lines) >= 19 + game.num_players
        assert max(map(len, lines)) <= 130
        for player, men in enumerate(sides(game.position(state))):
            line = next(line for line in lines[19:] if line.startswith(f"{LETTERS[player]} "))
            assert f"off {men.count('-')};" in line
            assert f"ghar {men.count('G')}" in line
    assert draw(game.rules, state[0]).svg().startswith("<svg")
