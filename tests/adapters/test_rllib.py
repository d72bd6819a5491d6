"""The games in RLlib: the environment, the masked module, and RLlib as an engine for ``boardherd train``."""

import json
import os

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("ray.rllib")

import torch
from boardherd.envs import GAMES, make_game, make_vec
from boardherd.envs.adapters import rllib
from boardherd.envs.adapters.rllib import MaskedModule, ModulePlayer, SelfPlayEnv, module_spaces
from boardherd.training import evaluate, rllib_engine
from boardherd.training.cli import main
from boardherd.training.config import LeagueConfig, load_config
from boardherd.training.league import Fixed, League
from boardherd.training.players import load_player
from boardherd.training.rllib_player import load_rllib_player

SMALL = {"herd": {"size": 3}, "chopat": {"num_players": 2}, "berd": {"num_players": 3, "tokens": 3}, "bikido": {"max_turns": 40}}


def module_for(game, hidden=(16,)):
    torch.manual_seed(1)
    observation, action = module_spaces(game)
    return MaskedModule(observation_space=observation, action_space=action, model_config={"hidden": list(hidden), "game": game.name})


@pytest.mark.parametrize("name", GAMES)
def test_environment(name):
    env = SelfPlayEnv({"game": name, **SMALL[name]})
    random, seen = np.random.default_rng(1), 0
    observations, _ = env.reset(seed=3)
    while True:
        [(agent, observation)] = observations.items()
        assert observation in env.observation_spaces[agent]
        assert observation["observation"].dtype == observation["action_mask"].dtype == np.float32
        action = random.choice(np.flatnonzero(observation["action_mask"]))
        observations, rewards, terminated, truncated, _ = env.step({agent: action})
        seen += 1
        assert truncated == {"__all__": False}
        if terminated["__all__"]:
            break
        assert rewards == {agent: 0.0}
    assert seen > 5
    assert list(observations) == list(rewards) == env.possible_agents
    assert sum(rewards.values()) == pytest.approx(0)
    assert name == "bikido" or min(rewards.values()) < 0 < max(rewards.values())
    assert all(not observation["action_mask"].any() for observation in observations.values())


def test_environment_seeds_positions_and_illegal_actions():
    env, same = (SelfPlayEnv({"game": "herd", "size": 3}) for _ in range(2))
    first, _ = env.reset(seed=5)
    again, _ = same.reset(seed=5)
    np.testing.assert_array_equal(first["player_0"]["observation"], again["player_0"]["observation"])
    with pytest.raises(ValueError, match="action 400 is not legal in herd position"):
        env.step({"player_0": 400})
    with pytest.raises(ValueError, match="player_0 is to move, got actions of player_1"):
        env.step({"player_1": 0})
    text = "3/3o/5/4/o2 b 0 3 1"
    env.reset(options={"position": text})
    for _ in range(2):
        assert list(env.reset()[0]) == ["player_1"]
        assert env.game.position(env._state) == text
    with pytest.raises(ValueError, match="herd position"):
        env.reset(options={"position": "nonsense"})


def test_module_never_chooses_what_is_not_legal():
    vec = make_vec("herd", 200, seed=1, size=3)
    for _ in range(5):
        vec.step(vec.sample())
    module = module_for(vec.game)
    batch = {
        "observation": torch.from_numpy(vec.observation.reshape(200, -1) * rllib.scale(vec.game)),
        "action_mask": torch.from_numpy(vec.action_mask.astype(np.float32)),
    }
    for forward in (module.forward_inference, module.forward_exploration, module.forward_train):
        logits = forward({"obs": batch})["action_dist_inputs"].detach().numpy()
        assert logits[vec.action_mask == 0].max() < -1e8 < -100 < logits[vec.action_mask == 1].min()
    out = module.forward_train({"obs": batch})
    torch.testing.assert_close(module.compute_values({"obs": batch}, out["embeddings"]), module.compute_values({"obs": batch}))
    player = ModulePlayer(module)
    assert evaluate([player, "random"], vec.game, games=20).games == 20  # which refuses illegal moves


@pytest.mark.parametrize("name", GAMES)
def test_trajectories(name):
    vec = make_vec(name, 16, seed=1, skip_forced=True, **SMALL[name])
    module, n = module_for(vec.game), vec.game.num_players
    games = rllib_engine.SelfPlay(vec, League(LeagueConfig(share=0.0), 16, n), seed=1)
    finished, payoffs, ends = 0, [], 0
    for _ in range(4):
        episodes, metrics = games.play(module, 600)
        finished += metrics["games/finished"]
        assert sum(map(len, episodes)) >= 600
        for episode in episodes:
            actions, masks = episode.get_actions(), episode.get_observations()["action_mask"]
            logits = torch.from_numpy(episode.get_extra_model_outputs("action_dist_inputs"))
            assert (masks[np.arange(len(actions)), actions] == 1).all()
            assert (masks.sum(axis=1) > 1).all()
            log_probs = torch.log_softmax(logits, dim=1)[torch.arange(len(actions)), torch.from_numpy(actions)]
            np.testing.assert_allclose(log_probs, episode.get_extra_model_outputs("action_logp"), rtol=1e-5)
            assert not episode.get_rewards()[:-1].any()
            if episode.is_terminated:
                payoffs.append(episode.get_rewards()[-1])
                ends += 1
            else:
                assert episode.get_rewards()[-1] == 0
    assert finished > 3
    assert ends == finished * n  # of each seat once: here every seat decides something in every game
    assert sum(payoffs) == pytest.approx(0, abs=1e-3)
    assert name == "bikido" or min(payoffs) < 0 < max(payoffs)


