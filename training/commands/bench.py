"""``boardherd bench``: how fast boardherd is on this machine."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ...envs.core.files import write_whole
from .common import JSON_HELP, game_with, split_arguments


def bench(
    game: Annotated[str, typer.Argument(metavar="GAME", help="the game's name")] = "herd",
    arguments: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="options of the game")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="how often each figure is measured; the median counts")] = 5,
    seconds: Annotated[float, typer.Option(min=0.001, help="length of a round")] = 0.3,
    training: Annotated[bool, typer.Option("--training/--no-training", help="measure training, too (needs torch)")] = True,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> None:
    """Measure steps per second: batches of games, one PettingZoo environment, and training."""
    plain, options = split_arguments(arguments or ())
    if plain:
        raise ValueError(f"{plain[0]!r} is no option of the game: they look like key=value")
    rules = game_with(game, options)
    from .. import bench as measure

    speeds = []
    with Console(stderr=True).status("measuring") as status:
        for num_envs, threads in measure.BATCHES:
            speeds.append(measure.batch_speed(rules, num_envs, threads, seconds, rounds))
            status.update(f"measuring {speeds[-1].what}: {speeds[-1].per_second:,.0f} steps/s")
        speeds.append(measure.single_speed(rules, seconds, rounds))
        if training:
            status.update("measuring training")
            speeds.append(measure.training_speed(rules, rounds))
    machine = measure.machine()
    figures = {"game": {"name": rules.name, **rules.config}, "machine": machine, "speeds": [speed._asdict() for speed in speeds]}
    text = json.dumps(figures, indent=1) + "\n"
    if json_file == "-":
        print(text, end="")
        return
    table = Table("what", "steps a second", "steps a CPU second", title=f"{rules.name}: medians of {rounds} rounds", title_justify="left")
    table.caption = ", ".join(f"{key} {value}" for key, value in machine.items())
    for speed in speeds:
        table.add_row(speed.what, f"{speed.per_second:,.0f}", f"{speed.per_cpu_second:,.0f}")
    Console().print(table)
    if json_file is not None:
        write_whole(Path(json_file), text.encode())
