"""Berd's texts: positions ``CORNERS STARTS TOWERS PILES PLAYER PHASE TURN``, moves such as ``5@17`` and ``give pile b``, throws ``2-5``."""

import re
from itertools import pairwise

from ..core.contract import CHANCE, DECISION, TERMINAL, TRUNCATED
from ..core.notation import PositionError, read_int, read_letter, split_fields
from . import rules as berd
from .rules import MAX_PLAYERS

FIELDS = "CORNERS STARTS TOWERS PILES PLAYER PHASE TURN"
LETTERS = "abcdefghijklmnop"
PHASES = "order:, corner:, roll, move:, split:, give: or over"


def colour_of(rules: berd.Rules, state, j: int) -> str:
    """The letter of the colour ``j`` after the player's."""
    return LETTERS[(int(state["player"]) + j) % rules.num_players]


def move_text(rules: berd.Rules, state, action: int) -> str:
    player = int(state["player"])
    if action < 4:
        return f"corner {action}"
    if action < rules.first_take:
        die, progress = divmod(action - 4, rules.path)
        return f"{die + 1}@{berd.square_at(rules, state, player, progress) if progress else 'start'}"
    if action < rules.go:
        return f"take {colour_of(rules, state, action - rules.first_take)}"
    if action == rules.go:
        return "go"
    source, j = divmod(action - rules.first_gift, rules.num_players)
    if source == 0:
        return "give start"
    place = "pile" if source == rules.path else berd.square_at(rules, state, player, source)
    return f"give {place} {colour_of(rules, state, j)}"


def chance_text(rules: berd.Rules, state, outcome: int) -> str:
    if state["phase"] == berd.ORDER:
        return f"next {LETTERS[berd.undrawn(rules, state, outcome)]}"
    return f"{rules.throws[2 * outcome]}-{rules.throws[2 * outcome + 1]}"


# --- writing


def counts_text(counts) -> str:
    """Counts per colour as ``a3c1``."""
    return "".join(f"{LETTERS[colour]}{count}" for colour, count in enumerate(counts) if count)


def _row(counts, index: int):
    return counts[index * MAX_PLAYERS : (index + 1) * MAX_PLAYERS]


def _write_phase(state) -> str:
    dice = ",".join(str(die + 1) for die in range(6) for _ in range(state["dice"][die])) or "-"
    drawn = "".join(LETTERS[player] for player in state["order"] if player >= 0)
    return (
        f"order:{drawn}",
        f"corner:{drawn}",
        "roll",
        f"move:{dice}",
        f"split:{dice}:{state['source']}:{state['die']}:{counts_text(state['taken']) or '-'}",
        f"give:{dice}:{LETTERS[state['finisher']]}",
        "over",
    )[state["phase"]]


def write_position(rules: berd.Rules, state) -> str:
    n = rules.num_players
    towers = [
        f"{square}:{LETTERS[state['owner'][square]]}{state['top'][square]}{counts_text(_row(state['captives'], square))}"
        for square in range(rules.path)
        if state["owner"][square] >= 0
    ]
    return " ".join(
        (
            "".join("-0123"[corner + 1] for corner in state["corners"][:n]),
            ",".join(str(count) for count in state["starts"][:n]),
            ",".join(towers) or "-",
            "/".join(counts_text(_row(state["piles"], player)) or "-" for player in range(n)),
            "?" if state["phase"] in (berd.ORDER, berd.OVER) else LETTERS[state["player"]],
            _write_phase(state),
            str(state["turn"]),
        )
    )


# --- reading


def _letters(rules: berd.Rules) -> str:
    return LETTERS[: rules.num_players]


def _read_counts(rules: berd.Rules, text: str, field: str) -> list[tuple[int, int]]:
    """Colours and counts of ``a3c1``, as written."""
    if not re.fullmatch("([a-z][0-9]+)+", text, re.ASCII):
        raise PositionError(f"{field} must be colours with counts such as a3c1, or -, got {text!r}")
    return [
        (read_letter(part[0], f"a colour of {field}", _letters(rules)), read_int(part[1:], f"a count of {field}", 1, rules.tokens))
        for part in re.findall("[a-z][0-9]+", text, re.ASCII)
    ]


