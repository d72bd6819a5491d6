"""``boardherd score``: a player on the frozen benchmark."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

if TYPE_CHECKING:
    from ..bench_v1.score import Spread


def score(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER...",
            help="names as boardherd evaluate takes them, such as greedy, runs/first, mcts:200; or a folder that holds runs, "
            "to get their mean and spread, too",
        ),
    ],
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="only this game of the benchmark, such as herd or chopat-4 (may be given again)"),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="the results, as JSON; what it holds already is added to, and not played again")
    ] = Path("bench-v1.json"),
    processes: Annotated[int | None, typer.Option(min=1, help="default: as many as there are cores")] = None,
) -> None:
    """Score players on boardherd-bench-v1: fixed openings, opponents, dice and numbers of games, the same for everybody.

    A trained policy is scored in the game that it was trained on, other players in all. 0 is a player as good as its opponents, 100 one
    who wins every game. Ctrl-C stops; the same command goes on.
    """
    from ..bench_v1.data import NAME, SHA256
    from ..bench_v1.score import find_entries, find_tables, spreads
    from ..bench_v1.score import score as play

    entries = find_entries(players, find_tables(game or ()))
    console, screen = Console(highlight=False, markup=False), Console(stderr=True, highlight=False, markup=False)
    columns = TextColumn("playing"), BarColumn(40), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    try:
        with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
            task = bar.add_task("games", total=None)

            def progress(done: int, total: int, finished: str) -> None:
                bar.update(task, completed=done, total=total)
                if finished:
                    screen.print(f"finished: {finished}", soft_wrap=True)

            results = play(entries, out, processes, progress)
    except KeyboardInterrupt:
        console.print(f"stopped; what is finished is in {out}, and the same command goes on", soft_wrap=True)
        raise typer.Exit(130) from None
    for name in dict.fromkeys(entry.table for entry in entries):
        console.print(_scores_table(name, [result for result in results if result["table"] == name]))
    found = spreads(entries, results)
    if found:
        console.print(_spread_table(found))
    console.print(f"{NAME} ({SHA256[:12]}), results: {out}", soft_wrap=True)


def _scores_table(name: str, results: list[dict[str, Any]]) -> Table:
    table = Table("player", "score", *(f"against {opponent}" for opponent in results[0]["opponents"]), title=name, title_justify="left")
    table.caption, table.caption_justify = "In brackets: the 95 % interval. Against each opponent: share of games won.", "left"
    table.columns[0].overflow, table.columns[0].min_width = "fold", 12
    table.columns[1].no_wrap = True
    for result in results:
        score, wins = result["score"], (f"{part['wins']['value']:.1%}" for part in result["opponents"].values())
        table.add_row(result["player"], f"{score['value']:.1f} ({score['low']:.1f} to {score['high']:.1f})", *wins)
    return table


def _spread_table(found: "list[Spread]") -> Table:
    table = Table("folder", "game", "runs", "mean score", "deviation", "lowest to highest", caption_justify="left")
    table.caption = "Deviation: the standard deviation of a run's score."
    table.columns[0].overflow, table.columns[0].min_width = "fold", 12
    for one in found:
        table.add_row(
            one.folder, one.table, str(one.runs), f"{one.mean:.1f}", f"{one.deviation:.1f}", f"{one.lowest:.1f} to {one.highest:.1f}"
        )
    return table
