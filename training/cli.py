"""The command line ``boardherd``: which commands there are, and what becomes of wrong input.

Wrong input, whoever notices it, ends with exit status 2 and one line on stderr. torch is imported only by commands that need it.
"""

import io
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .commands import bench, envs, evaluate, export, play, plot, replay, score, solve, sweep, tournament, train

WRONG_INPUT, INTERRUPTED = 2, 130
EXTRAS = {
    "choix": "tournament", "scipy": "tournament", "matplotlib": "plot", "optuna": "sweep", "stable_baselines3": "sb3", "sb3_contrib": "sb3",
    "onnx": "onnx", "onnxruntime": "onnx", "onnxscript": "onnx", "ray": "rllib", "wandb": "wandb",
}  # fmt: skip
_UsageError: Any = typer.BadParameter.__base__  # whatever typer itself finds wrong; older versions take it from click


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            _say("interrupted")
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Board games for reinforcement learning: play them, train policies by self-play, and compare players.",
    epilog="Example: boardherd play herd",
)


@app.callback(invoke_without_command=True)
def _top(context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        print(f"boardherd {metadata.version('boardherd')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


app.command("envs", epilog="Example: boardherd envs")(envs.envs)
app.command("play", epilog="Example: boardherd play herd greedy --seat b size=4")(play.play)
app.command("train", epilog="Example: boardherd train herd decisions=2_000_000 --run runs/first")(train.train)
app.command("evaluate", epilog="Example: boardherd evaluate herd runs/first greedy --games 1000")(evaluate.evaluate)
app.command("score", epilog="Example: boardherd score runs/first greedy --game herd")(score.score)
app.command("solve", epilog="Example: boardherd solve herd size=2 --policy greedy")(solve.solve)
app.command("sweep", epilog="Example: boardherd sweep smoke sweep --run runs/sweep")(sweep.sweep)
app.command("tournament", epilog="Example: boardherd tournament ladder --run runs/ladder")(tournament.tournament)
app.command("plot", epilog="Example: boardherd plot runs/first runs/second --out curves.svg")(plot.plot)
app.command("bench", epilog="Example: boardherd bench herd --no-training")(bench.bench)
app.command("export", epilog="Example: boardherd export runs/first herd.onnx")(export.export)
app.command("replay", epilog="Example: boardherd replay game.jsonl --check")(replay.replay)


def _say(text: str) -> None:
    print(f"boardherd: {' '.join(text.split())}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; arguments: those of the process by default. Returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # where a terminal lacks a character, a question mark will do
    try:
        status = typer.main.get_command(app).main(arguments, prog_name="boardherd", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except _UsageError as error:
        command = error.ctx.command_path if error.ctx else "boardherd"
        _say(f"{error.format_message()} ({command} --help tells more)")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("boardherd"):
            raise
        _say(f'this needs {error.name}, which is not installed: pip install "boardherd[{EXTRAS.get(error.name or "", "train")}]"')
    except ValueError as error:
        _say(str(error))
    except MemoryError as error:
        _say(f"there is not enough memory for this: {error}")
    except RecursionError:
        _say("the input is nested too deeply")
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    return WRONG_INPUT
