"""Compiled loops over states of any game: throw dice, step a batch, pick random and greedy moves."""

import numpy as np

from . import contract
from .compiling import compiled
from .contract import CHANCE, DECISION, TERMINAL, TRUNCATED
from .random import below, mix, next_seed, unit_float

MOST_STARTS = 10_000
BLOCK = np.uintp(32)


@compiled
def throw(rules, state, weights):
    """Resolve a chance node by the state's own generator. ``weights``: scratch, float64 (num_outcomes,)."""
    count = contract.chance(rules, state, weights)
    seed = next_seed(state["rng"])
    state["rng"] = seed
    left = unit_float(mix(seed))
    outcome = 0
    while outcome < count - 1 and left >= weights[outcome]:
        left -= weights[outcome]
        outcome += 1
    contract.resolve(rules, state, outcome)


@compiled
def settle(rules, state, weights):
    """Resolve chance nodes until a decision or the end."""
    while state["node"] == CHANCE:
        throw(rules, state, weights)


@compiled
def start_one(rules, states):
    contract.start(rules, states[0])


@compiled
def legal_one(rules, states, mask):
    return contract.legal(rules, states[0], mask)


@compiled
def apply_one(rules, states, action):
    contract.apply(rules, states[0], int(action))


@compiled
def chance_one(rules, states, weights):
    return contract.chance(rules, states[0], weights)


@compiled
def resolve_one(rules, states, outcome):
    contract.resolve(rules, states[0], int(outcome))


@compiled
def throw_one(rules, states, weights):
    throw(rules, states[0], weights)


@compiled
def step_one(rules, states, action, mask, weights):
    """Make one move on ``states[0]`` (none if -1), go on to the next decision or the end, and write its mask.

    Returns the number of legal actions.
    """
    state = states[0]
    if action >= 0:
        contract.apply(rules, state, int(action))
    settle(rules, state, weights)
    if state["node"] != DECISION:
        mask[:] = 0
        return 0
    return contract.legal(rules, state, mask)


@compiled
def observe_one(rules, states, player, out):
    """Write what ``player`` sees of ``states[0]`` to ``out``, int8 (observation_size,)."""
    contract.observe(rules, states[0], int(player), out)


@compiled
def observe_range(rules, states, players, observations, first, stop):
    """Write what ``players[i]`` sees of ``states[i]`` to ``observations[i]``, for first <= i < stop."""
    for i in range(first, stop):
        contract.observe(rules, states[i], int(players[i]), observations[i])


@compiled
def observe_actions_range(rules, states, masks, scratch, packed, out, first, stop):
    """Write the features of each legal action of ``states[i]`` to ``out[i, action]``, for first <= i < stop.

    ``scratch``: two states; ``packed``: scratch, int8 (max_legal * features,).
    """
    features = out.shape[2]
    for i in range(first, stop):
        contract.observe_actions(rules, states[i], masks[i], scratch, packed)
        base = 0
        for action in range(masks.shape[1]):
            if masks[i, action] != 0:
                for k in range(features):
                    out[i, action, k] = packed[base + k]
                base += features


@compiled
def count_legal(mask):
    count = 0
    for action in range(np.uintp(len(mask))):
        count += int(mask[action])
    return count


@compiled
def random_legal(mask, count, seed):
    """The legal action that a generator state picks: uniform over the ``count`` ones in ``mask``."""
    left = below(mix(seed), count)
    first, size = np.uintp(0), np.uintp(len(mask))
    while first + BLOCK < size:  # sums of whole blocks are vector instructions: much quicker than counting one by one
        inside = 0
        for action in range(first, first + BLOCK):
            inside += int(mask[action])
        if left < inside:
            break
        left -= inside
        first += BLOCK
    for action in range(first, size):
        left -= int(mask[action])
        if left < 0:
            return np.int64(action)
    return -1


@compiled
def sample_range(masks, seeds, actions, first, stop):
    """Write a random legal action for each row of ``masks`` to ``actions``; each row has its own generator in ``seeds``."""
    for i in range(first, stop):
        seeds[i] = next_seed(seeds[i])
        actions[i] = random_legal(masks[i], count_legal(masks[i]), seeds[i])


