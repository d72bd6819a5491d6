"""Chopat's texts: positions ``MEN PLAYER VALUES PLACES TURN``, moves ``25@12``, ``8@-`` and ``1@h3``, chances ``first b`` and ``up5``."""

from ..core.contract import CHANCE, DECISION, TERMINAL, TRUNCATED
from ..core.notation import PositionError, read_int, read_letter, split_fields
from . import rules as chopat

FIELDS = "MEN PLAYER VALUES PLACES TURN"
LETTERS = "abcd"
PLACE_TEXTS = ("-", *(str(step) for step in range(chopat.LOOP)), *(f"h{k}" for k in range(1, 8)), "G")


def men_of(rules: chopat.Rules, state, player: int) -> list[int]:
    """The places of a player's men, rising."""
    return [int(place) for place in state["men"][player * chopat.MEN :][: rules.men]]


def values_of(state) -> list[int]:
    """The pips of the values kept, falling."""
    return [chopat.PIPS[value] for value in reversed(range(chopat.VALUES)) for _ in range(state["values"][value])]


def move_text(rules: chopat.Rules, state, action: int) -> str:
    value, man = divmod(action, chopat.MEN)
    return f"{chopat.PIPS[value]}@{PLACE_TEXTS[men_of(rules, state, int(state['player']))[man]]}"


def chance_text(rules: chopat.Rules, state, outcome: int) -> str:
    return f"first {LETTERS[outcome]}" if state["player"] < 0 else f"up{outcome}"


def write_position(rules: chopat.Rules, state) -> str:
    sides = []
    for player in range(rules.num_players):
        places = ",".join(PLACE_TEXTS[place] for place in men_of(rules, state, player))
        sides.append(places + ("!" if state["tohd"][player] else ""))
    begun = state["player"] >= 0
    values = ",".join(map(str, values_of(state))) or "-"
    throw_due = "?" if begun and state["node"] == CHANCE else ""
    places = "".join(LETTERS[player] for player in state["places"][: state["placed"]]) or "-"
    return f"{'/'.join(sides)} {LETTERS[state['player']] if begun else '?'} {values}{throw_due} {places} {state['turn']}"


def read_position(rules: chopat.Rules, text: str, state) -> None:
    """Write the position that ``text`` stands for to ``state``, which ``start`` made. PositionError (a ValueError) if none."""
    men, player, values, places, turn = split_fields(text, FIELDS)
    _read_men(rules, men, state)
    _read_places(rules, places, state)
    state["turn"] = read_int(turn, "TURN", 0, rules.max_turns)
    if player == "?":
        start = "/".join([",".join("-" * rules.men)] * rules.num_players)
        if (men, values, places, turn) != (start, "-", "-", "0"):
            raise PositionError(f"PLAYER may be ? only before anything, in {start + ' ? - - 0'!r}; else it is the letter of a player")
        return
    state["player"] = read_letter(player, "PLAYER", LETTERS[: rules.num_players])
    if state["placed"] == (rules.num_players - 1 if rules.play_for_places else 1):
        _read_terminal(rules, player, values, places, state)
        return
    if chopat.is_home(rules, state, int(state["player"])):
        raise PositionError(f"PLAYER must be one with men to move, but all men of {player} are in ghar")
    if state["turn"] == rules.max_turns:
        if values != "-":
            raise PositionError(f"VALUES must be - without ? at TURN {turn}, the cap, where the game is over; got {values!r}")
        chopat.finish(rules, state, TRUNCATED, chopat.TURN_CAP)
        return
    _read_values(values.removesuffix("?"), state)
    if values.endswith("?"):
        _check_throwing(state, values)
        return
    if not chopat.can_move(rules, state):
        raise PositionError(f"VALUES must hold one that a man of {player} can use, or end in ? when a throw is due; got {values!r}")
    state["node"] = DECISION


