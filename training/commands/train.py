"""``boardherd train``: a training run from a YAML config."""

import os
import shlex
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ...envs import make_game
from ...envs.adapters.extras import require
from ..config import load_config


def train(
    config: Annotated[
        str, typer.Argument(metavar="CONFIG", help="a YAML file, or the name of a config that comes with boardherd, such as herd")
    ],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", help="keys to change, such as ppo.learning_rate=1e-3")
    ] = None,
    run: Annotated[Path | None, typer.Option(metavar="DIR", help="folder for the results (default: runs/CONFIG-DATE-TIME)")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the run in the folder named by --run")] = False,
    engine: Annotated[str, typer.Option(metavar="ppo|rllib", help="what learns: boardherd's own PPO, or RLlib's (docs/rllib.md)")] = "ppo",
) -> None:
    """Train a policy by self-play, and evaluate it.

    The results go to a folder: config.yaml, checkpoint.pt, metrics.jsonl, files for TensorBoard, and evaluation.json at the end.
    Ctrl-C saves and stops; --resume goes on.
    """
    if run is not None and not str(run).strip(". "):
        raise ValueError("--run needs the name of a folder")
    if resume and run is None:
        raise ValueError("--resume needs --run DIR, the folder of the run to go on with")
    if engine not in ("ppo", "rllib"):
        raise ValueError(f"--engine must be ppo or rllib, got {engine!r}")
    loaded = load_config(config, overrides or ())
    together = int(os.environ.get("WORLD_SIZE", 1)) > 1
    if together and run is None:
        raise ValueError("processes that learn together need a common folder: --run DIR")
    if run is None:
        run = Path("runs") / f"{Path(config).stem}-{datetime.now():%Y%m%d-%H%M%S}"
    game = make_game(loaded.game_name, **loaded.game_options)
    console = Console(highlight=False, markup=False, quiet=together and os.environ["RANK"] != "0")
    console.print(f"the run's folder: {run}")
    if engine == "rllib":
        require("ray.rllib", "rllib")
        from ..rllib_engine import FINAL_EVALUATION
        from ..rllib_engine import train as train_policy
    else:
        from ..ppo import FINAL_EVALUATION
        from ..ppo import train as train_policy
    from ..report import training_table

    results = train_policy(loaded, run, resume)
    if results is None and console.quiet:
        return
    if results is None:
        console.print(
            f"to go on: boardherd train {shlex.join([config, *(overrides or ())])} --run {shlex.quote(str(run))} --resume"
            f"{'' if engine == 'ppo' else ' --engine ' + engine}",
            soft_wrap=True,
        )
        raise typer.Exit(130)
    console.print(training_table(results))
    others = " ".join(["greedy"] * (game.num_players - 1))
    console.print(f"results: {run / FINAL_EVALUATION}", soft_wrap=True)
    player = shlex.quote(str(run) if engine == "ppo" else f"{engine}:{run}")
    console.print(f"compare: boardherd evaluate {game.name} {player} {others}", soft_wrap=True)
    console.print(f"play against it: boardherd play {game.name} {player}", soft_wrap=True)
