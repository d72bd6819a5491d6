"""What every game owes its users, seen through the batch engine: each registered game in each configuration."""

import math

import numpy as np
import pytest
from boardherd.envs import make_vec
from boardherd.envs.core.game import Game, State
from boardherd.envs.core.players import greedy_player, random_player
from boardherd.envs.core.vector import BatchEnv

ARRAYS = ("states", "seeds", "observation", "action_mask", "player", "rewards", "terminated", "truncated", "ending", "final_observation")


def content(vec: BatchEnv) -> dict[str, bytes]:
    return {name: getattr(vec, name).tobytes() for name in ARRAYS}


def run(vec: BatchEnv, steps: int) -> BatchEnv:
    for _ in range(steps):
        vec.step(vec.sample())
    return vec


def check_step(vec: BatchEnv) -> None:
    """What holds after each step, for all games at once."""
    game, over = vec.game, vec.terminated | vec.truncated
    assert ((vec.action_mask == 0) | (vec.action_mask == 1)).all()
    assert vec.action_mask.any(axis=1).all(), "a decision without a legal move"
    assert ((vec.player >= 0) & (vec.player < game.num_players)).all()
    assert np.abs(vec.rewards.sum(axis=1)).max() < 1e-9, "rewards do not sum to zero"
    assert not vec.rewards[~over].any(), "a reward before the end"
    assert not (vec.terminated & vec.truncated).any()
    assert ((vec.ending != 0) == over).all()
    assert (vec.ending < len(game.endings)).all()
    assert (vec.states["turn"] <= game.config["max_turns"]).all()
    for seen in (vec.observation, vec.final_observation[over]):
        assert (seen >= game.observation_low).all()
        assert (seen <= game.observation_high).all()
        for plane in game.broadcast_planes:
            numbers = seen[:, plane].reshape(len(seen), math.prod(seen.shape[2:]))
            assert (numbers == numbers[:, :1]).all()


def begun(game: Game, generator: np.ndarray) -> State:
    """The first decision of a new game whose dice go on from ``generator``. Games that end before it are begun again."""
    while True:
        state = game.start()
        state["rng"] = generator
        while game.node(state) == "chance":
            state = game.throw(state)
        if not game.is_over(state):
            return state
        generator = state["rng"]


def follow_with_single_games(vec: BatchEnv, steps: int) -> int:
    """Check each step against the same games played one by one. Returns how many of them came to an end."""
    game, ends = vec.game, 0
    for _ in range(steps):
        before, movers, actions = vec.states.copy(), vec.player.copy(), vec.sample()
        vec.step(actions)
        for i in range(vec.num_envs):
            state = game.play(before[i : i + 1], actions[i])
            while game.node(state) == "chance":
                state = game.throw(state)
            over = game.is_over(state)
            assert vec.rewards[i].tolist() == game.payoffs(state).tolist()
            assert (vec.terminated[i], vec.truncated[i]) == (game.node(state) == "terminal", game.node(state) == "truncated")
            assert (game.endings[vec.ending[i]] or None) == game.result(state)
            if over:
                ends += 1
                assert (vec.final_observation[i] == game.observe(state, movers[i])).all()
                state = begun(game, state["rng"])
            assert vec.states[i : i + 1].tobytes() == state.tobytes()
            assert vec.player[i] == game.player(state)
            assert (vec.action_mask[i] == game.legal_mask(state)).all()
            assert (vec.observation[i] == game.observe(state, vec.player[i])).all()
    return ends


def test_every_step_holds_the_contract(game):
    vec = BatchEnv(game, 64, seed=0)
    for _ in range(100):
        vec.step(vec.sample())
        check_step(vec)


def test_a_batch_plays_what_single_games_play(game):
    follow_with_single_games(BatchEnv(game, 3, seed=1), 60)


def test_games_end_and_begin_as_single_games_do(game_name):
    assert follow_with_single_games(make_vec(game_name, num_envs=4, seed=2, max_turns=6), 200) > 4


def test_results_do_not_depend_on_threads(game):
    one, three = (run(BatchEnv(game, 7, seed=3, threads=threads), 80) for threads in (1, 3))
    assert content(one) == content(three)


def test_a_game_does_not_depend_on_what_others_do(game_name):
    """Moves made in one game leave the dice of the next one alone."""
    left, right = (make_vec(game_name, num_envs=2, seed=4) for _ in range(2))
    for step in range(60):
        first = left.sample()
        second = right.sample()
        assert first[1] == second[1]
        second[0] = np.flatnonzero(right.action_mask[0])[-1] if step % 2 else second[0]
        left.step(first)
        right.step(second)
        assert left.states[1].tobytes() == right.states[1].tobytes()