def _read_men(rules: chopat.Rules, text: str, state) -> None:
    sides = text.split("/")
    if len(sides) != rules.num_players:
        raise PositionError(f"MEN must have {rules.num_players} players with '/' between, got {len(sides)}")
    for player, side in enumerate(sides):
        name = f"MEN of {LETTERS[player]}"
        texts = side.removesuffix("!").split(",")
        for place in texts:
            if place not in PLACE_TEXTS:
                raise PositionError(f"{name} may be on -, 0..67, h1..h7 and G, got {place!r}")
        men = [PLACE_TEXTS.index(place) for place in texts]
        if len(men) != rules.men:
            raise PositionError(f"{name} must be {rules.men} places with ',' between, got {len(men)}")
        if men != sorted(men):
            right = ",".join(PLACE_TEXTS[place] for place in sorted(men))
            raise PositionError(f"{name} must be sorted (off, loop, home, ghar): {right!r}, not {side.removesuffix('!')!r}")
        if men[-1] > chopat.LAST_STEP and not side.endswith("!"):
            raise PositionError(f"{name} must end in ! for tohd, without which nobody comes home; got {side!r}")
        state["tohd"][player] = side.endswith("!")
        state["men"][player * chopat.MEN :][: rules.men] = men


def _read_places(rules: chopat.Rules, text: str, state) -> None:
    home = [player for player in range(rules.num_players) if chopat.is_home(rules, state, player)]
    letters = "".join(LETTERS[player] for player in home)
    most = rules.num_players - 1 if rules.play_for_places else 1
    if len(home) > most:
        raise PositionError(f"MEN may have all in ghar for {most} at most, where the game is over; got {letters}")
    if sorted(text) != (list(letters) or ["-"]):
        wanted = f"the letters {letters!r} in the order in which they finished" if home else "- since nobody has all there"
        raise PositionError(f"PLACES must agree with the men in ghar: {wanted}; got {text!r}")
    state["placed"] = len(home)
    for i in range(len(home)):
        state["places"][i] = LETTERS.index(text[i])


def _read_terminal(rules: chopat.Rules, player: str, values: str, places: str, state) -> None:
    if values != "-":
        raise PositionError(f"VALUES must be - without ? where the game is over, got {values!r}")
    if player != places[-1]:
        raise PositionError(f"PLAYER must be {places[-1]}, the last of PLACES, who moved last; got {player!r}")
    if state["turn"] == rules.max_turns:
        raise PositionError(f"TURN must be below the cap of {rules.max_turns} when all is decided, since the last turn is not completed")
    chopat.finish(rules, state, TERMINAL, chopat.HOME)


def _read_values(text: str, state) -> None:
    """The values kept: what the throws of one turn can leave."""
    values = state["values"]
    allowed = ", ".join(map(str, chopat.PIPS))
    pips = [] if text == "-" else text.split(",")
    for one in pips:
        if one not in map(str, chopat.PIPS):
            raise PositionError(f"VALUES may be {allowed} with ',' between, or -; got {one!r}")
        values[chopat.PIPS.index(int(one))] += 1
    falling = values_of(state)
    if falling != [int(one) for one in pips]:
        raise PositionError(f"VALUES must fall: {','.join(map(str, falling))!r}, not {text!r}")
    highs, lows, ones = chopat.highs_kept(values), int(values[1 : chopat.FIRST_HIGH].sum()), int(values[chopat.PEGHEDU])
    if highs > chopat.MOST_HIGHS:
        raise PositionError(f"VALUES may hold {chopat.MOST_HIGHS} high ones (8 and more) at most, since the third burns all; got {text!r}")
    if lows > 1:
        raise PositionError(f"VALUES may hold one 2, 3 or 4 at most, since it ends the throwing; got {text!r}")
    if ones > chopat.MOST_HIGHS:
        raise PositionError(f"VALUES may hold {chopat.MOST_HIGHS} ones at most, one for each high throw; got {text!r}")


def _check_throwing(state, text: str) -> None:
    """A throw is due: only high throws came before, each with its peghedu (C2)."""
    values = state["values"]
    if values[1 : chopat.FIRST_HIGH].any():
        raise PositionError(f"VALUES with ? may hold no 2, 3 or 4, which end the throwing; got {text!r}")
    entered = state["men"][int(state["player"]) * chopat.MEN] != chopat.OFF
    due = sum(int(values[value]) for value in range(chopat.VALUES) if chopat.GIVES_PEGHEDU[value]) if entered else 0
    if values[chopat.PEGHEDU] != due:
        reason = "one for each 11, 25 and 30" if entered else "none while a man is off"
        raise PositionError(f"VALUES with ? must hold the value 1 {due} times, {reason}; got {text!r}")
