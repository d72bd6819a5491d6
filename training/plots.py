"""Pictures: the curves of training runs, and the page of a tournament. They need matplotlib, and no display."""

import html
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, MaxNLocator, PercentFormatter

from .match import seat_letter

if TYPE_CHECKING:
    from .ratings import Standings

_COLOURS = ("#1f77b4", "#d9541a", "#2a9d57", "#8e4fb8", "#b8860b", "#17889b", "#c0397b", "#5a5a5a")
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
    handles = [Line2D([], [], color=_COLOURS[k % len(_COLOURS)], label=label) for k, label in enumerate(runs)]
    if len(runs) > 1:
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(runs), 4), frameon=False)
    else:
        figure.suptitle(next(iter(runs)))
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
        return {"color": _COLOURS[kind % len(_COLOURS)]}
    return {"color": _COLOURS[run % len(_COLOURS)], "linestyle": _LINES[kind % len(_LINES)]}


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
    _plain(axes)


def _plain(axes: Axes) -> None:
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


_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tournament: $game</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 62em; margin: 2em auto; padding: 0 1em; }
h1, h2 { font-weight: 600; margin: 1.4em 0 0.4em; }
h1 { margin-top: 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25em 0.7em; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid #888; }
thead th.name { text-align: left; }
tbody th { text-align: left; font-weight: 500; min-width: 8em; max-width: 24em; white-space: normal; overflow-wrap: anywhere; }
small { color: #666; margin-left: 0.3em; }
td.self { background: #eee; }
p.note { color: #555; max-width: 48em; }
.wide { overflow-x: auto; }
.pair > div { flex: 1 1 24em; max-width: 29em; }
.pair { display: flex; flex-wrap: wrap; gap: 0 2em; }
svg { max-width: 100%; height: auto; }
svg text { font-family: system-ui, sans-serif !important; }
</style>
</head>
<body>
<h1>Tournament: $game</h1>
<p>$options. $games games with $seeds seeds, drawn from seed $seed.</p>
<h2>Standings</h2>
<div class="wide"><table>
<thead><tr><th></th><th class="name">player</th><th>rating</th><th>wins</th><th>payoff</th><th>games</th>$letters</tr></thead>
<tbody>
$standings</tbody>
</table></div>
<p class="note">Ratings: $model, all games together, on Elo's scale (400 points: odds of ten to one), $anchor at 0. Small print: 95 %
intervals, by bootstrap over seeds. Wins are a share of the games, a shared win counting in parts; equal players would win $fair.
The last columns are wins by seat.</p>
$ratings_plot
<h2>Who beats whom</h2>
<div class="wide"><table>
<thead><tr><th></th><th class="name">player</th>$numbers</tr></thead>
<tbody>
$cross</tbody>
</table></div>
<p class="note">Share of the games with both in which the player of the row was paid more than that of the column; equal counts half.</p>
<div class="pair">
<div>
<h2>Seats</h2>
$seats_plot
<p class="note">Everybody sat everywhere equally often. Dashed: no seat better than another.</p>
</div>
<div>
<h2>Length of games</h2>
$turns_plot
</div>
</div>
<h2>How games ended</h2>
<table>
<thead><tr><th class="name">ending</th><th>games</th><th>share</th></tr></thead>
<tbody>$endings</tbody>
</table>
</body>
</html>
""")


def tournament_page(result: "Standings") -> str:
    """An HTML page that holds all it shows: no script, nothing to fetch."""
    options = ", ".join(f"{key} {value}" for key, value in result.game.items() if key != "name")
    return _PAGE.substitute(
        game=html.escape(result.game["name"]),
        options=html.escape(options),
        model=result.model.replace("-", "\N{EN DASH}"),
        anchor=html.escape(result.anchor),
        games=f"{result.games:,}",
        seeds=f"{result.seeds:,}",
        seed=result.seed,
        fair=f"{result.fair:.1%}",
        standings="".join(_standing_rows(result)),
        letters="".join(f"<th>{seat_letter(seat)}</th>" for seat in range(len(result.seats))),
        numbers="".join(f"<th>{place}</th>" for place in range(1, len(result.players) + 1)),
        cross="".join(_cross_rows(result)),
        endings="".join(
            f"<tr><th>{html.escape(text)}</th><td>{count:,}</td><td>{count / result.games:.1%}</td></tr>"
            for text, count in result.endings.items()
        ),
        ratings_plot=_inline(_ratings_figure(result)),
        seats_plot=_inline(_seats_figure(result)),
        turns_plot=_inline(_turns_figure(result)),
    )


def _standing_rows(result: "Standings") -> Iterable[str]:
    for place, player in enumerate(result.players, 1):
        cells = [
            f"{player.rating.value:+.0f} <small>{player.rating.low:+.0f} to {player.rating.high:+.0f}</small>",
            f"{player.wins.value:.1%} <small>{100 * player.wins.low:.1f} to {100 * player.wins.high:.1f}</small>",
            f"{player.payoff.value:+.3f} <small>{player.payoff.low:+.3f} to {player.payoff.high:+.3f}</small>",
            f"{player.games:,}",
            *(f"{share:.0%}" for share in player.by_seat),
        ]
        yield f"<tr><td>{place}</td><th>{html.escape(player.name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _cross_rows(result: "Standings") -> Iterable[str]:
    for place, player in enumerate(result.players, 1):
        cells = "".join(_cross_cell(player.against.get(other.name)) for other in result.players)
        yield f"<tr><td>{place}</td><th>{html.escape(player.name)}</th>{cells}</tr>\n"


def _cross_cell(share: float | None) -> str:
    if share is None:
        return '<td class="self"></td>'
    red, blue = (196, 68, 48), (40, 110, 180)
    tone, strength = (blue if share >= 0.5 else red), abs(share - 0.5)
    return f'<td style="background: rgba({tone[0]}, {tone[1]}, {tone[2]}, {strength:.2f})">{share:.1%}</td>'


def _inline(figure: Figure) -> str:
    """As SVG without the lines that make it a file of its own."""
    text = picture(figure, "svg").decode()
    return text[text.index("<svg") :]


def _ratings_figure(result: "Standings") -> Figure:
    players = result.players[::-1]
    figure = Figure(figsize=(7, 0.9 + 0.38 * len(players)), layout="constrained")
    axes = figure.add_subplot()
    values = np.array([player.rating.value for player in players])
    reach = np.abs(np.array([[player.rating.low, player.rating.high] for player in players]).T - values)
    axes.errorbar(values, np.arange(len(players)), xerr=reach, fmt="o", color=_COLOURS[0], capsize=3)
    axes.set_yticks(np.arange(len(players)), [_short(player.name) for player in players])
    axes.set_ylim(-0.6, len(players) - 0.4)
    axes.set_xlabel("rating with 95 % interval", fontsize="small")
    _plain(axes)
    return figure


def _seats_figure(result: "Standings") -> Figure:
    figure = Figure(figsize=(4.2, 2.8), layout="constrained")
    axes = figure.add_subplot()
    values = np.array([seat.value for seat in result.seats])
    reach = np.abs(np.array([[seat.low, seat.high] for seat in result.seats]).T - values)
    axes.bar(np.arange(len(values)), values, 0.6, yerr=reach, color=_COLOURS[0], alpha=0.75, capsize=3)
    axes.axhline(result.fair, color="#444444", linestyle="--", linewidth=1)
    axes.set_xticks(np.arange(len(values)), [seat_letter(seat) for seat in range(len(values))])
    axes.set_xlabel("seat", fontsize="small")
    axes.set_ylabel("share of wins", fontsize="small")
    axes.yaxis.set_major_formatter(PercentFormatter(1, 0))
    _plain(axes)
    return figure


def _turns_figure(result: "Standings") -> Figure:
    figure = Figure(figsize=(4.2, 2.8), layout="constrained")
    axes = figure.add_subplot()
    low, high = result.turns[0], result.turns[-1]
    edges = np.arange(low, high + 2 + (high - low) // 40, max(1, (high - low) // 40)) - 0.5
    axes.hist(result.turns, bins=edges.tolist(), color=_COLOURS[0], alpha=0.75)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("turns", fontsize="small")
    axes.set_ylabel("games", fontsize="small")
    _plain(axes)
    return figure


def _short(name: str) -> str:
    return name if len(name) <= 32 else f"\N{HORIZONTAL ELLIPSIS}{name[-31:]}"
