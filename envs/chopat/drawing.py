"""Pictures of a Chopat board: text for a terminal, shapes for SVG and pixels.

Cells have coordinates (x, y) from the middle of the cross, y downwards: the S arm is at y 2..9, x -1..1.
"""

from ..core.contract import CHANCE, TERMINAL
from ..core.drawing import Drawing
from . import rules as chopat
from .notation import LETTERS, PLACE_TEXTS, men_of, values_of

NAMES = ("Red", "Blue", "Yellow", "Green")
_SEATS = ("South", "West", "North", "East")
_COLOURS = ("#c23b2e", "#2f63b0", "#e0ac1c", "#33804f")
_PALE = ("#efc4bb", "#c3d3ec", "#f4e2a8", "#c2dfc9")
_CELL, _MARGIN, _FOOT = 38.0, 8.0, 44.0
_UP_OF_PIPS = {chopat.PIPS[value]: up for up, value in enumerate(chopat.VALUE_OF_THROW)}


def _turned(x: int, y: int, arm: int) -> tuple[int, int]:
    for _ in range(arm):
        x, y = -y, x
    return x, y


def _loop_cell(index: int) -> tuple[int, int]:
    arm, o = divmod(index % chopat.LOOP, 17)
    if o == 0:
        return _turned(0, 9, arm)
    return _turned(-1, 10 - o, arm) if o <= 8 else _turned(7 - o, 1, arm)


def _cell(arm: int, place: int) -> tuple[int, int]:
    """The cell of a place that is neither off nor ghar, for the player who sits at ``arm``."""
    return _loop_cell(17 * arm + 3 + place) if place <= chopat.LAST_STEP else _turned(0, 9 + chopat.LAST_STEP - place, arm)


def _stacks(rules: chopat.Rules, state) -> dict[tuple[int, int], list[tuple[int, int, int]]]:
    """What stands on the board: cell -> (player, place, how many men) of each player there."""
    stacks: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for player in range(rules.num_players):
        men = men_of(rules, state, player)
        for place in sorted(set(men) - {chopat.OFF, chopat.GHAR}):
            stacks.setdefault(_cell(int(rules.arm[player]), place), []).append((player, place, men.count(place)))
    return stacks


def _name(rules: chopat.Rules, player: int) -> str:
    return f"{LETTERS[player]} {NAMES[player]} ({_SEATS[rules.arm[player]]})"


def status(rules: chopat.Rules, state) -> str:
    """One line that says who is to do what."""
    turn = f"turn {state['turn']}"
    if state["node"] >= TERMINAL:
        payoff = [float(pay) for pay in state["payoff"][: rules.num_players]]
        if rules.play_for_places:
            result = "paid " + ", ".join(f"{LETTERS[player]} {pay:+.2f}" for player, pay in enumerate(payoff))
        else:
            best = [_name(rules, player) for player, pay in enumerate(payoff) if pay == max(payoff)]
            result = f"{best[0]} wins" if len(best) == 1 else f"{', '.join(best)} share the win"
        return f"{chopat.ENDINGS[state['ending']]}: {result} ({turn})"
    if state["player"] < 0:
        return "the cowries decide who begins"
    values = ", ".join(map(str, values_of(state)))
    if state["node"] == CHANCE:
        return f"{_name(rules, int(state['player']))} throws{f' again, {values} kept' if values else ''} ({turn})"
    return f"{_name(rules, int(state['player']))} plays {values} ({turn})"


def _men_text(rules: chopat.Rules, state, player: int) -> str:
    men = men_of(rules, state, player)
    parts = [f"off {men.count(chopat.OFF)}", f"ghar {men.count(chopat.GHAR)}"]
    if inside := [PLACE_TEXTS[place] for place in men if chopat.OFF < place < chopat.GHAR]:
        parts.insert(1, f"on {', '.join(inside)}")
    return "; ".join(parts)


def ansi(rules: chopat.Rules, state) -> str:
    """The board as text: a man as in ``a12`` (letter and place, as moves name it), several on a cell as ``#1``, explained below."""
    texts = {_loop_cell(index): "+" if chopat.is_flower(1 + (index - 4) % chopat.LOOP) else "." for index in range(chopat.LOOP)}
    texts[0, 0] = "G"
    for arm in range(4):
        texts |= {_turned(0, y, arm): ":" for y in range(2, 9)}
    for player in range(rules.num_players):
        arm = int(rules.arm[player])
        texts[_cell(arm, 1)] = f"+{LETTERS[player]}"
        if home := men_of(rules, state, player).count(chopat.GHAR):
            texts[_turned(0, 1, arm)] = f"{LETTERS[player]}G{home}"
    notes: list[str] = []
    for cell, stack in _stacks(rules, state).items():
        player, place, count = stack[0]
        if len(stack) == count == 1:
            texts[cell] = LETTERS[player] + PLACE_TEXTS[place]
        else:
            men = ", ".join(f"{LETTERS[p]}{PLACE_TEXTS[at]}{f' x{many}' if many > 1 else ''}" for p, at, many in stack)
            texts[cell] = f"#{len(notes) + 1}"
            notes.append(f"#{len(notes) + 1} = {men}")
    lines = [" ".join(f"{texts.get((x, y), ''):3}" for x in range(-9, 10)).rstrip() for y in range(-9, 10)]
    lines.append("+ flower, +a start of a, : home column, G ghar; all go clockwise")
    if notes:
        lines.append("; ".join(notes))
    for player in range(rules.num_players):
        tohd = "; tohd" if state["tohd"][player] else ""
        lines.append(f"{_name(rules, player)}: {_men_text(rules, state, player)}{tohd}")
    return "\n".join([*lines, status(rules, state)])