def test_a_trajectory_goes_on_where_the_last_one_ended():
    vec = make_vec("herd", 4, seed=1, skip_forced=True, size=4)
    module = module_for(vec.game)
    games = rllib_engine.SelfPlay(vec, League(LeagueConfig(share=0.0), 4, 2), seed=1)
    first, _ = games.play(module, 40)
    waiting = {episode.get_observations()["observation"][-1].tobytes() for episode in first if not episode.is_terminated}
    second, _ = games.play(module, 400)
    begun = {episode.get_observations()["observation"][0].tobytes() for episode in second}
    assert len(waiting) >= 4
    assert waiting <= begun


def test_league_in_the_games():
    vec = make_vec("berd", 32, seed=1, skip_forced=True, **SMALL["berd"])
    module = module_for(vec.game)
    config = LeagueConfig(share=0.5, fixed=("greedy",), fixed_share=0.5)
    league = League(config, 32, 3, [Fixed("greedy", load_player("greedy", vec.game))])
    games = rllib_engine.SelfPlay(vec, league, seed=1)
    league.snapshot("iteration-1", module)
    with torch.no_grad():
        module.value.bias += 5  # the copy is apart from what learns
    assert league.pool[0].network.value.bias.item() != module.value.bias.item()
    for _ in range(6):
        games.play(module, 2000)
    assert {-1, 0, 1} == set(np.unique(league.assigned))
    assert all(opponent.games > 5 for opponent in league.opponents)


def test_config_for_rllib():
    config = load_config("smoke", ["ppo.epochs=2", "rollout.threads=2", "network.channels=8", "network.hidden=[32]", "rllib.env_runners=3"])
    assert rllib_engine.unused_keys(config) == ["network.channels", "rollout.threads"]
    settings = rllib_engine.algorithm_config(config)
    assert (settings.num_epochs, settings.num_env_runners, settings.train_batch_size_per_learner) == (2, 3, 1024 * 32)
    with pytest.raises(ValueError, match=r"network\.kind must be mlp, got conv"):
        rllib_engine.algorithm_config(load_config("smoke", ["network.kind=conv"]))


CHANGES = ["game.size=3", "rollout.num_envs=128", "rollout.steps=16", "ppo.minibatch=512", "network.hidden=[64]", "league.snapshot_every=5"]
EVALUATION = "evaluation={every: 100, games: 40, final_games: 200, opponents: [random]}"


def entries(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_a_run_with_two_runners_goes_on_and_plays(tmp_path, capsys):
    run = tmp_path / "run"

    def train(*more):
        return main(["train", "smoke", *CHANGES, EVALUATION, *more, "--run", str(run), "--engine", "rllib"])

    assert train("decisions=60_000", "rollout.threads=2") == 0
    assert "does not use rollout.threads" in capsys.readouterr().err
    first = entries(run)
    before = first[0]["evaluation/wins against random"]
    assert json.loads((run / "evaluation.json").read_text())["random"]["scores"][0]["wins"] > max(before, 0.55)
    assert any(key.startswith("league/score against iteration-") for key in first[-2])
    assert [entry["decisions"] for entry in first] == sorted(entry["decisions"] for entry in first)

    assert train("decisions=60_000") == 2
    assert "already holds a run" in capsys.readouterr().err
    assert train("decisions=60_000", "rollout.threads=2", "ppo.clip=0.1", "--resume") == 2
    assert "was begun with ppo" in capsys.readouterr().err
    assert train("decisions=80_000", "--resume") == 2
    assert "was begun with rollout" in capsys.readouterr().err

    assert train("decisions=80_000", "rollout.threads=2", "--resume") == 0
    resumed = entries(run)
    kept = [entry for entry in first if "final/wins against random" not in entry]
    assert resumed[: len(kept)] == kept
    assert resumed[len(kept)]["iteration"] == kept[-1]["iteration"] + 1
    assert resumed[len(kept)]["decisions"] > kept[-1]["decisions"]
    assert resumed[-1]["decisions"] >= 80_000
    assert any(key.startswith("league/score against iteration-") for key in resumed[len(kept)])  # the pool goes on, too

    game = make_game("herd", size=3)
    player = load_rllib_player(str(run), game)
    assert evaluate([player, "random"], game, games=200).scores[0].wins > 0.55
    with pytest.raises(ValueError, match="was trained on another game or another size than"):
        load_rllib_player(str(run), make_game("herd", size=4))
    with pytest.raises(ValueError, match="no checkpoint of RLlib in"):
        load_rllib_player(str(tmp_path), game)


@pytest.mark.slow
def test_on_a_cluster_whose_runners_may_die(tmp_path):
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        config = load_config("smoke", [*CHANGES, EVALUATION, "decisions=15_000", f"rllib.address={cluster.address}"])
        assert rllib_engine.train(config, tmp_path / "run")["random"].games == 200

        ray.init(address=cluster.address)
        algorithm = rllib_engine.algorithm_config(config).build_algo()
        algorithm.train()
        nodes = algorithm.env_runner_group.foreach_env_runner(lambda _: ray.get_runtime_context().get_node_id(), local_env_runner=False)
        assert len(set(nodes)) == 2
        algorithm.env_runner_group.foreach_env_runner(lambda _: os._exit(1), remote_worker_ids=[1], local_env_runner=False)
        healthy = 0
        for _ in range(200):  # training goes on without it until another one is there
            result = algorithm.train()
            healthy = algorithm.env_runner_group.num_healthy_remote_workers()
            if healthy == 2:
                break
        assert healthy == 2
        assert result["env_runners"]["num_env_steps_sampled"] >= 2048
        algorithm.stop()
    finally:
        ray.shutdown()
        cluster.shutdown()
