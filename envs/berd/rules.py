"""Berd's rules, compiled. B1..B12 are the numbered rulings in this folder's README.

Squares are absolute, 0 to path - 1 clockwise; a player's progress is the distance from their own corner. Actions and
observations are in the own frame (see the README for both tables). A tower is an ``owner``, ``top`` own tokens and ``captives``
per colour, ``load`` of them in all. The captives under a token on its way lie in ``taken``.
"""

from typing import NamedTuple

import numpy as np

from ..core.compiling import compiled
from ..core.contract import CHANCE, DECISION, TERMINAL, TRUNCATED, ObservationBounds, state_head
from .config import Config

MAX_PLAYERS = 16
MAX_PATH = 64
ENDINGS = ("", "one player left", "turn cap", "standoff")
ONE_LEFT, TURN_CAP, STANDOFF = 1, 2, 3
ORDER, CORNER, ROLL, MOVE, SPLIT, GIVE, OVER = range(7)
ALL_FACES = 0b1111110  # a set of faces: bit d stands for face d
NONE = -1

STATE = np.dtype(
    [
        *state_head(MAX_PLAYERS),
        ("phase", "i1"),
        ("drawn", "i1"),  # players drawn so far, while corners are chosen
        ("source", "i1"),  # square that is being split, or NONE
        ("die", "i1"),  # in use for the split, or 0
        ("finisher", "i1"),  # whom the others give to, or NONE
        ("order", "i1", (MAX_PLAYERS,)),  # the players drawn, then NONE
        ("corners", "i1", (MAX_PLAYERS,)),  # 0..3, or NONE before it is chosen
        ("starts", "u1", (MAX_PLAYERS,)),  # tokens in the starting stack
        ("towers", "u1", (MAX_PLAYERS,)),  # how many the player owns
        ("taken", "u1", (MAX_PLAYERS,)),  # captives taken along, per colour
        ("dice", "u1", (6,)),  # dice left of each face, without the one in use
        ("owner", "i1", (MAX_PATH,)),  # of the tower on the square, or NONE
        ("top", "u1", (MAX_PATH,)),  # the owner's tokens
        ("load", "u1", (MAX_PATH,)),  # captives of all colours
        ("captives", "u1", (MAX_PATH * MAX_PLAYERS,)),  # square * MAX_PLAYERS + colour
        ("piles", "u1", (MAX_PLAYERS * MAX_PLAYERS,)),  # player * MAX_PLAYERS + colour
    ]
)


class Rules(NamedTuple):
    num_players: int
    num_actions: int
    num_outcomes: int
    observation_size: int
    max_legal: int
    tokens: int
    path: int
    max_turns: int
    first_take: int  # the actions' ranges: 4 corners, moves, takes, go, gifts
    go: int
    first_gift: int
    corner_at: np.ndarray  # i1 (MAX_PATH,): 0..3 on the four corners, NONE elsewhere
    throws: np.ndarray  # i1 (42,): lo and hi of each of the 21 outcomes


