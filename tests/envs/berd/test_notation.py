"""Berd's texts: positions read and write back, and every position that cannot be is refused with its reason."""

import pytest
from boardherd.envs import make_game
from boardherd.envs.core.notation import PositionError

TWO = {"num_players": 2, "tokens": 3, "path": 16}
THREE = TWO | {"num_players": 3}
CAP = TWO | {"max_turns": 10}

POSITIONS = [
    ({}, "---- 9,9,9,9 - -/-/-/- ? order: 0"),
    ({}, "-3-0 9,9,9,9 - -/-/-/- ? order:db 0"),
    ({}, "-3-0 9,9,9,9 - -/-/-/- a corner:dba 0"),
    ({}, "0000 8,9,9,9 39:a1 -/-/-/- d roll 7"),
    ({"num_players": 16, "tokens": 11, "path": 64}, f"{'-' * 16} {','.join(['11'] * 16)} - {'/'.join('-' * 16)} p corner:p 0"),
    (TWO, "02 0,3 5:a3 -/- a move:1 3"),
    (TWO, "02 0,3 5:a3 -/- a move:1,6 3"),
    (TWO, "02 0,3 5:a3 -/- a move:1,1,1,1 3"),
    (TWO, "02 0,2 5:a3b1 -/- a split:-:5:1:- 3"),
    (TWO, "02 0,2 5:a3b1 -/- a split:6:5:1:- 3"),
    (TWO, "02 0,2 5:a3b1 -/- a split:1,1,1:5:1:- 3"),
    (TWO, "02 0,1 5:a3b2 -/- a split:-:5:1:b1 3"),
    (THREE, "022 0,1,1 5:a3b2c2 -/-/- a split:-:5:1:b2c1 3"),
    (TWO, "02 1,2 - a2/b1 b give:-:a 3"),
    (TWO, "02 1,2 - a2/b1 b give:6,6,6:a 3"),
    (TWO, "02 0,2 - a3/b1 b give:4:a 3"),  # the finisher may be out
    (TWO, "02 0,2 - a3/b1 ? over 3"),
    (TWO, "02 0,0 - a3b1/b2 ? over 3"),
    (CAP, "02 1,2 - a2/b1 b roll 10"),
    (CAP, "02 0,2 - a3/b1 ? over 9"),
]

