"""Bikido against a slow engine written from the rules on plain texts, and by cases set up by hand."""

import re

import numpy as np
import pytest
from boardherd.envs import make_game
from boardherd.envs.bikido import rules as bikido
from boardherd.envs.bikido.players import score_actions
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32)
BIRDS = {"a": (4, 2), "b": (4, 12)}
EMPTY_HOME = "7/3B3/7/7/7/7/7/7/7/7/7/3A3/7"


# --- a slow engine: a board is a dict (file, rank) -> stack from bottom to top, birds in capital letters


def read_board(text):
    board = {}
    for rank, row in zip(range(13, 0, -1), text.split(" ")[0].split("/"), strict=True):
        file = 1
        for part in re.findall(r"\d|\(\w+\)|\w", row):
            if part.isdigit():
                file += int(part)
            else:
                board[file, rank] = part.strip("()")
                file += 1
    return board


def name(square):
    return f"{'abcdefg'[square[0] - 1]}{square[1]}"


def square_of(text):
    return "abcdefg".index(text[0]) + 1, int(text[1:])


def neighbour(square, player, way):
    sign = 1 if player == "a" else -1
    files, ranks = {"forward": (0, sign), "left": (-sign, 0), "right": (sign, 0), "back": (0, -sign)}[way]
    near = square[0] + files, square[1] + ranks
    return near if 1 <= near[0] <= 7 and 1 <= near[1] <= 13 else None


def is_supported(board, player, target):
    """K2 by flood fill; the moving part is lifted already."""
    own = {square for square, stack in board.items() if stack and stack[-1] == player}
    reached = {square for square in own if square[1] in (6, 8)}
    while True:
        more = {s for s in own if s[1] == 7 and any(abs(s[0] - r[0]) + abs(s[1] - r[1]) == 1 for r in reached)} - reached
        if not more:
            return any(abs(target[0] - r[0]) + abs(target[1] - r[1]) == 1 for r in reached)
        reached |= more


def after(board, source, target, count):
    board = dict(board)
    moved = board[source][-count:]
    board[source] = board[source][:-count]
    board[target] = board.get(target, "") + moved
    return {square: stack for square, stack in board.items() if stack}


def is_due(board, square):
    stack = board[square]
    return len(stack) >= 4 and len(set(stack[-4:])) == 1


def slow_moves(board, player, path, history):
    """All legal moves as texts. ``history``: the (board, player to move) pairs that K7 forbids."""
    other = "b" if player == "a" else "a"
    moves = set()
    for source, stack in board.items():
        if stack[-1] != player or (path and source != path[-1]):
            continue
        height = len(stack)
        for way in ("forward", "left", "right", "back"):
            target = neighbour(source, player, way)
            if target is None or target == BIRDS[player] or target in path:
                continue
            onto = board.get(target, "")
            counts = []
            if way != "back" and (len(onto) < height or (len(onto) == height and (onto[-1] == player or target == BIRDS[other]))):
                counts.append((1, "-"))
            if not path and height - len(onto) >= 2 and target != BIRDS[other]:
                ways = ("forward", "left", "right") if stack[len(onto)] == player else ("back", "left", "right")
                if way in ways:
                    counts.append((height - len(onto), "="))
            for count, sign in counts:
                lifted = dict(board)
                lifted[source] = stack[:-count]
                if target[1] == 7 and not is_supported(lifted, player, target):
                    continue
                moved = after(board, source, target, count)
                if is_due(moved, target) or (frozenset(moved.items()), other) not in history:
                    moves.add(f"{name(source)}{sign}{name(target)}")
    return moves


def has_pair(board, player):
    springboards = {square for square, stack in board.items() if stack[-3:] == 3 * player}
    return any((file + 1, rank) in springboards or (file, rank + 1) in springboards for file, rank in springboards)


