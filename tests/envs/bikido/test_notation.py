"""Bikido's texts: round trips, and every text that stands for no position is refused with the field and the reason."""

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.core.notation import PositionError
from hypothesis import given, settings
from hypothesis import strategies as st

GAME = make_game("bikido", max_turns=10)
HOME = "7/3B3/7/7/7/7/7/7/7/3a3/7/3A3/7"  # a lone token of a on d4
REBOUND = "6b/3B3/7/7/7/7/7/7/7/3(aaaa)(bb)2/7/3A3/7"

REFUSED = [
    ("", "1 fields, not the 4 of 'RANKS PLAYER REBOUND TURN'"),
    (f"{HOME} a -", "3 fields, not the 4"),
    (f"{HOME}  a - 0", "5 fields, not the 4"),
    (f"{HOME[2:]} a - 0", "RANKS must have 13 ranks.*got 12"),
    (f"{HOME.replace('3a3', '3a2')} a - 0", "rank 4 of RANKS must have 7 squares, '3a2' has 6"),
    (f"{HOME.replace('3a3', '3a4')} a - 0", "rank 4 of RANKS must have 7 squares, '3a4' has 8"),
    (f"{HOME.replace('3a3', '')} a - 0", "rank 4 of RANKS must have 7 squares, '' has 0"),
    (f"{HOME.replace('3a3', '12a3')} a - 0", "run of empty squares in rank 4 of RANKS must be a whole number from 1 to 7.*got '12'"),
    (f"{HOME.replace('3a3', '03a3')} a - 0", "without leading zeros, got '03'"),
    (f"{HOME.replace('3a3', '0a6')} a - 0", "whole number from 1 to 7.*got '0'"),
    (f"{HOME.replace('3a3', '8')} a - 0", "whole number from 1 to 7.*got '8'"),
    (f"{HOME.replace('3a3', '3x3')} a - 0", "rank 4 of RANKS may hold numbers, a, b, A, B and stacks.*got 'x'"),
    (f"{HOME.replace('3a3', '3(ab3')} a - 0", r"rank 4 of RANKS may hold .*got '\('"),
    (f"{HOME.replace('3a3', '3(a)3')} a - 0", r"rank 4 of RANKS has '\(a\)'.*written without"),
    (f"{HOME.replace('3A3', '3(A)3')} a - 0", r"rank 2 of RANKS has '\(A\)'.*written without"),
    (f"{HOME.replace('3a3', '3()3')} a - 0", r"rank 4 of RANKS has '\(\)'.*two or more"),
    (f"{HOME.replace('3a3', '3(a2)3')} a - 0", r"rank 4 of RANKS may hold .*got '\(a2\)'"),
    (f"{HOME.replace('3a3', chr(0x663) + 'a3')} a - 0", "whole number from 1 to 7"),  # an Arabic digit
    # birds
    (f"{HOME.replace('3A3', '7')} a - 0", "bird A of a on d2 and nowhere else, it is on nowhere"),
    (f"{HOME.replace('3A3', '3a3')} a - 0", "bird A of a on d2 and nowhere else, it is on nowhere"),
    (f"{HOME.replace('3A3', '2A4')} a - 0", "bird A of a on d2 and nowhere else, it is on c2"),
    (f"{HOME.replace('3a3', '3A3')} a - 0", "bird A of a on d2 and nowhere else, it is on d4 and d2"),
    (f"{HOME.replace('3B3', '7')} a - 0", "bird B of b on d12 and nowhere else, it is on nowhere"),
    (f"{HOME.replace('3a3', '3B3')} a - 0", "bird B of b on d12 and nowhere else, it is on d12 and d4"),
    (f"{HOME.replace('3a3', '3(Ab)3')} a - 0", "bird A of a on d2 and nowhere else"),
    (f"{HOME.replace('3A3', '3(bA)3')} a - 0", r"rank 2 of RANKS may hold .*got '\(bA\)'"),
    (f"{HOME.replace('3A3', '3(Aa)3')} b - 1", r"rank 2 of RANKS has an own token on a bird, '\(Aa\)'.*only the other player's"),
    (f"{HOME.replace('3B3', '3(Bb)3')} a - 1", r"rank 12 of RANKS has an own token on a bird, '\(Bb\)'"),
    (f"{HOME.replace('3A3', '3(Abb)3')} a - 1", r"rank 2 of RANKS has more than one token on a bird, '\(Abb\)': at most one"),
    (f"{HOME.replace('3B3', '3(Ba)3')} b - 0", "RANKS has a covered bird 'Ba', which ends the game.*TURN above 0"),
    (f"{HOME.replace('3B3', '3(Ba)3')} a - 1", "RANKS has a covered bird 'Ba', which ends the game.*PLAYER b"),
    (f"{REBOUND.replace('3B3', '3(Ba)3')} b e4,d4 3", "RANKS has a covered bird 'Ba', which ends the game: REBOUND must be -"),
    (f"{HOME.replace('3B3', '3(Ba)3').replace('3A3', '3(Ab)3')} b - 1", "RANKS has a covered bird 'Ab', which ends the game.*PLAYER a"),
    # tokens
    (f"{HOME.replace('3a3', '3(' + 35 * 'a' + ')3')} a - 0", "RANKS must have at most 34 tokens of a, got 35"),
    (f"{HOME.replace('7', '(' + 20 * 'b' + ')(' + 15 * 'b' + ')5', 1)} a - 0", "RANKS must have at most 34 tokens of b, got 35"),
    (f"{HOME.replace('3a3', '3(' + 99 * 'ab' + ')3')} a - 0", "RANKS must have at most 34 tokens of a, got 99"),
    # player and turn
    (f"{HOME} c - 0", "PLAYER must be one of a, b, got 'c'"),
    (f"{HOME} A - 0", "PLAYER must be one of a, b, got 'A'"),
    (f"{HOME} a - 11", "TURN must be a whole number from 0 to 10 .*got '11'"),
    (f"{HOME} a - -1", "TURN must be a whole number"),
    (f"{HOME} a - 01", "TURN must be a whole number"),
    (f"{HOME} a - x", "TURN must be a whole number"),
    # rebound
    (f"{REBOUND} a  3", "REBOUND must be - or squares"),
    (f"{REBOUND} a e4;d4 3", "REBOUND must be - or squares"),
    (f"{REBOUND} a e4,d04 3", "REBOUND must be - or squares.*got 'd04'"),
    (f"{REBOUND} a e4,h4 3", "REBOUND must be - or squares.*got 'h4'"),
    (f"{REBOUND} a e4,d14 3", "REBOUND must be - or squares.*got 'd14'"),
    (f"{REBOUND} a e4,d4, 3", "REBOUND must be - or squares.*got ''"),
    (f"{REBOUND} a d4 3", "REBOUND must have at least two squares.*got 'd4'"),
    (f"{REBOUND} a d4,e4,d4 3", "REBOUND must not have a square twice"),
    (f"{REBOUND} a f4,d4 3", "REBOUND must go from neighbour to neighbour, not f4,d4"),
    (f"{REBOUND} a g5,a4,b4,c4,d4 3", "REBOUND must go from neighbour to neighbour, not g5,a4"),
    (f"{REBOUND} a d2,d3,d4 3", "REBOUND must not have a bird's square, got d2"),
    (f"{REBOUND} a d4,e4 3", "REBOUND must be - where none is due: e4 does not have four tokens of a on top"),
    (f"{REBOUND} a d4,d5 3", "REBOUND must be - where none is due: d5"),
    (f"{REBOUND} b e4,d4 3", "REBOUND must be - where none is due: d4 does not have four tokens of b on top"),
    (f"{REBOUND.replace('(aaaa)', '(aaba)')} a e4,d4 3", "REBOUND must be - where none is due"),
    (f"{REBOUND.replace('(aaaa)', '(aaa)')} a e4,d4 3", "REBOUND must be - where none is due"),
    (f"{REBOUND} a e4,d4 10", "REBOUND must be - at TURN 10, the cap"),
    (
        "6b/3B3/7/7/7/7/7/7/3(bbbbb)3/2(bbbbb)(aaaa)(bb)2/7/3A3/7 a e4,d4 3",
        "REBOUND must be - where none is legal: the token on d4 has nowhere to go",
    ),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_refused(text, reason):
    with pytest.raises(PositionError, match=reason):
        GAME.from_position(text)


def test_not_a_text():
    with pytest.raises(PositionError, match="a position is a text"):
        GAME.from_position(None)


@pytest.mark.parametrize(
    "text",
    [
        "bbbbbbb/bbbBbbb/bbbbbbb/bbbbbbb/bbbbbbb/7/7/7/aaaaaaa/aaaaaaa/aaaaaaa/aaaAaaa/aaaaaaa a - 0",
        f"{HOME} b - 0",
        f"{HOME} a - 10",
        f"{REBOUND} a e4,d4 9",
        f"{REBOUND} a d3,e3,e4,d4 0",
        f"{HOME.replace('3B3', '3(Ba)3')} b - 1",
        f"{HOME.replace('3A3', '3(Ab)3')} a - 10",
        f"{HOME.replace('3a3', '3(' + 34 * 'ba' + ')3')} a - 4",
    ],
)
def test_read_and_written_back(text):
    state = GAME.from_position(text)
    assert GAME.position(state) == text
    assert GAME.from_position(GAME.position(state)).tobytes() == state.tobytes()


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32))
def test_every_position_of_a_game_round_trips(seed):
    game, random = make_game("bikido"), np.random.default_rng(seed)
    state = game.start()
    for _ in range(100):
        again = game.from_position(game.position(state))
        assert game.position(again) == game.position(state)
        assert game.node(again) == game.node(state) and game.payoffs(again).tolist() == game.payoffs(state).tolist()
        if game.is_over(state):
            break
        # A text has no history, so what K7 forbade may be legal again, never the other way.
        assert set(game.moves(state)) <= set(game.moves(again))
        state = game.play(state, int(random.choice(game.legal_actions(state))))


def test_move_texts_are_of_absolute_squares():
    game = make_game("bikido")
    assert game.moves(game.start())["d5-d6"] == 7 * 31
    state = game.from_position("7/3B3/7/3(abb)3/7/7/7/7/7/3a3/7/3A3/7 b - 0")
    index = 7 * (90 - (7 * 9 + 3))
    assert game.moves(state) == {
        "d10-d9": index,
        "d10-e10": index + 1,
        "d10-c10": index + 2,
        "d10=e10": index + 4,
        "d10=c10": index + 5,
        "d10=d11": index + 6,
    }
