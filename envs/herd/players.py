"""Herd's greedy player: capture first, then connect."""

from ..core.compiling import compiled
from .rules import MAX_SQUARES


@compiled
def score_actions(rules, state, mask, scratch, scores):
    """Placing: stones captured at once, then own neighbours. Removing: what frees or joins most own stones and parts enemy ones."""
    player = int(state["player"])
    board, around = state["board"], state["around"]
    own, enemy = player * MAX_SQUARES, (1 - player) * MAX_SQUARES
    for cell in range(rules.num_actions):
        if mask[cell] == 0:
            continue
        square = int(rules.square_of[cell])
        friends, foes = int(around[own + square]), int(around[enemy + square])
        if state["remove"] > 0:
            scores[cell] = friends + 0.5 * foes
            continue
        captures = 0
        for k in range(6 * square, 6 * square + int(rules.degree[square])):
            near = int(rules.neighbours[k])
            if board[near] == 2 - player and around[own + near] == rules.degree[near] - 1:
                captures += 1
        scores[cell] = 100.0 * captures + friends
