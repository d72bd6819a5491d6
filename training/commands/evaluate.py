"""``boardherd evaluate``: a fair comparison of players."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ...envs.core.files import write_whole
from .common import JSON_HELP, OPTIONS_HELP, game_with, split_arguments


def evaluate(
    game: Annotated[str, typer.Argument(metavar="GAME", help="the game's name")],
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER|KEY=VALUE", help=f"one player a seat: random, greedy, a checkpoint or a run's folder; {OPTIONS_HELP}"
        ),
    ],
    games: Annotated[int, typer.Option(min=1, help="at least so many games; rounded up so that all seat orders are played alike")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="of the dice, and of players who draw their moves")] = 0,
    sample: Annotated[bool, typer.Option("--sample", help="policies draw their moves instead of playing the most likely one")] = False,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> None:
    """Let players play each other: every seat order, the same dice for each, and 95 % intervals.

    Without options the game is the one that a checkpoint among the players was trained on.
    """
    players, options = split_arguments(arguments)
    rules = game_with(game, options, players)
    from ..arena import evaluate as compare
    from ..report import describe, evaluation_table

    columns = TextColumn("playing"), BarColumn(40), MofNCompleteColumn(), TimeRemainingColumn()
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("games", total=games)
        result = compare(players, rules, games, seed, sample, lambda done, total: bar.update(task, completed=done, total=total))
    text = json.dumps(result.to_dict(), indent=1) + "\n"
    if json_file == "-":
        print(text, end="")
        return
    console = Console()
    console.print(evaluation_table(result))
    console.print(describe(result), markup=False, highlight=False)
    if json_file is not None:
        write_whole(Path(json_file), text.encode())
        console.print(f"written to {json_file}", markup=False, highlight=False)
