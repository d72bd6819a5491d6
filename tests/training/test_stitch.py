"""Trajectories per seat: hand-computed advantages and targets."""

import numpy as np
import pytest
from boardherd.training.rollout import stitch


def run(
    players, over=None, payoffs=None, values=None, n=2, discount=1.0, gae_lambda=1.0, learning=None, open_before=None, open_values=None
):
    """One game: lists over time. Returns advantages (T, n), targets, closed, and those of decisions left open before."""
    steps = len(players)
    paid = np.zeros((steps, 1, n))
    for step, amounts in (payoffs or {}).items():
        paid[step, 0] = amounts
    finished = np.zeros((steps, 1), bool)
    finished[list(over or []), 0] = True
    own = np.zeros((steps, 1, n), np.float32)
    if values is not None:
        own[:, 0, 0] = values
        own[:, 0, 1:] = (-np.asarray(values, np.float32) / (n - 1))[:, None]
    waiting = np.zeros((1, n), bool) if open_before is None else np.array([open_before])
    waiting_values = np.zeros((1, n, n), np.float32)
    if open_values is not None:
        waiting_values[0] = open_values
    learns = np.ones((steps, 1), bool) if learning is None else np.array(learning)[:, None]
    advantages, targets = np.zeros_like(own), np.zeros_like(own)
    open_advantages, open_targets = np.zeros_like(waiting_values), np.zeros_like(waiting_values)
    closed, open_closed = np.zeros_like(finished), np.zeros_like(waiting)
    stitch(
        np.array(players)[:, None], learns, finished, paid, own, waiting, waiting_values, discount, gae_lambda,
        advantages, targets, closed, open_advantages, open_targets, open_closed, np.empty((n, 3 * n)),
    )  # fmt: skip
    return advantages[:, 0], targets[:, 0], closed[:, 0], open_advantages[0], open_targets[0], open_closed[0]


def test_loser_sees_its_loss():
    # Player 1 makes the last move and wins; player 0's last decision was the one before.
    advantages, targets, closed, *_ = run([0, 1], over=[1], payoffs={1: (-1, 1)})
    assert closed.all()
    np.testing.assert_allclose(targets[0], [-1, 1])  # own first, relative order
    np.testing.assert_allclose(targets[1], [1, -1])
    np.testing.assert_allclose(advantages, targets)


def test_extra_turns_chain_to_the_same_seat():
    # a a b a b, then b wins. With lambda 0 each advantage is the next own value, or the payoff, less the own value.
    values = [0.1, 0.2, 0.3, 0.4, 0.5]
    advantages, _, closed, *_ = run([0, 0, 1, 0, 1], over=[4], payoffs={4: (-1, 1)}, values=values, gae_lambda=0.0)
    assert closed.all()
    np.testing.assert_allclose(advantages[:, 0], [0.2 - 0.1, 0.4 - 0.2, 0.5 - 0.3, -1 - 0.4, 1 - 0.5], atol=1e-6)


def test_lambda_and_discount_count_own_decisions():
    # a b a b a: for a the chain is steps 0, 2, 4.
    values = [0.1, 0.0, 0.3, 0.0, 0.5]
    advantages, targets, *_ = run([0, 1, 0, 1, 0], over=[4], payoffs={4: (1, -1)}, values=values, discount=0.9, gae_lambda=0.8)
    last = 1 - 0.5
    middle = 0.9 * 0.5 - 0.3 + 0.9 * 0.8 * last
    first = 0.9 * 0.3 - 0.1 + 0.9 * 0.8 * middle
    np.testing.assert_allclose(advantages[[0, 2, 4], 0], [first, middle, last], atol=1e-6)
    np.testing.assert_allclose(targets[[0, 2, 4], 0], [first + 0.1, middle + 0.3, 1.0], atol=1e-6)


def test_player_who_drops_out_is_paid_at_the_end():
    # Three players; player 2 decides once, at the start, and the others play on without it.
    _, targets, closed, *_ = run([2, 0, 1, 0, 1], over=[4], payoffs={4: (-0.5, 1, -0.5)}, n=3)
    assert closed.all()
    np.testing.assert_allclose(targets[0], [-0.5, -0.5, 1])  # seen from seat 2: itself, seat 0, seat 1
    np.testing.assert_allclose(targets[1], [-0.5, 1, -0.5])
    np.testing.assert_allclose(targets[2], [1, -0.5, -0.5])


def test_nothing_leaks_from_one_game_into_the_next():
    advantages, _, closed, *_ = run([0, 1, 0, 1, 0, 1], over=[1], payoffs={1: (1, -1)}, values=[0.5, 0, 0.9, 0.2, 0.7, 0.1], gae_lambda=1.0)
    np.testing.assert_allclose(advantages[:2, 0], [0.5, -1.0], atol=1e-6)
    assert closed.tolist() == [True, True, True, True, False, False]
    np.testing.assert_allclose(advantages[2:4, 0], [0.7 - 0.9, 0.1 - 0.2], atol=1e-6)


def test_open_decisions_wait_for_their_next_one():
    # Seat 0 and seat 1 both left a decision open; seat 0 decides again, seat 1's game ends.
    *_, advantages, targets, closed = run(
        [0, 0],
        over=[1],
        payoffs={1: (-1, 1)},
        values=[0.4, 0.6],
        gae_lambda=0.0,
        open_before=[True, True],
        open_values=[[0.1, -0.1], [0.2, -0.2]],
    )
    assert closed.all()
    np.testing.assert_allclose(advantages[0], [0.4 - 0.1, -0.4 + 0.1], atol=1e-6)
    np.testing.assert_allclose(advantages[1], [1 - 0.2, -1 + 0.2], atol=1e-6)
    np.testing.assert_allclose(targets[1], [1, -1], atol=1e-6)


def test_open_decision_stays_open_while_its_seat_waits():
    *_, closed = run([0, 0, 0], open_before=[False, True], open_values=np.zeros((2, 2)))
    assert not closed[1]


def test_other_policies_moves_are_skipped():
    advantages, _, closed, *_ = run(
        [0, 1, 0, 1], over=[3], payoffs={3: (1, -1)}, values=[0.1, 9, 0.2, 9], learning=[True, False, True, False]
    )
    assert closed.tolist() == [True, False, True, False]
    np.testing.assert_allclose(advantages[[0, 2], 0], [1 - 0.1, 1 - 0.2], atol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_agrees_with_a_slow_reference(n):
    random = np.random.default_rng(n)
    steps, discount, gae_lambda = 60, 0.97, 0.9
    players = random.integers(n, size=steps)
    over = sorted(random.choice(steps, 5, replace=False).tolist())
    payoffs = {}
    for step in over:
        paid = random.normal(size=n)
        payoffs[step] = paid - paid.mean()
    values = random.normal(size=steps).astype(np.float32)
    advantages, _, closed, *_ = run(players, over, payoffs, values, n, discount, gae_lambda)
    for step, seat in enumerate(players):
        end = next((o for o in over if o >= step), None)
        later = [t for t in range(step + 1, (end if end is not None else steps - 1) + 1) if players[t] == seat]
        expected, weight, at = 0.0, 1.0, step
        for following in later:
            expected += weight * (discount * values[following] - values[at])
            weight, at = weight * discount * gae_lambda, following
        if end is not None:
            expected += weight * (payoffs[end][seat] - values[at])
        if end is None and not later:
            assert not closed[step]
        else:
            np.testing.assert_allclose(advantages[step, 0], expected, atol=1e-4)
