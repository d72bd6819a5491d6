"""Chopat's texts: positions read and write back, and every position that cannot be is refused with its reason."""

import random

import pytest
from boardherd.envs import make_game
from boardherd.envs.core.notation import PositionError
from hypothesis import given, settings
from hypothesis import strategies as st

POSITIONS = [
    ({}, "-,-,-,-/-,-,-,-/-,-,-,-/-,-,-,- ? - - 0"),
    ({}, "-,0,67,h1!/h7,G,G,G!/-,-,-,-!/1,1,1,1 d 30,25,4,1,1 - 999"),
    ({}, "1,1,1,1/-,-,-,-/-,-,-,-/-,-,-,- a 30,11,1,1? - 7"),
    ({}, "-,1,1,1/-,-,-,-/-,-,-,-/-,-,-,- a 16,8? - 7"),
    ({}, "-,-,-,-/-,-,-,7!/G,G,G,G!/h7,h7,h7,G! c - c 60"),
    ({"num_players": 2, "max_turns": 10}, "-,-,-,5/-,-,-,7 a - - 10"),
    ({"play_for_places": True}, "G,G,G,G!/-,-,-,7!/G,G,G,G!/h7,h7,h7,G! d -? ca 60"),
    ({"play_for_places": True}, "G,G,G,G!/-,-,-,7!/G,G,G,G!/G,G,G,G! d - cad 60"),
    ({"play_for_places": True, "max_turns": 60}, "G,G,G,G!/-,-,-,7!/G,G,G,G!/h7,h7,h7,G! b - ca 60"),
    ({"num_players": 3, "men": 2}, "-,4/5,h7!/-,- b 1 - 60"),
]

