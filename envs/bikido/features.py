"""What a network may be told of each action in Bikido: most of what loses or wins a game happens in a single move."""

import numpy as np

from ..core.compiling import compiled
from .config import Config
from .players import LOSS, WIN, besiegers, best_rebound, nearness
from .rules import BIRDS, MAX_HEIGHT, SQUARES, can_rebound, locate, neighbour, rebound_due, shift

ACTION_FEATURES = 18


def action_feature_high(config: Config) -> np.ndarray:
    return np.array([1, 1, 1, MAX_HEIGHT, MAX_HEIGHT, 14, 2, 1, 1, 1, 1, 1, 1, 3, 3, 1, 1, 1], np.int8)


@compiled
def observe_actions(rules, state, mask, scratch, out):
    """The move: 0 a stack, 1 forward, 2 back, 3 tokens carried. Where it ends: 4 height, 5 nearness to the enemy bird, 6 nearness gained
    plus one, 7 an enemy token covered. 8 An enemy token uncovered where it began. The board after it: 9 own Springboards adjacent (K5),
    10 on the enemy bird (K4), 11 a rebound due and legal, 12 enemy Springboards adjacent, free tokens that could step on a bird, 13 own and
    14 enemy ones, 15 an own Springboard where it ended. If it must rebound: 16 every way loses by K5, 17 some way wins by K4."""
    player = int(state["player"])
    scratch[0] = state
    board = scratch[0]
    landed = int(state["landed"])
    heights, tops, path = board["height"], board["top"], board["path"]
    first = -ACTION_FEATURES
    for action in range(7 * SQUARES):
        if mask[action] == 0:
            continue
        first += ACTION_FEATURES
        kind = action % 7
        way = kind if kind < 3 else kind - 3
        source = locate(player, action // 7)
        target = neighbour(player, source, way)
        count = 1 if kind < 3 else int(heights[source]) - int(heights[target])
        covers = tops[target] == 2 - player
        shift(board, source, target, count)
        near = nearness(player, target)
        out[first] = kind >= 3
        out[first + 1] = way == 0
        out[first + 2] = way == 3
        out[first + 3] = count
        out[first + 4] = heights[target]
        out[first + 5] = near
        out[first + 6] = near - nearness(player, source) + 1
        out[first + 7] = covers
        out[first + 8] = tops[source] == 2 - player
        out[first + 9] = board["pairs"][player] > 0
        out[first + 10] = tops[BIRDS[1 - player]] == player + 1
        out[first + 11] = 0
        out[first + 12] = board["pairs"][1 - player] > 0
        out[first + 13] = besiegers(board, player)
        out[first + 14] = besiegers(board, 1 - player)
        out[first + 15] = board["springboard"][target] == player + 1
        out[first + 16] = 0
        out[first + 17] = 0
        if rebound_due(board, target):
            if landed == 0:
                path[0] = source
            path[max(landed, 1)] = target
            board["landed"] = max(landed, 1) + 1
            if can_rebound(board):
                best = best_rebound(board, player, source, target)
                out[first + 11] = 1
                out[first + 16] = best == LOSS
                out[first + 17] = best == WIN
            path[max(landed, 1)] = 0
            if landed == 0:
                path[0] = 0
            board["landed"] = landed
        shift(board, target, source, count)