def _man(drawing: Drawing, x: float, y: float, radius: float, player: int, count: int) -> None:
    drawing.circle(x, y, radius, _COLOURS[player], stroke="#2b2620", stroke_width=1.5)
    label = LETTERS[player] + (str(count) if count > 1 else "")
    drawing.text(x, y, label, 1.05 * radius, "#201c16" if player == 2 else "#fff")


def _cowries(drawing: Drawing, x: float, y: float, up: int) -> None:
    """Seven cowries in a row, ``up`` of them with their mouths up; x, y is the middle of the first."""
    for k in range(7):
        left, top = x + 19 * k - 7, y - 10
        drawing.rect(left, top, 14, 20, "#fdf8ec" if k < up else "#a9835a", rx=7, ry=10, stroke="#5b4630", stroke_width=1.2)
        if k < up:
            drawing.line(left + 7, top + 4, left + 7, top + 16, "#5b4630", stroke_width=2.4, stroke_dasharray="1.6 1")


def _panel(drawing: Drawing, rules: chopat.Rules, state, player: int) -> None:
    """What belongs to a player, in the corner to the left of their arm."""
    arm = int(rules.arm[player])
    x, y = (_MARGIN + 14 + 11 * _CELL * beyond for beyond in (arm >= 2, arm in (0, 3)))
    up = state["player"] == player
    drawing.rect(x, y, 8 * _CELL - 28, 8 * _CELL - 28, "#fffdf6", rx=8, stroke=_COLOURS[player], stroke_width=4 if up else 1.5)
    _man(drawing, x + 26, y + 26, 14, player, 1)
    drawing.text(x + 48, y + 26, f"{NAMES[player]} · {_SEATS[arm]}", 17, anchor="start")
    if state["tohd"][player]:
        drawing.rect(x + 208, y + 14, 56, 24, _COLOURS[player], rx=12)
        drawing.text(x + 236, y + 26, "tohd", 13, "#201c16" if player == 2 else "#fff")
    drawing.text(x + 14, y + 60, _men_text(rules, state, player), 15, anchor="start")
    for k in range(men_of(rules, state, player).count(chopat.OFF)):
        _man(drawing, x + 28 + 34 * k, y + 92, 13, player, 1)
    if not up:
        return
    values = values_of(state)
    for row, pips in enumerate(values):
        below = y + 134 + 27 * row
        drawing.text(x + 46, below, str(pips), 18, anchor="end")
        if pips == 1:
            drawing.text(x + 62, below, "peghedu", 15, anchor="start")
        else:
            _cowries(drawing, x + 72, below, _UP_OF_PIPS[pips])
    if state["node"] == CHANCE:
        drawing.text(x + 24, y + 134 + 27 * len(values), "throws again …" if values else "throws …", 16, anchor="start")


def draw(rules: chopat.Rules, state) -> Drawing:
    width = 19 * _CELL + 2 * _MARGIN
    drawing = Drawing(width, width + _FOOT)
    owner = {int(rules.arm[player]): player for player in range(rules.num_players)}

    def centre(x: float, y: float) -> tuple[float, float]:
        return _MARGIN + (x + 9.5) * _CELL, _MARGIN + (y + 9.5) * _CELL

    def square(cell: tuple[int, int], fill: str) -> None:
        x, y = centre(*cell)
        drawing.rect(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, fill, stroke="#8d7647", stroke_width=1.2)

    for index in range(chopat.LOOP):
        cell = _loop_cell(index)
        flower = chopat.is_flower(1 + (index - 4) % chopat.LOOP)
        square(cell, "#dcc48e" if flower else "#f0e4c6")
        if flower:
            x, y, reach = *centre(*cell), 0.38 * _CELL
            drawing.line(x - reach, y - reach, x + reach, y + reach, "#a3813f", stroke_width=3)
            drawing.line(x - reach, y + reach, x + reach, y - reach, "#a3813f", stroke_width=3)
    for arm in range(4):
        shade = _PALE[owner[arm]] if arm in owner else "#e9e2d2"
        for y in range(2, 9):
            square(_turned(0, y, arm), shade)
        corners = [centre(x / 2, y / 2) for x, y in ((0, 0), _turned(-3, 3, arm), _turned(3, 3, arm))]
        drawing.polygon(corners, shade, stroke="#8d7647", stroke_width=1.2)
    for player in range(rules.num_players):
        arm = int(rules.arm[player])
        x, y = centre(*_cell(arm, 1))
        drawing.rect(x - _CELL / 2 + 2, y - _CELL / 2 + 2, _CELL - 4, _CELL - 4, "none", stroke=_COLOURS[player], stroke_width=4)
        if home := men_of(rules, state, player).count(chopat.GHAR):
            _man(drawing, *centre(*_turned(0, 1, arm)), 14, player, home)
        _panel(drawing, rules, state, player)
    for cell, stack in _stacks(rules, state).items():
        x, y = centre(*cell)
        for k, (player, _, count) in enumerate(stack):
            if len(stack) == 1:
                _man(drawing, x, y, 14, player, count)
            else:
                _man(drawing, x + (-9 if k in (0, 3) else 9), y + (-9 if k in (0, 2) else 9), 9, player, count)
    line = status(rules, state)
    drawing.text(width / 2, width + _FOOT / 2 - 4, line, min(19.0, 1.75 * width / len(line)))
    return drawing
