"""Pictures of training runs. They need matplotlib, and no display."""

import io
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, PercentFormatter

COLOURS = ("#1f77b4", "#d9541a", "#2a9d57", "#8e4fb8", "#b8860b", "#17889b", "#c0397b", "#5a5a5a")
_LINES = ("-", "--", ":", "-.")
_FEW_POINTS = 30  # a curve of fewer shows where they are
_POINTS = 200  # a curve of more entries is drawn as means of neighbours


class Panel(NamedTuple):
    """One picture of curves. metrics: the beginnings of their names. share: drawn as per cent."""

    title: str
    metrics: tuple[str, ...]
    share: bool = False


PANELS = (
    Panel("wins", ("evaluation/wins against ",), share=True),
    Panel("policy loss", ("ppo/policy_loss",)),
    Panel("value loss", ("ppo/value_loss",)),
    Panel("entropy (1: uniform)", ("ppo/entropy",)),
    Panel("explained variance", ("ppo/explained_variance",)),
    Panel("KL divergence of an update", ("ppo/kl",)),
    Panel("games ended by", ("games/ended by ",), share=True),
    Panel("turns of a game", ("games/turns",)),
    Panel("decisions per second", ("speed/decisions_per_second",)),
)


def read_metrics(run: str | Path) -> list[dict[str, float]]:
    """The entries of a run's ``metrics.jsonl``; a last line cut short is left out. The final evaluation goes by the names of the others.

    ValueError if there are none.
    """
    path = Path(run)
    path = path / "metrics.jsonl" if path.is_dir() else path
    if not path.is_file():
        raise ValueError(f"no run {str(run)!r}: there is no file {str(path)!r}")
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            break  # the run was killed while it wrote this line
        if not isinstance(entry, dict) or "decisions" not in entry:
            raise ValueError(f"{str(path)!r}, line {number}: no entry of a training run")
        entries.append({_same(name): value for name, value in entry.items()})
    if not entries:
        raise ValueError(f"{str(path)!r} holds no entries")
    return entries


def _same(name: str) -> str:
    return f"evaluation/{name.removeprefix('final/')}" if name.startswith("final/") else name


def curve(entries: Iterable[Mapping[str, float]], metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Decisions and values of one metric, float64 each, in at most 200 points, each a mean over neighbours. Where no games ended, there is
    nothing to tell of them."""
    games = metric.startswith("games/")
    found = [(entry["decisions"], entry[metric]) for entry in entries if metric in entry and (entry.get("games/finished", 1) or not games)]
    points = np.array(found, np.float64).reshape(-1, 2)
    together = -(-len(points) // _POINTS)
    if together > 1:
        points = np.array([points[first : first + together].mean(axis=0) for first in range(0, len(points), together)])
    return points[:, 0], points[:, 1]


def plot_runs(runs: Mapping[str, Sequence[Mapping[str, float]]]) -> Figure:
    """Curves of one run or several, over decisions. runs: by label, what ``read_metrics`` returns. Every run has a colour, every metric of
    a picture a kind of line; a single run has colours for the metrics instead."""
    panels = [panel for panel in PANELS if _metrics(runs, panel)]
    if not panels:
        raise ValueError("the runs hold no metrics that could be drawn")
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(5 * columns, 3.3 * rows + 0.4), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[union-attr, call-arg]
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        _draw_panel(axes, panel, _metrics(runs, panel), runs)
    handles = [Line2D([], [], color=COLOURS[k % len(COLOURS)], label=label) for k, label in enumerate(runs)]
    if len(runs) > 1:
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(runs), 4), frameon=False)
    else:
        figure.suptitle(next(iter(runs)))
    return figure


def plot_panels(panels: Mapping[str, Mapping[str, tuple[np.ndarray, np.ndarray]]], title: str) -> Figure:
    """Shares over decisions, in pictures side by side. panels: by title, curves by label, as ``curve`` returns them."""
    figure = Figure(figsize=(3.4 * len(panels), 3.2), layout="constrained")
    for place, (name, curves) in enumerate(panels.items()):
        axes = figure.add_subplot(1, len(panels), place + 1)
        for colour, (label, (decisions, values)) in zip(itertools.cycle(COLOURS), curves.items(), strict=False):
            axes.plot(decisions, values, color=colour, linewidth=1.4, marker=".", label=label)
        axes.legend(fontsize="small", frameon=False)
        axes.set_title(name, fontsize="medium")
        axes.set_xlabel("decisions", fontsize="small")
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        plain(axes)
    figure.suptitle(title)
    return figure


def _metrics(runs: Mapping[str, Sequence[Mapping[str, float]]], panel: Panel) -> list[str]:
    """Those of a panel that some run has, without endings that never came."""
    names = dict.fromkeys(
        name for entries in runs.values() for entry in entries for name, value in entry.items() if value or not name.startswith("games/")
    )
    return [name for name in names if name.startswith(panel.metrics)]


def _style(kind: int, run: int | None) -> dict[str, Any]:
    """Of a curve. kind: which metric of its picture; run: which of several runs, None if there is one only."""
    if run is None:
        return {"color": COLOURS[kind % len(COLOURS)]}
    return {"color": COLOURS[run % len(COLOURS)], "linestyle": _LINES[kind % len(_LINES)]}


def _draw_panel(axes: Axes, panel: Panel, metrics: list[str], runs: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    several = len(runs) > 1
    for run, entries in enumerate(runs.values()):
        for kind, metric in enumerate(metrics):
            decisions, values = curve(entries, metric)
            marker = "." if len(decisions) < _FEW_POINTS else ""
            axes.plot(decisions, values, linewidth=1.4, marker=marker, **_style(kind, run if several else None))
    if metrics[0] not in panel.metrics:
        labels = [metric.removeprefix(panel.metrics[0]) for metric in metrics]
        styles = [_style(kind, 0 if several else None) | ({"color": "#444444"} if several else {}) for kind in range(len(metrics))]
        handles = [Line2D([], [], label=label, **style) for label, style in zip(labels, styles, strict=True)]
        axes.legend(handles=handles, fontsize="small", frameon=False)
    axes.set_title(panel.title, fontsize="medium")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_xlabel("decisions", fontsize="small")
    if panel.share:
        axes.set_ylim(-0.02, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
    elif axes.get_ylim()[1] >= 1000:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    plain(axes)


def plain(axes: Axes) -> None:
    """The look of all pictures."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize="small")


def picture(figure: Figure, kind: str) -> bytes:
    """A figure as the bytes of a file. kind: an ending such as ``png`` or ``svg``. ValueError if there is no such kind."""
    kinds = figure.canvas.get_supported_filetypes()
    if kind not in kinds:
        raise ValueError(f"no picture can be written as {kind!r}: choose one of {', '.join(sorted(kinds))}")
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "boardherd"}):
        figure.savefig(buffer, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)
    return buffer.getvalue()
