"""Herd's rules, compiled. H1..H7 are the numbered rulings in this folder's README.

Squares: the hexagon lies in a square of (2N-1) x (2N-1); square = v * (2N-1) + u, as in the observation's planes. Actions
are cells, numbered row by row on the hexagon alone. ``around[p, square]`` counts the stones of player p next to a square: a cell
is closed to p, and a stone on it captured by p's enemy, when that count reaches the number of its neighbours.
"""

from typing import NamedTuple

import numpy as np

from ..core.compiling import compiled
from ..core.contract import CHANCE, DECISION, TERMINAL, TRUNCATED, ObservationBounds, state_head
from .config import Config

MAX_WIDTH = 15  # of size 8
MAX_SQUARES = MAX_WIDTH * MAX_WIDTH
ENDINGS = ("", "board full", "turn cap")
BOARD_FULL, TURN_CAP = 1, 2
NO_LIMIT = 127  # neighbours given to squares off the board, so that they never count as surrounded
DIRECTIONS = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))  # (u, v)

STATE = np.dtype(
    [
        *state_head(2),
        ("remove", "i1"),  # removals owed
        ("place", "i2"),  # placements owed
        ("stones", "i2", (2,)),
        ("board", "i1", (MAX_SQUARES,)),  # 0 empty, 1 player a, 2 player b, 3 off the board
        ("around", "i1", (2 * MAX_SQUARES,)),  # player * MAX_SQUARES + square
    ]
)


class Rules(NamedTuple):
    num_players: int
    num_actions: int
    num_outcomes: int
    observation_size: int
    max_legal: int
    width: int
    max_turns: int
    square_of: np.ndarray  # u2 (cells,)
    degree: np.ndarray  # i1 (MAX_SQUARES,): neighbours on the board, NO_LIMIT off it
    neighbours: np.ndarray  # u2 (6 * MAX_SQUARES,): the first degree[s] from 6 * s on
    throws: np.ndarray  # i1 (42,): lo and hi of each of the 21 outcomes


def cells(size: int) -> list[tuple[int, int]]:
    """The board's cells (u, v) in the order of their indices."""
    width = 2 * size - 1
    return [(u, v) for v in range(width) for u in range(width) if size - 1 <= u + v <= 3 * size - 3]


def make_rules(config: Config) -> Rules:
    width = 2 * config.size - 1
    board = cells(config.size)
    square = {(u, v): v * width + u for u, v in board}
    degree = np.full(MAX_SQUARES, NO_LIMIT, np.int8)
    neighbours = np.zeros(6 * MAX_SQUARES, np.uint16)
    for u, v in board:
        near = [square[u + du, v + dv] for du, dv in DIRECTIONS if (u + du, v + dv) in square]
        degree[square[u, v]] = len(near)
        neighbours[6 * square[u, v] :][: len(near)] = near
    return Rules(
        num_players=2,
        num_actions=len(board),
        num_outcomes=21,
        observation_size=9 * width * width,
        max_legal=len(board),
        width=width,
        max_turns=config.max_turns,
        square_of=np.array([square[cell] for cell in board], np.uint16),
        degree=degree,
        neighbours=neighbours,
        throws=np.array([[lo, hi] for lo in range(1, 7) for hi in range(lo, 7)], np.int8).reshape(-1),
    )


def state_dtype(config: Config) -> np.dtype:
    return STATE  # of fixed capacity: another size compiles nothing anew


def observation_bounds(config: Config) -> ObservationBounds:
    width = 2 * config.size - 1
    low, high = np.zeros((9, width, width), np.int8), np.zeros((9, width, width), np.int8)
    for u, v in cells(config.size):
        high[[0, 1, 2, 3, 7, 8], v, u] = 1
        low[3, v, u] = 1
    high[4], high[5], high[6] = 1, 6, 127
    return ObservationBounds(low, high, broadcast_planes=(4, 5, 6))


def action_planes(config: Config) -> np.ndarray:
    return make_rules(config).square_of.astype(np.int64)


@compiled
def start(rules, state):
    board, around, degree = state["board"], state["around"], rules.degree
    state["node"], state["player"], state["ending"], state["turn"] = CHANCE, 0, 0, 0
    state["payoff"][0] = 0.0
    state["payoff"][1] = 0.0
    state["remove"], state["place"] = 0, 0
    state["stones"][0] = 0
    state["stones"][1] = 0
    around[:] = 0
    for square in range(MAX_SQUARES):
        board[square] = 3 if degree[square] == NO_LIMIT else 0


@compiled
def put_stone(rules, state, player, square):
    """Set a stone on an empty square. Nothing is captured."""
    around, neighbours = state["around"], rules.neighbours
    state["board"][square] = player + 1
    state["stones"][player] += 1
    for k in range(6 * square, 6 * square + int(rules.degree[square])):
        around[player * MAX_SQUARES + neighbours[k]] += 1


@compiled
def take_stone(rules, state, player, square):
    around, neighbours = state["around"], rules.neighbours
    state["board"][square] = 0
    state["stones"][player] -= 1
    for k in range(6 * square, 6 * square + int(rules.degree[square])):
        around[player * MAX_SQUARES + neighbours[k]] -= 1


