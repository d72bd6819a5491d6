"""``boardherd play``: a game at the terminal."""

import difflib
import importlib
import secrets
import shutil
import textwrap
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from ...envs import GAMES, make_game
from ...envs.core.game import Game, State
from ...envs.core.replay import Event, Record, read_record, write_record
from ..match import HUMAN, Match, Story, board, payoffs_text, seat_letter, show
from ..players import load_player
from .common import OPTIONS_HELP, game_with, split_arguments

HELP = """\
a move       as '?' lists them; Enter alone plays the only legal one
? [TEXT]     the legal moves (that contain TEXT)
board        show the position again
undo         take back your last move, and all that came after it
save FILE    write the game to a file: 'boardherd play --resume FILE' goes on with it
rules        the rules of the game
quit         leave"""


def play(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="the game's name; not with --resume")] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLAYER|KEY=VALUE",
            help=f"who takes the other seats, in order, or one for all of them: random, greedy (the default), "
            f"human, a checkpoint or a run's folder; {OPTIONS_HELP}",
        ),
    ] = None,
    seat: Annotated[str, typer.Option(metavar="LETTER", help="your seat: a moves first")] = "a",
    seed: Annotated[int | None, typer.Option(min=0, help="of the dice (default: drawn at random)")] = None,
    position: Annotated[str | None, typer.Option(metavar="TEXT", help="start from this position")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="take no seat; PLAYERs take all of them")] = False,
    delay: Annotated[float, typer.Option(min=0, max=3600, metavar="SECONDS", help="pause between turns with --watch")] = 0.5,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="write the game to this file when it is over or left")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FILE", help="go on with a saved game")] = None,
) -> None:
    """Play a game at the terminal against players by name, or watch them play."""
    if resume is not None:
        if game is not None or position is not None or seed is not None or watch:
            raise ValueError("--resume takes the game, its players, dice and start from the file: give nothing else but --save")
        record = read_record(resume, make_game)
    elif game is None:
        raise ValueError(f"name a game, one of {', '.join(GAMES)}, or a saved one with --resume FILE")
    else:
        players, options = split_arguments(arguments or ())
        rules = game_with(game, options, players)
        if watch and HUMAN in players:
            raise ValueError(f"--watch leaves all seats to players, so none of them can be {HUMAN!r}")
        names = _seated(rules, players, None if watch else seat)
        record = Record(rules, names, secrets.randbits(32) if seed is None else seed, position)
    match = Match(record, [None if name == HUMAN else load_player(name, record.game) for name in record.players])
    print(_introduction(match))
    try:
        if HUMAN in record.players:
            _take_part(match)
        else:
            show(record, _played_on(match), delay)
            _tell_end(match)
    finally:
        if save is not None:
            write_record(save, record)
            print(f"saved to {save}")


def _seated(game: Game, players: list[str], seat: str | None) -> list[str]:
    """A player's name for each seat; seat: the letter of a person's seat, None for an onlooker. ValueError if that does not come out."""
    letters = [seat_letter(index) for index in range(game.num_players)]
    if seat is not None and seat not in letters:
        raise ValueError(f"--seat must be one of {', '.join(letters)}, got {seat!r}")
    count = len(letters) - (seat is not None)
    players = players or ["greedy"]
    if len(players) not in (1, count):
        raise ValueError(f"{len(players)} players do not fill {count} free seats: name one for each, or a single one for all of them")
    names = players * count if len(players) == 1 else list(players)
    if seat is not None:
        names.insert(letters.index(seat), HUMAN)
    return names


def _introduction(match: Match) -> str:
    game = match.game
    seats = ", ".join(f"{seat_letter(seat)}: {name}" for seat, name in enumerate(match.record.players))
    options = " ".join(f"{key}={value}" for key, value in game.config.items())
    title = importlib.import_module(f"boardherd.envs.{GAMES[game.name]}").__doc__
    return f"{title}\n{options}; seed {match.record.seed}; {seats}"


def _played_on(match: Match) -> Iterator[tuple[State, Event]]:
    while not match.over:
        state = match.state
        yield state, match.go_on()


def _tell_end(match: Match) -> None:
    print(f"\n{board(match.game, match.state)}\n{payoffs_text(match.game, match.state)}")


def _take_part(match: Match) -> None:
    """Play until the game is over or the person leaves."""
    print("Type a move, '?' for the legal ones, 'rules', 'help' or 'quit'.")
    while True:
        story = Story(match.record)
        while not match.over and not match.waits_for_person:
            story.add(match.game.player(match.state), match.go_on())
        story.tell()
        if match.over:
            _tell_end(match)
            return
        print(f"\n{board(match.game, match.state)}")
        if not _person_decides(match):
            return


def _person_decides(match: Match) -> bool:
    """Ask until the position has changed. False if the person leaves."""
    letter, moves = seat_letter(match.game.player(match.state) or 0), match.game.moves(match.state)
    while True:
        try:
            typed = " ".join(input(f"{letter}> ").split())
        except EOFError:
            print()
            return False
        if not typed and len(moves) == 1:
            typed = next(iter(moves))
        word, _, rest = typed.partition(" ")
        if typed in moves:
            match.play(typed)
            return True
        if typed == "undo" and match.undo():
            return True
        if typed == "quit":
            return False
        if word == "?":
            _list_moves([move for move in moves if rest in move])
        elif typed == "rules":
            _show_rules(match.game.name)
        elif word == "save" and rest:
            _save(match.record, rest)
        else:
            print(_answer(typed, match, list(moves)))


def _answer(typed: str, match: Match, moves: list[str]) -> str:
    """What to say to words that change nothing."""
    if typed == "help":
        return HELP
    if typed == "board":
        return board(match.game, match.state)
    if typed == "undo":
        return "there is nothing to take back"
    if typed == "save":
        return "name a file, as in: save game.jsonl"
    if not typed:
        return f"{len(moves)} moves are legal: '?' lists them, 'help' tells what else you can type"
    near = [move for move in moves if typed.lower() in move.lower()] or difflib.get_close_matches(typed, moves, 3, 0.5)
    hint = f"did you mean {near[0]}?" if len(near) == 1 else "'?' lists them, 'help' tells what else you can type"
    return f"{typed!r} is no legal move: {hint}"


def _list_moves(moves: list[str]) -> None:
    width = shutil.get_terminal_size().columns - 1
    print(textwrap.fill(", ".join(moves) or "none", width, break_long_words=False, break_on_hyphens=False))


def _show_rules(name: str) -> None:
    """The game's page up to the numbered rulings, which settle what few ask."""
    page = (resources.files(f"boardherd.envs.{GAMES[name]}") / "README.md").read_text(encoding="utf-8")
    lines = page.partition("\n## Rulings")[0].splitlines()
    Console().print(Markdown("\n".join(line for line in lines if not line.startswith("!["))))


def _save(record: Record, name: str) -> None:
    try:
        write_record(name, record)
        print(f"saved to {name}: 'boardherd play --resume {name}' goes on with it")
    except OSError as error:
        print(f"not saved: {error.strerror}: {name}")
