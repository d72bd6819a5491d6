"""Bikido's rules, compiled. K1..K9 are the numbered rulings in this folder's README.

Squares are numbered 7 * (rank - 1) + file, both frames' indices being the square for a and 90 - square for b. One more, OFF, is
what lies beyond the border: too high to enter.

``tokens[level * AREA + square]`` is 1 for a's token, 2 for b's, 0 for none or a bird; in the code levels count from 0. A stack
that moves keeps every token on its level.

``key`` is a Zobrist hash of the board. K7 compares hashes of 64 bits, not boards: in a game of 1000 turns the chance that two
different positions are taken for one is below 1 in 10**11.
"""

from typing import NamedTuple

import numpy as np

from ..core.compiling import compiled
from ..core.contract import DECISION, TERMINAL, TRUNCATED, ObservationBounds, state_head
from ..core.random import mix
from .config import Config

FILES, RANKS = 7, 13
SQUARES = FILES * RANKS
OFF = SQUARES
AREA = SQUARES + 1
MAX_TOKENS = 34  # of each player
MAX_HEIGHT = 2 * MAX_TOKENS
BORDER = 127  # the height of OFF
BIRDS = (10, 80)  # d2 and d12
BARE = 3  # ``top`` of a's bare bird, and one more for b's
BANK, RIVER, FAR_BANK, BEYOND = 35, 42, 49, 56  # the first squares of ranks 6 to 9
BACK = 3
SIDE = np.uint64(0xD6E8FEB86659FD93)  # hashed in when b is up
ENDINGS = ("", "bird reached", "adjacent Springboards", "no legal move", "turn cap")
BIRD_REACHED, SPRINGBOARDS, NO_MOVE, TURN_CAP = 1, 2, 3, 4
BASE_CAPACITY = 1024
NEVER = -10_000  # less than any ``advance``
_0, _1, _6, _13, _63, _67 = (np.uint64(number) for number in (0, 1, 6, 13, 63, 67))


def _neighbours() -> np.ndarray:
    near = np.full((2, SQUARES, 4), OFF, np.uint8)
    for square in range(SQUARES):
        rank, file = divmod(square, FILES)
        for way, (ranks, files) in enumerate(((1, 0), (0, -1), (0, 1), (-1, 0))):
            if 0 <= rank + ranks < RANKS and 0 <= file + files < FILES:
                near[0, square, way] = near[1, square, 3 - way] = square + FILES * ranks + files
    return near.reshape(-1)


# Tables of unsigned bytes, so that the compiler need not ask whether an index read from them is negative.
NEAR = _neighbours()  # (player * SQUARES + square) * 4 + way
FRAMES = np.concatenate((np.arange(SQUARES), np.arange(SQUARES)[::-1])).astype(np.uint8)  # player * SQUARES + index
BIT_NUMBERS = np.zeros(67, np.uint8)  # the number of a bit by its remainder: powers of two up to the 65th leave different ones by 67
BIT_NUMBERS[[(1 << number) % 67 for number in range(64)]] = range(64)


class Rules(NamedTuple):
    num_players: int
    num_actions: int
    num_outcomes: int
    observation_size: int
    max_legal: int
    max_turns: int
    levels: int
    # the first position, as the state's fields have it
    start_player: int
    start_turn: int
    start_landed: int
    start_path: np.ndarray
    start_height: np.ndarray
    start_tokens: np.ndarray


