"""Exact solutions: values by hand, Bellman's equation, what must be equal by symmetry, and losses."""

import json

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.core.game import Game
from boardherd.envs.core.players import greedy_player, random_player
from boardherd.training.cli import main
from boardherd.training.solver import RESIDUAL, Solution, solve


@pytest.fixture(scope="module")
def herd() -> Solution:
    return solve("herd", size=2)


def walk(game: Game, seed: int, moves: int):
    """The positions of a random game."""
    random = np.random.default_rng(seed)
    state = game.reseed(game.start(), seed)
    for _ in range(moves):
        if game.is_over(state):
            return
        yield state
        state = game.play(state, int(random.choice(game.legal_actions(state)))) if game.player(state) is not None else game.throw(state)


def to_move(game: Game, state, solution: Solution) -> float:
    """What the position is worth to player 0 by its successors' values."""
    if game.player(state) is None:
        return sum(chance * solution.value_of(game.resolve(state, text)) for text, chance in game.chances(state).items())
    values = [solution.value_of(game.play(state, text)) for text in game.moves(state)]
    return max(values) if game.player(state) == 0 else min(values)


def test_a_position_solved_by_hand(herd):
    """Black's last stone fills the board: 5 to 2 wins. Black wins whatever is thrown when only one cell is open, and white has few."""
    game = herd.game
    state = game.from_position("xx/xx1/oo a 0 1 2")
    assert herd.value_of(state) == 1
    assert herd.action_values(state) == {4: 1.0}
    assert herd.best_moves(state) == ["+b3"]
    assert herd.value_of(game.from_position("oo/oo1/xx b 0 1 3")) == -1
    assert herd.action_values(game.from_position("oo/oo1/xx b 0 1 3")) == {4: 1.0}


def test_bellman_equation_in_positions_of_random_games(herd):
    assert herd.residual < RESIDUAL
    for seed in range(10):
        for state in walk(herd.game, seed, 60):
            assert herd.value_of(state) == pytest.approx(to_move(herd.game, state, herd), abs=RESIDUAL)


def test_action_values_are_those_of_the_successors_to_the_mover(herd):
    game = herd.game
    for state in walk(game, 5, 40):
        if game.player(state) is not None:
            sign = 1 if game.player(state) == 0 else -1
            assert herd.action_values(state) == {a: sign * herd.value_of(game.play(state, a)) for a in game.moves(state).values()}


def test_sizes_and_value_of_herd(herd):
    """Once and for all: a change in any of these numbers is a change of the rules."""
    assert (herd.decisions, herd.chances, herd.ends) == (62569, 3455, 110)
    assert herd.value == pytest.approx(0.0136664679, abs=1e-8)


def test_colours_and_turns_of_the_board_change_nothing(herd):
    """After the first turn the colours are alike, and so are all six turns of the hexagon."""
    game = herd.game
    value = herd.value_of(game.from_position("x1/1o1/2 a ? ? 4"))
    assert herd.value_of(game.from_position("o1/1x1/2 b ? ? 5")) == pytest.approx(-value, abs=1e-8)
    assert herd.value_of(game.from_position("1x/1o1/2 a ? ? 4")) == pytest.approx(value, abs=1e-8)
    assert herd.value_of(game.from_position("2/1o1/1x a ? ? 4")) == pytest.approx(value, abs=1e-8)


def test_the_number_of_turns_does_not_matter_but_the_first_does(herd):
    game = herd.game
    assert herd.value_of(game.from_position("2/3/2 a ? ? 0")) == herd.value
    assert herd.value_of(game.from_position("x1/1o1/2 a ? ? 4")) == herd.value_of(game.from_position("x1/1o1/2 a ? ? 490"))


def test_a_position_that_the_start_does_not_lead_to(herd):
    with pytest.raises(ValueError, match="cannot be reached from the start"):
        herd.value_of(herd.game.from_position("ox/xxo/ox b 0 0 1"))


def test_losses_of_players(herd):
    optimal, random, greedy = (herd.loss(player, "x", 200) for player in (herd.optimal_player, random_player, greedy_player))
    assert optimal.mean == optimal.high == 0
    assert 0.025 < random.mean < 0.04
    assert greedy.mean < random.mean
    assert greedy == herd.loss(greedy_player, "x", 200)


def test_loss_of_one_choice(herd):
    game = herd.game
    seen = []

    def worst(decisions):
        actions = []
        for i in range(len(decisions.states)):
            values = herd.action_values(decisions.states[i : i + 1])
            actions.append(min(values, key=values.get))
            seen.append(max(values.values()) - min(values.values()))
        return np.array(actions)

    loss = herd.loss(worst, "worst", 10)
    assert loss.decisions == len(seen)
    assert loss.games == 10 and game.num_players == 2
    assert loss.mean > 0.03


def test_too_many_positions():
    with pytest.raises(ValueError, match="more than 1,000 positions"):
        solve("herd", size=3, max_states=1000)


def test_only_for_two():
    with pytest.raises(ValueError, match="for two players, chopat has 4"):
        solve("chopat")


def test_command(capsys, tmp_path):
    path = tmp_path / "solution.json"
    assert main(["solve", "herd", "size=2", "--policy", "random", "--games", "10", "--json", str(path)]) == 0
    assert "62,569 decisions" in capsys.readouterr().out.replace("\n", " ")
    report = json.loads(path.read_text())
    assert report["positions"] == {"decision": 62569, "chance": 3455, "end": 110}
    assert report["residual"] < RESIDUAL
    assert [loss["name"] for loss in report["losses"]] == ["random"]
    assert len(report["first_moves"]) == 21


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["herd", "size=3", "--max-states", "100"], "more than 100 positions"),
        (["herd", "size=2", "greedy"], "--policy"),
        (["herd", "size=2", "--policy", "nobody"], "no player 'nobody'"),
        (["berd"], "two players"),
    ],
)
def test_refusals(capsys, arguments, message):
    assert main(["solve", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_chopat_with_one_man_is_fair():
    """Who begins is drawn, and the two sides of the board are alike."""
    solution = solve(make_game("chopat", num_players=2, men=1))
    assert solution.value == pytest.approx(0, abs=1e-6)
    assert solution.residual < RESIDUAL
    assert (solution.decisions, solution.chances, solution.ends) == (7681184, 866797, 290)
