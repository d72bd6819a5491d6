"""Bikido's greedy player: one turn ahead, with an eye on what the answer could win."""

import numpy as np

from ..core.compiling import compiled
from .rules import BIRDS, FILES, SQUARES, can_rebound, locate, neighbour, rebound_allowed, rebound_due, shift
from .rules import crossing as crossing_of

WIN, LOSS, EXPOSED = 1e6, -1e6, -1e4


@compiled
def besiegers(state, player):
    """How many free tokens of the player could step on the enemy bird in a single: from before it or from its sides."""
    bird = BIRDS[1 - player]
    count = 0
    for way in range(3):  # as the bird's owner sees it
        count += int(state["top"][neighbour(1 - player, bird, way)] == player + 1)
    return count


@compiled
def nearness(player, square):
    """14 on the enemy bird, 1 less for every step away from it, 0 in the farthest corner."""
    index = locate(player, square)
    rank, file = index // FILES, index % FILES
    return 14 - abs(11 - rank) - abs(3 - file)


@compiled
def worth(state, player, source, target):
    """What the board is worth to the player, whose turn ends with it after a move from ``source`` to ``target``."""
    if state["pairs"][player] > 0:  # K5
        return LOSS
    if state["top"][BIRDS[1 - player]] == player + 1:  # K4
        return WIN
    value = 0.0
    if besiegers(state, 1 - player) > 0 and state["pairs"][1 - player] == 0:
        value += EXPOSED
    elif state["pairs"][1 - player] > 0:
        value += 30.0  # the enemy has to part two Springboards at once
    value += 50.0 * besiegers(state, player)
    near = nearness(player, target)
    value += 2.0 * (near - nearness(player, source)) + 0.5 * near
    return value + 0.3 * int(state["height"][target])


@compiled
def score_actions(rules, state, mask, scratch, scores):
    """Win at once; never lose by K5, nor leave a won answer, if it can be helped; else besiege the bird, go near it, and stand high."""
    player = np.int64(state["player"])
    scratch[0] = state
    board = scratch[0]
    landed = int(state["landed"])
    heights, path = board["height"], board["path"]
    for action in range(7 * SQUARES):
        if mask[action] == 0:
            continue
        kind = action % 7
        source = locate(player, action // 7)
        target = neighbour(player, source, kind if kind < 3 else kind - 3)
        count = 1 if kind < 3 else np.int64(heights[source]) - np.int64(heights[target])
        shift(board, source, target, count)
        scores[action] = worth(board, player, source, target)
        if rebound_due(board, target):
            if landed == 0:
                path[0] = source
            path[max(landed, 1)] = target
            board["landed"] = max(landed, 1) + 1
            if can_rebound(board):
                scores[action] = best_rebound(board, player, source, target)
            path[max(landed, 1)] = 0
            if landed == 0:
                path[0] = 0
            board["landed"] = landed
        shift(board, target, source, count)


@compiled
def best_rebound(board, player, source, middle):
    """The best worth that a due and legal rebound leads to. A second one always leaves adjacent Springboards, so none is looked at."""
    bits = crossing_of(board, player)
    best = LOSS
    for way in range(3):
        if rebound_allowed(board, player, bits, way):
            target = neighbour(player, middle, way)
            shift(board, middle, target, 1)
            best = max(best, worth(board, player, source, target))
            shift(board, target, middle, 1)
    return best
