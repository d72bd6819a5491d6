"""Pictures of a Herd board: text for a terminal, shapes for SVG and pixels."""

import math

from ..core.contract import DECISION, TERMINAL
from ..core.drawing import Drawing
from . import rules as herd
from .notation import cell_name

NAMES = ("Black", "White")
_STONE_COLOURS = ("#26262b", "#fafaf5")
_CELL, _STONES_LETTERS = 26.0, ".xo"
_STATUS_WIDTH = 480.0  # the longest status line fits


def status(rules: herd.Rules, state) -> str:
    """One line that says who is to do what."""
    black, white = (int(count) for count in state["stones"])
    count = f"turn {state['turn']}, stones {black}:{white}"
    if state["node"] >= TERMINAL:
        payoff = state["payoff"][0]
        winner = "a tie" if payoff == 0 else f"{NAMES[0 if payoff > 0 else 1]} wins"
        return f"{herd.ENDINGS[state['ending']]}: {winner} ({count})"
    name = f"{NAMES[state['player']]} ({'xo'[state['player']]})"
    if state["node"] != DECISION:
        return f"{name} throws ({count})"
    owed = f"removes {state['remove']}, then places {state['place']}" if state["remove"] else f"places {state['place']}"
    return f"{name} {owed} ({count})"


def ansi(rules: herd.Rules, state) -> str:
    """The board as text. Each row has its letter in front; cells are numbered from 1 along the row."""
    lines = []
    for v in range(rules.width):
        inside = [u for u in range(rules.width) if state["board"][v * rules.width + u] != 3]
        indent = " " * abs(rules.width // 2 - v)
        stones = " ".join(_STONES_LETTERS[state["board"][v * rules.width + u]] for u in inside)
        lines.append(f"{chr(ord('a') + v)} {indent}{stones}{indent}  {chr(ord('a') + v)}1-{chr(ord('a') + v)}{len(inside)}")
    return "\n".join([*lines, status(rules, state)])


def draw(rules: herd.Rules, state) -> Drawing:
    size, width = _CELL, rules.width
    across = math.sqrt(3) * size
    full_width = max(across * (width + 0.8), _STATUS_WIDTH)
    left, top = full_width / 2 - across * (width - 1) / 2 - across * (width // 2) / 2, size * 1.6
    drawing = Drawing(full_width, top + 1.5 * size * (width - 1) + 3.4 * size)

    def centre(cell: int) -> tuple[float, float]:
        v, u = divmod(int(rules.square_of[cell]), width)
        return left + across * (u + v / 2), top + 1.5 * size * v

    for cell in range(rules.num_actions):
        x, y = centre(cell)
        corners = [(x + size * math.sin(k * math.pi / 3), y - size * math.cos(k * math.pi / 3)) for k in range(6)]
        drawing.polygon(corners, "#d9c49a", stroke="#8d7647", stroke_width=1.5)
        stone = int(state["board"][rules.square_of[cell]])
        if stone:
            drawing.circle(x, y, 0.68 * size, _STONE_COLOURS[stone - 1], stroke="#3b3326", stroke_width=1.5)
        else:
            drawing.text(x, y, cell_name(rules, cell), 0.42 * size, "#a58e5e")
    drawing.text(drawing.width / 2, drawing.height - 0.8 * size, status(rules, state), 0.62 * size)
    return drawing