def _need_rising(numbers: list[int], field: str, text: str) -> None:
    if any(low >= high for low, high in pairwise(numbers)):
        raise PositionError(f"{field} must be in rising order, each at most once, got {text!r}")


def _read_corners(rules: berd.Rules, text: str, state) -> None:
    if len(text) != rules.num_players:
        raise PositionError(f"CORNERS must have {rules.num_players} characters, one for each player, got {text!r}")
    for player, character in enumerate(text):
        state["corners"][player] = read_letter(character, f"the corner of {LETTERS[player]} in CORNERS", "-0123") - 1


def _read_starts(rules: berd.Rules, text: str, state) -> None:
    counts = text.split(",")
    if len(counts) != rules.num_players:
        raise PositionError(f"STARTS must have {rules.num_players} counts with ',' between, one for each player, got {text!r}")
    for player, count in enumerate(counts):
        state["starts"][player] = read_int(count, f"the count of {LETTERS[player]} in STARTS", 0, rules.tokens)


def _read_tower(rules: berd.Rules, text: str, state) -> int:
    square_text, colon, tower = text.partition(":")
    if not colon:
        raise PositionError(f"a tower of TOWERS must be square:counts such as 17:a2b1, got {text!r}")
    square = read_int(square_text, "a square of TOWERS", 0, rules.path - 1)
    (owner, top), *captives = _read_counts(rules, tower, f"the tower on {square} in TOWERS")
    _need_rising([colour for colour, _ in captives], f"the captives on {square} in TOWERS", tower)
    if owner in (colour for colour, _ in captives):
        raise PositionError(f"the captives on {square} in TOWERS must be of other colours than the owner {LETTERS[owner]}, got {tower!r}")
    for player, corner in enumerate(state["corners"][: rules.num_players]):
        if corner >= 0 and corner == rules.corner_at[square]:
            if player == owner:
                raise PositionError(f"the tower on {square} in TOWERS must be another player's than {LETTERS[owner]}, whose corner it is")
            if state["starts"][player] > 0:
                raise PositionError(f"TOWERS must leave {square} empty, where {LETTERS[player]} has a starting stack, got {text!r}")
    state["owner"][square], state["top"][square] = owner, top
    state["towers"][owner] += 1
    for colour, count in captives:
        state["captives"][square * MAX_PLAYERS + colour] = count
        state["load"][square] += count
    return square


def _read_towers(rules: berd.Rules, text: str, state) -> None:
    if text != "-":
        _need_rising([_read_tower(rules, tower, state) for tower in text.split(",")], "the squares of TOWERS", text)


def _read_piles(rules: berd.Rules, text: str, state) -> None:
    piles = text.split("/")
    if len(piles) != rules.num_players:
        raise PositionError(f"PILES must have {rules.num_players} piles with '/' between, one for each player, got {text!r}")
    for player, pile in enumerate(piles):
        if pile == "-":
            continue
        field = f"the pile of {LETTERS[player]} in PILES"
        counts = _read_counts(rules, pile, field)
        _need_rising([colour for colour, _ in counts], f"the colours of {field}", pile)
        for colour, count in counts:
            state["piles"][player * MAX_PLAYERS + colour] = count


def _check_totals(rules: berd.Rules, state) -> None:
    for colour in range(rules.num_players):
        total = int(state["starts"][colour]) + int(state["top"][state["owner"] == colour].sum())
        total += int(state["captives"][colour::MAX_PLAYERS].sum()) + int(state["piles"][colour::MAX_PLAYERS].sum())
        if total != rules.tokens:
            raise PositionError(f"STARTS, TOWERS and PILES must hold {rules.tokens} tokens of {LETTERS[colour]} in all, they hold {total}")


