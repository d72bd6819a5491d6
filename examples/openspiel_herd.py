"""OpenSpiel's own PPO learns Herd of size 3 against random play, in one to two minutes: pip install "boardherd[openspiel,train]" """

import boardherd.envs.adapters.openspiel  # noqa: F401  (registers the games)
import numpy as np
import torch
from open_spiel.python.pytorch.ppo import PPO, PPOAgent
from open_spiel.python.rl_environment import ChanceEventSampler, Environment, TimeStep

NUM_ENVS, STEPS, UPDATES = 16, 64, 150
random = np.random.RandomState(1)
torch.manual_seed(1)


def new_env(seed: int) -> Environment:
    return Environment("boardherd_herd(size=3)", chance_event_sampler=ChanceEventSampler(seed), enable_legality_check=True)


def to_learner(env: Environment, step: TimeStep) -> TimeStep:
    """Play random moves for the other seat until seat 0 is to decide or the game is over."""
    while not step.last() and step.current_player() != 0:
        step = env.step([random.choice(step.observations["legal_actions"][1])])
    return step


def start(env: Environment) -> TimeStep:
    step = to_learner(env, env.reset())
    return start(env) if step.last() else step


def play(agent: PPO, envs: list[Environment], steps: list[TimeStep], learn: bool) -> list[TimeStep]:
    """One decision of the learner in each game: drawn while it learns, else the most likely one."""
    chosen = agent.step(steps, is_evaluation=not learn)
    actions = [choice.action if learn else int(choice.probs.argmax()) for choice in chosen]
    assert all(action in step.observations["legal_actions"][0] for action, step in zip(actions, steps, strict=True))
    return [to_learner(env, env.step([action])) for env, action in zip(envs, actions, strict=True)]


def win_rate(agent: PPO, games: int = 200) -> float:
    won = 0
    for number in range(games):
        env = new_env(number)
        steps = [start(env)]
        while not steps[0].last():
            steps = play(agent, [env], steps, learn=False)
        won += steps[0].rewards[0] > 0
    return won / games


envs = [new_env(1000 + number) for number in range(NUM_ENVS)]
shape = tuple(envs[0].observation_spec()["info_state"])
settings = {"num_envs": NUM_ENVS, "steps_per_batch": STEPS, "gamma": 1.0, "learning_rate": 2.5e-3, "clip_vloss": False}
agent = PPO(shape, envs[0].action_spec()["num_actions"], envs[0].num_players, **settings, agent_fn=PPOAgent)
print(f"before: {win_rate(agent):.0%} won against random")
steps = [start(env) for env in envs]
for _ in range(UPDATES):
    for _ in range(STEPS):
        after = play(agent, envs, steps, learn=True)
        agent.post_step([step.rewards[0] for step in after], [step.last() for step in after])
        steps = [start(env) if step.last() else step for env, step in zip(envs, after, strict=True)]
    agent.learn(steps)
print(f"after: {win_rate(agent):.0%}, {NUM_ENVS * STEPS * UPDATES:,} decisions")
