"""What a network may be told of each action in Chopat: the plain observation hides what a value does to a man."""

import numpy as np

from ..core.compiling import compiled
from .config import Config
from .rules import GHAR, LAST_STEP, MEN, OFF, PIPS, PLACES, VALUES, before_junction, enemies_on, progress, threats

ACTION_FEATURES = 21


def action_feature_high(config: Config) -> np.ndarray:
    """The highest value of each action feature, int8 (action_features,). The lowest of each is 0."""
    men, enemies, safe = config.men, (config.num_players - 1) * config.men, int(config.safe_flowers)
    return np.array([30, 1, men, 17 * men, 1, 1, 1, safe, safe, *[enemies] * 4, men - 1, 72, 73, 67, 1, 1, 4, 1], np.int8)


@compiled
def observe_actions(rules, state, mask, scratch, out):
    values, men = state["values"], state["men"]
    player = int(state["player"])
    tohd = int(state["tohd"][player])
    base = -ACTION_FEATURES
    for action in range(rules.num_actions):
        if mask[action] == 0:
            continue
        value, base = action // MEN, base + ACTION_FEATURES
        out[base : base + ACTION_FEATURES] = 0
        source = int(men[player * MEN + action % MEN])
        target = int(rules.destination[(tohd * VALUES + value) * PLACES + source])
        hits, lost = enemies_on(rules, state, player, target)
        tohd_then = max(tohd, int(hits > 0))
        on_loop = target <= LAST_STEP
        out[base] = PIPS[value]
        out[base + 1] = source == OFF
        out[base + 2] = min(hits, rules.men)  # of two colours on one cell, which only a position that was set up has
        out[base + 3] = min(lost // 4, 17 * rules.men)
        out[base + 4] = tohd_then > tohd
        out[base + 5] = target == GHAR
        out[base + 6] = source <= LAST_STEP < target
        out[base + 7] = source <= LAST_STEP and rules.safe[source] == 1
        out[base + 8] = on_loop and rules.safe[target] == 1
        low, other = threats(rules, state, player, source)
        out[base + 9] = low
        out[base + 10] = other
        low, other = threats(rules, state, player, target)
        out[base + 11] = low
        out[base + 12] = other
        for man in range(player * MEN, player * MEN + rules.men):
            out[base + 13] += men[man] == target
        out[base + 14] = progress(source)
        out[base + 15] = progress(target)
        out[base + 16] = before_junction(target) if on_loop else 0
        out[base + 17] = OFF < source <= LAST_STEP and on_loop and before_junction(source) < PIPS[value]
        out[base + 18] = tohd_then
        for left in range(VALUES):
            count = int(values[left]) - int(left == value)
            then = int(rules.destination[(tohd_then * VALUES + left) * PLACES + target])
            if count > 0 and then >= 0:
                out[base + 19] += count
                out[base + 20] |= enemies_on(rules, state, player, then)[0] > 0
