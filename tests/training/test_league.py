"""The pool of earlier policies."""

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.core.players import greedy_player
from boardherd.training.config import LeagueConfig, NetworkConfig
from boardherd.training.league import Fixed, League
from boardherd.training.network import make_network

NETWORK = make_network(make_game("herd", size=2), NetworkConfig(hidden=(4,)))


def league(num_envs=400, num_players=2, members=2, **config):
    league = League(LeagueConfig(**({"share": 0.5, "pool_size": 3} | config)), num_envs, num_players)
    for k in range(members):
        league.snapshot(k, NETWORK)
    return league


def finish_all(league, seed=0, payoffs=None):
    games = np.arange(league.num_envs)
    league.finish(games, np.zeros((len(games), league.num_players)) if payoffs is None else payoffs, np.random.default_rng(seed))


@pytest.mark.parametrize(("num_players", "seats"), [(2, 1), (3, 1), (4, 2), (5, 2)])
def test_share_and_seats(num_players, seats):
    pool = league(num_players=num_players)
    finish_all(pool)
    against = (pool.assigned > 0).any(axis=1)
    assert 0.4 < against.mean() < 0.6
    assert ((pool.assigned[against] > 0).sum(axis=1) == seats).all()
    assert all(len(set(row[row > 0])) == 1 for row in pool.assigned[against])
    assert (pool.assigned > 0).mean(axis=0) == pytest.approx(seats / num_players * against.mean(), abs=0.1)


def test_scores_are_kept_per_matchup_and_hard_opponents_come_more_often():
    pool = league()
    finish_all(pool)
    for _ in range(5):
        payoffs = np.where(pool.assigned == 0, 1.0, -1.0)  # wins against all
        lost = (pool.assigned == 2).any(axis=1)
        payoffs[lost] *= -1  # but the second member
        finish_all(pool, payoffs=payoffs)
    assert pool.pool[0].score > 0.9
    assert pool.pool[1].score < 0.1
    assert (pool.assigned == 2).sum() > 5 * (pool.assigned == 1).sum()


@pytest.mark.parametrize(("weighting", "favourite"), [("hard", 0), ("variance", 1), ("uniform", None)])
def test_weighting(weighting, favourite):
    pool = league(num_envs=3000, members=3, share=1.0, weighting=weighting)
    for member, score in zip(pool.pool, (0.05, 0.5, 0.95), strict=True):
        member.score = score
    finish_all(pool)
    drawn = np.array([(pool.assigned == number).any(axis=1).mean() for number in (1, 2, 3)])
    assert drawn.sum() == pytest.approx(1)
    if favourite is None:
        assert drawn == pytest.approx(1 / 3, abs=0.05)
    else:
        assert drawn.argmax() == favourite
        assert drawn.min() > 0


def test_newest_is_the_one_that_joined_last():
    pool = league(members=0)
    assert pool.newest is None
    for iteration in range(5):
        pool.snapshot(iteration, NETWORK)
    assert pool.newest.joined == 4


def test_full_pool_retires_the_easiest_once_its_games_are_over():
    pool = league(members=3)
    for member, score in zip(pool.pool, (0.9, 0.5, 0.6), strict=True):
        member.score = score
    pool.assigned[0] = (0, 1)  # a game against the easiest is under way
    easiest = pool.opponent(1)
    pool.snapshot(3, NETWORK)
    assert [member.name for member in pool.pool] == ["iteration-1", "iteration-2", "iteration-3"]
    assert pool.opponent(1) is easiest
    finish_all(pool)
    assert (pool.assigned != 1).all()  # it gets no new games
    pool.snapshot(4, NETWORK)  # the one of iteration 2, now the easiest, retires; the first one's place is free
    assert [member and member.name for member in pool.places] == ["iteration-4", "iteration-1", "iteration-2", "iteration-3"]
    assert [member.name for member in pool.pool] == ["iteration-4", "iteration-1", "iteration-3"]


def test_fixed_opponents_play_all_seats_but_one():
    pool = league(num_players=4, members=0, fixed_share=0.3)
    pool.fixed.append(Fixed("greedy", greedy_player))
    finish_all(pool)
    against = (pool.assigned != 0).any(axis=1)
    assert 0.2 < against.mean() < 0.4
    assert ((pool.assigned[against] == -1).sum(axis=1) == 3).all()
    finish_all(pool, payoffs=np.where(pool.assigned == 0, 1.0, -1.0))
    assert pool.fixed[0].score > 0.9
    again = league(num_players=4, members=0)
    again.fixed.append(Fixed("greedy", greedy_player))
    again.load_state_dict(pool.state_dict(), NETWORK)
    assert again.fixed == pool.fixed


def test_snapshots_do_not_learn():
    pool = league(members=1)
    assert not any(parameter.requires_grad for parameter in pool.pool[0].network.parameters())
    assert pool.pool[0].network is not NETWORK


def test_state_round_trip():
    pool = league()
    finish_all(pool)
    again = league(members=0)
    again.load_state_dict(pool.state_dict(), NETWORK)
    assert (again.assigned == pool.assigned).all()
    assert [(m.name, m.score, m.games) for m in again.pool] == [(m.name, m.score, m.games) for m in pool.pool]
