"""Pictures of a Bikido board: text for a terminal, shapes for SVG and pixels."""

from ..core.contract import TERMINAL
from ..core.drawing import Drawing
from . import rules as bikido
from .notation import square_name, stack_text
from .rules import BIRDS, FAR_BANK, FILES, RANKS, RIVER, SQUARES

NAMES = ("Black", "White")
_TOKEN_COLOURS = ("#26262b", "#fafaf5")
_WIDEST = 7  # a higher stack is listed below the board of text
_CELL, _MARGIN, _ROW = 64.0, 26.0, 12  # tokens in one column of a picture's cell


def status(rules: bikido.Rules, state) -> str:
    """One line that says who is to do what."""
    count = f"turn {state['turn']} of {rules.max_turns}"
    if state["node"] >= TERMINAL:
        payoff = state["payoff"][0]
        winner = "a draw" if payoff == 0 else f"{NAMES[0 if payoff > 0 else 1]} wins"
        return f"{bikido.ENDINGS[state['ending']]}: {winner} ({count})"
    name = f"{NAMES[state['player']]} ({'ab'[state['player']]})"
    if state["landed"] == 0:
        return f"{name} moves ({count})"
    *closed, present = (square_name(int(square)) for square in state["path"][: state["landed"]])
    return f"{name} rebounds from {present}, not to {', '.join(closed)} ({count})"


def ansi(rules: bikido.Rules, state) -> str:
    """The board as text: stacks from bottom to top, birds as capital letters, ``~`` the empty river."""
    stacks = [stack_text(state, square) for square in range(SQUARES)]
    tall = {square: stack for square, stack in enumerate(stacks) if len(stack) > _WIDEST}
    shown = [
        f"{len(stack)}..{stack[-1]}" if square in tall else stack or ("~" if RIVER <= square < FAR_BANK else ".")
        for square, stack in enumerate(stacks)
    ]
    widths = [max(len(text) for text in shown[file::FILES]) for file in range(FILES)]
    files = "    " + "  ".join("abcdefg"[file].ljust(widths[file]) for file in range(FILES)).rstrip()
    lines = [files]
    for rank in range(RANKS, 0, -1):
        row = shown[FILES * (rank - 1) : FILES * rank]
        lines.append(f"{rank:2}  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + f"  {rank}")
    lines.append(files)
    lines += [f"{square_name(square)}, {len(stack)} high: {stack}" for square, stack in tall.items()]
    return "\n".join([*lines, status(rules, state)])


def draw(rules: bikido.Rules, state) -> Drawing:
    """Every stack is seen from the side; one higher than 12 goes on in further columns, and has its height beside it."""
    board_width, board_height = FILES * _CELL, RANKS * _CELL
    drawing = Drawing(board_width + 2 * _MARGIN, board_height + 2 * _MARGIN + 26)
    for square in range(SQUARES):
        x, y = _corner(square)
        colour = "#a9cbe0" if RIVER <= square < FAR_BANK else "#e3cfa4" if (square % FILES + square // FILES) % 2 else "#d9c292"
        drawing.rect(x, y, _CELL, _CELL, colour, stroke="#8d7647", stroke_width=1)
    path = [int(square) for square in state["path"][: state["landed"]]]
    for square in path:
        x, y = _corner(square)
        mark = "#c0392b" if square == path[-1] else "#8a6fb0"
        drawing.rect(x + 2, y + 2, _CELL - 4, _CELL - 4, "none", stroke=mark, stroke_width=4)
    for square in range(SQUARES):
        _draw_stack(drawing, *_corner(square), square, stack_text(state, square))
    for file in range(FILES):
        for y in (_MARGIN / 2, _MARGIN * 1.5 + board_height):
            drawing.text(_MARGIN + (file + 0.5) * _CELL, y, "abcdefg"[file], 15, "#6b5a36")
    for rank in range(RANKS):
        for x in (_MARGIN / 2, _MARGIN * 1.5 + board_width):
            drawing.text(x, _MARGIN + (RANKS - rank - 0.5) * _CELL, str(rank + 1), 15, "#6b5a36")
    line = status(rules, state)
    drawing.text(drawing.width / 2, drawing.height - 16, line, min(16.0, 1.7 * drawing.width / len(line)))
    return drawing


def _corner(square: int) -> tuple[float, float]:
    """The upper left corner of a square."""
    rank, file = divmod(square, FILES)
    return _MARGIN + file * _CELL, _MARGIN + (RANKS - 1 - rank) * _CELL


def _draw_stack(drawing: Drawing, x: float, y: float, square: int, stack: str) -> None:
    floor = y + _CELL - 7
    if square in BIRDS:
        _draw_bird(drawing, x + _CELL / 2, floor, BIRDS.index(square))
        if len(stack) > 1:
            _draw_token(drawing, x + 12, y + 7, _CELL - 24, 9, stack[1])
        return
    columns = -(-len(stack) // _ROW)
    if columns <= 1:
        width, thick = (_CELL - 24, 9.0) if len(stack) <= 5 else (_CELL - 32, 50 / len(stack))
    else:
        width, thick = (_CELL - 10) / columns, 3.4
    left = x + (_CELL - columns * width) / 2
    for level, letter in enumerate(stack):
        column, above = divmod(level, _ROW)
        _draw_token(drawing, left + column * width, floor - (above + 1) * thick, width - (1 if columns > 1 else 0), thick, letter)
    if len(stack) > 5:
        drawing.text(x + _CELL / 2 if columns > 1 else x + _CELL - 8, y + 9, str(len(stack)), 11, "#7a1f16")


def _draw_token(drawing: Drawing, x: float, y: float, width: float, thick: float, letter: str) -> None:
    colour, edge = _TOKEN_COLOURS["ab".index(letter)], min(1.2, thick / 6)
    drawing.rect(x, y, width, thick, colour, rx=min(4, thick / 2.5), stroke="#8f887b", stroke_width=edge)


def _draw_bird(drawing: Drawing, x: float, floor: float, player: int) -> None:
    """A bird from the side, 34 high, standing on ``floor``."""
    colour, edge = _TOKEN_COLOURS[player], "#b5651d"
    style = {"stroke": edge, "stroke_width": 1.8, "stroke_linejoin": "round"}
    drawing.line(x - 2, floor - 8, x - 2, floor, edge, stroke_width=2)
    drawing.line(x + 4, floor - 8, x + 4, floor, edge, stroke_width=2)
    back = [(-25, -26), (-14, -20), (-2, -22), (5, -26)]
    head = [(8, -32), (15, -34), (20, -29), (26, -26), (19, -24)]
    belly = [(17, -15), (9, -7), (-5, -6), (-15, -12)]
    wing = [(-9, -17), (8, -18), (-1, -10)]
    for shape in (back + head + belly, wing):
        drawing.polygon([(x + dx, floor + dy) for dx, dy in shape], colour, **style)
    drawing.circle(x + 15, floor - 29, 1.6, edge)