def state_dtype(config: Config) -> np.dtype:
    """Of one capacity for all caps on turns below 1024; a larger cap takes the next power of two above it, and compiles anew."""
    capacity = max(BASE_CAPACITY, 1 << config.max_turns.bit_length())
    return np.dtype(
        [
            *state_head(2),
            ("landed", "i1"),  # how many squares ``path`` has
            ("key", "u8"),  # from here on words of eight bytes lie at multiples of eight, and what is used most comes first
            ("past", "i4"),  # how many hashes ``history`` has
            ("pairs", "i2", (2,)),  # adjacent Springboards of each player
            ("advance", "i2"),  # ranks of a's tokens, summed, less those of b's: every step forward adds 1
            ("recent", "i2", (3,)),  # ``advance`` at the ends of the last three turns, the last one first
            ("peak", "i8"),  # the most ``advance`` of all that history has before those
            ("height", "i1", (AREA,)),
            ("top", "i1", (AREA,)),  # 0 empty, 1 a's token, 2 b's, 3 a's bare bird, 4 b's
            ("springboard", "i1", (AREA,)),  # 0 no, 1 a's, 2 b's
            ("path", "i1", (AREA,)),  # squares of this turn while a rebound is due, the source first; zero beyond ``landed``
            ("tokens", "i1", (MAX_HEIGHT * AREA,)),
            ("filter", "u8", (capacity // 8,)),  # 8 bits for each place of history: a hash that lacks a bit here is not there
            ("history", "u8", (capacity,)),  # position hashes at the ends of turns, zero beyond ``past``
        ]
    )


def make_rules(config: Config) -> Rules:
    height, tokens = np.zeros(AREA, np.int8), np.zeros(MAX_HEIGHT * AREA, np.int8)
    tokens[: 5 * FILES] = 1
    tokens[8 * FILES : SQUARES] = 2
    height[:AREA] = tokens[:AREA] != 0
    height[OFF] = BORDER
    tokens[list(BIRDS)] = 0
    rules = Rules(
        num_players=2,
        num_actions=7 * SQUARES,
        num_outcomes=0,
        observation_size=(2 * config.levels + 12) * SQUARES,
        max_legal=7 * MAX_TOKENS,  # each token tops at most one square, each square has 7 kinds of move
        max_turns=config.max_turns,
        levels=config.levels,
        start_player=0,
        start_turn=0,
        start_landed=0,
        start_path=np.zeros(AREA, np.int8),
        start_height=height,
        start_tokens=tokens,
    )
    return rules if config.start == "classic" else _with_start(rules, config)


def _with_start(rules: Rules, config: Config) -> Rules:
    from .notation import read_position  # which imports this module

    state = np.zeros(1, state_dtype(config))[0]
    start(rules, state)
    try:
        read_position(rules, config.start, state)
    except ValueError as error:
        raise ValueError(f"bikido option start: 'classic' or a position; {error}; got {config.start!r}") from None
    return rules._replace(
        start_player=int(state["player"]),
        start_turn=int(state["turn"]),
        start_landed=int(state["landed"]),
        start_path=state["path"].copy(),
        start_height=state["height"].copy(),
        start_tokens=state["tokens"].copy(),
    )


def observation_bounds(config: Config) -> ObservationBounds:
    levels = config.levels
    low, high = np.zeros((2 * levels + 12, SQUARES), np.int8), np.zeros((2 * levels + 12, SQUARES), np.int8)
    own_bird, enemy_bird = BIRDS
    river = slice(RIVER, FAR_BANK)
    high[: 2 * levels] = 1
    high[2 * levels : 2 * levels + 2] = MAX_TOKENS
    high[2 * levels + 2] = MAX_HEIGHT
    high[2 * levels + 3 : 2 * levels + 5] = 1
    high[2 * levels + 8 : 2 * levels + 10] = 1
    for bird, by in ((own_bird, 1), (enemy_bird, 0)):  # on a bird lies at most one token, the other player's, on level 2
        high[:, bird] = 0
        high[by * levels + 1 if levels > 1 else 2 * levels + by, bird] = 1
        low[2 * levels + 2, bird], high[2 * levels + 2, bird] = 1, 2
        high[2 * levels + 3 + by, bird] = 1
        low[2 * levels + 6 - by, bird] = high[2 * levels + 6 - by, bird] = 1
    low[2 * levels + 7, river] = high[2 * levels + 7, river] = 1
    high[2 * levels + 10] = min(config.max_turns, 127)
    high[2 * levels + 11] = 1
    shape = (-1, RANKS, FILES)
    return ObservationBounds(low.reshape(shape), high.reshape(shape), broadcast_planes=(2 * levels + 10, 2 * levels + 11))


def action_planes(config: Config) -> np.ndarray:
    actions = np.arange(7 * SQUARES)
    return actions % 7 * SQUARES + actions // 7


# --- the board


@compiled
def locate(player, index):
    """The square with an index in a player's own frame, or the index of a square: the same turn by 180 degrees does both."""
    return np.int64(FRAMES[player * SQUARES + index])


@compiled
def neighbour(player, square, way):
    """The square next to one: forward, left, right or back as the player sees it; OFF beyond the border."""
    return np.int64(NEAR[(player * SQUARES + square) * 4 + way])


@compiled
def token_at(state, square, level):
    return np.int64(state["tokens"][level * AREA + square])


@compiled
def part(square, level, token):
    """What a token adds to ``key``. Hashing its place anew is faster than a table, which would crowd the board out of the cache."""
    return mix(np.uint64((2 * level + token) * AREA + square))


@compiled
def run_on_top(state, square):
    """How many tokens on top have one owner, counted up to 4. The square must not be empty."""
    height = np.int64(state["height"][square])
    free = token_at(state, square, height - 1)
    run = 1
    while run < min(height, 4) and token_at(state, square, height - 1 - run) == free:
        run += 1
    return run


@compiled
def refresh(state, square):
    """Bring ``top``, ``springboard`` and ``pairs`` up to date after a change of a stack."""
    height = np.int64(state["height"][square])
    springboards, pairs = state["springboard"], state["pairs"]
    top = 0
    if height == 1 and (square == BIRDS[0] or square == BIRDS[1]):
        top = BARE + int(square == BIRDS[1])
    elif height > 0:
        top = token_at(state, square, height - 1)
    state["top"][square] = top
    before = int(springboards[square])
    after = top if height >= 3 and run_on_top(state, square) >= 3 else 0
    if before == after:
        return
    springboards[square] = after
    for way in range(4):
        near = int(springboards[neighbour(0, square, way)])
        if near != 0 and near == before:
            pairs[near - 1] -= 1
        if near != 0 and near == after:
            pairs[near - 1] += 1


@compiled
def topped(state, player, first, stop):
    """Bits (u8) of the squares from ``first`` to ``stop`` - 1, 64 at most, that have the player's token on top; the first is lowest."""
    top = state["top"]
    bits = _0
    for square in range(first, stop):
        bits |= np.uint64(top[square] == player + 1) << np.uint64(square - first)
    return bits


@compiled
def shift(state, source, target, count):
    """Carry the ``count`` topmost tokens over in their order. ``shift`` the other way takes it back."""
    heights, tokens = state["height"], state["tokens"]
    ranks = int(target == source + FILES) - int(target == source - FILES)
    first, onto = np.int64(heights[source]) - count, np.int64(heights[target])
    key = state["key"]
    for k in range(count):
        token = token_at(state, source, first + k)
        tokens[(first + k) * AREA + source] = 0
        tokens[(onto + k) * AREA + target] = token
        key ^= part(source, first + k, token) ^ part(target, onto + k, token)
        state["advance"] += ranks if token == 1 else -ranks
    state["key"] = key
    heights[source] = first
    heights[target] = onto + count
    refresh(state, source)
    refresh(state, target)


@compiled
def rebound_due(state, square):
    """Whether three tokens of its colour lie directly below the free token."""
    return np.int64(state["height"][square]) >= 4 and run_on_top(state, square) == 4


# --- the river (K2)


@compiled
def crossing(state, player):
    """Where the player's tokens are on top on ranks 6, 7 and 8: 21 bits, that of a6 lowest."""
    return np.int64(topped(state, player, BANK, BEYOND))


@compiled
def supported(bits, source, rest, player, target):
    """K2 for a river square. ``bits``: the player's crossing before the move; ``rest``: what is on top of the source after it."""
    if BANK <= source < BEYOND and rest != player + 1:
        bits &= ~(1 << (source - BANK))
    river = (bits >> FILES) & 127
    banks = (bits | (bits >> (2 * FILES))) & 127
    linked = river & banks
    for _ in range(FILES - 1):
        linked |= ((linked << 1) | (linked >> 1)) & river
    return ((banks | (linked << 1) | (linked >> 1)) >> (target - RIVER)) & 1 != 0


# --- repetition (K7)


@compiled
def filter_bits(key):
    """The two bits that a hash has in its word of ``filter``."""
    return (_1 << (key & _63)) | (_1 << ((key >> _13) & _63))


@compiled
def filter_word(state, key):
    return np.int64((key >> _6) % np.uint64(len(state["filter"])))


@compiled
def remember(state):
    """Add the present position to the history."""
    key = state["key"] ^ (SIDE if state["player"] == 1 else _0)
    state["history"][int(state["past"])] = key
    state["past"] += 1
    state["filter"][filter_word(state, key)] |= filter_bits(key)
    recent = state["recent"]
    state["peak"] = max(np.int64(state["peak"]), np.int64(recent[2]))
    recent[2] = recent[1]
    recent[1] = recent[0]
    recent[0] = state["advance"]


@compiled
def can_return(state, gain):
    """False if no move that adds ``gain`` to ``advance`` and leads to no rebound can bring back a position of the history.

    Such a position would have the same ``advance`` and player to move. So it stood 2, 4, 6 … turns before the end of this one. Not 2:
    the opponent's turn since then has left a free token of theirs on a square that was lower before, and this move can neither take
    that token away nor make the square lower. And of those before the last three turns ``peak`` is the most.
    """
    return np.int64(state["advance"]) + gain <= np.int64(state["peak"])


@compiled
def may_have_stood(state, key):
    """False if no position with this hash, the player to move hashed in, is in the history; True if ``stood`` must look."""
    bits = filter_bits(key)
    return state["filter"][filter_word(state, key)] & bits == bits


@compiled
def stood(state, key):
    """Whether a position with this hash is in the history."""
    if not may_have_stood(state, key):
        return False
    history = state["history"]
    for k in range(int(state["past"])):
        if history[k] == key:
            return True
    return False


# --- moves


@compiled
def single_repeats(state, player, source, target):
    """K7 for a single. A move that leads to a rebound is not tested."""
    key = state["key"] ^ (SIDE if player == 0 else _0)
    key ^= part(source, np.int64(state["height"][source]) - 1, player + 1)
    key ^= part(target, np.int64(state["height"][target]), player + 1)
    return stood(state, key) and state["springboard"][target] != player + 1


@compiled
def single_allowed(state, player, bits, source, target):
    """Whether the free token may go to the neighbour ``target``, which lies forward, left or right. ``bits``: the player's crossing."""
    height, onto, under = np.int64(state["height"][source]), np.int64(state["height"][target]), np.int64(state["top"][target])
    if onto > height or under == BARE + player:  # rule 1; K1
        return False
    if under == BARE + 1 - player:
        return True  # K1: at any height. K4 or K5 ends the game there, so nothing repeats
    if onto == height and under != player + 1:  # rule 1: climb
        return False
    if RIVER <= target < FAR_BANK:
        rest = token_at(state, source, height - 2) if height > 1 else 0
        if not supported(bits, source, rest, player, target):
            return False
    return not single_repeats(state, player, source, target)


@compiled
def stack_allowed(state, player, bits, source, way):
    """Whether the stack on ``source``, whose top is the player's, may go to the neighbour that lies ``way``."""
    target = neighbour(player, source, way)
    height, onto = np.int64(state["height"][source]), np.int64(state["height"][target])
    if height - onto < 2 or state["top"][target] >= BARE:  # rule 2; K1
        return False
    own_carrier = token_at(state, source, onto) == player + 1
    if (way == 0 and not own_carrier) or (way == BACK and own_carrier):  # rule 2
        return False
    if RIVER <= target < FAR_BANK:
        rest = token_at(state, source, onto - 1) if onto > 0 else 0
        if not supported(bits, source, rest, player, target):
            return False
    gain = 0
    if way == 0 or way == BACK:
        for level in range(onto, height):
            gain += 1 if (token_at(state, source, level) == player + 1) == (way == 0) else -1
    if not can_return(state, gain):
        return True
    key = state["key"] ^ (SIDE if player == 0 else _0)
    for level in range(onto, height):
        token = token_at(state, source, level)
        key ^= part(source, level, token) ^ part(target, level, token)
    return not stood(state, key) or stack_rebounds(state, player, source, target)  # K7: a move that leads to a rebound is not tested


@compiled
def stack_rebounds(state, player, source, target):
    """Whether a stack move would leave three own tokens directly below the free one. Every token keeps its level."""
    height, onto = np.int64(state["height"][source]), np.int64(state["height"][target])
    if height < 4:
        return False
    for level in range(height - 4, height - 1):
        if token_at(state, source if level >= onto else target, level) != player + 1:
            return False
    return True


@compiled
def barred(state, square):
    """K3: the squares of this turn."""
    path = state["path"]
    for k in range(int(state["landed"])):
        if path[k] == square:
            return True
    return False


@compiled
def rebound_allowed(state, player, bits, way):
    source = np.int64(state["path"][int(state["landed"]) - 1])
    target = neighbour(player, source, way)
    return not barred(state, target) and single_allowed(state, player, bits, source, target)


@compiled
def can_rebound(state):
    player = np.int64(state["player"])
    bits = crossing(state, player)
    for way in range(3):
        if rebound_allowed(state, player, bits, way):
            return True
    return False


@compiled
def can_move(state):
    """Whether the player who is up has a legal move at the start of the turn."""
    player = np.int64(state["player"])
    bits = crossing(state, player)
    top = state["top"]
    for index in range(SQUARES - 1, -1, -1):  # the foremost token can nearly always move
        square = locate(player, index)
        if top[square] != player + 1:
            continue
        for way in range(4):
            if way != BACK and single_allowed(state, player, bits, square, neighbour(player, square, way)):
                return True
            if stack_allowed(state, player, bits, square, way):
                return True
    return False


@compiled
def legal(rules, state, mask):
    player = np.int64(state["player"])
    own, own_bird, enemy_bird = player + 1, BARE + player, BARE + 1 - player
    bits = crossing(state, player)
    mask[:] = 0
    count = 0
    if state["landed"] > 0:
        index = locate(player, np.int64(state["path"][int(state["landed"]) - 1]))
        for way in range(3):
            allowed = int(rebound_allowed(state, player, bits, way))
            mask[7 * index + way] = allowed
            count += allowed
        return count
    heights, top = state["height"], state["top"]
    forward_returns, side_returns = can_return(state, 1), can_return(state, 0)
    left, later = topped(state, player, 0, 64), topped(state, player, 64, SQUARES)
    first = 0
    while left != _0 or later != _0:
        if left == _0:
            left, later, first = later, _0, 64
        lowest = left & ~(left - _1)
        left ^= lowest
        square = first + np.int64(BIT_NUMBERS[np.int64(lowest % _67)])
        index = locate(player, square)
        height = np.int64(heights[square])
        rest = token_at(state, square, height - 2) if height > 1 else 0
        # Mostly the tests of ``single_allowed`` and ``stack_allowed`` without branches, which no processor could foretell.
        for way in range(3):
            target = neighbour(player, square, way)
            onto, under = np.int64(heights[target]), np.int64(top[target])
            allowed = (onto < height) | ((onto == height) & (under == own)) | (under == enemy_bird)
            allowed &= under != own_bird
            if (target >= RIVER) & (target < FAR_BANK) & allowed:
                allowed = supported(bits, square, rest, player, target)
            if (forward_returns if way == 0 else side_returns) and allowed:
                allowed = not single_repeats(state, player, square, target)
            mask[7 * index + way] = allowed
            count += allowed
        if height > 1:
            for way in range(4):
                target = neighbour(player, square, way)
                onto = np.int64(heights[target])
                own_carrier = token_at(state, square, min(onto, height - 1)) == own
                allowed = (height - onto > 1) & ((way == 1) | (way == 2) | (own_carrier == (way == 0)))
                river_or_bird = ((target >= RIVER) & (target < FAR_BANK)) | (top[target] >= BARE)
                # Two tokens add 2 to ``advance`` on the way forward, and nothing on any other: back they are one of each player.
                if allowed & (river_or_bird | (height - onto > 2) | (forward_returns if way == 0 else side_returns)):
                    allowed = stack_allowed(state, player, bits, square, way)
                mask[7 * index + 3 + way] = allowed
                count += allowed
    return count


# --- turns


@compiled
def finish(state, node, ending, winner):
    """The game is over; ``winner`` -1 is a draw."""
    state["node"], state["ending"] = node, ending
    if winner >= 0:
        state["payoff"][winner] = 1.0
        state["payoff"][1 - winner] = -1.0


@compiled
def judge(state, max_turns):
    """What the turn that the player not up has just ended leads to. The order is K8's."""
    player = np.int64(state["player"])
    mover = 1 - player
    if state["pairs"][mover] > 0:  # K5
        finish(state, TERMINAL, SPRINGBOARDS, player)
    elif state["top"][BIRDS[player]] == mover + 1:  # K4
        finish(state, TERMINAL, BIRD_REACHED, mover)
    elif state["turn"] >= max_turns:  # K8
        finish(state, TRUNCATED, TURN_CAP, -1)
    else:
        begin_turn(state)


@compiled
def begin_turn(state):
    if not can_move(state):  # K6
        finish(state, TERMINAL, NO_MOVE, 1 - np.int64(state["player"]))


@compiled
def end_turn(state, max_turns):
    path = state["path"]
    for k in range(int(state["landed"])):
        path[k] = 0
    state["landed"] = 0
    state["player"] = 1 - int(state["player"])
    state["turn"] += 1
    remember(state)
    judge(state, max_turns)


@compiled
def set_up(state, max_turns):
    """Write all that follows from ``height``, ``tokens``, ``player``, ``turn``, ``path`` and ``landed``."""
    heights = state["height"]
    state["node"], state["ending"] = DECISION, 0
    state["payoff"][:] = 0.0
    state["key"], state["past"], state["advance"], state["peak"] = _0, 0, 0, NEVER
    state["recent"][:] = NEVER
    state["pairs"][:] = 0
    state["filter"][:] = _0
    state["history"][:] = _0
    state["top"][:] = 0
    state["springboard"][:] = 0
    for square in range(SQUARES):
        for level in range(np.int64(heights[square])):
            token = token_at(state, square, level)
            if token != 0:
                state["key"] ^= part(square, level, token)
                state["advance"] += square // FILES if token == 1 else -(square // FILES)
        refresh(state, square)
    if state["landed"] > 0:  # in the middle of a turn: the history is empty, and nothing ends
        return
    remember(state)
    if state["turn"] > 0:
        judge(state, max_turns)
    else:
        begin_turn(state)


@compiled
def start(rules, state):
    heights, tokens, path = state["height"], state["tokens"], state["path"]
    state["player"], state["turn"], state["landed"] = rules.start_player, rules.start_turn, rules.start_landed
    for k in range(AREA):  # Numba would allocate to copy a slice
        heights[k] = rules.start_height[k]
        path[k] = rules.start_path[k]
    for k in range(MAX_HEIGHT * AREA):
        tokens[k] = rules.start_tokens[k]
    set_up(state, rules.max_turns)


@compiled
def apply(rules, state, action):
    player = np.int64(state["player"])
    kind = action % 7
    source = locate(player, action // 7)
    target = neighbour(player, source, kind if kind < 3 else kind - 3)
    shift(state, source, target, 1 if kind < 3 else np.int64(state["height"][source]) - np.int64(state["height"][target]))
    if rebound_due(state, target):
        path, landed = state["path"], int(state["landed"])
        if landed == 0:
            path[0] = source
            landed = 1
        path[landed] = target
        state["landed"] = landed + 1
        if can_rebound(state):
            return
    end_turn(state, rules.max_turns)


@compiled
def chance(rules, state, weights):
    return 0  # there are no dice


@compiled
def resolve(rules, state, outcome):
    pass


# --- what players see


@compiled
def turned(out, plane, cells, first, player):
    """Copy the squares of ``cells`` from ``first`` on to a plane, as the player sees them."""
    squares = out[plane * SQUARES : (plane + 1) * SQUARES]
    board = cells[first : first + SQUARES]
    if player == 0:
        for k in range(SQUARES):
            squares[k] = board[k]
    else:
        for k in range(SQUARES):
            squares[k] = board[SQUARES - 1 - k]


@compiled
def marked(out, plane, cells, first, player, value):
    """The same, but 1 where ``cells`` has ``value`` and 0 elsewhere."""
    squares = out[plane * SQUARES : (plane + 1) * SQUARES]
    board = cells[first : first + SQUARES]
    if player == 0:
        for k in range(SQUARES):
            squares[k] = board[k] == value
    else:
        for k in range(SQUARES):
            squares[k] = board[SQUARES - 1 - k] == value


@compiled
def observe(rules, state, player, out):
    heights, top, tokens, path = state["height"], state["top"], state["tokens"], state["path"]
    own, enemy, levels = player + 1, 2 - player, rules.levels
    out[:] = 0
    tallest = 0
    for square in range(SQUARES):
        tallest = max(tallest, np.int64(heights[square]))
    for level in range(min(levels, tallest)):
        marked(out, level, tokens, level * AREA, player, own)
        marked(out, levels + level, tokens, level * AREA, player, enemy)
    rest = out[2 * levels * SQUARES :]
    if tallest > levels:
        for square in range(SQUARES):
            for level in range(levels, np.int64(heights[square])):
                token = token_at(state, square, level)
                rest[(0 if token == own else SQUARES) + locate(player, square)] += 1
    turned(rest, 2, heights, 0, player)
    marked(rest, 3, top, 0, player, own)
    marked(rest, 4, top, 0, player, enemy)
    for whose in range(2):
        rest[(5 if whose == player else 6) * SQUARES + locate(player, BIRDS[whose])] = 1
    rest[7 * SQUARES + RIVER : 7 * SQUARES + FAR_BANK] = 1
    landed = int(state["landed"])
    for k in range(landed):
        rest[9 * SQUARES + locate(player, np.int64(path[k]))] = 1
    if landed > 0:
        rest[8 * SQUARES + locate(player, np.int64(path[landed - 1]))] = 1
    rest[10 * SQUARES : 11 * SQUARES] = min(rules.max_turns - int(state["turn"]), 127)
    rest[11 * SQUARES :] = int(state["node"] == DECISION and player == state["player"])
