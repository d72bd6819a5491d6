"""Herd's position texts: what they say, and what is refused."""

import pytest
from boardherd.envs import make_game


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3/4/5/4/3 a ? ?", "4 fields"),
        ("3/4/5/4/3  a ? ? 0", "6 fields"),
        ("3/4/5/4 a ? ? 0", "5 rows"),
        ("3/4/5/4/2 a ? ? 0", "row e of ROWS must have 3 cells"),
        ("3/4/5/4/4 a ? ? 0", "row e"),
        ("0x2/4/5/4/3 a ? ? 0", "run of empty cells in row a"),
        ("x11/4/5/4/3 a ? ? 0", "row a"),
        ("03/4/5/4/3 a ? ? 0", "row a"),
        ("xz1/4/5/4/3 a ? ? 0", "'z'"),
        ("3/4/5/4/3 c ? ? 0", "PLAYER"),
        ("3/4/5/4/3 b ? ? 0", "PLAYER must be a at TURN 0"),
        ("3/4/5/4/3 a ? ? 1", "PLAYER must be b at TURN 1"),
        ("3/4/5/4/3 a ? 3 0", "both be [?]"),
        ("3/4/5/4/3 a 3 ? 0", "both be [?]"),
        ("3/4/5/4/3 a ? ? 00", "TURN"),
        ("3/4/5/4/3 a ? ? 502", "TURN"),
        ("3/4/5/4/3 a ? ? -2", "TURN"),
        ("3/4/5/4/3 a 0 3 500", "REMOVE and PLACE must be [?] at TURN 500"),
        ("3/4/5/4/3 a 0 0 2", "must not both be 0"),
        ("3/4/5/4/3 a 0 7 2", "PLACE"),
        ("oo1/4/5/4/3 a 3 3 2", "REMOVE must be at most the 2 enemy stones"),
        ("ooo/oooo/5/4/3 a 7 7 2", "REMOVE"),
        ("oo1/4/5/4/3 a 1 0 2", "PLACE must be at least REMOVE"),
        ("oo1/4/5/4/3 a 2 1 2", "PLACE must be at least REMOVE"),
        ("oo1/4/5/4/3 a 1 7 2", "PLACE"),
        ("xxx/xxxx/xxxxx/xxxx/xxx a 0 1 2", "full board"),
        ("xxx/xxxx/xxxxx/xxxx/xxx a ? ? 2", "full board"),
        ("xxx/xxxx/xxxxx/xxxx/xxx a 0 0 500", "below the cap"),
        ("1oo/oooo/ooooo/oooo/ooo a 0 1 2", "no cell is legal"),
        (None, "text"),
    ],
)
def test_refused(text, message):
    with pytest.raises(ValueError, match=message):
        make_game("herd", size=3).from_position(text)


@pytest.mark.parametrize("size", range(2, 9))
def test_every_cell_has_one_name(size):
    game = make_game("herd", size=size)
    state = game.resolve(game.start(), "1-1")
    moves = game.moves(state)
    assert len(moves) == game.num_actions == 3 * size * (size - 1) + 1
    assert list(moves.values()) == list(range(game.num_actions))


def test_results_are_named():
    game = make_game("herd", size=2, max_turns=2)
    assert game.result(game.from_position("xx/xxo/oo b 0 0 1")) == "board full"
    capped = game.from_position("x1/2o/2 a ? ? 2")
    assert (game.node(capped), game.result(capped)) == ("truncated", "turn cap")
    assert game.payoffs(capped).tolist() == [0, 0]
    assert game.result(game.start()) is None