class Slow:
    """A game by the slow engine, from a position text on."""

    def __init__(self, text, max_turns=800):
        _, self.player, rebound, turn = text.split(" ")
        self.board, self.turn, self.max_turns = read_board(text), int(turn), max_turns
        self.path = [] if rebound == "-" else [square_of(part) for part in rebound.split(",")]
        self.history = set() if self.path else {self.key()}
        self.winner = None if self.moves() else "b" if self.player == "a" else "a"

    def key(self):
        return frozenset(self.board.items()), self.player

    def moves(self):
        return slow_moves(self.board, self.player, self.path, self.history)

    def play(self, move):
        source, sign, target = re.fullmatch(r"(\w+)([-=])(\w+)", move).groups()
        source, target = square_of(source), square_of(target)
        count = 1 if sign == "-" else len(self.board[source]) - len(self.board.get(target, ""))
        self.board = after(self.board, source, target, count)
        if is_due(self.board, target):
            self.path = [*(self.path or [source]), target]
            if self.moves():
                return
        self.path, mover = [], self.player
        self.player, self.turn = "b" if mover == "a" else "a", self.turn + 1
        self.history.add(self.key())
        if has_pair(self.board, mover):
            self.winner = self.player
        elif self.board[BIRDS[self.player]][-1] == mover:
            self.winner = mover
        elif self.turn >= self.max_turns:
            self.winner = "nobody"
        elif not self.moves():
            self.winner = mover


def random_position(seed):
    """A position text with stacks here and there, many near the river; at TURN 0, so that nothing has ended."""
    random = np.random.default_rng(seed)
    board = {(4, 2): "A", (4, 12): "B"}
    free = [(file, rank) for file in range(1, 8) for rank in range(1, 14) if (file, rank) not in board]
    near = [square for square in free if 6 <= square[1] <= 8]
    count, tall = int(random.integers(4, 40)), random.choice([2, 3, 5, 9])
    left = {"a": 34, "b": 34}
    for _ in range(count):
        pool = near if random.random() < 0.4 else free
        square = pool[random.integers(len(pool))]
        stack = ""
        for _ in range(int(random.integers(1, tall + 1))):
            letter = stack[-1] if stack and random.random() < 0.6 else "ab"[random.integers(2)]
            if left[letter] and square not in board:
                stack += letter
                left[letter] -= 1
        if stack:
            board[square] = stack
    return f"{write_board(board)} {'ab'[random.integers(2)]} - 0"


def write_board(board):
    rows = []
    for rank in range(13, 0, -1):
        stacks = [board.get((file, rank), ".") for file in range(1, 8)]
        row = "".join(stack if len(stack) == 1 else f"({stack})" for stack in stacks)
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), row))
    return "/".join(rows)


def turned(text):
    """The position turned by 180 degrees with colours swapped."""
    ranks, player, rebound, turn = text.split(" ")
    swap = str.maketrans("abAB", "baBA")
    board = {(8 - file, 14 - rank): stack.translate(swap) for (file, rank), stack in read_board(ranks).items()}
    squares = [] if rebound == "-" else [square_of(part) for part in rebound.split(",")]
    path = ",".join(name((8 - file, 14 - rank)) for file, rank in squares) or "-"
    return f"{write_board(board)} {player.translate(swap)} {path} {turn}"


GAME = make_game("bikido")


def follow(game, state, text, seed, moves, back_and_forth=False):
    """Play at random in both engines and compare them at every node. Yields the states."""
    random = np.random.default_rng(seed)
    slow = Slow(text, game.config["max_turns"])
    for _ in range(moves):
        yield state
        if game.is_over(state):
            break
        assert slow.winner is None
        legal = sorted(game.moves(state))
        assert set(legal) == slow.moves(), game.position(state)
        assert "ab"[game.player(state)] == slow.player
        if back_and_forth:  # sideways moves bring positions back
            legal = [move for move in legal if square_of(re.split("[-=]", move)[0])[1] == square_of(re.split("[-=]", move)[1])[1]] or legal
        move = legal[random.integers(len(legal))]
        state = game.play(state, move)
        slow.play(move)
        assert read_board(game.position(state)) == slow.board
        assert game.turn(state) == slow.turn
    if game.is_over(state):
        assert slow.winner is not None
        assert game.payoffs(state).tolist() == {"a": [1, -1], "b": [-1, 1], "nobody": [0, 0]}[slow.winner]


