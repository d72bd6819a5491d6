"""AgileRL's PPO and DQN learn in the vector environment, by legal moves alone, and play."""

import warnings

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("agilerl")

from boardherd.envs import GAMES
from boardherd.envs.adapters.agilerl import AgentPlayer, LearnerVectorEnv
from boardherd.envs.registry import make_learner_vec
from boardherd.training import evaluate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # AgileRL warns of its own parts as soon as it is imported
    from agilerl.algorithms import DQN, PPO
    from agilerl.components.replay_buffer import ReplayBuffer
    from agilerl.training.train_off_policy import train_off_policy
    from agilerl.training.train_on_policy import train_on_policy

pytestmark = pytest.mark.filterwarnings("default")  # and when it is used


class Watched(gymnasium.vector.VectorWrapper):
    """Remembers how games ended for the learner."""

    def __init__(self, env):
        super().__init__(env)
        self.returns = []

    def step(self, actions):
        results = self.env.step(actions)
        self.returns += results[1][results[2]].tolist()
        return results


def make(name, num_envs, **kwargs):
    return Watched(LearnerVectorEnv(name, num_envs, **kwargs))


def test_refuses_illegal_moves_before_anything_moves():
    env = LearnerVectorEnv("bikido", 3)
    _, infos = env.reset(seed=1)
    legal = infos["action_mask"].argmax(axis=1)
    wrong = legal.copy()
    wrong[1] = infos["action_mask"][1].argmin()
    twin = LearnerVectorEnv("bikido", 3)
    twin.reset(seed=1)
    with pytest.raises(ValueError, match="environment 1: "):
        env.step(wrong)
    with pytest.raises(ValueError, match="actions"):
        env.step(legal[:2])
    for one, other in zip(env.step(legal)[:2], twin.step(legal)[:2], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", GAMES)
def test_observations_are_scaled(name):
    env, plain = LearnerVectorEnv(name, 4, max_turns=8), make_learner_vec(name, 4, max_turns=8)
    scaled, whole = env.reset(seed=3)[0], plain.reset(seed=3)[0]
    for _ in range(10):
        assert env.observation_space.contains(scaled)
        np.testing.assert_allclose(scaled * np.maximum(plain.game.observation_high, 1), whole, atol=1e-5)
        actions = env.action_masks().argmax(axis=1)
        scaled, whole = env.step(actions)[0], plain.step(actions)[0]


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_an_agent_is_a_player(algorithm):
    env = LearnerVectorEnv("chopat", 2, num_players=3)
    agent = algorithm(env.single_observation_space, env.single_action_space)
    result = evaluate([AgentPlayer(agent), "random", "greedy"], "chopat", games=6, num_players=3, max_turns=30)
    assert result.games == 6


@pytest.mark.parametrize("name", GAMES)
def test_ppo_trains_and_plays_legal_moves_only(name):
    env = make(name, 4, max_turns=8)
    agent = PPO(env.single_observation_space, env.single_action_space, num_envs=4, learn_step=64, batch_size=32, update_epochs=1)
    before = [parameter.clone() for parameter in agent.actor.parameters()]
    train_on_policy(env, name, "PPO", [agent], max_steps=128, evo_steps=128, eval_steps=5, verbose=False)
    assert any((one != other).any() for one, other in zip(before, agent.actor.parameters(), strict=True))
    assert env.returns


@pytest.mark.parametrize("name", GAMES)
def test_dqn_trains_and_plays_legal_moves_only(name):
    env = make(name, 4, max_turns=8)
    agent = DQN(env.single_observation_space, env.single_action_space, batch_size=32, learn_step=4)
    train_off_policy(
        env, name, "DQN", [agent], memory=ReplayBuffer(max_size=1000), max_steps=256, evo_steps=256, eval_steps=5, verbose=False
    )
    assert env.returns
