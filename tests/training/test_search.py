"""Searches: they find wins, beat random players, are reproducible, and come near the exact solution."""

import numpy as np
import pytest
import torch
from boardherd.envs import make_game
from boardherd.envs.core.game import Game
from boardherd.envs.core.players import Decisions, Player, ask
from boardherd.envs.core.random import seed_of
from boardherd.training import evaluate, load_player
from boardherd.training.checkpoint import save_checkpoint
from boardherd.training.config import NetworkConfig, TrainingConfig
from boardherd.training.network import make_network
from boardherd.training.policy import PolicyPlayer
from boardherd.training.rollout import infer
from boardherd.training.search import Expectimax, TreeSearch, TurnSearch
from boardherd.training.solver import Solution, solve

SMALL = {
    "herd": {"size": 3},
    "chopat": {"num_players": 3, "men": 2},
    "berd": {"num_players": 3, "tokens": 3, "path": 16},
    "bikido": {},
}
HIDDEN = (16,)


@pytest.fixture(scope="module")
def herd() -> Solution:
    return solve("herd", size=2)


def untrained(game: Game):
    torch.manual_seed(1)
    return make_network(game, NetworkConfig(hidden=HIDDEN)).eval()


def players(game: Game) -> list[Player]:
    network = untrained(game)
    return [
        *(TreeSearch(200), TreeSearch(400, network)),
        *(Expectimax(1), Expectimax(1, network), Expectimax(2, network)),
        TurnSearch(400, network),
    ]


def decisions_at(game: Game, states: list, seed: int = 0) -> Decisions:
    seats = [game.player(state) for state in states]
    observations = np.stack([game.observe(state, seat) for state, seat in zip(states, seats, strict=True)])
    masks = np.stack([game.legal_mask(state) for state in states])
    seeds = np.array([seed_of(seed + k) for k in range(len(states))])
    return Decisions(game, np.concatenate(states), observations, masks, np.array(seats), seeds)


def random_decisions(game: Game, seed: int):
    """The decisions of random games, without an end."""
    random = np.random.default_rng(seed)
    while True:
        state = game.new(int(random.integers(1 << 30)))
        while not game.is_over(state):
            if game.player(state) is None:
                state = game.throw(state)
            else:
                yield state
                state = game.play(state, int(random.choice(game.legal_actions(state))))


def wins_in_one(game: Game, state) -> set[int]:
    ends = {int(action): game.play(state, int(action)) for action in game.legal_actions(state)}
    return {action for action, end in ends.items() if game.is_over(end) and game.payoffs(end)[game.player(state)] == 1}


@pytest.mark.parametrize("name", ["chopat", "berd", "bikido"])
def test_wins_at_once_where_it_can(name):
    game = make_game(name, **SMALL[name])
    found = (state for state in random_decisions(game, 3) if 0 < len(wins_in_one(game, state)) < len(game.legal_actions(state)))
    states = [next(found) for _ in range(3)]
    for player in players(game):
        for state, action in zip(states, ask(player, decisions_at(game, states)), strict=True):
            assert action in wins_in_one(game, state), (player, game.position(state))


@pytest.mark.parametrize("player", [TreeSearch(500), Expectimax(1), Expectimax(2)])
def test_herd_finds_what_decides_the_game(herd, player):
    """In Herd the last move is never a choice. These are the ones that decide: one is worth at least a half more than another."""
    game, states = herd.game, []
    for state in random_decisions(game, 0):
        values = herd.action_values(state).values()
        if max(values) - min(values) >= 0.5:
            states.append(state)
        if len(states) == 10:
            break
    decisions = decisions_at(game, states)
    lost = herd.losses(decisions, ask(player, decisions))
    assert lost.mean() < 0.05


def test_same_seeds_same_moves_whatever_else_is_asked():
    game = make_game("herd", size=3)
    generator = random_decisions(game, 1)
    states = [next(generator) for _ in range(12)]
    for player in (TreeSearch(50), Expectimax(1), TurnSearch(20, untrained(game))):
        together = ask(player, decisions_at(game, states))
        assert ask(player, decisions_at(game, states)).tolist() == together.tolist()
        assert ask(player, decisions_at(game, states[:4])).tolist() == together[:4].tolist()
        assert any(ask(player, decisions_at(game, states, seed)).tolist() != together.tolist() for seed in (100, 200))


