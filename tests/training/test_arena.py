"""Fair evaluation: seat orders, paired seeds, intervals."""

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.core.players import greedy_player, random_player
from boardherd.training import evaluate
from boardherd.training.arena import play_games


def first_legal(decisions):
    return decisions.action_mask.argmax(axis=1)


def test_every_order_with_the_same_dice():
    seen = []

    def watcher(decisions):
        seen.append((decisions.states["turn"].copy(), decisions.player.copy(), decisions.observation.copy()))
        return first_legal(decisions)

    result = evaluate([watcher, first_legal], "herd", size=2, games=20)
    assert (result.games, result.seeds, result.orders) == (20, 10, 2)
    # Both players always take the first legal move: with paired dice each seed's two games are the same, whoever sits where.
    assert result.score("watcher").wins == pytest.approx(0.5)
    assert result.score("watcher").wins_low == result.score("watcher").wins_high == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("players", "orders"),
    [(["random"] * 4, 1), (["greedy", "random", "random", "random"], 4), (["greedy", "greedy", "random", "random"], 6)],
)
def test_orders_of_like_players_are_not_played_twice(players, orders):
    result = evaluate(players, "chopat", games=24)
    assert result.orders == orders
    assert sum(score.wins * score.seats for score in result.scores) == pytest.approx(1)
    assert sum(score.payoff * score.seats for score in result.scores) == pytest.approx(0, abs=1e-9)


def test_more_than_four_seats_are_sampled_in_balance():
    result = evaluate(["greedy", *["random"] * 5], "berd", num_players=6, tokens=2, path=16, games=12)
    assert (result.orders, result.seeds, result.games) == (6, 2, 12)
    assert len(result.score("greedy").by_seat) == 6


def test_same_seed_same_result_whatever_else_is_played():
    game = make_game("herd", size=3)
    one = evaluate(["greedy", "random"], game, games=40, seed=5)
    assert one == evaluate(["greedy", "random"], game, games=40, seed=5)
    assert one != evaluate(["greedy", "random"], game, games=40, seed=6)


def test_greedy_beats_random_and_says_how_games_ended():
    result = evaluate([greedy_player, random_player], "herd", games=200)
    score = result.score("greedy_player")
    assert score.wins > 0.9
    assert score.wins_low <= score.wins <= score.wins_high
    assert score.payoff == pytest.approx(2 * score.wins - 1)
    assert result.endings == {"board full": 200, "turn cap": 0}
    assert result.to_dict()["scores"][0]["name"] == "greedy_player"


def test_interval_covers_the_truth():
    """Random against random is worth a half: about 95 of 100 intervals hold it (clustered by seed, so the seat's luck cancels)."""
    game = make_game("herd", size=2)
    inside = 0
    for seed in range(60):
        score = evaluate([random_player, lambda d: random_player(d)], game, games=60, seed=1000 * seed).scores[0]
        inside += score.wins_low <= 0.5 <= score.wins_high
    assert inside >= 50


def with_a_choice(game, state):
    """Go on to a decision with two legal moves."""
    while len(game.legal_actions(state)) < 2:
        state = game.throw(state) if game.player(state) is None else game.play(state, int(game.legal_actions(state)[0]))
    return state


def test_games_begin_where_they_are_told_to_with_the_same_dice_for_every_order():
    game = make_game("herd", size=3)
    first = game.new(1)
    starts = np.concatenate([with_a_choice(game, game.play(first, int(action))) for action in game.legal_actions(first)[:3]])
    before, seen = starts.copy(), []

    def watcher(decisions):
        seen.extend(game.position(decisions.states[i : i + 1]) for i in range(len(decisions.states)))
        return first_legal(decisions)

    games = play_games([watcher, lambda decisions: watcher(decisions)], game, 14, starts=starts)
    assert games.seed.tolist() == sorted([*range(7)] * 2)
    assert np.array_equal(starts, before)
    texts = [game.position(starts[k : k + 1]) for k in range(3)]
    assert len(set(texts)) == 3
    assert sorted(seen[:14]) == sorted(texts[seed % 3] for seed in games.seed)
    # Players who play alike make the same game of a seed whoever sits where, so the dice were the same.
    assert np.array_equal(games.payoffs[::2], games.payoffs[1::2])
    assert np.array_equal(games.turns[::2], games.turns[1::2])


def test_starts_must_be_positions_of_the_game_to_play_on_from():
    game = make_game("herd", size=2)
    over = game.new(1)
    while not game.is_over(over):
        over = game.throw(over) if game.player(over) is None else game.play(over, int(game.legal_actions(over)[0]))
    for starts, message in (
        (make_game("chopat").start(), "starts must be one or more states of .*herd"),
        (game.start()[:0], "starts must be one or more states"),
        (np.concatenate([game.start(), over]), "in number 1 the game is over: '"),
    ):
        with pytest.raises(ValueError, match=message):
            play_games(["random", "random"], game, 2, starts=starts)


def test_wrong_calls():
    with pytest.raises(ValueError, match="2 seats here, so name 2 players"):
        evaluate(["random"], "herd")
    with pytest.raises(ValueError, match="games must be 1 or more"):
        evaluate(["random", "random"], "herd", games=0)

    def illegal(decisions):
        return decisions.action_mask.argmin(axis=1)

    def shapeless(decisions):
        return 3

    def fractional(decisions):
        return np.zeros(len(decisions.states))

    for player, message in ((illegal, "not legal in herd position"), (shapeless, "must return"), (fractional, "must return integers")):
        with pytest.raises(ValueError, match=message):
            evaluate([player, "random"], "herd", games=2)