@compiled
def greedy_range(rules, states, masks, seeds, scratch, scores, actions, first, stop):
    """Write the best action by the game's ``score_actions``, ties broken at random, for each state to ``actions``."""
    for i in range(first, stop):
        row = masks[i]
        contract.score_actions(rules, states[i], row, scratch, scores)
        best, action, ties = -np.inf, -1, 0
        for j in range(len(row)):
            if row[j] == 0 or scores[j] < best:
                continue
            if action < 0 or scores[j] > best:
                best, action, ties = scores[j], j, 1
            else:
                ties += 1
                seeds[i] = next_seed(seeds[i])
                if below(mix(seeds[i]), ties) == 0:
                    action = j
        actions[i] = action


@compiled
def find_illegal(masks, actions):
    """Index of the first environment whose action is not legal, -1 if there is none."""
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
            return i
    return -1


@compiled
def enter(rules, state, weights, mask, skip_forced):
    """Go on to the next decision or the end. Returns the number of legal actions (0 at the end)."""
    while True:
        settle(rules, state, weights)
        if state["node"] != DECISION:
            return 0
        count = contract.legal(rules, state, mask)
        if not skip_forced or count > 1:
            return count
        action = 0
        while mask[action] == 0:
            action += 1
        contract.apply(rules, state, action)


@compiled
def _begin(rules, state, weights, mask, skip_forced):
    """Start games until one reaches a decision: False if that does not happen (a tiny cap on turns can rule it out)."""
    for _ in range(MOST_STARTS):
        contract.start(rules, state)
        if enter(rules, state, weights, mask, skip_forced) > 0:
            return True
    return False


@compiled
def start_all(rules, states):
    """Make each state the bare first node, its generator kept."""
    for i in range(len(states)):
        contract.start(rules, states[i])


@compiled
def reset_range(rules, states, masks, players, observations, skip_forced, weights, first, stop):
    """Begin a new game in each environment, its generator running on. False if an environment reaches no decision."""
    for i in range(first, stop):
        state = states[i]
        if not _begin(rules, state, weights, masks[i], skip_forced):
            return False
        players[i] = state["player"]
        contract.observe(rules, state, int(state["player"]), observations[i])
    return True


@compiled
def play_some(rules, states, which, actions, masks, players, observations, weights):
    """In the games whose indices are in ``which``: one move (none if the action is -1), on to the next decision with a choice.

    ``players[i]`` is -1 once a game is over.
    """
    for k in range(len(which)):
        i = which[k]
        state = states[i]
        if actions[i] >= 0:
            contract.apply(rules, state, int(actions[i]))
        if enter(rules, state, weights, masks[i], True) == 0:
            players[i] = -1
        else:
            players[i] = state["player"]
            contract.observe(rules, state, int(state["player"]), observations[i])


@compiled
def step_range(
    rules, states, actions, masks, players, observations, finals, rewards, terminated, truncated, endings, skip_forced, weights, first, stop
):
    """One move in each environment. A finished game leaves its rewards, its ending and its last observation, and a new one begins."""
    num_players = rules.num_players
    for i in range(first, stop):
        state = states[i]
        mover = int(state["player"])
        contract.apply(rules, state, int(actions[i]))
        enter(rules, state, weights, masks[i], skip_forced)
        node = state["node"]
        terminated[i] = node == TERMINAL
        truncated[i] = node == TRUNCATED
        endings[i] = state["ending"]
        if node >= TERMINAL:
            payoff = state["payoff"]
            for j in range(num_players):
                rewards[i, j] = payoff[j]
            contract.observe(rules, state, mover, finals[i])
            if not _begin(rules, state, weights, masks[i], skip_forced):
                return False
        else:
            for j in range(num_players):
                rewards[i, j] = 0.0
        players[i] = state["player"]
        contract.observe(rules, state, int(state["player"]), observations[i])
    return True
