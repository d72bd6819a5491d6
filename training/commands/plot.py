"""``boardherd plot``: the curves of training runs."""

from pathlib import Path
from typing import Annotated

import typer

from ...envs.core.files import write_whole


def plot(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="folders of training runs, drawn into the same pictures")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="the picture; its ending says of which kind: png, svg, pdf")] = Path(
        "curves.png"
    ),
) -> None:
    """Draw wins, losses, entropy, endings and speed of runs over their decisions, from metrics.jsonl; without TensorBoard."""
    from ..plots import picture, plot_runs, read_metrics

    figure = plot_runs({str(run): read_metrics(run) for run in runs})
    write_whole(out, picture(figure, out.suffix.removeprefix(".") or "png"))
    print(f"written to {out}")
