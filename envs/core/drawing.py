"""One drawing for every form of picture: shapes become SVG text, and pixels are made from that."""

import io
from importlib import resources
from typing import Any
from xml.etree import ElementTree

import numpy as np


class Drawing:
    """A picture made of simple shapes, later ones above earlier ones. Units are pixels at scale 1, y grows downwards.

    Colours are CSS colours. ``class`` attributes and the like may be given as keyword arguments (``stroke_width=2``).
    """

    def __init__(self, width: float, height: float, background: str = "#f6f2e8"):
        self.width, self.height = width, height
        self._root = ElementTree.Element(
            "svg", xmlns="http://www.w3.org/2000/svg", width=f"{width:g}", height=f"{height:g}", viewBox=f"0 0 {width:g} {height:g}"
        )
        self.rect(0, 0, width, height, background)

    def _add(self, tag: str, numbers: dict[str, float], fill: str, style: dict[str, Any]) -> ElementTree.Element:
        attributes = {name: f"{value:.6g}" for name, value in numbers.items()}
        attributes |= {"fill": fill} | {name.replace("_", "-"): str(value) for name, value in style.items()}
        return ElementTree.SubElement(self._root, tag, attributes)

    def rect(self, x: float, y: float, width: float, height: float, fill: str, **style: Any) -> None:
        self._add("rect", {"x": x, "y": y, "width": width, "height": height}, fill, style)

    def circle(self, x: float, y: float, radius: float, fill: str, **style: Any) -> None:
        self._add("circle", {"cx": x, "cy": y, "r": radius}, fill, style)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, **style: Any) -> None:
        self._add("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, "none", {"stroke": stroke, **style})

    def polygon(self, points: list[tuple[float, float]], fill: str, **style: Any) -> None:
        self._add("polygon", {}, fill, {"points": " ".join(f"{x:.6g},{y:.6g}" for x, y in points), **style})

    def text(self, x: float, y: float, text: str, size: float, fill: str = "#333", anchor: str = "middle", **style: Any) -> None:
        """Write ``text``, its vertical middle at y, ``anchor`` (start, middle, end) at x."""
        style = {"text_anchor": anchor, "font_family": "sans-serif", "font_weight": "bold", **style}
        self._add("text", {"x": x, "y": y + 0.36 * size, "font-size": size}, fill, style).text = text

    def svg(self) -> str:
        return ElementTree.tostring(self._root, encoding="unicode")

    def rgb_array(self) -> np.ndarray:
        """The picture's pixels, uint8 (height, width, 3). ImportError naming the extra if the rendering libraries are missing."""
        pygame, resvg_py = rendering_libraries()
        with resources.as_file(resources.files(pygame) / "freesansbold.ttf") as font:
            png = resvg_py.svg_to_bytes(svg_string=self.svg(), skip_system_fonts=True, font_files=[str(font)], sans_serif_family="FreeSans")
        surface = pygame.image.load(io.BytesIO(png), "board.png")
        return np.ascontiguousarray(pygame.surfarray.pixels3d(surface).swapaxes(0, 1))


def rendering_libraries() -> tuple[Any, Any]:
    """pygame and resvg_py, imported only here. ImportError that says what to install."""
    try:
        import pygame
        import resvg_py
    except ImportError as error:
        raise ImportError(f'pictures need the rendering extra: pip install "boardherd[render]" ({error})') from error
    return pygame, resvg_py


def dice(drawing: Drawing, x: float, y: float, size: float, value: int) -> None:
    """A die that shows ``value`` (1..6), its upper left corner at x, y."""
    drawing.rect(x, y, size, size, "#fffdf8", rx=size / 6, stroke="#555", stroke_width=size / 24)
    low, middle, high = 0.26, 0.5, 0.74
    pips = {
        1: [(middle, middle)],
        2: [(low, low), (high, high)],
        3: [(low, low), (middle, middle), (high, high)],
        4: [(low, low), (low, high), (high, low), (high, high)],
        5: [(low, low), (low, high), (high, low), (high, high), (middle, middle)],
        6: [(low, low), (low, middle), (low, high), (high, low), (high, middle), (high, high)],
    }
    for px, py in pips[value]:
        drawing.circle(x + px * size, y + py * size, size / 11, "#222")
