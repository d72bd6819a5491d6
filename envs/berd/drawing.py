"""Pictures of a Berd board: text for a terminal, shapes for SVG and pixels."""

from ..core.contract import TERMINAL
from ..core.drawing import Drawing, dice
from . import rules as berd
from .notation import LETTERS, counts_text
from .rules import MAX_PLAYERS

NAMES = (
    *("Red", "Blue", "Green", "Yellow", "Purple", "Orange", "Cyan", "Brown"),
    *("Pink", "Olive", "Navy", "Lime", "Maroon", "Teal", "Grey", "Black"),
)
_COLOURS = (
    *("#d43d3d", "#3b6fd0", "#3f9a4d", "#f2c53d", "#8a4bb8", "#f0883a", "#45bcd0", "#8a5a33"),
    *("#f09ac0", "#8a8a2e", "#22356b", "#b4dc50", "#7a1f2c", "#1f7d76", "#a0a0a0", "#2b2b2b"),
)
_LIGHT = (3, 5, 6, 8, 11, 14)  # colours that dark letters stand out on
_INK, _PALE, _SQUARE, _CORNER, _EDGE = "#333", "#9c8552", "#ead9b0", "#d9bf86", "#8d7647"
_MARGIN, _ROW, _CHIP = 30.0, 27.0, (25.0, 18.0)


def name_of(player: int) -> str:
    return f"{NAMES[player]} ({LETTERS[player]})"


def _dice_left(state) -> list[int]:
    return [face + 1 for face in range(6) for _ in range(state["dice"][face])]


def _result(rules: berd.Rules, state) -> str:
    payoffs = list(state["payoff"][: rules.num_players])
    winners = [NAMES[player] for player, payoff in enumerate(payoffs) if payoff == max(payoffs)]
    if len(winners) == 1:
        return f"{winners[0]} wins"
    return "a tie of all" if len(winners) == rules.num_players else f"{', '.join(winners[:-1])} and {winners[-1]} share the win"


def status(rules: berd.Rules, state) -> str:
    """One line that says who is to do what."""
    turn = f"turn {state['turn']}"
    if state["node"] >= TERMINAL:
        return f"{berd.ENDINGS[state['ending']]}: {_result(rules, state)} ({turn})"
    if state["phase"] == berd.ORDER:
        return "the dice say who chooses a corner next"
    name = name_of(state["player"])
    left = " ".join(str(die) for die in _dice_left(state)) or "none"
    if state["phase"] == berd.CORNER:
        return f"{name} chooses a corner"
    if state["phase"] == berd.ROLL:
        return f"{name} throws ({turn})"
    if state["phase"] == berd.MOVE:
        return f"{name} moves, dice left: {left} ({turn})"
    if state["phase"] == berd.SPLIT:
        taken = counts_text(state["taken"]) or "nothing"
        return f"{name} goes {state['die']} from {state['source']}, takes along: {taken}; dice left: {left} ({turn})"
    return f"{name} gives a token to {name_of(state['finisher'])}, whose dice left: {left} ({turn})"


def _place(rules: berd.Rules, square: int) -> tuple[int, int]:
    """Column and row of a square: corner 0 is the upper left one, the path runs clockwise."""
    side = rules.path // 4
    corner, step = divmod(square, side)
    return ((step, 0), (side, step), (side - step, side), (0, side - step))[corner]


def _captives(state, square: int):
    return state["captives"][square * MAX_PLAYERS : (square + 1) * MAX_PLAYERS]


def _pile(state, player: int):
    return state["piles"][player * MAX_PLAYERS : (player + 1) * MAX_PLAYERS]


def ansi(rules: berd.Rules, state) -> str:
    """The board as text. A tower is its owner's letter and tokens, then + and its captives, which the lines below tell in full."""
    side = rules.path // 4 + 1
    cells = [[""] * side for _ in range(side)]
    towers = []
    for square in range(rules.path):
        column, row = _place(rules, square)
        owner, load = state["owner"][square], state["load"][square]
        if owner >= 0:
            own = f"{LETTERS[owner]}{state['top'][square]}"
            cells[row][column] = f"{own}+{load}" if load else own
            towers.append(f"  {square}: {own}{f' over {counts_text(_captives(state, square))}' if load else ''}")
        else:
            corner = int(rules.corner_at[square])
            cells[row][column] = f"{square}." if corner < 0 else f"[c{corner}]"
    lines = ["".join(f"{cell:>7}" for cell in row).rstrip() for row in cells]
    lines += ["", "towers:", *(towers or ["  none"]), "", "players:"]
    for player in range(rules.num_players):
        corner, stack = int(state["corners"][player]), state["starts"][player]
        start = f"corner {corner}, {stack} to start" if corner >= 0 else f"no corner yet, {stack} to start"
        pile = _pile(state, player)
        lines.append(f"  {name_of(player)}: {start}, pile {pile.sum()}{f' ({counts_text(pile)})' if pile.any() else ''}")
    return "\n".join([*lines, "", status(rules, state)])


def _chip(drawing: Drawing, x: float, y: float, width: float, height: float, colour: int, text: str) -> None:
    drawing.rect(x, y, width - 2, height - 2, _COLOURS[colour], rx=3, stroke="#3b3326", stroke_width=0.8)
    size = min(0.68 * height, 1.45 * (width - 2) / len(text))
    drawing.text(x + width / 2 - 1, y + height / 2 - 1, text, size, _INK if colour in _LIGHT else "#fff")