REFUSED = [
    # the fields
    ({}, "-,-,-,-/-,-,-,- a -? - 0", "MEN must have 4 players"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,- a -? 0", "has 4 fields, not the 5"),
    ({"num_players": 2}, "-,-,-/-,-,-,- a -? - 0", "MEN of a must be 4 places"),
    ({"num_players": 2, "men": 2}, "-,-,-,-/-,-,-,- a -? - 0", "MEN of a must be 2 places"),
    ({"num_players": 2}, "-,-,-,68/-,-,-,- a -? - 0", "MEN of a may be on"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,07 a -? - 0", "MEN of b may be on"),
    ({"num_players": 2}, "-,-,-,h8!/-,-,-,- a -? - 0", "MEN of a may be on"),
    ({"num_players": 2}, "-,-,-,3!!/-,-,-,- a -? - 0", "MEN of a may be on"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,- c -? - 0", "PLAYER must be one of a, b"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,- a -? - 00", "TURN must be a whole number"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,- a -? - -1", "TURN must be a whole number"),
    # the men
    ({"num_players": 2}, "-,-,7,5/-,-,-,- a -? - 0", r"MEN of a must be sorted .*: '-,-,5,7'"),
    ({"num_players": 2}, "-,-,-,-/h1,3,4,G! a -? - 0", r"MEN of b must be sorted .*: '3,4,h1,G'"),
    ({"num_players": 2}, "-,-,-,h1/-,-,-,- a -? - 0", "MEN of a must end in ! for tohd"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,G a -? - 0", "MEN of b must end in ! for tohd"),
    # before anything
    ({"num_players": 2}, "-,-,-,5/-,-,-,- ? - - 0", "PLAYER may be [?] only before anything"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,- ? -? - 0", "PLAYER may be [?] only before anything"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,- ? - - 1", "PLAYER may be [?] only before anything"),
    ({"num_players": 2}, "-,-,-,-!/-,-,-,- ? - - 0", "PLAYER may be [?] only before anything"),
    # the values
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 5 - 0", "VALUES may be 1, 2, 3, 4, 8"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a ? - 0", "VALUES may be 1, 2, 3, 4, 8"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 08 - 0", "VALUES may be 1, 2, 3, 4, 8"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 2,25 - 0", "VALUES must fall: '25,2'"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 25,11,8? - 0", "VALUES may hold 2 high ones"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 25,11,8 - 0", "VALUES may hold 2 high ones"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 4,3 - 0", "VALUES may hold one 2, 3 or 4"),
    ({"num_players": 2}, "1,2,3,5/-,-,-,- a 1,1,1 - 0", "VALUES may hold 2 ones"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 25,3? - 0", "VALUES with [?] may hold no 2, 3 or 4"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a 25,1? - 0", "VALUES with [?] must hold the value 1 0 times, none while a man is off"),
    ({"num_players": 2}, "1,2,3,5/-,-,-,- a 25,8? - 0", "VALUES with [?] must hold the value 1 1 times, one for each 11, 25 and 30"),
    ({"num_players": 2}, "-,-,-,-/-,-,-,- a 3 - 0", "VALUES must hold one that a man of a can use"),
    ({"num_players": 2}, "h7,h7,G,G!/-,-,-,- a 30,2 - 0", "VALUES must hold one that a man of a can use"),
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a - - 0", "VALUES must hold one that a man of a can use"),
    # the places
    ({"num_players": 2}, "-,-,-,5/-,-,-,- a -? a 0", "PLACES must agree with the men in ghar: - since"),
    ({"num_players": 2}, "G,G,G,G!/-,-,-,- a - - 0", "PLACES must agree with the men in ghar: the letters 'a'"),
    ({"num_players": 2}, "G,G,G,G!/-,-,-,- a - aa 0", "PLACES must agree with the men in ghar: the letters 'a'"),
    ({"num_players": 2}, "G,G,G,G!/G,G,G,G! a - ab 0", "MEN may have all in ghar for 1 at most"),
    ({"num_players": 3}, "G,G,G,G!/G,G,G,G!/-,-,-,- a - ab 0", "MEN may have all in ghar for 1 at most"),
    ({"num_players": 3, "play_for_places": True}, "G,G,G,G!/G,G,G,G!/G,G,G,G! a - ab 0", "MEN may have all in ghar for 2 at most"),
    ({"num_players": 3, "play_for_places": True}, "G,G,G,G!/-,-,-,-/-,-,-,- a -? a 0", "PLAYER must be one with men to move"),
    # the end
    ({"num_players": 2, "max_turns": 9}, "-,-,-,5/-,-,-,- a - - 10", "TURN must be a whole number from 0 to 9"),
    ({"num_players": 2, "max_turns": 9}, "-,-,-,5/-,-,-,- a -? - 9", "VALUES must be - without [?] at TURN 9, the cap"),
    ({"num_players": 2, "max_turns": 9}, "-,-,-,5/-,-,-,- a 3 - 9", "VALUES must be - without [?] at TURN 9, the cap"),
    ({"num_players": 2, "max_turns": 9}, "G,G,G,G!/-,-,-,- a - a 9", "TURN must be below the cap of 9"),
    ({"num_players": 3, "play_for_places": True, "max_turns": 9}, "G,G,G,G!/-,-,-,-/-,-,-,- a - a 9", "PLAYER must be one with men"),
    ({"num_players": 2}, "G,G,G,G!/-,-,-,- a 3 a 5", "VALUES must be - without [?] where the game is over"),
    ({"num_players": 2}, "G,G,G,G!/-,-,-,- a -? a 5", "VALUES must be - without [?] where the game is over"),
    ({"num_players": 2}, "G,G,G,G!/-,-,-,- b - a 5", "PLAYER must be a, the last of PLACES"),
]


@pytest.mark.parametrize(("config", "position"), POSITIONS)
def test_positions_read_and_write_back(config, position):
    game = make_game("chopat", **config)
    assert game.position(game.from_position(position)) == position


@pytest.mark.parametrize(("config", "position", "reason"), REFUSED)
def test_refused_with_the_reason(config, position, reason):
    with pytest.raises(PositionError, match=reason):
        make_game("chopat", **config).from_position(position)


@given(st.integers(2, 4), st.integers(1, 4), st.booleans(), st.sampled_from([5, 1000]), st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_a_position_read_back_is_the_same_state(num_players, men, places, max_turns, seed):
    game = make_game("chopat", num_players=num_players, men=men, play_for_places=places, max_turns=max_turns)
    dice, state = random.Random(seed), game.start()
    while True:
        again = game.from_position(game.position(state))
        again["rng"] = state["rng"]
        assert again.tobytes() == state.tobytes()
        if game.is_over(state):
            break
        state = game.throw(state) if game.node(state) == "chance" else game.play(state, dice.choice(list(game.moves(state))))


def test_each_move_has_one_text():
    game = make_game("chopat", num_players=2)
    state = game.from_position("-,-,12,h3!/-,-,-,- a 25,4,1 - 8")
    assert game.moves(state) == {"1@12": 2, "1@h3": 3, "4@12": 14, "4@h3": 15, "25@-": 28, "25@12": 30}
    assert [game.action_text(state, action) for action in game.legal_actions(state)] == list(game.moves(state))


def test_what_was_thrown_is_written_falling():
    game = make_game("chopat", num_players=2)
    state = game.resolve(game.start(), "first b")
    for up, values in (("up0", "8?"), ("up5", "25,8?"), ("up4", "25,8,4")):
        state = game.resolve(state, up)
        assert game.position(state) == f"-,-,-,-/-,-,-,- b {values} - 0"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"num_players": 5}, "num_players"),
        ({"num_players": 1}, "num_players"),
        ({"men": 0}, "men"),
        ({"men": 5}, "men"),
        ({"mouth_up_probability": 0.0}, "mouth_up_probability"),
        ({"mouth_up_probability": 1.0}, "mouth_up_probability"),
        ({"max_turns": 0}, "max_turns"),
        ({"safe_flowers": 1}, "safe_flowers"),
        ({"size": 5}, "no option 'size'"),
    ],
)
def test_impossible_options(options, reason):
    with pytest.raises(ValueError, match=reason):
        make_game("chopat", **options)