REFUSED = [
    # the fields
    (TWO, "02 3,3 - -/- a roll", "has 6 fields, not the 7"),
    (TWO, "02  3,3 - -/- a roll 0", "has 8 fields, not the 7"),
    (TWO, "022 3,3 - -/- a roll 0", "CORNERS must have 2 characters"),
    (TWO, "04 3,3 - -/- a roll 0", "the corner of b in CORNERS must be one of"),
    (TWO, "0- 3,3 - -/- a roll 0", "CORNERS must be 0..3 for each player in PHASE roll"),
    (TWO, "02 3 - -/- a roll 0", "STARTS must have 2 counts"),
    (TWO, "02 3,03 - -/- a roll 0", "the count of b in STARTS must be a whole number from 0 to 3"),
    (TWO, "02 4,3 - -/- a roll 0", "the count of a in STARTS must be a whole number from 0 to 3"),
    (TWO, "02 3,3 - - a roll 0", "PILES must have 2 piles"),
    (TWO, "02 3,3 - -/- c roll 0", "PLAYER must be one of a, b"),
    (TWO, "02 3,3 - -/- ? roll 0", "PLAYER must be one of a, b"),
    (TWO, "02 3,3 - -/- a throw 0", "PHASE must be order:"),
    (TWO, "02 3,3 - -/- a roll: 0", "PHASE must be order:"),
    (TWO, "02 3,3 - -/- a move 0", "PHASE must be order:"),
    (TWO, "02 3,3 - -/- a roll 00", "TURN must be a whole number"),
    (TWO, "02 3,3 - -/- a roll -1", "TURN must be a whole number"),
    # towers
    (TWO, "02 2,3  -/- a roll 0", "a tower of TOWERS must be square:counts"),
    (TWO, "02 2,3 5a1 -/- a roll 0", "a tower of TOWERS must be square:counts"),
    (TWO, "02 2,3 16:a1 -/- a roll 0", "a square of TOWERS must be a whole number from 0 to 15"),
    (TWO, "02 2,3 05:a1 -/- a roll 0", "a square of TOWERS must be a whole number from 0 to 15"),
    (TWO, "02 2,3 5:a -/- a roll 0", "the tower on 5 in TOWERS must be colours with counts"),
    (TWO, "02 2,3 5:A1 -/- a roll 0", "the tower on 5 in TOWERS must be colours with counts"),
    (TWO, "02 2,3 5:c1 -/- a roll 0", "a colour of the tower on 5 in TOWERS must be one of a, b"),
    (TWO, "02 2,3 5:a1b0 -/- a roll 0", "a count of the tower on 5 in TOWERS must be a whole number from 1"),
    (TWO, "02 2,3 5:a01 -/- a roll 0", "a count of the tower on 5 in TOWERS must be a whole number from 1"),
    (TWO, "02 1,3 5:a1a1 -/- a roll 0", "the captives on 5 in TOWERS must be of other colours than the owner a"),
    (THREE, "022 2,2,2 5:a1c1b1 -/-/- a roll 0", "the captives on 5 in TOWERS must be in rising order"),
    (THREE, "022 2,1,3 5:a1b1b1 -/-/- a roll 0", "the captives on 5 in TOWERS must be in rising order"),
    (TWO, "02 1,3 6:a1,5:a1 -/- a roll 0", "the squares of TOWERS must be in rising order"),
    (TWO, "02 1,3 5:a1,5:a1 -/- a roll 0", "the squares of TOWERS must be in rising order"),
    (TWO, "02 0,3 0:a3 -/- a roll 3", "the tower on 0 in TOWERS must be another player's than a, whose corner it is"),
    (TWO, "02 2,3 8:a1 -/- a roll 3", "TOWERS must leave 8 empty, where b has a starting stack"),
    (TWO, "02 1,1 8:a2 -/b2 a roll 3", "TOWERS must leave 8 empty, where b has a starting stack"),
    # piles and totals
    (TWO, "02 2,3 - a01/- a roll 3", "a count of the pile of a in PILES must be a whole number from 1"),
    (TWO, "02 2,3 - /a1 a roll 3", "the pile of a in PILES must be colours with counts"),
    (TWO, "02 2,2 - b1a1/- a roll 3", "the colours of the pile of a in PILES must be in rising order"),
    (TWO, "02 3,2 - -/- a roll 3", "must hold 3 tokens of b in all, they hold 2"),
    (TWO, "02 3,3 - -/a1 a roll 3", "must hold 3 tokens of a in all, they hold 4"),
    # choosing corners
    (TWO, "-- 3,3 - -/- a order: 0", r"PLAYER must be \? in PHASE order:"),
    (TWO, "-- 3,3 - -/- ? order: 1", "TURN must be 0 while corners are chosen"),
    (TWO, "-- 2,3 5:a1 -/- ? order: 0", "STARTS must be 3 for each player while corners are chosen"),
    (TWO, "-- 2,3 - -/a1 ? order: 0", "STARTS must be 3 for each player while corners are chosen"),
    (TWO, "0- 3,3 - -/- ? order: 0", "the corner of a in CORNERS must be -, since they have not chosen"),
    (TWO, "-- 3,3 - -/- ? order:a 0", "the corner of a in CORNERS must be 0..3, since they were drawn before"),
    (TWO, "02 3,3 - -/- ? order:ab 0", "PHASE must not be order: with all 2 players drawn"),
    (TWO, "0- 3,3 - -/- ? order:aa 0", "PHASE must name each player drawn once"),
    (TWO, "-- 3,3 - -/- ? order:c 0", "a player drawn in PHASE must be one of a, b"),
    (TWO, "-- 3,3 - -/- a corner: 0", "PHASE must name the player who chooses after corner:"),
    (TWO, "0- 3,3 - -/- a corner:a 0", "the corner of a in CORNERS must be -"),
    (TWO, "0- 3,3 - -/- a corner:ab 0", "PLAYER must be b in PHASE corner:ab"),
    (TWO, "-0 3,3 - -/- b corner:ab 0", "the corner of a in CORNERS must be 0..3"),
    (TWO, "-- 3,3 - -/- a corner:a 2", "TURN must be 0 while corners are chosen"),
    # who is to act
    (THREE, "022 0,2,3 5:b1a3 -/-/- a roll 3", "PLAYER must be active, a has neither"),
    (THREE, "022 0,2,3 5:b1a3 -/-/- a give:-:b 3", "PLAYER must be active, a has neither"),
    (TWO, "02 0,3 5:a3 -/- ? roll 3", "PLAYER must be one of a, b"),
    (TWO, "02 0,2 - a3/b1 a over 3", r"PLAYER must be \? when the game is over"),
    # dice
    (TWO, "02 0,3 5:a3 -/- a move:7 3", "a die left in PHASE must be a whole number from 1 to 6"),
    (TWO, "02 0,3 5:a3 -/- a move:2,1 3", "the dice left in PHASE must be in rising order"),
    (TWO, "02 0,3 5:a3 -/- a move:1,1,2 3", "must be what a throw leaves in move"),
    (TWO, "02 0,3 5:a3 -/- a move:1,2,3 3", "must be what a throw leaves in move"),
    (TWO, "02 0,3 5:a3 -/- a move:1,1,1,1,1 3", "must be what a throw leaves in move"),
    (TWO, "02 0,3 5:a3 -/- a move:- 3", "must be what a throw leaves in move"),
    (TWO, "02 0,3 5:a3 -/- a move: 3", "a die left in PHASE must be a whole number"),
    (TWO, "02 0,2 5:a3b1 -/- a split:2,2:5:1:- 3", "must be what a throw leaves in split"),
    (TWO, "02 0,2 5:a3b1 -/- a split:1,2:5:1:- 3", "must be what a throw leaves in split"),
    (TWO, "02 0,2 5:a3b1 -/- a split:1,1,1,1:5:1:- 3", "must be what a throw leaves in split"),
    (TWO, "02 1,2 - a2/b1 b give:1,2:a 3", "must be what a throw leaves in give"),
    (TWO, "02 1,2 - a2/b1 b give:1,1,1,1:a 3", "must be what a throw leaves in give"),
    # decisions without a legal move
    (TWO, "02 0,0 5:a1,7:b2 a2/b1 a move:2 3", "PHASE must leave a a legal move"),
    (TWO, "02 0,2 5:a3b1 -/- a split:-:5:3:- 3", "the die in use in PHASE must be one that can be used from 5, got 3"),
    # splits
    (TWO, "02 0,2 5:a3b1 -/- a split:-:5:0:- 3", "the die in use in PHASE must be a whole number from 1 to 6"),
    (TWO, "02 0,2 5:a3b1 -/- a split:-:16:1:- 3", "the source of the split in PHASE must be a whole number from 0 to 15"),
    (TWO, "02 0,2 5:a3b1 -/- a split:-:6:1:- 3", "the source of the split in PHASE must be a Berd of a with captives"),
    (TWO, "02 0,3 5:a3 -/- a split:-:5:1:- 3", "the source of the split in PHASE must be a Berd of a with captives"),
    (TWO, "02 2,2 5:a1b1 -/- a split:-:5:1:- 3", "the source of the split in PHASE must be a Berd of a with captives"),
    (TWO, "02 2,1 5:b2a1 -/- a split:-:5:1:- 3", "the source of the split in PHASE must be a Berd of a with captives"),
    (TWO, "02 0,1 5:a3b2 -/- a split:-:5:1:b3 3", "PHASE must take at most the 2 captives of b on 5"),
    (TWO, "02 0,1 5:a3b2 -/- a split:-:5:1:a1 3", "PHASE must take at most the 0 captives of a on 5"),
    (TWO, "02 0,1 5:a3b2 -/- a split:-:5:1:b0 3", "a count of the captives taken in PHASE must be a whole number from 1"),
    (TWO, "02 0,1 5:a3b2 -/- a split:-:5:1:b2 3", "PHASE must leave another captive to take"),
    (THREE, "022 0,1,1 5:a3b2c2 -/-/- a split:-:5:1:c1b1 3", "the colours taken in PHASE must be in rising order"),
    (THREE, "022 0,1,1 5:a3b2c2 -/-/- a split:-:5:1:c2 3", "PHASE must leave another captive to take"),
    # gifts
    (TWO, "02 1,2 - a2/b1 b give:-:b 3", "the finisher in PHASE must be another player than the giver b"),
    (TWO, "02 1,2 - a2/b1 b give:-:c 3", "the finisher in PHASE must be one of a, b"),
    # over or not
    (TWO, "02 0,2 - a3/b1 b roll 3", "PHASE must be over when b is the only active player"),
    (TWO, "02 0,2 - a3/b1 b move:1 3", "PHASE must be over when b is the only active player"),
    (TWO, "02 1,2 - a2/b1 ? over 3", "PHASE must not be over while two players are active"),
    (CAP, "02 1,2 - a2/b1 b roll 11", "TURN must be a whole number from 0 to 10"),
    (CAP, "02 1,2 - a2/b1 b move:1 10", "TURN must be a whole number from 0 to 9"),
    (CAP, "02 1,2 - a2/b1 b give:-:a 10", "TURN must be a whole number from 0 to 9"),
    (CAP, "02 0,2 - a3/b1 ? over 10", "TURN must be a whole number from 0 to 9"),
]


