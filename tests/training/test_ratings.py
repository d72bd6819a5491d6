"""Ratings against closed forms and a library, intervals against simulation."""

import itertools
import json

import choix
import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.training.arena import Games
from boardherd.training.ratings import POINTS, rate, standings


def fitted(sat, payoffs, players):
    """Ratings of games, all counted once."""
    sat, payoffs = np.array(sat), np.array(payoffs, float)
    return rate(list("abcdef")[:players], sat, payoffs, np.zeros(len(sat), int), np.ones((1, 1), int))[0]


def games_of(names, sat, payoffs, seed=None):
    count = len(sat)
    seed = np.arange(count) if seed is None else np.array(seed)
    return Games(names, np.array(sat), np.array(payoffs, float), np.arange(count) + 5, np.ones(count, int), seed)


def test_two_players_have_the_odds_of_their_wins():
    ratings = fitted([[0, 1]] * 30 + [[1, 0]] * 10, [[1, -1]] * 40, 2)
    assert ratings[0] - ratings[1] == pytest.approx(400 * np.log10(30.5 / 10.5))  # half a win each from the drawn game


def test_draws_count_half():
    ratings = fitted([[0, 1]] * 9, [[0, 0]] * 9, 2)
    assert ratings == pytest.approx([0, 0], abs=1e-6)


def test_who_loses_everything_has_a_finite_rating():
    ratings = fitted([[0, 1], [1, 2], [0, 2]] * 50, [[1, -1]] * 150, 3)
    assert np.isfinite(ratings).all()
    assert ratings[0] > ratings[1] > ratings[2]
    four = fitted([[0, 1, 2, 3]] * 50, [[3, 1, -1, -3]] * 50, 4)
    assert np.isfinite(four).all()
    assert list(four) == sorted(four, reverse=True)


PAIRS = list(itertools.permutations(range(4), 2))  # each pair once each way: a drawn game, counted twice


def test_whole_rankings_are_rated_as_choix_does():
    random = np.random.default_rng(1)
    sat = np.array([random.permutation(4)[:3] for _ in range(80)])
    payoffs = np.array([random.permutation([1, 0, -1]) for _ in sat])
    rankings = [tuple(row[np.argsort(-paid)]) for row, paid in zip(sat, payoffs, strict=True)]
    expected = POINTS * choix.ilsr_rankings(4, rankings * 2 + PAIRS)
    assert fitted(sat, payoffs, 4) == pytest.approx(expected, abs=0.01)


def test_a_winner_among_equal_losers_is_rated_as_choix_does():
    random = np.random.default_rng(2)
    sat = np.array([random.permutation(4)[:3] for _ in range(80)])
    winner = random.integers(3, size=80)
    payoffs = np.where(np.arange(3) == winner[:, None], 1.0, -0.5)
    choices = [(row[w], [other for other in row if other != row[w]]) for row, w in zip(sat, winner, strict=True)]
    expected = POINTS * choix.ilsr_top1(4, choices * 2 + [(one, [other]) for one, other in PAIRS])
    assert fitted(sat, payoffs, 4) == pytest.approx(expected, abs=0.01)


def test_a_shared_win_counts_as_half_a_win_each():
    shared = fitted([[0, 1, 2]] * 40, [[0.5, 0.5, -1]] * 40, 3)
    in_turn = fitted([[0, 1, 2]] * 40, [[1, -0.5, -0.5], [-0.5, 1, -0.5]] * 20, 3)
    assert shared == pytest.approx(in_turn, abs=0.01)


def test_the_same_player_in_several_seats():
    """Against two copies of itself an equal wins a third of the games."""
    sat = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    ratings = fitted(sat, [[1, -0.5, -0.5]] * 3, 2)
    assert ratings == pytest.approx([0, 0], abs=0.01)
    better = fitted(sat, [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]], 2)
    assert better[0] > better[1]


def test_games_of_one_seed_are_no_independent_evidence():
    game = make_game("herd")
    random = np.random.default_rng(3)
    sat = np.tile([[0, 1], [1, 0]], (120, 1))
    winner = np.repeat(random.random(60) > 0.7, 4)
    payoffs = np.where(sat == winner[:, None], 1, -1)
    clustered = standings(game, games_of(["a", "b"], sat, payoffs, np.repeat(np.arange(60), 4)), "b", 1).players[0].wins
    scattered = standings(game, games_of(["a", "b"], sat, payoffs), "b", 1).players[0].wins
    assert clustered.value == scattered.value
    assert clustered.high - clustered.low > 1.6 * (scattered.high - scattered.low)


def test_intervals_cover_the_truth():
    """About 95 of 100 intervals hold the difference in rating that the games were drawn with, four games of a seed alike."""
    random, inside = np.random.default_rng(4), 0
    sat = np.repeat([[0, 1], [1, 2], [0, 2]] * 40, 2, axis=0)
    cluster = np.repeat(np.arange(40), 6)
    strength = np.array([0.6, 0.0, -0.6])
    chance = 1 / (1 + np.exp(strength[sat[:, 1]] - strength[sat[:, 0]]))
    for _ in range(40):
        won = np.repeat(random.random(120), 2) < chance
        payoffs = np.where(won[:, None], [[1.0, -1.0]], [[-1.0, 1.0]])
        draws = random.multinomial(40, np.full(40, 1 / 40), size=100)
        ratings = rate(["a", "b", "c"], sat, payoffs, cluster, draws)
        low, high = np.quantile(ratings[:, 0] - ratings[:, 2], [0.025, 0.975])
        inside += low <= 1.2 * POINTS <= high
    assert inside >= 34


def test_standings_by_hand():
    sat = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]
    payoffs = [[1, -1], [1, -1], [1, -1], [-1, 1], [0, 0], [1, -1]]
    result = standings(make_game("herd"), games_of(["a", "b", "c"], sat, payoffs, [0, 0, 0, 0, 1, 1]), "c", 7)
    a, b, c = (next(player for player in result.players if player.name == name) for name in "abc")
    assert (a.wins.value, b.wins.value, c.wins.value) == (0.75, 0.375, 0.375)
    assert a.by_seat == [1, 0.5]
    assert a.against == {"b": 0.5, "c": 1.0}
    assert b.against == {"a": 0.5, "c": 0.25}
    assert [seat.value for seat in result.seats] == [0.75, 0.25]
    assert c.rating.value == c.rating.low == c.rating.high == 0
    assert (result.games, result.seeds, result.turns) == (6, 2, [5, 6, 7, 8, 9, 10])
    assert result.players[0].name == "a"
    assert json.loads(json.dumps(result.to_dict()))["endings"] == {"board full": 6, "turn cap": 0}
