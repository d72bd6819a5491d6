"""``boardherd tournament``: any number of players against each other."""

import json
import shlex
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from ...envs.core.files import write_whole
from ..match import seat_letter

if TYPE_CHECKING:
    from ..ratings import Estimate, Standings

STANDINGS, PAGE = "tournament.json", "tournament.html"


def tournament(
    config: Annotated[
        str, typer.Argument(metavar="CONFIG", help="a YAML file, or the name of a config that comes with boardherd, such as ladder")
    ],
    run: Annotated[Path | None, typer.Option(metavar="DIR", help="folder for the results (default: runs/CONFIG-DATE-TIME)")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="go on in the folder named by --run; what was played there counts if it would be the same now")
    ] = False,
) -> None:
    """Let players play each other in every seating, and rate them.

    The results go to a folder: results.jsonl (a line a match), tournament.json, and tournament.html, a page with plots.
    Ctrl-C stops; --resume goes on.
    """
    if resume and run is None:
        raise ValueError("--resume needs --run DIR, the folder of the tournament to go on with")
    if run is None:
        run = Path("runs") / f"{Path(config).stem}-{datetime.now():%Y%m%d-%H%M%S}"
    from ..page import tournament_page
    from ..ratings import standings
    from ..tournament import load_tournament, play_tournament

    loaded = load_tournament(config)
    console = Console(highlight=False, markup=False)
    console.print(f"the tournament's folder: {run}", soft_wrap=True)
    columns = TextColumn("playing"), BarColumn(40), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    screen = Console(stderr=True)
    try:
        with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
            task = bar.add_task("games", total=None)
            games = play_tournament(loaded, run, resume, lambda done, total: bar.update(task, completed=done, total=total))
    except KeyboardInterrupt:
        console.print(
            f"stopped; to go on: boardherd tournament {shlex.quote(config)} --run {shlex.quote(str(run))} --resume", soft_wrap=True
        )
        raise typer.Exit(130) from None
    with screen.status("rating"):
        result = standings(loaded.make_game(), games, loaded.anchored_at, loaded.seed)
    write_whole(run / STANDINGS, (json.dumps(result.to_dict(), indent=1) + "\n").encode())
    write_whole(run / PAGE, tournament_page(result).encode())
    console.print(_standings_table(result))
    console.print(_cross_table(result))
    console.print(_describe(result))
    console.print(f"results: {run / STANDINGS}, page: {run / PAGE}", soft_wrap=True)


def _standings_table(result: "Standings") -> Table:
    table = Table("", "player", "rating", "wins", "payoff", "games", caption_justify="left")
    table.caption = f"Ratings: {result.model}, {result.anchor} at 0, on Elo's scale. In brackets: 95 % intervals."
    table.columns[1].overflow, table.columns[1].min_width = "fold", 12
    for column in table.columns[2:5]:
        column.no_wrap = True
    for place, player in enumerate(result.players, 1):
        rating = f"{player.rating.value:+.0f} ({player.rating.low:+.0f} to {player.rating.high:+.0f})"
        table.add_row(str(place), player.name, rating, _share(player.wins), f"{player.payoff.value:+.3f}", f"{player.games:,}")
    return table


def _cross_table(result: "Standings") -> Table:
    places = [str(place) for place in range(1, len(result.players) + 1)]
    table = Table("", "player", *places, caption_justify="left")
    table.caption = "Share of games in which the row's player was paid more than the column's; equal counts half."
    table.columns[1].overflow = "fold"
    for place, player in zip(places, result.players, strict=True):
        shares = [player.against.get(other.name) for other in result.players]
        table.add_row(place, player.name, *("" if share is None else f"{share:.0%}" for share in shares))
    return table


def _share(estimate: "Estimate") -> str:
    return f"{estimate.value:.1%} ({100 * estimate.low:.1f}-{100 * estimate.high:.1f})"


def _describe(result: "Standings") -> str:
    options = " ".join(f"{key}={value}" for key, value in result.game.items() if key != "name")
    seats = ", ".join(f"{seat_letter(seat)} {_share(share)}" for seat, share in enumerate(result.seats))
    endings = ", ".join(f"{text} {count / result.games:.1%}" for text, count in result.endings.items() if count)
    middle = result.turns[len(result.turns) // 2]
    return (
        f"{result.games:,} games of {result.game['name']} ({options}), {result.seeds:,} seeds. Wins by seat: {seats}. "
        f"Turns: {result.turns[0]} to {result.turns[-1]}, half of the games up to {middle}. Ended by: {endings}."
    )
