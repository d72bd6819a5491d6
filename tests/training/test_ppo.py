"""The algorithm on small runs: ratios, masks, values, resuming."""

import json
import sys
import types

import numpy as np
import pytest
import torch
from boardherd.training.config import check_config
from boardherd.training.network import NO_ACTION
from boardherd.training.ppo import Trainer, train
from filelock import FileLock

SMALL = {
    "game": {"name": "herd", "size": 2},
    "torch_threads": 1,
    "decisions": 4000,
    "checkpoint_every": 3,
    "network": {"hidden": [16, 16]},
    "rollout": {"num_envs": 16, "steps": 8},
    "ppo": {"minibatch": 64},
    "league": {"share": 0.5, "snapshot_every": 2, "pool_size": 2, "fixed": ["greedy"], "fixed_share": 0.2},
    "evaluation": {"every": 10, "games": 4, "final_games": 8},
}


def small(**changes):
    return check_config("test", SMALL | changes)


@pytest.fixture
def trainer():
    trainer = Trainer(small())
    for _ in range(6):
        trainer.iterate()
    return trainer


def log_probs_now(trainer, batch):
    with torch.no_grad():
        logits, _ = trainer.network(batch.rows, batch.actions)
    return torch.log_softmax(logits, dim=1)


@pytest.mark.parametrize(
    "game", [{"name": "herd", "size": 3}, {"name": "chopat", "num_players": 3}, {"name": "berd", "path": 16, "tokens": 3}]
)
def test_first_minibatch_ratio_is_one(game):
    trainer = Trainer(small(game=game))
    for _ in range(4):
        trainer.iterate()
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    now = log_probs_now(trainer, batch).gather(1, batch.choice[:, None]).squeeze(1)
    assert len(batch) > 50
    torch.testing.assert_close(now, batch.log_prob, atol=1e-4, rtol=0)


def test_taken_actions_are_legal_and_illegal_ones_have_no_probability(trainer):
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    legal = batch.actions != NO_ACTION
    assert legal.gather(1, batch.choice[:, None]).all()
    probabilities = log_probs_now(trainer, batch).exp()
    assert (probabilities[~legal[:, : probabilities.shape[1]]] == 0).all()


def test_no_gradient_reaches_illegal_logits(trainer):
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    seen = {}
    trainer.network.policy.register_full_backward_hook(lambda module, inputs, outputs: seen.update(gradient=outputs[0]))
    losses = trainer.losses(batch, torch.arange(len(batch)), batch.advantage)
    (losses["policy_loss"] - losses["entropy"]).backward()
    mask = torch.zeros(len(batch), trainer.game.num_actions + 1, dtype=torch.bool)
    mask.scatter_(1, batch.actions.long() % (trainer.game.num_actions + 1), True)  # NO_ACTION falls into the last column
    mask = mask[:, :-1]
    assert (seen["gradient"][~mask] == 0).all()
    assert (seen["gradient"][mask] != 0).any()


def test_entropy_of_equal_logits_is_one(trainer):
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    with torch.no_grad():
        trainer.network.policy.weight.zero_()
        trainer.network.policy.bias.zero_()
        trainer.network.action_weights.weight.zero_()
    assert trainer.losses(batch, torch.arange(len(batch)), batch.advantage)["entropy"].item() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("game", [{"name": "herd", "size": 2}, {"name": "chopat", "num_players": 4, "men": 1}], ids=["two", "four"])
def test_values_sum_to_zero_and_learn_the_sign_of_every_seat(game):
    trainer = Trainer(small(game=game, decisions=60_000, ppo={"minibatch": 256}, rollout={"num_envs": 64, "steps": 16}))
    while not trainer.finished:
        trainer.iterate()
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 1.0)
    with torch.no_grad():
        _, values = trainer.network(batch.rows, batch.actions)
    torch.testing.assert_close(values.sum(dim=1), torch.zeros(len(batch)), atol=1e-5, rtol=0)
    for seat in range(trainer.game.num_players):
        assert np.corrcoef(values[:, seat], batch.target[:, seat])[0, 1] > 0.1


