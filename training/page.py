"""The HTML page of a tournament."""

import html
from collections.abc import Iterable
from string import Template

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from .match import seat_letter
from .plots import COLOURS, picture, plain
from .ratings import Standings

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


def tournament_page(result: Standings) -> str:
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


def _standing_rows(result: Standings) -> Iterable[str]:
    for place, player in enumerate(result.players, 1):
        cells = [
            f"{player.rating.value:+.0f} <small>{player.rating.low:+.0f} to {player.rating.high:+.0f}</small>",
            f"{player.wins.value:.1%} <small>{100 * player.wins.low:.1f} to {100 * player.wins.high:.1f}</small>",
            f"{player.payoff.value:+.3f} <small>{player.payoff.low:+.3f} to {player.payoff.high:+.3f}</small>",
            f"{player.games:,}",
            *(f"{share:.0%}" for share in player.by_seat),
        ]
        yield f"<tr><td>{place}</td><th>{html.escape(player.name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _cross_rows(result: Standings) -> Iterable[str]:
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


def _ratings_figure(result: Standings) -> Figure:
    players = result.players[::-1]
    figure = Figure(figsize=(7, 0.9 + 0.38 * len(players)), layout="constrained")
    axes = figure.add_subplot()
    values = np.array([player.rating.value for player in players])
    reach = np.abs(np.array([[player.rating.low, player.rating.high] for player in players]).T - values)
    axes.errorbar(values, np.arange(len(players)), xerr=reach, fmt="o", color=COLOURS[0], capsize=3)
    axes.set_yticks(np.arange(len(players)), [_short(player.name) for player in players])
    axes.set_ylim(-0.6, len(players) - 0.4)
    axes.set_xlabel("rating with 95 % interval", fontsize="small")
    plain(axes)
    return figure


def _seats_figure(result: Standings) -> Figure:
    figure = Figure(figsize=(4.2, 2.8), layout="constrained")
    axes = figure.add_subplot()
    values = np.array([seat.value for seat in result.seats])
    reach = np.abs(np.array([[seat.low, seat.high] for seat in result.seats]).T - values)
    axes.bar(np.arange(len(values)), values, 0.6, yerr=reach, color=COLOURS[0], alpha=0.75, capsize=3)
    axes.axhline(result.fair, color="#444444", linestyle="--", linewidth=1)
    axes.set_xticks(np.arange(len(values)), [seat_letter(seat) for seat in range(len(values))])
    axes.set_xlabel("seat", fontsize="small")
    axes.set_ylabel("share of wins", fontsize="small")
    axes.yaxis.set_major_formatter(PercentFormatter(1, 0))
    plain(axes)
    return figure


def _turns_figure(result: Standings) -> Figure:
    figure = Figure(figsize=(4.2, 2.8), layout="constrained")
    axes = figure.add_subplot()
    low, high = result.turns[0], result.turns[-1]
    edges = np.arange(low, high + 2 + (high - low) // 40, max(1, (high - low) // 40)) - 0.5
    axes.hist(result.turns, bins=edges.tolist(), color=COLOURS[0], alpha=0.75)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("turns", fontsize="small")
    axes.set_ylabel("games", fontsize="small")
    plain(axes)
    return figure


def _short(name: str) -> str:
    return name if len(name) <= 32 else f"\N{HORIZONTAL ELLIPSIS}{name[-31:]}"