def _read_opening(rules: berd.Rules, phase: str, drawn_text: str, player_text: str, turn: int, state) -> None:
    """``order:`` and ``corner:``. Whoever was drawn has a corner, but for the last one drawn in ``corner:`` (B2)."""
    drawn = [read_letter(letter, "a player drawn in PHASE", _letters(rules)) for letter in drawn_text]
    if len(set(drawn)) < len(drawn):
        raise PositionError(f"PHASE must name each player drawn once, got {drawn_text!r}")
    choosing = phase == "corner"
    if not choosing and len(drawn) == rules.num_players:
        raise PositionError(f"PHASE must not be order: with all {rules.num_players} players drawn, since the game then begins with roll")
    if choosing and not drawn:
        raise PositionError("PHASE must name the player who chooses after corner:, got nobody")
    settled = drawn[:-1] if choosing else drawn
    for player, corner in enumerate(state["corners"][: rules.num_players]):
        if (corner >= 0) != (player in settled):
            right = "0..3, since they were drawn before" if player in settled else "-, since they have not chosen"
            raise PositionError(f"the corner of {LETTERS[player]} in CORNERS must be {right}, according to PHASE {phase}:{drawn_text}")
    if (state["starts"][: rules.num_players] != rules.tokens).any():
        raise PositionError(f"STARTS must be {rules.tokens} for each player while corners are chosen")
    right_player = LETTERS[drawn[-1]] if choosing else "?"
    if player_text != right_player:
        raise PositionError(f"PLAYER must be {right_player} in PHASE {phase}:{drawn_text}, got {player_text!r}")
    if turn != 0:
        raise PositionError(f"TURN must be 0 while corners are chosen, got {turn}")
    state["order"][: len(drawn)] = drawn
    state["drawn"] = len(drawn)
    if choosing:
        state["node"], state["phase"], state["player"] = DECISION, berd.CORNER, drawn[-1]


def _read_dice(text: str, phase: str, die: int, state) -> None:
    """The dice left of a throw: two different ones or four equal ones, less the ``die`` in use (``split``) or one unknown (``give``)."""
    dice = [] if text == "-" else [read_int(face, "a die left in PHASE", 1, 6) for face in text.split(",")]
    if dice != sorted(dice):
        raise PositionError(f"the dice left in PHASE must be in rising order, got {text!r}")
    equal = len(set(dice)) <= 1
    if phase == "move":
        right, what = 1 <= len(dice) <= 4 and (equal or len(dice) == 2), "two different dice or one to four equal ones"
    elif phase == "split":
        right, what = len(dice) <= 1 or (equal and dice[0] == die and len(dice) <= 3), "- or one die or up to three of the face in use"
    else:
        right, what = equal and len(dice) <= 3, "- or up to three equal dice"
    if not right:
        raise PositionError(f"the dice left in PHASE must be what a throw leaves in {phase}, {what}; got {text!r}")
    for face in dice:
        state["dice"][face - 1] += 1


def _read_split(rules: berd.Rules, parts: list[str], state) -> None:
    dice, source_text, die_text, taken_text = parts
    player = int(state["player"])
    source = read_int(source_text, "the source of the split in PHASE", 0, rules.path - 1)
    die = read_int(die_text, "the die in use in PHASE", 1, 6)
    _read_dice(dice, "split", die, state)
    if state["owner"][source] != player or state["top"][source] < 2 or state["load"][source] == 0:
        raise PositionError(f"the source of the split in PHASE must be a Berd of {LETTERS[player]} with captives, got {source}")
    if not berd.can_go(rules, state, player, berd.progress_on(rules, state, player, source), die):
        raise PositionError(f"the die in use in PHASE must be one that can be used from {source}, got {die}, where a Berd is in the way")
    state["phase"], state["source"], state["die"] = berd.SPLIT, source, die
    if taken_text != "-":
        counts = _read_counts(rules, taken_text, "the captives taken in PHASE")
        _need_rising([colour for colour, _ in counts], "the colours taken in PHASE", taken_text)
        for colour, count in counts:
            there = int(state["captives"][source * MAX_PLAYERS + colour])
            if count > there:
                raise PositionError(f"PHASE must take at most the {there} captives of {LETTERS[colour]} on {source}, got {taken_text!r}")
            state["taken"][colour] = count
    if not berd.can_take_more(rules, state):  # B12
        raise PositionError(f"PHASE must leave another captive to take, or the move would have been made; got {taken_text!r} taken")