def test_forced_moves_take_no_part_in_the_loss():
    trainer = Trainer(small(game={"name": "chopat", "num_players": 2, "men": 1}))
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    assert ((batch.actions != NO_ACTION).sum(dim=1) > 1).all()  # though with one man nearly every move is forced
    assert trainer.vec.states["turn"].max() > len(trainer.rollout.rows)


def test_decisions_are_counted_once(trainer):
    """Every decision of the learner is either learned from or still open."""
    before = trainer.rollout.is_open.sum()
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    assert len(batch) + trainer.rollout.is_open.sum() == trainer.rollout.learning.sum() + before


def test_opponents_change_only_at_the_end_of_a_game(trainer):
    rollout, league = trainer.rollout, trainer.league
    assert league.pool
    for _ in range(5):
        assigned = league.assigned.copy()
        rollout.collect(trainer.random, 1.0, 0.95)
        unfinished = ~rollout.over.any(axis=0)
        assert (league.assigned[unfinished] == assigned[unfinished]).all()
    assert (league.assigned > 0).any()
    assert (league.assigned < 0).any()


def weights(path):
    return torch.load(path / "checkpoint.pt", weights_only=True)["network"]


def test_resumed_run_equals_an_uninterrupted_one(tmp_path, monkeypatch):
    train(small(), tmp_path / "whole")

    class Killed(Exception):
        pass

    iterate, count = Trainer.iterate, iter(range(100))

    def dying(self):
        if next(count) == 7:  # between two checkpoints
            raise Killed
        return iterate(self)

    monkeypatch.setattr(Trainer, "iterate", dying)
    with pytest.raises(Killed):
        train(small(), tmp_path / "killed")
    monkeypatch.setattr(Trainer, "iterate", iterate)
    train(small(), tmp_path / "killed", resume=True)
    whole, resumed = weights(tmp_path / "whole"), weights(tmp_path / "killed")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)

    def timeless(path):
        entries = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
        return [{key: value for key, value in entry.items() if not key.startswith("speed/")} for entry in entries]

    assert timeless(tmp_path / "whole") == timeless(tmp_path / "killed")


def test_a_run_is_not_overwritten_nor_resumed_with_another_config(tmp_path):
    train(small(decisions=200), tmp_path / "run")
    with pytest.raises(ValueError, match="already holds a run"):
        train(small(decisions=200), tmp_path / "run")
    with pytest.raises(ValueError, match="begun with ppo"):
        train(small(ppo={"minibatch": 32}), tmp_path / "run", resume=True)


def test_one_run_at_a_time_in_a_folder(tmp_path):
    with FileLock(tmp_path / ".lock"), pytest.raises(ValueError, match="another run is going on"):
        train(small(), tmp_path)


def test_learning_that_goes_astray_is_told():
    trainer = Trainer(small(ppo={"learning_rate": 1e30, "minibatch": 16}))
    with pytest.raises(ValueError, match=r"lower ppo\.learning_rate"):
        for _ in range(20):
            trainer.iterate()


def test_convolutions_learn_too(tmp_path):
    trainer = Trainer(small(network={"kind": "conv", "channels": 4, "convolutions": 2, "hidden": [16]}))
    before = trainer.network.policy.weight.clone()
    for _ in range(3):
        trainer.iterate()
    assert not torch.equal(before, trainer.network.policy.weight)
    with pytest.raises(ValueError, match="conv needs a board of planes"):
        Trainer(small(game={"name": "chopat"}, network={"kind": "conv"}))


def test_same_seed_same_network():
    one, two = Trainer(small()), Trainer(small())
    for _ in range(3):
        one.iterate(), two.iterate()
    assert all(torch.equal(a, b) for a, b in zip(one.network.parameters(), two.network.parameters(), strict=True))