@settings(max_examples=6, deadline=None)
@given(SEEDS)
def test_random_games_agree_with_the_slow_engine(seed):
    for state in follow(GAME, GAME.start(), GAME.position(GAME.start()), seed, 120):
        ranks = GAME.position(state).split()[0]
        assert (ranks.count("a"), ranks.count("b"), ranks.count("A"), ranks.count("B")) == (34, 34, 1, 1)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_set_up_positions_agree_with_the_slow_engine(seed):
    text = random_position(seed)
    state = GAME.from_position(text)
    for _ in follow(GAME, state, text, seed, 12):
        pass


@pytest.mark.parametrize("back_and_forth", [False, True])
@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_repetition_agrees_with_a_set_of_positions(back_and_forth, seed):
    text = "7/3B3/7/7/1b5/7/7/7/7/3aa2/7/3A3/7 a - 0"
    for _ in follow(GAME, GAME.from_position(text), text, seed, 60, back_and_forth):
        pass


def test_a_history_of_many_turns_is_remembered_to_the_end():
    game = make_game("bikido", max_turns=3000)
    text = "7/3B3/7/7/(ab)5b/7/7/7/7/(ba)5a/7/3A3/7 a - 0"
    states = list(follow(game, game.from_position(text), text, 1, 400, back_and_forth=True))
    assert game.turn(states[-1]) > 60
    assert game.state_dtype.itemsize > GAME.state_dtype.itemsize


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_both_frames_see_the_same(seed):
    text = random_position(seed)
    state, mirror = GAME.from_position(text), GAME.from_position(turned(text))
    random = np.random.default_rng(seed)
    for _ in range(8):
        assert GAME.position(mirror) == turned(GAME.position(state))
        for player in (0, 1):
            assert np.array_equal(GAME.observe(state, player), GAME.observe(mirror, 1 - player))
        assert GAME.legal_actions(state).tolist() == GAME.legal_actions(mirror).tolist()
        if GAME.is_over(state):
            break
        action = int(random.choice(GAME.legal_actions(state)))
        state, mirror = GAME.play(state, action), GAME.play(mirror, action)


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_replay_by_text_and_by_index_gives_the_same_bytes(seed):
    random = np.random.default_rng(seed)
    state, by_index, by_text = GAME.start(), GAME.start(), GAME.start()
    for _ in range(60):
        if GAME.is_over(state):
            break
        moves = GAME.moves(state)
        text = sorted(moves)[random.integers(len(moves))]
        state = GAME.play(state, text)
        by_index, by_text = GAME.play(by_index, moves[text]), GAME.play(by_text, text)
        assert by_index.tobytes() == by_text.tobytes()


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from([1, 3, 6, 34]))
def test_observation_of_a_position(seed, levels):
    game = make_game("bikido", levels=levels)
    text = random_position(seed)
    state, board = game.from_position(text), read_board(text)
    for player, letters in ((0, "ab"), (1, "ba")):
        planes = np.zeros((2 * levels + 12, 13, 7), int)
        rest = planes[2 * levels :]
        for (file, rank), stack in board.items():
            row, column = (rank - 1, file - 1) if player == 0 else (13 - rank, 7 - file)
            rest[2, row, column] = len(stack)
            for k, letter in enumerate(letters):
                for level, token in enumerate(stack):
                    if token == letter and level < levels:
                        planes[k * levels + level, row, column] = 1
                    elif token == letter:
                        rest[k, row, column] += 1
                rest[3 + k, row, column] = stack[-1] == letter
                rest[5 + k, row, column] = stack[0] == letter.upper()
        rest[7, 6] = 1
        rest[10] = 127
        rest[11] = game.node(state) == "decision" and "ab"[player] == text.split(" ")[1]
        assert np.array_equal(game.observe(state, player), planes)


