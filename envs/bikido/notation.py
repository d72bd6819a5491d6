"""Bikido's texts: positions ``RANKS PLAYER REBOUND TURN``, moves ``d5-d6`` (a single) and ``d5=d6`` (a stack)."""

import itertools
import re

from ..core.notation import PositionError, read_int, read_letter, split_fields
from . import rules as bikido
from .rules import AREA, BIRDS, FILES, MAX_TOKENS, RANKS, SQUARES

FIELDS = "RANKS PLAYER REBOUND TURN"


def square_name(square: int) -> str:
    return f"{'abcdefg'[square % FILES]}{square // FILES + 1}"


def move_text(rules: bikido.Rules, state, action: int) -> str:
    player, kind = int(state["player"]), action % 7
    source = bikido.locate(player, action // 7)
    target = bikido.neighbour(player, source, kind if kind < 3 else kind - 3)
    return f"{square_name(source)}{'-' if kind < 3 else '='}{square_name(target)}"


def stack_text(state, square: int) -> str:
    """What lies on a square from bottom to top: ``a`` and ``b`` are tokens, ``A`` and ``B`` birds. Empty if nothing does."""
    stack = "".join(".ab"[bikido.token_at(state, square, level)] for level in range(int(state["height"][square])))
    return "AB"[BIRDS.index(square)] + stack[1:] if square in BIRDS else stack


def write_position(rules: bikido.Rules, state) -> str:
    ranks = []
    for first in range(SQUARES - FILES, -1, -FILES):
        stacks = [stack_text(state, square) for square in range(first, first + FILES)]
        row = "".join(f"({stack})" if len(stack) > 1 else stack or "." for stack in stacks)
        ranks.append(re.sub(r"\.+", lambda run: str(len(run[0])), row))
    path = ",".join(square_name(int(square)) for square in state["path"][: state["landed"]])
    return f"{'/'.join(ranks)} {'ab'[state['player']]} {path or '-'} {state['turn']}"


def _read_stack(part: str, name: str) -> str:
    """What lies on a square, written as in ``stack_text``."""
    stack = part.strip("()")
    if part in ("a", "b", "A", "B") or re.fullmatch(r"\((?:[ab]{2,}|Ab|Ba)\)", part):
        return stack
    if re.fullmatch(r"\((?:Aa|Bb)\)", part):
        raise PositionError(f"{name} has an own token on a bird, {part!r}: only the other player's may lie on it, (Ab) or (Ba)")
    if re.fullmatch(r"\([AB][ab]{2,}\)", part):
        raise PositionError(f"{name} has more than one token on a bird, {part!r}: at most one may lie on it, (Ab) or (Ba)")
    if re.fullmatch(r"\([abAB]?\)", part):
        raise PositionError(f"{name} has {part!r}: brackets are for stacks of two or more, a lone token or bird is written without")
    raise PositionError(f"{name} may hold numbers, a, b, A, B and stacks such as (aab) or (Ab), got {part!r}")


def _read_ranks(text: str) -> dict[int, str]:
    """What lies on each square that is not empty, birds in their places."""
    rows = text.split("/")
    if len(rows) != RANKS:
        raise PositionError(f"RANKS must have {RANKS} ranks, 13 first, with '/' between, got {len(rows)}")
    stacks = {}
    for rank, row in zip(range(RANKS, 0, -1), rows, strict=True):
        name = f"rank {rank} of RANKS"
        file = 0
        for part in re.findall(r"[0-9]+|\([^()]*\)|[^0-9]", row, re.ASCII):
            if part[0].isdigit():
                file += read_int(part, f"a run of empty squares in {name}", 1, FILES)
            else:
                stack = _read_stack(part, name)
                if file < FILES:
                    stacks[FILES * (rank - 1) + file] = stack
                file += 1
        if file != FILES:
            raise PositionError(f"{name} must have {FILES} squares, {row!r} has {file}")
    for player, (bird, letter) in enumerate(zip(BIRDS, "AB", strict=True)):
        places = [square_name(square) for square, stack in stacks.items() if letter in stack]
        if places != [square_name(bird)]:
            right, found = square_name(bird), " and ".join(places) or "nowhere"
            raise PositionError(f"RANKS must have the bird {letter} of {'ab'[player]} on {right} and nowhere else, it is on {found}")
    for letter in "ab":
        count = sum(stack.count(letter) for stack in stacks.values())
        if count > MAX_TOKENS:
            raise PositionError(f"RANKS must have at most {MAX_TOKENS} tokens of {letter}, got {count}")
    return stacks


def _read_path(text: str) -> list[int]:
    """The squares of REBOUND; none for ``-``."""
    if text == "-":
        return []
    path = []
    for name in text.split(","):
        if not re.fullmatch(r"[a-g](?:[1-9]|1[0-3])", name, re.ASCII):
            raise PositionError(f"REBOUND must be - or squares a1 to g13 with ',' between, such as c6,d6; got {name!r} in {text!r}")
        path.append(FILES * (int(name[1:]) - 1) + "abcdefg".index(name[0]))
    if len(path) < 2:
        raise PositionError(f"REBOUND must have at least two squares, the turn's source and where the token is now, got {text!r}")
    if len(set(path)) < len(path):
        raise PositionError(f"REBOUND must not have a square twice (K3), got {text!r}")
    # The squares are those of this turn in order, so each step goes to a neighbour and none to a bird, where a turn would end.
    for before, after in itertools.pairwise(path):
        if after not in (bikido.neighbour(0, before, way) for way in range(4)):
            raise PositionError(f"REBOUND must go from neighbour to neighbour, not {square_name(before)},{square_name(after)} in {text!r}")
    for bird in BIRDS:
        if bird in path:
            raise PositionError(f"REBOUND must not have a bird's square, got {square_name(bird)} in {text!r}")
    return path


def read_position(rules: bikido.Rules, text: str, state) -> None:
    """Write the position that ``text`` stands for to ``state``, which ``start`` made. PositionError (a ValueError) if none."""
    ranks_text, player_text, rebound_text, turn_text = split_fields(text, FIELDS)
    stacks = _read_ranks(ranks_text)
    player = read_letter(player_text, "PLAYER", "ab")
    path = _read_path(rebound_text)
    turn = read_int(turn_text, "TURN", 0, rules.max_turns)
    covered = [square for square in BIRDS if len(stacks[square]) > 1]
    for square in covered:
        by = 1 - BIRDS.index(square)
        if path or turn == 0 or by == player:
            raise PositionError(
                f"RANKS has a covered bird {stacks[square]!r}, which ends the game: REBOUND must be -, TURN above 0 and PLAYER "
                f"{'ba'[by]}; got {rebound_text!r}, {turn} and {player_text!r}"
            )
    if path and turn == rules.max_turns:
        raise PositionError(f"REBOUND must be - at TURN {turn}, the cap, where the game is over; got {rebound_text!r}")
    _write_board(stacks, state)
    state["player"], state["turn"], state["landed"] = player, turn, len(path)
    state["path"] = 0
    state["path"][: len(path)] = path
    bikido.set_up(state, rules.max_turns)
    if path:
        _check_rebound(state, rebound_text)


def _write_board(stacks: dict[int, str], state) -> None:
    state["tokens"] = 0
    state["height"][:SQUARES] = 0
    for square, stack in stacks.items():
        state["height"][square] = len(stack)
        for level, letter in enumerate(stack):
            if letter in "ab":
                state["tokens"][level * AREA + square] = 1 + "ab".index(letter)


def _check_rebound(state, text: str) -> None:
    player, square = int(state["player"]), int(state["path"][state["landed"] - 1])
    name = square_name(square)
    if state["top"][square] != player + 1 or not bikido.rebound_due(state, square):
        raise PositionError(f"REBOUND must be - where none is due: {name} does not have four tokens of {'ab'[player]} on top; got {text!r}")
    if not bikido.can_rebound(state):
        raise PositionError(f"REBOUND must be - where none is legal: the token on {name} has nowhere to go; got {text!r}")