@compiled
def can_place(rules, state, player):
    """Whether ``player`` has a legal cell to place a stone on."""
    board, around, degree = state["board"], state["around"], rules.degree
    enemy = (1 - player) * MAX_SQUARES
    for square in range(rules.width * rules.width):
        if board[square] == 0 and around[enemy + square] < degree[square]:
            return True
    return False


@compiled
def is_full(rules, state):
    return int(state["stones"][0]) + int(state["stones"][1]) == rules.num_actions


@compiled
def finish(rules, state, node, ending):
    """The game is over: more stones win, equally many are a tie (only at the cap, since the number of cells is odd)."""
    difference = int(state["stones"][0]) - int(state["stones"][1])
    state["node"], state["ending"] = node, ending
    state["payoff"][0] = float(np.sign(difference))
    state["payoff"][1] = -float(np.sign(difference))


@compiled
def end_turn(rules, state):
    state["remove"], state["place"] = 0, 0
    state["player"] = 1 - int(state["player"])
    state["turn"] += 1
    state["node"] = CHANCE
    if state["turn"] >= rules.max_turns:  # H7
        finish(rules, state, TRUNCATED, TURN_CAP)


@compiled
def go_on(rules, state):
    """After the removals and after each placement: the game is over, the turn is over, or the player places on (H4, H6)."""
    if is_full(rules, state):
        state["remove"], state["place"] = 0, 0
        finish(rules, state, TERMINAL, BOARD_FULL)
    elif state["place"] == 0 or not can_place(rules, state, int(state["player"])):
        end_turn(rules, state)
    else:
        state["node"] = DECISION


@compiled
def chance(rules, state, weights):
    throws = rules.throws
    for outcome in range(21):
        weights[outcome] = (1.0 if throws[2 * outcome] == throws[2 * outcome + 1] else 2.0) / 36.0
    return 21


@compiled
def resolve(rules, state, outcome):
    lo, hi = int(rules.throws[2 * outcome]), int(rules.throws[2 * outcome + 1])
    state["remove"] = min(lo, int(state["stones"][1 - int(state["player"])]))  # H1
    state["place"] = lo if state["turn"] == 0 else hi
    if state["remove"] > 0:
        state["node"] = DECISION
    else:
        go_on(rules, state)


@compiled
def legal(rules, state, mask):
    board, around, degree, square_of = state["board"], state["around"], rules.degree, rules.square_of
    player = int(state["player"])
    count = 0
    if state["remove"] > 0:
        enemy_stone = np.int8(2 - player)
        for cell in range(np.uintp(rules.num_actions)):
            allowed = np.int8(board[square_of[cell]] == enemy_stone)
            mask[cell] = allowed
            count += int(allowed)
    else:
        enemy = np.uintp((1 - player) * MAX_SQUARES)
        for cell in range(np.uintp(rules.num_actions)):
            square = np.uintp(square_of[cell])
            allowed = np.int8((board[square] == 0) & (around[enemy + square] < degree[square]))
            mask[cell] = allowed
            count += int(allowed)
    return count


@compiled
def apply(rules, state, action):
    player = int(state["player"])
    enemy = 1 - player
    square = int(rules.square_of[action])
    if state["remove"] > 0:
        take_stone(rules, state, enemy, square)
        state["remove"] -= 1
        if state["remove"] == 0:
            go_on(rules, state)
        return
    board, around, degree, neighbours = state["board"], state["around"], rules.degree, rules.neighbours
    put_stone(rules, state, player, square)
    captured = 0
    for k in range(6 * square, 6 * square + int(degree[square])):  # H3: only next to the new stone
        near = int(neighbours[k])
        if board[near] == enemy + 1 and around[player * MAX_SQUARES + near] == degree[near]:
            take_stone(rules, state, enemy, near)
            captured += 1
    state["place"] += captured - 1
    go_on(rules, state)


@compiled
def observe(rules, state, player, out):
    board, around, degree = state["board"], state["around"], rules.degree
    own, enemy = np.int8(player + 1), np.int8(2 - player)
    own_around, enemy_around = np.uintp(player * MAX_SQUARES), np.uintp((1 - player) * MAX_SQUARES)
    size = np.uintp(rules.width * rules.width)
    moving = state["node"] == DECISION and player == state["player"]
    removing = np.int8(moving and state["remove"] > 0)
    removals = np.int8(state["remove"] if moving else 0)
    placements = np.int8(min(int(state["place"]), 127) if moving else 0)
    plane = size  # one short loop a plane: each becomes a few vector instructions
    for square in range(size):
        out[square] = board[square] == own
    for square in range(size):
        out[plane + square] = board[square] == enemy
    plane += size
    for square in range(size):
        out[plane + square] = board[square] == 0
    plane += size
    for square in range(size):
        out[plane + square] = board[square] != 3
    for constant in (removing, removals, placements):
        plane += size
        for square in range(size):
            out[plane + square] = constant
    plane += size
    for square in range(size):
        out[plane + square] = (board[square] == 0) & (around[enemy_around + square] == degree[square])
    plane += size
    for square in range(size):
        out[plane + square] = (board[square] == 0) & (around[own_around + square] == degree[square])
