"""What networks are told: encodings within their bounds, for every game."""

import itertools

import numpy as np
import pytest
import torch
from boardherd.envs import GAMES, make_game, make_vec
from boardherd.training.config import NetworkConfig
from boardherd.training.network import MASKED, NO_ACTION, Encoder, make_network

CONFIGS = [
    ("herd", {"size": 8}),
    ("chopat", {"num_players": 3, "men": 2}),
    ("berd", {"num_players": 2, "path": 16}),
    ("berd", {"num_players": 16}),
]


@pytest.mark.parametrize(("name", "options"), [*((name, {}) for name in GAMES), *CONFIGS])
def test_rows_stay_within_their_bounds_and_list_what_is_legal(name, options):
    vec = make_vec(name, num_envs=16, seed=1, **options)
    encoder = Encoder(vec.game, "mlp")
    columns, features = len(encoder.columns), len(encoder.action_scale)
    seen = np.zeros(features, bool)
    for step in itertools.count():
        rows, actions = encoder.encoded(vec.states, vec.observation, vec.action_mask)
        states = vec.states.copy()
        encoder.encoded(vec.states, vec.observation, vec.action_mask)
        assert states.tobytes() == vec.states.tobytes()  # telling features leaves the game as it is
        for env in range(vec.num_envs):
            legal = np.flatnonzero(vec.action_mask[env])
            assert actions[env, : len(legal)].tolist() == legal.tolist()
            assert (actions[env, len(legal) :] == NO_ACTION).all()
            told = rows[env, columns : columns + len(legal) * features].reshape(-1, features) if features else np.zeros((1, 0), np.int8)
            assert (told >= 0).all()
            assert (told <= vec.game.action_feature_high).all()
            assert not rows[env, columns + len(legal) * features :].any()
            seen |= (told > 0).any(axis=0)
        vec.step(vec.sample())
        if step == 150:
            break
    assert seen.mean() >= 0.5 or not features


@pytest.mark.parametrize("name", GAMES)
def test_network_gives_no_weight_to_what_is_not_legal(name):
    vec = make_vec(name, num_envs=8, seed=1)
    network = make_network(vec.game, NetworkConfig(hidden=(8,)))
    rows, actions = network.encoder.encoded(vec.states, vec.observation, vec.action_mask)
    logits, values = network(torch.from_numpy(rows), torch.from_numpy(actions))
    assert logits.shape == (8, vec.action_mask.sum(axis=1).max())
    assert ((logits < MASKED / 2).sum(dim=1) == logits.shape[1] - torch.from_numpy(vec.action_mask.sum(axis=1))).all()
    torch.testing.assert_close(values.sum(dim=1), torch.zeros(8))


@pytest.mark.parametrize("name", GAMES)
def test_convolutions_read_actions_off_their_squares(name):
    """Each action has a place of its own on planes of the board's size."""
    game = make_game(name)
    if game.action_planes is None:
        with pytest.raises(ValueError, match="conv needs a board of planes"):
            make_network(game, NetworkConfig(kind="conv"))
        return
    kinds = int(game.action_planes.max()) // int(np.prod(game.observation_shape[1:])) + 1
    assert len(set(game.action_planes.tolist())) == game.num_actions <= kinds * np.prod(game.observation_shape[1:])
    network = make_network(game, NetworkConfig(kind="conv", channels=4, convolutions=1, hidden=(8,)))
    state = game.new(1)
    rows, actions = network.encoder.encoded(state, game.observe(state, game.player(state))[None], game.legal_mask(state)[None])
    logits, _ = network(torch.from_numpy(rows), torch.from_numpy(actions))
    assert logits.shape == (1, len(game.legal_actions(state)))
