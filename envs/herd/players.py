"""Herd's greedy player: capture first, then crowd single enemy stones and join single own ones."""

from ..core.compiling import compiled
from .rules import MAX_SQUARES


@compiled
def score_actions(rules, state, mask, scratch, scores):
    """Only single stones can be captured (H3), so what counts is who has them.

    Placing scores 100 for each capture, then 1 for each neighbour that is a single stone of either side. Removing scores 1 for each
    enemy stone that is left single by it.
    """
    player = int(state["player"])
    board, around, degree, neighbours = state["board"], state["around"], rules.degree, rules.neighbours
    own, enemy = player * MAX_SQUARES, (1 - player) * MAX_SQUARES
    for cell in range(rules.num_actions):
        if mask[cell] == 0:
            continue
        square = int(rules.square_of[cell])
        captures, singles, made_single = 0, 0, 0
        for k in range(6 * square, 6 * square + int(degree[square])):
            near = int(neighbours[k])
            friends, foes = int(around[own + near]), int(around[enemy + near])
            if board[near] == 2 - player:
                captures += friends == int(degree[near]) - 1
                singles += foes == 0
                made_single += foes == 1
            elif board[near] == player + 1:
                singles += friends == 0
        scores[cell] = float(made_single) if state["remove"] > 0 else 100.0 * captures + singles
