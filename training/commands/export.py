"""``boardherd export``: a trained policy as an ONNX file."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="a run's folder, or a checkpoint")],
    out: Annotated[Path, typer.Argument(metavar="FILE", help="the ONNX file to write")],
) -> None:
    """Write a trained policy as an ONNX file: observation and action mask in, log-probabilities and values out.

    It plays as onnx:FILE, here and in any program with an ONNX runtime.
    """
    from ..export import export_onnx

    inputs = export_onnx(run, out)
    print(f"written to {out}; inputs: {', '.join(inputs)}; outputs: log_probs, values")
