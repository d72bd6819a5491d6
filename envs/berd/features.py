"""What a network may be told of each action in Berd: the plain observation hides what a die does to a token."""

import numpy as np

from ..core.compiling import compiled
from .config import Config
from .rules import GIVE, MAX_PLAYERS, MOVE, SPLIT, progress_on, square_at

ACTION_FEATURES = 22


def action_feature_high(config: Config) -> np.ndarray:
    n, tokens = config.num_players, config.tokens
    load, enemies = min(127, (n - 1) * tokens), min(127, (n - 1) * tokens)
    moves = [1, 6, 1, tokens, load, 1, load, 1, min(127, load + 1), tokens, tokens, 1, 1, enemies, enemies, enemies, config.path]
    return np.array([*moves, 1, 1, 1, 1, 1], np.int8)


@compiled
def hunters(rules, state, player, square, nearest, farthest):
    """How many units of other active players stand ``nearest`` to ``farthest`` squares behind a square that they do not go home before."""
    owner, corners, starts = state["owner"], state["corners"], state["starts"]
    count = 0
    for distance in range(nearest, farthest + 1):
        behind = (square - distance) % rules.path
        other = int(owner[behind])
        if other >= 0:
            count += int(other != player and progress_on(rules, state, other, behind) + distance < rules.path)
        corner = rules.corner_at[behind]
        if corner >= 0 and distance < rules.path:
            for other in range(rules.num_players):
                count += int(corners[other] == corner and starts[other] > 0 and other != player)
    return min(count, 127)


@compiled
def observe_move(rules, state, progress, die, out, first):
    player = int(state["player"])
    starts, corners, owner, top, load = state["starts"], state["corners"], state["owner"], state["top"], state["load"]
    source = square_at(rules, state, player, progress)
    captives = int(load[source]) if progress > 0 else 0
    own = int(top[source]) if progress > 0 else int(starts[player])
    out[first] = 1
    out[first + 1] = die
    out[first + 2] = progress == 0
    out[first + 3] = own
    out[first + 4] = min(captives, 127)
    out[first + 5] = own == 2
    out[first + 6] = min(captives, 127) if own == 2 else 0
    out[first + 15] = hunters(rules, state, player, source, 1, 6) if own == 1 else 0
    progress += die
    out[first + 16] = min(progress, rules.path)
    if progress >= rules.path:
        out[first + 7] = 1
        return
    target = square_at(rules, state, player, progress)
    captured, recovered, joined = 0, 0, 0
    if owner[target] == player:
        joined = int(top[target])
    elif owner[target] >= 0:
        captured = 1 + int(load[target])
        recovered = int(state["captives"][target * MAX_PLAYERS + player])
    corner = rules.corner_at[target]
    if corner >= 0:
        for other in range(rules.num_players):
            captured += int(corners[other] == corner and starts[other] == 1 and other != player)
    out[first + 8] = min(captured, 127)
    out[first + 9] = recovered
    out[first + 10] = joined
    out[first + 11] = joined == 1
    if joined + recovered == 0:
        out[first + 12] = 1
        out[first + 13] = hunters(rules, state, player, target, 1, 6)
        out[first + 14] = hunters(rules, state, player, target, 7, 12)


@compiled
def observe_actions(rules, state, mask, scratch, out):
    """A move: 0 that it is one, 1 die, 2 from the starting stack; where it begins: 3 own tokens, 4 captives, 5 one own token is left
    alone, 6 captives left under it, 15 enemy units up to 6 squares behind if it stands alone; 7 it goes home; 16 progress it comes to.
    Where it lands: 8 tokens captured, 9 own ones among them, 10 own tokens joined, 11 exactly one; 12 it stands alone, then enemy units
    13 up to 6 and 14 from 7 to 12 squares behind. Splitting: 17 take, 18 go. Giving: 19 from the pile, 20 a captive, 21 an own token."""
    n, phase = rules.num_players, state["phase"]
    first = -ACTION_FEATURES
    for action in range(rules.num_actions):
        if mask[action] == 0:
            continue
        first += ACTION_FEATURES
        for k in range(first, first + ACTION_FEATURES):
            out[k] = 0
        if phase == MOVE:
            die = (action - 4) // rules.path + 1
            observe_move(rules, state, action - 4 - (die - 1) * rules.path, die, out, first)
        elif phase == SPLIT:
            out[first + 17] = action != rules.go
            out[first + 18] = action == rules.go
        elif phase == GIVE:
            source = (action - rules.first_gift) // n
            own = action - rules.first_gift == source * n
            out[first + 19] = source == rules.path
            out[first + 20] = source != rules.path and not own
            out[first + 21] = source != rules.path and own