def _chips(drawing: Drawing, x: float, y: float, width: float, height: float, counts: list[tuple[int, int]]) -> None:
    """Chips with letter and count of each colour in the middle of a box, row by row."""
    columns = next(c for c in range(2, 5) if -(-len(counts) // c) * 16 <= height or c == 4)
    rows = -(-len(counts) // columns)
    tall = min(20.0, height / rows)
    wide = width / columns
    for index, (colour, count) in enumerate(counts):
        row, column = divmod(index, columns)
        in_row = min(columns, len(counts) - row * columns)
        left = x + (width - in_row * wide) / 2 + column * wide
        _chip(drawing, left + 1, y + row * tall + 1, wide, tall, colour, f"{LETTERS[colour]}{count}")


def _draw_square(rules: berd.Rules, state, drawing: Drawing, square: int, left: float, size: float) -> None:
    column, row = _place(rules, square)
    x, y = left + column * size, _MARGIN + row * size
    corner = int(rules.corner_at[square])
    drawing.rect(x, y, size, size, _SQUARE if corner < 0 else _CORNER, stroke=_EDGE, stroke_width=1.5)
    side = rules.path // 4
    out_x, out_y = (column == side) - (column == 0), (row == side) - (row == 0)
    drawing.text(x + size / 2 + out_x * (size / 2 + 13), y + size / 2 + out_y * (size / 2 + 13), str(square), 13, _PALE)
    owner = int(state["owner"][square])
    if owner < 0:
        stacks = [
            (player, int(state["starts"][player]))
            for player in range(rules.num_players)
            if corner >= 0 and state["corners"][player] == corner and state["starts"][player]
        ]
        if stacks:
            drawing.text(x + size / 2, y + 9, "start", 10, "#6b5625")
            _chips(drawing, x + 3, y + 17, size - 6, size - 20, stacks)
        elif corner >= 0:
            drawing.text(x + size / 2, y + size / 2, f"corner {corner}", 11, "#6b5625")
        return
    captives = [(colour, int(count)) for colour, count in enumerate(_captives(state, square)) if count]
    top = int(state["top"][square])
    middle, radius = (y + 18, 14) if captives else (y + size / 2, 18)
    if square == state["source"]:
        drawing.rect(x + 2, y + 2, size - 4, size - 4, "none", stroke="#c22", stroke_width=3)
    if top >= 2:  # a Berd is drawn with a second ring
        drawing.circle(x + size / 2, middle, radius + 2.5, "none", stroke=_COLOURS[owner], stroke_width=2)
    drawing.circle(x + size / 2, middle, radius, _COLOURS[owner], stroke="#3b3326", stroke_width=1.2)
    label = f"{LETTERS[owner]}{top}"
    drawing.text(x + size / 2, middle, label, radius * (0.95 if len(label) < 3 else 0.8), _INK if owner in _LIGHT else "#fff")
    if captives:
        _chips(drawing, x + 3, y + 36, size - 6, size - 39, captives)


def _draw_panel(rules: berd.Rules, state, drawing: Drawing, x: float, y: float) -> None:
    """Dice, then a line for each player: corner, starting stack, pile."""
    drawing.text(x, y + 14, "dice left", 14, anchor="start")
    left = x + 76
    for die in _dice_left(state):
        dice(drawing, left, y, 28, die)
        left += 34
    if state["die"] > 0:
        drawing.text(left + 6, y + 14, "in use", 14, anchor="start")
        dice(drawing, left + 58, y, 28, int(state["die"]))
    y += 46
    for place, title in ((0, "player"), (106, "corner"), (162, "start"), (208, "pile")):
        drawing.text(x + place, y, title, 12, _PALE, anchor="start")
    for player in range(rules.num_players):
        y += _ROW
        actor = player == state["player"] and state["phase"] not in (berd.ORDER, berd.OVER)
        if actor:
            drawing.rect(x - 6, y - 12, 112, 24, "none", rx=5, stroke="#c22", stroke_width=2)
        _chip(drawing, x, y - 9, *_CHIP, player, LETTERS[player])
        drawing.text(x + 31, y, NAMES[player], 14, anchor="start")
        corner = int(state["corners"][player])
        drawing.text(x + 128, y, str(corner) if corner >= 0 else "-", 14)
        drawing.text(x + 178, y, str(state["starts"][player]), 14)
        pile = _pile(state, player)
        drawing.text(x + 220, y, str(pile.sum()), 14)
        left = x + 240
        for colour in range(rules.num_players):
            if pile[colour]:
                _chip(drawing, left, y - 9, *_CHIP, colour, f"{LETTERS[colour]}{pile[colour]}")
                left += _CHIP[0]


def draw(rules: berd.Rules, state) -> Drawing:
    size = 62.0 if rules.num_players <= 7 else 96.0  # room for captives of every colour
    side = rules.path // 4 + 1
    panel_width, panel_height = 252 + max(rules.num_players, 3) * _CHIP[0], 60 + rules.num_players * _ROW
    board, inside = side * size + 2 * _MARGIN, (side - 2) * size - 30
    within = panel_width <= inside and panel_height <= inside  # else the panel stands beside the board
    content = board if within else board + panel_width + 20
    width, height = max(content, 560), board if within else max(board, panel_height + _MARGIN + 20)
    drawing = Drawing(width, height + 36)
    left = (width - content) / 2
    for square in range(rules.path):
        _draw_square(rules, state, drawing, square, left + _MARGIN, size)
    if within:
        _draw_panel(rules, state, drawing, left + (board - panel_width) / 2, (board - panel_height) / 2)
    else:
        _draw_panel(rules, state, drawing, left + board + 10, _MARGIN)
    line = status(rules, state)
    drawing.text(width / 2, height + 12, line, min(15.0, (width - 20) / (0.58 * len(line))))
    return drawing
