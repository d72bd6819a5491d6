"""What a network may be told of each action in Herd, beside the observation."""

import numpy as np

from ..core.compiling import compiled
from .config import Config
from .rules import MAX_SQUARES

ACTION_FEATURES = 13


def action_feature_high(config: Config) -> np.ndarray:
    return np.array([1, 6, 6, 6, 6, 6, 6, 6, 1, 6, 6, 6, 6], np.int8)


@compiled
def observe_actions(rules, state, mask, scratch, out):
    """What each legal cell's surroundings make of it: 0 removing; 1 own, 2 enemy, 3 empty neighbours; 4 enemy stones that placing
    here captures; neighbours that are single stones, 5 enemy and 6 own; 7 enemy neighbours that a removal here leaves single; 8 the
    cell is closed to the enemy; 9 empty neighbours that placing here closes to the enemy, 10 empty neighbours that only this
    cell keeps open to the player; single stones next to it with one more way out, 11 enemy and 12 own."""
    player = int(state["player"])
    board, around, degree, neighbours = state["board"], state["around"], rules.degree, rules.neighbours
    own, enemy = player * MAX_SQUARES, (1 - player) * MAX_SQUARES
    removing = state["remove"] > 0
    first = -ACTION_FEATURES
    for cell in range(rules.num_actions):
        if mask[cell] == 0:
            continue
        first += ACTION_FEATURES
        square = int(rules.square_of[cell])
        friends, foes, near_count = int(around[own + square]), int(around[enemy + square]), int(degree[square])
        captures, single_foes, single_friends, made_single, closes, keeps_open, foes_pressed, friends_pressed = 0, 0, 0, 0, 0, 0, 0, 0
        for k in range(6 * square, 6 * square + near_count):
            near = int(neighbours[k])
            near_friends, near_foes, ways = int(around[own + near]), int(around[enemy + near]), int(degree[near])
            if board[near] == 2 - player:
                captures += near_friends == ways - 1
                foes_pressed += near_friends == ways - 2 and near_foes == 0
                single_foes += near_foes == 0
                made_single += near_foes == 1
            elif board[near] == player + 1:
                single_friends += near_friends == 0
                friends_pressed += near_foes >= ways - 2 and near_friends == 0
            else:
                closes += near_friends == ways - 1
                keeps_open += near_foes == ways - 1
        out[first] = removing
        out[first + 1] = friends
        out[first + 2] = foes
        out[first + 3] = near_count - friends - foes
        out[first + 4] = 0 if removing else captures
        out[first + 5] = single_foes
        out[first + 6] = single_friends
        out[first + 7] = made_single if removing else 0
        out[first + 8] = friends == near_count
        out[first + 9] = 0 if removing else closes
        out[first + 10] = keeps_open
        out[first + 11] = foes_pressed
        out[first + 12] = friends_pressed