def test_only_a_better_policy_is_promoted(monkeypatch):
    league = {"share": 0.5, "snapshot_every": 1, "promotion": "better", "promotion_games": 40}
    trainer = Trainer(small(league=league, ppo={"minibatch": 64, "learning_rate": 1e-12}))
    promoted = [trainer.iterate().get("league/promoted") for _ in range(4)]
    assert promoted == [None, 1, 0, 0]  # the first joins an empty pool, and what has not changed is no better than that
    with torch.no_grad():  # make the member bad: it plays the last of its moves, be they good or not
        member = trainer.league.newest.network
        member.policy.bias.copy_(torch.arange(trainer.game.num_actions) * 10.0)
    metrics = Trainer.iterate(trainer)
    assert metrics["league/payoff against newest"] > metrics["league/payoff against newest, lower end"]
    assert metrics["league/promoted"] == (metrics["league/payoff against newest, lower end"] > 0)
    assert len(trainer.league.pool) == 1 + metrics["league/promoted"]


def test_matchups_are_logged(trainer):
    metrics = trainer.iterate()
    assert metrics["league/games against greedy"] > 0
    assert {f"league/score against {member.name}" for member in trainer.league.opponents if member.games} <= set(metrics)


@pytest.mark.parametrize("kind", ["mlp", "conv"])
def test_the_own_payoff_alone_can_be_foretold(kind):
    trainer = Trainer(small(network={"kind": kind, "hidden": [16], "channels": 4, "convolutions": 1, "value": "own"}))
    trainer.iterate()
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    with torch.no_grad():
        _, values = trainer.network(batch.rows, batch.actions)
    torch.testing.assert_close(values[:, 0], -values[:, 1])
    loss = trainer.losses(batch, torch.arange(len(batch)), batch.advantage)["value_loss"]
    assert loss.item() == pytest.approx((values[:, 0] - batch.target[:, 0]).square().mean().item(), rel=1e-4)


def test_own_values_of_four_sum_to_zero():
    trainer = Trainer(small(game={"name": "chopat"}, network={"hidden": [16], "value": "own"}))
    batch, _ = trainer.rollout.collect(trainer.random, 1.0, 0.95)
    with torch.no_grad():
        _, values = trainer.network(batch.rows, batch.actions)
    assert values.shape[1] == 4
    torch.testing.assert_close(values.sum(dim=1), torch.zeros(len(values)), atol=1e-5, rtol=0)
    torch.testing.assert_close(values[:, 1], values[:, 3])


def test_runs_are_logged_to_weights_and_biases(tmp_path, monkeypatch):
    class Recorder(types.ModuleType):
        def __init__(self):
            super().__init__("wandb")
            self.runs, self.logged, self.finished = [], [], 0

        def init(self, **arguments):
            self.runs.append(arguments)
            return self

        def log(self, metrics, step):
            self.logged.append((step, metrics))

        def finish(self):
            self.finished += 1

    recorder = Recorder()
    monkeypatch.setitem(sys.modules, "wandb", recorder)
    train(small(decisions=300, wandb="herd"), tmp_path / "run")
    train(small(decisions=600, wandb="herd"), tmp_path / "run", resume=True)
    assert [run["project"] for run in recorder.runs] == ["herd", "herd"]
    assert recorder.runs[0]["id"] == recorder.runs[1]["id"]
    assert any("ppo/entropy" in metrics and metrics["decisions"] > 0 for _, metrics in recorder.logged)
    assert recorder.finished == 2


def test_unknown_device_is_refused():
    with pytest.raises(ValueError, match="device"):
        Trainer(small(device="cuda:77"))


def test_network_drops_what_tells_nothing():
    trainer = Trainer(small())
    cells = 7
    assert len(trainer.network.encoder.columns) == 5 * cells + 3  # five planes of cells that can change, three numbers
