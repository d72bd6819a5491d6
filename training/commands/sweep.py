"""``boardherd sweep``: which settings learn best."""

import shlex
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from ...envs import make_game
from ..config import load_config

if TYPE_CHECKING:
    from ..sweep import Trial


def sweep(
    config: Annotated[
        str, typer.Argument(metavar="CONFIG", help="of training: a YAML file, or the name of one that comes with boardherd, such as smoke")
    ],
    what: Annotated[
        str, typer.Argument(metavar="SWEEP", help="which keys vary, and how: a YAML file, or sweep, the one that comes with boardherd")
    ],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", help="keys of CONFIG to change, such as decisions=500_000")
    ] = None,
    run: Annotated[Path | None, typer.Option(metavar="DIR", help="folder for the results (default: runs/CONFIG-SWEEP-DATE-TIME)")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the sweep in the folder named by --run")] = False,
) -> None:
    """Train with varied settings, and tell which did best in the final evaluation.

    The results go to a folder: sweep.json, Optuna's sweep.db, and an ordinary run for each trial. Ctrl-C saves and stops; --resume goes on.
    """
    if resume and run is None:
        raise ValueError("--resume needs --run DIR, the folder of the sweep to go on with")
    loaded = load_config(config, overrides or ())
    make_game(loaded.game_name, **loaded.game_options)
    from ..sweep import RESULTS, best_trial, load_sweep, run_sweep

    wanted = load_sweep(what)
    if run is None:
        run = Path("runs") / f"{Path(config).stem}-{Path(what).stem}-{datetime.now():%Y%m%d-%H%M%S}"
    console = Console(highlight=False, markup=False)
    console.print(f"the sweep's folder: {run}", soft_wrap=True)
    trials = run_sweep(loaded, wanted, run, resume, lambda text: console.print(text, soft_wrap=True))
    if trials is None:
        arguments = shlex.join([config, what, *(overrides or ()), "--run", str(run), "--resume"])
        console.print(f"to go on: boardherd sweep {arguments}", soft_wrap=True)
        raise typer.Exit(130)
    console.print(_table(trials, wanted.objective or loaded.evaluation.opponents))
    console.print(f"results: {run / RESULTS}", soft_wrap=True)
    best = best_trial(trials)
    if best:
        changes = " ".join(shlex.quote(f"{key}={value}") for key, value in best.parameters.items())
        console.print(f"train on with the best: boardherd train {shlex.join([config, *(overrides or ())])} {changes}", soft_wrap=True)


def _table(trials: "list[Trial]", objective: tuple[str, ...]) -> Table:
    """Best first; those without a final evaluation last."""
    keys = list(trials[0].parameters)
    table = Table("trial", *keys, "mean wins", *(f"against {name}" for name in objective), "seconds", caption_justify="left")
    table.caption = "One run each: trials whose wins differ by a few per cent may be equally good."
    for trial in sorted(trials, key=lambda trial: -1 if trial.value is None else trial.value, reverse=True):
        wins = [f"{trial.wins[name]:.1%}" if name in trial.wins else "" for name in objective]
        settings = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in trial.parameters.values()]
        shown = trial.state if trial.value is None else f"{trial.value:.1%}"
        table.add_row(trial.folder, *settings, shown, *wins, f"{trial.seconds:.0f}")
    return table
