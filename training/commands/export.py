"""``boardherd export``: a trained policy alone, as a small file or for programs without boardherd."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    policy: Annotated[str, typer.Argument(metavar="POLICY", help="a run's folder, a checkpoint, a policy file, or pretrained:NAME")],
    out: Annotated[Path, typer.Argument(metavar="FILE", help="the file to write, ending in .safetensors or .onnx")],
) -> None:
    """Write a policy as a file of its own.

    .safetensors: the network and its config, a player under that path. .onnx: observation and action mask in, log-probabilities and
    values out; it plays as onnx:FILE, here and in any program with an ONNX runtime.
    """
    if out.suffix == ".safetensors":
        from ..policy_file import save_policy

        save_policy(policy, out)
        print(f"written to {out}")
    elif out.suffix == ".onnx":
        from ..export import export_onnx

        inputs = export_onnx(policy, out)
        print(f"written to {out}; inputs: {', '.join(inputs)}; outputs: log_probs, values")
    else:
        raise ValueError(f"{str(out)!r} must end in .safetensors or .onnx, which says what to write")