def make_rules(config: Config) -> Rules:
    n, path = config.num_players, config.path
    corner_at = np.full(MAX_PATH, NONE, np.int8)
    corner_at[: path : path // 4] = range(4)
    first_take = 4 + 6 * path
    return Rules(
        num_players=n,
        num_actions=first_take + n + 1 + n * (path + 1),
        num_outcomes=21,
        observation_size=path * (4 * n + 2) + n * n + 5 * n + 16,
        max_legal=config.tokens * n + n + 1,  # gifts: every colour of every tower, of the pile, and of the starting stack
        tokens=config.tokens,
        path=path,
        max_turns=config.max_turns,
        first_take=first_take,
        go=first_take + n,
        first_gift=first_take + n + 1,
        corner_at=corner_at,
        throws=np.array([[lo, hi] for lo in range(1, 7) for hi in range(lo, 7)], np.int8).reshape(-1),
    )


def state_dtype(config: Config) -> np.dtype:
    return STATE  # of fixed capacity: other numbers compile nothing anew


def observation_bounds(config: Config) -> ObservationBounds:
    n, path, tokens = config.num_players, config.path, config.tokens
    ring = np.full((path, 4 * n + 2), tokens, np.int8)
    owner = ring[:, :n]
    captives, starts, corners = (ring[:, k * n + 1 : (k + 1) * n + 1] for k in (1, 2, 3))
    owner[:] = 1
    owner[0, 0] = 0  # nobody's tower stands on their own corner
    if n == 2:
        captives[0, 1] = 0  # so there the tower of two players is the other's, without the other's captives
    corners[:], ring[:, -1] = 1, 1
    for entries in (starts, corners):
        entries[np.arange(path) % (path // 4) != 0] = 0
        entries[1:, 0] = 0  # the own corner is square 0
    # What is taken is listed only while more can be taken; with two players a captured last token ends the game.
    most_taken = tokens if n > 2 else tokens - 2
    rest = [[tokens] * n**2, [1] * 4, [4] * 6, [1] * 6, [most_taken] * n, [1] * 4 * n]
    high = np.concatenate([ring.reshape(-1), np.concatenate(rest)]).astype(np.int8)
    return ObservationBounds(np.zeros_like(high), high)


@compiled
def start(rules, state):
    state["node"], state["player"], state["ending"], state["turn"] = CHANCE, 0, 0, 0
    state["phase"], state["drawn"], state["source"], state["die"], state["finisher"] = ORDER, 0, NONE, 0, NONE
    state["payoff"][:] = 0.0
    state["order"][:] = NONE
    state["corners"][:] = NONE
    state["starts"][:] = 0
    state["towers"][:] = 0
    state["taken"][:] = 0
    state["dice"][:] = 0
    state["owner"][:] = NONE
    state["top"][:] = 0
    state["load"][:] = 0
    state["captives"][:] = 0
    state["piles"][:] = 0
    starts = state["starts"]
    for player in range(rules.num_players):
        starts[player] = rules.tokens


@compiled
def is_active(state, player):
    return state["towers"][player] > 0 or state["starts"][player] > 0


@compiled
def count_active(rules, state):
    count = 0
    for player in range(rules.num_players):
        if is_active(state, player):
            count += 1
    return count


@compiled
def next_active(rules, state, player, last):
    """The first active player clockwise after ``player`` and before ``last``; NONE if there is none."""
    while True:
        player = player + 1 if player + 1 < rules.num_players else 0
        if player == last:
            return NONE
        if is_active(state, player):
            return player


@compiled
def own_corner(rules, state, player):
    """The square that is 0 in the player's own frame: corner 0 before they have chosen (B2)."""
    return max(int(state["corners"][player]), 0) * rules.path // 4


@compiled
def progress_on(rules, state, player, square):
    progress = square - own_corner(rules, state, player)
    return progress if progress >= 0 else progress + rules.path


@compiled
def square_at(rules, state, player, progress):
    square = own_corner(rules, state, player) + progress
    return square if square < rules.path else square - rules.path


@compiled
def is_blocked(rules, state, player, square):
    """Whether a foreign Berd or a foreign starting stack of two or more keeps ``player`` from landing."""
    owner = int(state["owner"][square])
    if owner >= 0:
        return owner != player and state["top"][square] >= 2
    corner = rules.corner_at[square]
    if corner >= 0:
        corners, starts = state["corners"], state["starts"]
        for other in range(rules.num_players):
            if corners[other] == corner and starts[other] >= 2 and other != player:
                return True
    return False


@compiled
def can_go(rules, state, player, progress, die):
    """Whether a token of ``player`` may go ``die`` squares: whatever stands between is jumped (B3), home is never blocked (B7)."""
    progress += die
    return progress >= rules.path or not is_blocked(rules, state, player, square_at(rules, state, player, progress))


@compiled
def can_move(rules, state, player, faces):
    """Whether ``player`` has a unit that can use a die of the set ``faces``."""
    owner, stack = state["owner"], state["starts"][player] > 0
    square = own_corner(rules, state, player)
    for progress in range(rules.path):
        if owner[square] == player or (progress == 0 and stack):
            for die in range(1, 7):
                if faces >> die & 1 and can_go(rules, state, player, progress, die):
                    return True
        square = square + 1 if square + 1 < rules.path else 0
    return False


@compiled
def faces_left(state):
    dice = state["dice"]
    faces = 0
    for die in range(1, 7):
        if dice[die - 1] > 0:
            faces |= 1 << die
    return faces


@compiled
def is_standoff(rules, state):
    """No active player could use any die (B11)."""
    for player in range(rules.num_players):
        if can_move(rules, state, player, ALL_FACES):
            return False
    return True


@compiled
def pay(rules, state):
    """The largest piles share the win; tokens on the board count for nothing (B9, B10)."""
    n = rules.num_players
    payoff, piles = state["payoff"], state["piles"]
    largest, winners = -1, 0
    for player in range(n):
        size = 0
        for colour in range(n):
            size += int(piles[player * MAX_PLAYERS + colour])
        if size > largest:
            largest, winners = size, 0
        if size == largest:
            winners += 1
        payoff[player] = size
    for player in range(n):
        payoff[player] = (n - winners) / (winners * (n - 1)) if payoff[player] == largest else -1.0 / (n - 1)


@compiled
def finish(rules, state, node, ending):
    """The game is over at once, dice left are void, the turn is not counted (B9, B11)."""
    state["node"], state["ending"], state["phase"], state["player"] = node, ending, OVER, 0
    state["dice"][:] = 0
    pay(rules, state)


@compiled
def end_turn(rules, state):
    player = int(state["player"])
    state["dice"][:] = 0
    state["player"] = next_active(rules, state, player, player)  # B8
    state["turn"] += 1
    state["node"], state["phase"] = CHANCE, ROLL
    if state["turn"] >= rules.max_turns:  # B10
        state["node"], state["ending"] = TRUNCATED, TURN_CAP
        pay(rules, state)


@compiled
def go_on(rules, state):
    """After a move that is done and after a round of giving: the game is over, or the player uses another die, or the turn ends."""
    if count_active(rules, state) <= 1:  # B9
        finish(rules, state, TERMINAL, ONE_LEFT)
    elif can_move(rules, state, int(state["player"]), faces_left(state)):  # B4: a die that can be used must be
        state["node"], state["phase"] = DECISION, MOVE
    else:
        end_turn(rules, state)


@compiled
def chance(rules, state, weights):
    if state["phase"] == ORDER:  # B2
        left = rules.num_players - int(state["drawn"])
        for outcome in range(left):
            weights[outcome] = 1.0 / left
        return left
    throws = rules.throws
    for outcome in range(21):
        weights[outcome] = (1.0 if throws[2 * outcome] == throws[2 * outcome + 1] else 2.0) / 36.0
    return 21


@compiled
def undrawn(rules, state, outcome):
    """The player that an outcome of the draw stands for: whoever was drawn has a corner by the next draw."""
    corners = state["corners"]
    for player in range(rules.num_players):
        if corners[player] < 0:
            if outcome == 0:
                return player
            outcome -= 1
    return NONE


@compiled
def resolve(rules, state, outcome):
    if state["phase"] == ORDER:
        player = undrawn(rules, state, outcome)
        state["order"][int(state["drawn"])] = player
        state["drawn"] += 1
        state["node"], state["phase"], state["player"] = DECISION, CORNER, player
        return
    lo, hi = int(rules.throws[2 * outcome]), int(rules.throws[2 * outcome + 1])
    player = int(state["player"])
    if can_move(rules, state, player, 1 << lo | 1 << hi):
        state["dice"][lo - 1] = 4 if lo == hi else 1
        state["dice"][hi - 1] = 4 if lo == hi else 1
        state["node"], state["phase"] = DECISION, MOVE
    elif is_standoff(rules, state):  # B11 comes before B10
        finish(rules, state, TRUNCATED, STANDOFF)
    else:
        end_turn(rules, state)


@compiled
def lowest_take(rules, state):
    """The colour, relative to the player, from which on captives may be taken: colours are taken in rising order."""
    taken, player, n = state["taken"], int(state["player"]), rules.num_players
    for j in range(n - 1, 0, -1):
        if taken[player + j if player + j < n else player + j - n] > 0:
            return j
    return 1


@compiled
def can_take(rules, state, j):
    """Whether a captive of the colour ``j`` after the player's is left in the tower being split."""
    colour = int(state["player"]) + j
    if colour >= rules.num_players:
        colour -= rules.num_players
    return state["captives"][int(state["source"]) * MAX_PLAYERS + colour] > state["taken"][colour]


@compiled
def can_take_more(rules, state):
    for j in range(lowest_take(rules, state), rules.num_players):
        if can_take(rules, state, j):
            return True
    return False


@compiled
def legal_gifts(rules, state, mask):
    """B5: whatever leaves no captive without an own token above it. The last own token of a starting stack may go too (B8)."""
    n, path, player = rules.num_players, rules.path, int(state["player"])
    owner, captives, piles = state["owner"], state["captives"], state["piles"]
    count = 0
    for square in range(path):
        if owner[square] != player:
            continue
        first = rules.first_gift + progress_on(rules, state, player, square) * n
        if state["top"][square] >= 2 or state["load"][square] == 0:
            mask[first] = 1
            count += 1
        if state["load"][square] > 0:
            for j in range(1, n):
                colour = player + j if player + j < n else player + j - n
                if captives[square * MAX_PLAYERS + colour] > 0:
                    mask[first + j] = 1
                    count += 1
    if state["starts"][player] > 0:
        mask[rules.first_gift] = 1
        count += 1
    for j in range(n):
        colour = player + j if player + j < n else player + j - n
        if piles[player * MAX_PLAYERS + colour] > 0:
            mask[rules.first_gift + path * n + j] = 1
            count += 1
    return count


@compiled
def legal_moves(rules, state, mask):
    path, player = rules.path, int(state["player"])
    owner, dice, stack = state["owner"], state["dice"], state["starts"][player] > 0
    count = 0
    square = own_corner(rules, state, player)
    for progress in range(path):
        if owner[square] == player or (progress == 0 and stack):
            for die in range(1, 7):
                if dice[die - 1] > 0 and can_go(rules, state, player, progress, die):
                    mask[4 + (die - 1) * path + progress] = 1
                    count += 1
        square = square + 1 if square + 1 < path else 0
    return count


@compiled
def legal(rules, state, mask):
    mask[:] = 0
    phase = state["phase"]
    if phase == MOVE:
        return legal_moves(rules, state, mask)
    if phase == GIVE:
        return legal_gifts(rules, state, mask)
    if phase == CORNER:
        mask[:4] = 1
        return 4
    mask[rules.go] = 1
    count = 1
    for j in range(lowest_take(rules, state), rules.num_players):
        if can_take(rules, state, j):
            mask[rules.first_take + j] = 1
            count += 1
    return count


@compiled
def lift(rules, state, square):
    """Take one own token off a tower: all captives of a lone token come along, those of a Berd that are ``taken``."""
    owner, top, load, captives, taken = state["owner"], state["top"], state["load"], state["captives"], state["taken"]
    if load[square] > 0:
        lone = top[square] == 1
        carried = 0
        for colour in range(rules.num_players):
            if lone:
                taken[colour] = captives[square * MAX_PLAYERS + colour]
            captives[square * MAX_PLAYERS + colour] -= taken[colour]
            carried += int(taken[colour])
        load[square] -= carried
    top[square] -= 1
    if top[square] == 0:
        state["towers"][int(owner[square])] -= 1
        owner[square] = NONE


@compiled
def capture(rules, state, player, square):
    """Make what ``player`` lands on theirs, the tokens captured captives."""
    owner, load, captives = state["owner"], state["load"], state["captives"]
    first = square * MAX_PLAYERS
    other = int(owner[square])
    if other == player:
        return
    owner[square] = player
    state["towers"][player] += 1
    if other >= 0:
        state["towers"][other] -= 1
        captives[first + other] += 1
        recovered = int(captives[first + player])  # they come to the top and go on from here (B6)
        captives[first + player] = 0
        state["top"][square] = recovered
        load[square] = int(load[square]) + 1 - recovered
        return
    corner = rules.corner_at[square]
    if corner >= 0:
        corners, starts = state["corners"], state["starts"]
        for other in range(rules.num_players):
            if corners[other] == corner and starts[other] > 0:  # the last token of their stack, or it would be blocked
                starts[other] = 0
                captives[first + other] = 1
                load[square] += 1


@compiled
def put_down(rules, state, pile, first):
    """Add what is ``taken`` to counts per colour, ``pile[first:]``. Returns how many tokens that was."""
    taken = state["taken"]
    count = 0
    for colour in range(rules.num_players):
        count += int(taken[colour])
        pile[first + colour] += taken[colour]
        taken[colour] = 0
    return count


@compiled
def move(rules, state, progress, die):
    """One own token goes ``die`` squares from ``progress``, where 0 is the starting stack."""
    player = int(state["player"])
    if progress == 0:
        state["starts"][player] -= 1
    else:
        lift(rules, state, square_at(rules, state, player, progress))
    progress += die
    if progress >= rules.path:  # home, and captures nothing there (B7)
        state["piles"][player * MAX_PLAYERS + player] += 1
        put_down(rules, state, state["piles"], player * MAX_PLAYERS)
        state["finisher"] = player
        state["node"], state["phase"] = DECISION, GIVE
        state["player"] = next_active(rules, state, player, player)
        return
    square = square_at(rules, state, player, progress)
    capture(rules, state, player, square)
    state["top"][square] += 1
    state["load"][square] += put_down(rules, state, state["captives"], square * MAX_PLAYERS)


@compiled
def give(rules, state, source, j):
    """The player gives a token of the colour ``j`` after their own, from the tower at progress ``source``, 0 the stack, path the pile."""
    player, finisher = int(state["player"]), int(state["finisher"])
    colour = player + j if player + j < rules.num_players else player + j - rules.num_players
    if source == rules.path:
        state["piles"][player * MAX_PLAYERS + colour] -= 1
    elif source == 0:
        state["starts"][player] -= 1
    else:
        square = square_at(rules, state, player, source)
        if j > 0:
            state["captives"][square * MAX_PLAYERS + colour] -= 1
            state["load"][square] -= 1
        else:
            lift(rules, state, square)
    state["piles"][finisher * MAX_PLAYERS + colour] += 1
    giver = next_active(rules, state, player, finisher)
    if giver != NONE:
        state["player"] = giver
    else:
        state["player"], state["finisher"] = finisher, NONE


@compiled
def choose_corner(rules, state, corner):
    state["corners"][int(state["player"])] = corner
    if state["drawn"] < rules.num_players:
        state["node"], state["phase"], state["player"] = CHANCE, ORDER, 0
        return
    state["player"] = state["order"][0]
    state["order"][:] = NONE
    state["drawn"] = 0
    state["node"], state["phase"] = CHANCE, ROLL


@compiled
def apply(rules, state, action):
    player = int(state["player"])
    if action < 4:
        choose_corner(rules, state, action)
        return
    if action >= rules.first_gift:
        source = (action - rules.first_gift) // rules.num_players
        give(rules, state, source, action - rules.first_gift - source * rules.num_players)
    else:
        if action < rules.first_take:
            die = (action - 4) // rules.path + 1
            progress = action - 4 - (die - 1) * rules.path
            state["dice"][die - 1] -= 1
            square = square_at(rules, state, player, progress)
            if progress > 0 and state["top"][square] >= 2 and state["load"][square] > 0:
                state["source"], state["die"], state["phase"] = square, die, SPLIT
                return
        else:
            if action < rules.go:
                colour = player + action - rules.first_take
                state["taken"][colour if colour < rules.num_players else colour - rules.num_players] += 1
                if can_take_more(rules, state):  # B12
                    return
            die = int(state["die"])
            progress = progress_on(rules, state, player, int(state["source"]))
            state["source"], state["die"] = NONE, 0
        move(rules, state, progress, die)
    if state["finisher"] == NONE:  # nobody has to give any more
        go_on(rules, state)


@compiled
def observe_towers(rules, state, player, out):
    n, path = rules.num_players, rules.path
    owner, top, load, captives = state["owner"], state["top"], state["load"], state["captives"]
    square, first = own_corner(rules, state, player), 0
    for _ in range(path):
        j = int(owner[square]) - player
        out[first + (j if j >= 0 else j + n)] = owner[square] >= 0  # no branch on what cannot be predicted: twice as fast
        out[first + n] = top[square]
        if load[square] > 0:
            for j in range(n):
                colour = player + j if player + j < n else player + j - n
                out[first + n + 1 + j] = captives[square * MAX_PLAYERS + colour]
        first += 4 * n + 2
        square = square + 1 if square + 1 < path else 0


@compiled
def observe(rules, state, player, out):
    n, path, phase = rules.num_players, rules.path, state["phase"]
    piles = state["piles"]
    out[:] = 0
    observe_towers(rules, state, player, out)
    width = 4 * n + 2
    if phase == SPLIT:
        out[progress_on(rules, state, player, int(state["source"])) * width + 4 * n + 1] = 1
    piles_at = path * width
    phase_at = piles_at + n * n
    dice_at = phase_at + 4
    die_at = dice_at + 6
    taken_at = die_at + 6
    finisher_at = taken_at + n
    chosen_at = finisher_at + n
    first_drawn_at = chosen_at + n
    player_at = first_drawn_at + n
    for j in range(n):
        other = player + j if player + j < n else player + j - n
        if state["corners"][other] >= 0:
            first = progress_on(rules, state, player, own_corner(rules, state, other)) * width
            out[first + 2 * n + 1 + j] = state["starts"][other]
            out[first + 3 * n + 1 + j] = 1
            out[chosen_at + j] = 1
        for k in range(n):
            colour = player + k if player + k < n else player + k - n
            out[piles_at + j * n + k] = piles[other * MAX_PLAYERS + colour]
        out[taken_at + j] = state["taken"][other]
        out[finisher_at + j] = state["finisher"] == other
        out[first_drawn_at + j] = state["order"][0] == other
        out[player_at + j] = state["player"] == other and phase != ORDER and phase != OVER
    for face in range(6):
        out[dice_at + face] = state["dice"][face]
    if state["die"] > 0:
        out[die_at + int(state["die"]) - 1] = 1
    if phase == CORNER:
        out[phase_at] = 1
    elif phase == MOVE or phase == SPLIT or phase == GIVE:
        out[phase_at + 1 + int(phase) - MOVE] = 1
