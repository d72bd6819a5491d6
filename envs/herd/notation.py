"""Herd's texts: positions ``ROWS PLAYER REMOVE PLACE TURN``, moves ``-c4`` and ``+c4``, throws ``2-5``."""

import re

from ..core.contract import CHANCE, DECISION, TERMINAL, TRUNCATED
from ..core.notation import PositionError, read_int, read_letter, split_fields
from . import rules as herd

FIELDS = "ROWS PLAYER REMOVE PLACE TURN"
_STONES = "xo"


def cell_name(rules: herd.Rules, cell: int) -> str:
    square = int(rules.square_of[cell])
    v, u = divmod(square, rules.width)
    return f"{chr(ord('a') + v)}{u - _first_u(rules, v) + 1}"


def _first_u(rules: herd.Rules, v: int) -> int:
    return max(0, rules.width // 2 - v)


def _row_length(rules: herd.Rules, v: int) -> int:
    return rules.width - abs(rules.width // 2 - v)


def move_text(rules: herd.Rules, state, action: int) -> str:
    return f"{'-' if state['remove'] > 0 else '+'}{cell_name(rules, action)}"


def chance_text(rules: herd.Rules, state, outcome: int) -> str:
    return f"{rules.throws[2 * outcome]}-{rules.throws[2 * outcome + 1]}"


def write_position(rules: herd.Rules, state) -> str:
    rows = []
    for v in range(rules.width):
        first = v * rules.width + _first_u(rules, v)
        row = "".join(".xo"[state["board"][first + k]] for k in range(_row_length(rules, v)))
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), row))
    waiting = state["node"] in (CHANCE, TRUNCATED)
    remove, place = ("?", "?") if waiting else (state["remove"], state["place"])
    return f"{'/'.join(rows)} {'ab'[state['player']]} {remove} {place} {state['turn']}"


def _read_rows(rules: herd.Rules, text: str, state) -> None:
    rows = text.split("/")
    if len(rows) != rules.width:
        raise PositionError(f"ROWS must have {rules.width} rows with '/' between, got {len(rows)}")
    for v, row in enumerate(rows):
        name = f"row {chr(ord('a') + v)} of ROWS"
        parts = re.findall(r"[0-9]+|[^0-9]", row, re.ASCII)
        u = _first_u(rules, v)
        end = u + _row_length(rules, v)
        for part in parts:
            if part[0].isdigit():
                u += read_int(part, f"a run of empty cells in {name}", 1, _row_length(rules, v))
            elif part in _STONES:
                if u < end:
                    herd.put_stone(rules, state, _STONES.index(part), v * rules.width + u)
                u += 1
            else:
                raise PositionError(f"{name} may hold 'x', 'o' and numbers, got {part!r}")
        if u != end:
            raise PositionError(f"{name} must have {_row_length(rules, v)} cells, {row!r} has {u - _first_u(rules, v)}")


def read_position(rules: herd.Rules, text: str, state) -> None:
    """Write the position that ``text`` stands for to ``state``, which ``start`` made. PositionError (a ValueError) if none."""
    rows, player_text, remove_text, place_text, turn_text = split_fields(text, FIELDS)
    _read_rows(rules, rows, state)
    player = read_letter(player_text, "PLAYER", "ab")
    turn = read_int(turn_text, "TURN", 0, rules.max_turns)
    full = herd.is_full(rules, state)
    state["player"], state["turn"] = player, turn
    if full:
        if (remove_text, place_text) != ("0", "0"):
            raise PositionError(
                f"REMOVE and PLACE must be 0 on a full board, where the game is over, got {remove_text!r} and {place_text!r}"
            )
        if turn == rules.max_turns:
            raise PositionError(
                f"TURN must be below the cap of {rules.max_turns} on a full board, since the turn that filled it is not completed"
            )
    if turn % 2 != player:
        raise PositionError(f"PLAYER must be {'ab'[turn % 2]} at TURN {turn}: a has the even turns, b the odd ones; got {player_text!r}")
    if full:
        herd.finish(rules, state, TERMINAL, herd.BOARD_FULL)
        return
    if "?" in (remove_text, place_text):
        if (remove_text, place_text) != ("?", "?"):
            raise PositionError(f"REMOVE and PLACE must both be ? when the dice are to be thrown, got {remove_text!r} and {place_text!r}")
        state["node"] = CHANCE
        if turn == rules.max_turns:
            herd.finish(rules, state, TRUNCATED, herd.TURN_CAP)
        return
    if turn == rules.max_turns:
        raise PositionError(f"REMOVE and PLACE must be ? at TURN {turn}, the cap, where the game is over")
    _read_owed(rules, remove_text, place_text, state)


def _read_owed(rules: herd.Rules, remove_text: str, place_text: str, state) -> None:
    """The rest of a turn under way: the numbers must be such that a throw, removals and placements can leave them."""
    player = int(state["player"])
    own, enemy = int(state["stones"][player]), int(state["stones"][1 - player])
    remove = read_int(remove_text, "REMOVE", 0, 6)
    if remove > enemy:
        raise PositionError(f"REMOVE must be at most the {enemy} enemy stones on the board, got {remove}")
    # Each stone placed can capture at most three, and what is captured leaves a cell that holds no enemy stone.
    most = 6 if remove or not own else 6 + min(2 * own, rules.num_actions - enemy)
    place = read_int(place_text, "PLACE", 0, most)
    state["node"], state["remove"], state["place"] = DECISION, remove, place
    if remove == place == 0:
        raise PositionError("REMOVE and PLACE must not both be 0 on a board that is not full: the next turn's throw is written ? ?")
    if remove > place:
        raise PositionError(f"PLACE must be at least REMOVE while removing, since lo is at most hi; got REMOVE {remove}, PLACE {place}")
    if remove == 0 and not herd.can_place(rules, state, player):
        raise PositionError(f"PLACE must be written as the next turn's ? when no cell is legal to place on, got {place}")