def test_the_same_seed_gives_the_same_games(game_name):
    first, again, other = (content(run(make_vec(game_name, num_envs=5, seed=seed), 50)) for seed in (5, 5, 6))
    assert first == again
    assert first["states"] != other["states"]
    vec = run(make_vec(game_name, num_envs=5, seed=7), 50)
    vec.reset(5)
    assert content(run(vec, 50)) == first
    one, two = (make_vec(game_name, num_envs=5).states.tobytes() for _ in range(2))
    assert one != two


def test_save_and_load_bring_everything_back(game):
    vec = run(BatchEnv(game, 6, seed=8), 40)
    saved, before = vec.save(), content(vec)
    later = content(run(vec, 40))
    vec.load(saved)
    assert content(vec) == before
    assert content(run(vec, 40)) == later
    other = BatchEnv(game, 6, seed=9)
    other.load(saved)
    assert content(run(other, 40)) == later


def test_bytes_that_are_no_save_of_this_batch_are_refused_and_change_nothing(game_name):
    vec = run(make_vec(game_name, num_envs=3, seed=10), 10)
    saved = vec.save()
    damaged = bytearray(saved)
    damaged[len(saved) // 2] ^= 0xFF
    foreign = [
        make_vec(game_name, num_envs=4, seed=10).save(),
        make_vec(game_name, num_envs=3, seed=10, max_turns=8).save(),
        make_vec(game_name, num_envs=3, seed=10, skip_forced=True).save(),
    ]
    before = content(vec)
    for data in (b"", b"nonsense", saved[:100], saved[: len(saved) // 2], saved[:-30], bytes(damaged), *foreign):
        with pytest.raises(ValueError, match="these bytes"):
            vec.load(data)
        assert content(vec) == before


def test_skipping_forced_moves_asks_for_none(game):
    vec = BatchEnv(game, 32, seed=11, skip_forced=True)
    for _ in range(100):
        vec.step(vec.sample())
        check_step(vec)
        assert (vec.action_mask.sum(axis=1) >= 2).all()


def test_an_illegal_action_is_refused_before_anything_moves(game_name):
    vec = run(make_vec(game_name, num_envs=4, seed=12), 5)
    before = content(vec)
    legal = vec.action_mask.argmax(axis=1)
    illegal = legal.copy()
    illegal[2] = vec.action_mask[2].argmin()
    for actions, message in (
        (illegal, "environment 2: action .* legal moves with their action indices"),
        (np.full(4, -1), "environment 0: action "),
        (np.full(4, vec.game.num_actions), "environment 0"),
        (legal[:3], "shape"),
        (legal.astype(float), "integers"),
    ):
        with pytest.raises(ValueError, match=message):
            vec.step(actions)
        assert content(vec) == before


def test_a_batch_that_is_none_is_refused(game_name):
    for numbers in ({"num_envs": 0}, {"num_envs": 1.5}, {"num_envs": True}, {"num_envs": 2, "threads": 0}, {"num_envs": 2, "seed": -1}):
        with pytest.raises(ValueError, match="must be an integer"):
            make_vec(game_name, **numbers)


def test_arrays_are_rewritten_in_place(game_name):
    vec = make_vec(game_name, num_envs=3, seed=13)
    arrays = {name: getattr(vec, name) for name in ARRAYS}
    run(vec, 5)
    vec.reset(14)
    assert all(getattr(vec, name) is array for name, array in arrays.items())


def test_baselines_choose_legal_actions_and_change_nothing_but_seeds(game):
    vec = BatchEnv(game, 16, seed=15)
    for step in range(60):
        before = content(vec)
        actions = (random_player, greedy_player)[step % 2](vec.decisions())
        assert {**content(vec), "seeds": before["seeds"]} == before
        vec.step(actions)


def test_the_lowest_cap_on_turns_still_gives_decisions(game_name):
    vec = make_vec(game_name, num_envs=2, seed=17, max_turns=2)
    for _ in range(50):
        vec.step(vec.sample())
        check_step(vec)


@pytest.mark.slow
def test_a_million_random_decisions(game):
    vec = BatchEnv(game, 1000, seed=16)
    for step in range(1000):
        vec.step(vec.sample())
        check_step(vec)
        if step % 10 == 0:
            state = vec.states[step : step + 1]
            assert game.position(game.from_position(game.position(state))) == game.position(state)