def _read_turn_under_way(rules: berd.Rules, phase: str, parts: list[str], state) -> None:
    """The rest of ``move:``, ``split:`` and ``give:``; the player is known."""
    player = int(state["player"])
    state["node"] = DECISION
    if phase == "split":
        _read_split(rules, parts, state)
    elif phase == "move":
        _read_dice(parts[0], phase, 0, state)
        if not berd.can_move(rules, state, player, berd.faces_left(state)):
            raise PositionError(f"PHASE must leave {LETTERS[player]} a legal move, or the dice would have been lost; got move:{parts[0]}")
        state["phase"] = berd.MOVE
    else:
        _read_dice(parts[0], phase, 0, state)
        finisher = read_letter(parts[1], "the finisher in PHASE", _letters(rules))
        if finisher == player:
            raise PositionError(f"the finisher in PHASE must be another player than the giver {LETTERS[player]}, got {parts[1]!r}")
        state["phase"], state["finisher"] = berd.GIVE, finisher


def _read_over(rules: berd.Rules, player_text: str, state) -> None:
    if player_text != "?":
        raise PositionError(f"PLAYER must be ? when the game is over, got {player_text!r}")
    if berd.count_active(rules, state) <= 1:
        berd.finish(rules, state, TERMINAL, berd.ONE_LEFT)  # B9
    elif berd.is_standoff(rules, state):
        berd.finish(rules, state, TRUNCATED, berd.STANDOFF)  # B11
    else:
        raise PositionError("PHASE must not be over while two players are active and somebody could use a die")


def read_position(rules: berd.Rules, text: str, state) -> None:
    """Write the position that ``text`` stands for to ``state``, which ``start`` made. PositionError (a ValueError) if none."""
    corners, starts, towers, piles, player_text, phase_text, turn_text = split_fields(text, FIELDS)
    _read_corners(rules, corners, state)
    _read_starts(rules, starts, state)
    _read_towers(rules, towers, state)
    _read_piles(rules, piles, state)
    _check_totals(rules, state)
    phase, *parts = phase_text.split(":")
    if len(parts) != {"order": 1, "corner": 1, "roll": 0, "move": 1, "split": 4, "give": 2, "over": 0}.get(phase):
        raise PositionError(f"PHASE must be {PHASES} with the parts that belong to it, got {phase_text!r}")
    # The turn that ends the game is not counted, and at the cap no further dice are thrown (B10).
    turn = read_int(turn_text, "TURN", 0, rules.max_turns if phase == "roll" else rules.max_turns - 1)
    if phase in ("order", "corner"):
        _read_opening(rules, phase, parts[0], player_text, turn, state)
        return
    state["turn"] = turn
    if "-" in corners:
        raise PositionError(f"CORNERS must be 0..3 for each player in PHASE {phase}, got {corners!r}")
    if phase == "over":
        _read_over(rules, player_text, state)
        return
    player = read_letter(player_text, "PLAYER", _letters(rules))
    if not berd.is_active(state, player):
        raise PositionError(f"PLAYER must be active, {player_text} has neither a tower nor a starting stack")
    if phase != "give" and berd.count_active(rules, state) <= 1:
        raise PositionError(f"PHASE must be over when {player_text} is the only active player (B9), got {phase_text!r}")
    state["player"] = player
    if phase != "roll":
        _read_turn_under_way(rules, phase, parts, state)
        return
    state["node"], state["phase"] = CHANCE, berd.ROLL
    if turn == rules.max_turns:
        state["node"], state["ending"] = TRUNCATED, berd.TURN_CAP
        berd.pay(rules, state)
