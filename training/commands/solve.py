"""``boardherd solve``: the exact solution of a small game for two."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ...envs.core.files import write_whole
from ..players import load_player
from .common import JSON_HELP, OPTIONS_HELP, game_with, split_arguments


def solve(
    game: Annotated[str, typer.Argument(metavar="GAME", help="the game's name")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help=OPTIONS_HELP)] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER", help="tell what this player gives away (may be given again): random, greedy, a checkpoint …"),
    ] = None,
    games: Annotated[int, typer.Option(min=10, help="games of each --policy against itself")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="of the dice and choices in those games")] = 0,
    max_states: Annotated[int, typer.Option(min=1, help="give up when there are more positions")] = 30_000_000,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> None:
    """Solve a small game for two: the value of the start and the best moves, and what players give away against perfect play.

    The cap on turns is left out. Small enough are herd size=2, chopat num_players=2 men=1 and berd num_players=2 tokens=2 path=16 (3 GB).
    """
    plain, options = split_arguments(arguments or ())
    if plain:
        raise ValueError(f"{plain[0]!r} is no option of the game: they look like key=value; players are named with --policy")
    names = policy or []
    rules = game_with(game, options, names)
    players = [(name, load_player(name, rules)) for name in names]  # a wrong name shows before the long work
    from ..solver import solve as exactly

    with Console(stderr=True).status("finding positions") as status:
        solution = exactly(rules, max_states, status.update)
        losses = []
        for name, player in players:
            status.update(f"{name} plays")
            losses.append(solution.loss(player, name, games, seed))
    report = {
        "game": {"name": rules.name, **rules.config},
        "positions": {"decision": solution.decisions, "chance": solution.chances, "end": solution.ends},
        "value": solution.value,
        "residual": solution.residual,
        "seconds": solution.seconds,
        "first_moves": solution.first_moves(),
        "losses": [asdict(loss) for loss in losses],
    }
    text = json.dumps(report, indent=1) + "\n"
    if json_file == "-":
        print(text, end="")
        return
    console = Console()
    console.print(f"{rules}: {solution.summary()}", markup=False, highlight=False)
    moves = Table("first decision after", "player", "value to player_0", "best moves")
    for row in solution.first_moves():
        moves.add_row(row["after"], f"player_{row['player']}", f"{row['value']:+.6f}", ", ".join(row["best"]))
    console.print(moves)
    if losses:
        table = Table("player", "loss a decision", "95 % interval", "decisions", "games")
        for loss in losses:
            table.add_row(loss.name, f"{loss.mean:.6f}", f"{loss.low:.6f} to {loss.high:.6f}", f"{loss.decisions:,}", f"{loss.games:,}")
        console.print(table)
    if json_file is not None:
        write_whole(Path(json_file), text.encode())
        console.print(f"written to {json_file}", markup=False, highlight=False)