@pytest.mark.parametrize(("config", "position"), POSITIONS)
def test_positions_read_and_write_back(config, position):
    game = make_game("berd", **config)
    state = game.from_position(position)
    assert game.position(state) == position
    if game.node(state) == "decision":
        assert game.moves(state)


@pytest.mark.parametrize(("config", "position", "reason"), REFUSED)
def test_impossible_positions_are_refused(config, position, reason):
    with pytest.raises(PositionError, match=reason):
        make_game("berd", **config).from_position(position)


def test_moves_are_written_in_absolute_squares():
    game = make_game("berd", **TWO)
    assert game.moves(game.from_position("02 3,2 14:b1 -/- b move:5 3")) == {"5@start": 4 + 4 * 16, "5@14": 4 + 4 * 16 + 6}
    assert game.moves(game.from_position("02 1,1 5:a2b2 -/- a split:-:5:2:b1 5")) == {"take b": 101, "go": 102}
    gifts = game.moves(game.from_position("02 1,1 5:b1a1 a1/b1 b give:-:a 9"))
    assert gifts == {"give start": 103, "give 5 a": 103 + 13 * 2 + 1, "give pile b": 103 + 16 * 2}


def test_throws_are_the_21_of_two_dice():
    game = make_game("berd", **TWO)
    chances = game.chances(game.from_position("02 3,3 - -/- a roll 0"))
    assert len(chances) == 21
    assert (chances["3-3"], chances["3-5"]) == (pytest.approx(1 / 36), pytest.approx(1 / 18))