def test_observation_of_a_rebound():
    state = GAME.from_position("6b/3B3/7/7/7/7/7/7/7/2(aaaa)(aaa)(bb)2/7/3A3/7 a e4,d4,c4 0")
    own, enemy = GAME.observe(state, 0), GAME.observe(state, 1)
    assert np.argwhere(own[20]).tolist() == [[3, 2]] and np.argwhere(enemy[20]).tolist() == [[9, 4]]
    assert np.argwhere(own[21]).tolist() == [[3, 2], [3, 3], [3, 4]]
    assert own[23].all() and not enemy[23].any()


def test_bare_and_covered_bird_in_the_observation():
    game = make_game("bikido", levels=1, max_turns=50)
    state = game.from_position("6b/3(Ba)3/7/7/7/7/7/7/7/7/7/3A3/7 b - 1")
    own = game.observe(state, 0)
    assert own[0, 11, 3] == 0 and own[2, 11, 3] == 1 and own[4, 11, 3] == 2 and own[5, 11, 3] == 1 and own[8, 11, 3] == 1
    assert own[4, 1, 3] == 1 and own[5, 1, 3] == 0 and own[6, 1, 3] == 0 and own[7, 1, 3] == 1
    assert not own[13].any() and (own[12] == 49).all()


# --- rebounds from set positions (K3, K5, K7)


def play(game, text, *moves):
    state = game.from_position(text)
    for move in moves:
        state = game.play(state, move)
    return state


def test_a_long_chain_of_rebounds_is_a_loss():
    text = "6b/3B3/7/7/7/7/7/7/1(aaa)(aaa)4/2(aaa)(aaa)(bba)2/7/3A3/7 a - 0"
    state = play(GAME, text, "e4-d4", "d4-c4", "c4-c5", "c5-b5")
    assert GAME.position(state).split(" ")[2] == "e4,d4,c4,c5,b5"
    assert set(GAME.moves(state)) == {"b5-b6", "b5-a5"}
    state = GAME.play(state, "b5-b6")
    assert GAME.result(state) == "adjacent Springboards" and GAME.payoffs(state).tolist() == [-1, 1]


def test_a_rebound_reaches_the_bird():
    state = play(GAME, "6b/3B3/3(aaa)(bba)2/7/7/7/7/7/7/7/7/3A3/7 a - 9", "e11-d11", "d11-d12")
    assert GAME.result(state) == "bird reached" and GAME.payoffs(state).tolist() == [1, -1]
    assert GAME.position(state).endswith(" b - 10")


@pytest.mark.parametrize(("above", "legal"), [("7", ["d4-d5"]), ("3(bbbbb)3", None)])
def test_a_rebound_may_not_repeat(above, legal):
    # The token goes d4-c4, back over d4 to e4, and again to d4, while b's goes to and fro: d4-c4 would now repeat. With d5 too
    # high that leaves no rebound, so the token stays.
    text = f"5b1/3B3/7/7/7/7/7/7/{above}/2(bb)(aaaa)(bb)2/7/3A3/7 a e4,d4 3"
    state = play(GAME, text, "d4-c4", "f13-g13", "c4-d4", "d4-e4", "g13-f13", "e4-d4")
    if legal:
        assert list(GAME.moves(state)) == legal
    else:
        assert GAME.position(state) == f"5b1/3B3/7/7/7/7/7/7/{above}/2(bb)(aaaa)(bb)2/7/3A3/7 b - 8"


def test_turn_cap_is_a_draw():
    game = make_game("bikido", max_turns=3)
    state = game.start()
    while not game.is_over(state):
        state = game.play(state, int(game.legal_actions(state)[0]))
    assert (game.node(state), game.turn(state), game.result(state), game.payoffs(state).tolist()) == ("truncated", 3, "turn cap", [0, 0])


def test_no_legal_move_loses():
    state = play(GAME, "7/3B3/7/7/7/7/7/7/7/7/b6/3A3/ab5 b - 1", "a3-a2")
    assert GAME.result(state) == "no legal move" and GAME.payoffs(state).tolist() == [-1, 1]