def test_seeds_advance_and_states_stay(herd):
    game = herd.game
    for player in (*players(game), Expectimax(2)):
        decisions = decisions_at(game, [game.from_position("x1/1o1/2 a 0 2 4")] * 2)
        before = decisions.states.copy(), decisions.seeds.copy()
        player(decisions)
        assert decisions.states.tobytes() == before[0].tobytes()
        assert (decisions.seeds != before[1]).all()


@pytest.mark.parametrize("name", SMALL)
def test_trees_beat_random_players(name):
    game = make_game(name, **SMALL[name])
    result = evaluate(["mcts:30", *["random"] * (game.num_players - 1)], game, games=12)
    assert result.score("mcts:30").wins > 1.3 * result.fair


@pytest.mark.parametrize("name", ["herd", "chopat"])
def test_expectimax_beats_random_players(name):
    game = make_game(name, **SMALL[name])
    result = evaluate(["expectimax:1", *["random"] * (game.num_players - 1)], game, games=12)
    assert result.score("expectimax:1").wins > 1.5 * result.fair


def test_searching_with_a_network_makes_it_better(herd):
    network = untrained(herd.game)
    few, many = (herd.loss(TreeSearch(simulations, network), "x", 20) for simulations in (2, 100))
    assert many.mean < few.mean


def worth_to_the_mover(network, game: Game, state) -> float | None:
    """What the network says of the throws behind the last move of a turn. None if the turn goes on, or a throw leaves no choice."""
    if game.is_over(state) or game.player(state) is not None:
        return None
    total = 0.0
    for throw, chance in game.chances(state).items():
        after = game.resolve(state, throw)
        if game.player(after) is None or len(game.legal_actions(after)) == 1:
            return None
        decisions = decisions_at(game, [after])
        encoded = network.encoder.encoded(decisions.states, decisions.observation, decisions.action_mask)
        total += chance * float(-infer(network, *encoded, network.device)[1][0, 0])  # it is the other one's turn
    return total


def test_plays_the_turn_whose_end_is_worth_most():
    game = make_game("herd", size=3)
    network, found = untrained(game), 0
    for state in random_decisions(game, 5):
        worth = {int(a): worth_to_the_mover(network, game, game.play(state, int(a))) for a in game.legal_actions(state)}
        if len(worth) < 3 or any(value is None for value in worth.values()):
            continue
        decisions = decisions_at(game, [state])
        assert ask(TurnSearch(300, network), decisions)[0] == max(worth, key=worth.__getitem__)
        assert ask(TurnSearch(1, network), decisions)[0] == ask(PolicyPlayer(network), decisions)[0]
        found += 1
        if found == 5:
            return


@pytest.mark.slow
def test_a_turn_thought_over_beats_the_bare_policy():
    bare, player = "pretrained:herd", "turns:16:pretrained:herd"
    assert evaluate([player, bare], "herd", games=200).score(player).wins_low > 0.5


def test_names(tmp_path):
    game = make_game("herd", size=2)
    config = TrainingConfig(game={"name": "herd", "size": 2}, network=NetworkConfig(hidden=HIDDEN))
    path = tmp_path / "policy.pt"
    save_checkpoint(path, config, untrained(game), {})
    for kind, number in (("mcts", 20), ("expectimax", 2), ("turns", 8)):
        if kind != "turns":
            assert load_player(f"{kind}:{number}", game).network is None
        assert load_player(f"{kind}:{number}:{path}", game).network is not None
    with pytest.raises(ValueError, match="was trained on"):
        load_player(f"mcts:20:{path}", make_game("herd", size=3))
    for name, message in [
        ("mcts", "no player 'mcts'"),
        ("mcts:", "1 or more"),
        ("mcts:0", "1 or more"),
        ("mcts:many", "1 or more"),
        ("expectimax:3", "1 or 2"),
        ("mcts:5:nowhere.pt", "nowhere.pt"),
        ("turns:8", "needs a policy"),
        (f"turns:0:{path}", "1 or more"),
        ("alphabeta:3", "mcts:NUMBER"),
    ]:
        with pytest.raises(ValueError, match=message):
            load_player(name, game)


@pytest.mark.slow
def test_more_simulations_come_nearer_to_perfect_play(herd):
    losses = [herd.loss(TreeSearch(simulations), "mcts", games).mean for simulations, games in ((100, 400), (1000, 200), (10_000, 100))]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.001
