"""``boardherd replay``: shows or checks a recorded game."""

from pathlib import Path
from typing import Annotated

import typer

from ...envs import make_game
from ...envs.core.game import Game, State
from ...envs.core.replay import read_record
from ...envs.core.replay import replay as states_of
from ..match import board, payoffs_text, seat_letter, show


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a game saved by 'boardherd play'")],
    check: Annotated[bool, typer.Option("--check", help="only check that the game follows the rules, and tell how it ended")] = False,
    delay: Annotated[float, typer.Option(min=0, max=3600, metavar="SECONDS", help="pause between turns")] = 0.0,
) -> None:
    """Show a recorded game: the board whenever another player is up, and what was thrown and played in between."""
    record = read_record(file, make_game)
    game, states = record.game, list(states_of(record))
    seats = ", ".join(f"{seat_letter(seat)}: {name}" for seat, name in enumerate(record.players))
    print(f"{game.name} {' '.join(f'{key}={value}' for key, value in game.config.items())}; seed {record.seed}; {seats}")
    if not check:
        show(record, zip(states, record.events, strict=False), delay)
        print(f"\n{board(game, states[-1])}")
    throws = sum(event.kind == "throw" for event in record.events)
    print(f"moves: {len(record.events) - throws}, throws: {throws}, all by the rules; {_end(game, states[-1])}")


def _end(game: Game, state: State) -> str:
    if not game.is_over(state):
        return "the game is not over"
    return f"ended by: {game.result(state)}; {payoffs_text(game, state)}"