def test_a_tower_of_all_tokens():
    tower = 34 * "ab"
    state = GAME.from_position(EMPTY_HOME.replace("7", f"3({tower})3", 1) + " b - 0")
    assert set(GAME.moves(state)) == {f"d13{sign}{target}" for sign, target in (("-", "c13"), ("-", "e13"), ("=", "c13"), ("=", "e13"))}
    state = GAME.play(state, "d13=c13")
    assert read_board(GAME.position(state))[3, 13] == tower


def test_start_writes_every_field_but_the_generator():
    for text in ("classic", "6b/3B3/7/7/7/7/7/7/7/3(aaaa)(bb)2/7/3A3/7 a e4,d4 3", "6b/3(Ba)3/7/7/7/7/7/7/7/7/7/3A3/7 b - 1"):
        game = make_game("bikido", start=text)
        garbage = np.frombuffer(np.random.default_rng(0).bytes(game.state_dtype.itemsize), game.state_dtype).copy()
        clean = np.zeros(1, game.state_dtype)
        clean["rng"] = garbage["rng"]
        bikido.start(game.rules, garbage[0])
        bikido.start(game.rules, clean[0])
        assert garbage.tobytes() == clean.tobytes()
        if text != "classic":
            assert game.position(game.start()) == text
            assert game.start().tobytes() == game.from_position(text).tobytes()


def test_capacity_grows_with_the_cap():
    sizes = [make_game("bikido", max_turns=cap).state_dtype["history"].shape[0] for cap in (1, 800, 1023, 1024, 5000)]
    assert sizes == [1024, 1024, 1024, 2048, 8192]


IMPOSSIBLE = [{"max_turns": 0}, {"max_turns": 2_000_000}, {"levels": 0}, {"levels": 35}, {"start": "nowhere"}, {"start": ""}]


@pytest.mark.parametrize("config", IMPOSSIBLE)
def test_impossible_configs_are_refused(config):
    with pytest.raises(ValueError, match=f"option {next(iter(config))}"):
        make_game("bikido", **config)


def test_a_start_beyond_the_cap_is_refused():
    text = "6b/3B3/7/7/7/7/7/7/7/3a3/7/3A3/7 a - 11"
    assert make_game("bikido", start=text, max_turns=11).start()["node"][0] == bikido.TRUNCATED
    with pytest.raises(ValueError, match=r"option start: .*TURN must be a whole number from 0 to 10"):
        make_game("bikido", start=text, max_turns=10)


# --- the greedy player


def greedy(game, text):
    state = game.from_position(text)
    before = state.tobytes()
    mask, scores = game.legal_mask(state), np.full(game.num_actions, -np.inf)
    score_actions(game.rules, state[0], mask, np.zeros(2, game.state_dtype), scores)
    assert state.tobytes() == before
    assert np.isfinite(scores).tolist() == mask.astype(bool).tolist()
    return game.action_text(state, int(np.argmax(scores)))


def test_greedy_wins_at_once():
    assert greedy(GAME, "6b/3B3/3a3/7/7/7/7/7/7/7/7/3A3/7 a - 0") == "d11-d12"
    assert greedy(GAME, "6b/3B3/3(aaaa)(bb)2/7/7/7/7/7/7/7/7/3A3/7 a e11,d11 9") == "d11-d12"


def test_greedy_does_not_let_the_enemy_win():
    # b threatens to step on d2 from c2; only the stack on b2 can cover it.
    assert greedy(GAME, "6b/3B3/7/7/4a2/7/7/7/7/7/7/1(aa)bA3/7 a - 0") == "b2-c2"


def test_greedy_neither_joins_springboards_nor_rebounds_into_a_loss():
    # Both g7-f7, which makes a second Springboard, and f9-e9, whose rebounds all leave one beside another, lose.
    assert greedy(GAME, "6b/3B3/7/7/7/7/4(aaa)(aa)(aa)/7/7/7/7/3A3/7 a - 0") not in ("g7-f7", "f7-g7")
    assert greedy(GAME, "6b/3B3/7/7/3(aaa)(aaa)(bba)1/7/7/7/7/7/7/3A3/7 a - 0").startswith(("d9", "e9"))
