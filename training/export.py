"""Trained policies as ONNX files, for programs that have neither boardherd's networks nor torch.

Inputs: ``observation`` int8 (B, *observation_shape) and ``action_mask`` int8 (B, num_actions); for networks that read features of the
actions also ``action_features`` int8 (B, num_actions, features), as ``game.observe_actions`` gives them. The features follow from the
rules and the state, and are no part of the observation: without the game they cannot be had.

Outputs: ``log_probs`` float32 (B, num_actions), about -1e9 for what is not legal, and ``values`` float32 (B, num_players), the expected
payoffs of the deciding seat and of those after it in turn order.
"""

import json
import logging
import warnings
from pathlib import Path

import torch
from torch import nn

from ..envs.adapters.extras import require
from ..envs.core.files import write_whole
from .network import MASKED, PolicyNetwork
from .policy_file import load_any_policy

METADATA = "boardherd"  # where the file tells of which game its policy is, as JSON


class ExportedPolicy(nn.Module):
    """A policy network that takes a mask over all actions instead of a list of the legal ones."""

    def __init__(self, network: PolicyNetwork):
        super().__init__()
        self.network = network
        encoder = network.encoder
        self.columns: torch.Tensor
        self.every: torch.Tensor
        self.register_buffer("columns", torch.from_numpy(encoder.columns))
        self.register_buffer("every", torch.arange(encoder.game.num_actions))

    def forward(
        self, observation: torch.Tensor, action_mask: torch.Tensor, action_features: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        rows = observation.flatten(1).index_select(1, self.columns)
        if action_features is not None:
            rows = torch.cat([rows, action_features.flatten(1)], dim=1)
        logits, values = self.network.heads(rows, self.every.expand(rows.shape[0], -1))
        log_probs = torch.log_softmax(logits + (action_mask == 0).to(logits.dtype) * MASKED, dim=1)
        return log_probs, self.network.seat_values(values)


def export_onnx(policy: str | Path, out: str | Path) -> list[str]:
    """Write a policy, as ``load_any_policy`` names it, to the ONNX file ``out``, and return the names of its inputs.

    ValueError if there is no such policy, ImportError without the extra ``onnx``, OSError if the file can't be written.
    """
    for module in ("onnx", "onnxscript"):
        require(module, "onnx")
    game, network = load_any_policy(str(policy))
    exported = ExportedPolicy(network.cpu()).eval()
    shapes = {"observation": game.observation_shape, "action_mask": (game.num_actions,)}
    if len(network.encoder.action_scale):
        shapes["action_features"] = (game.num_actions, len(network.encoder.action_scale))
    examples = tuple(torch.ones((2, *shape), dtype=torch.int8) for shape in shapes.values())
    batch = torch.export.Dim("batch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, about its own insides; so is what it logs
        logging.disable(logging.WARNING)
        try:
            program = torch.onnx.export(
                exported,
                examples,
                dynamo=True,
                verbose=False,
                input_names=list(shapes),
                output_names=["log_probs", "values"],
                dynamic_shapes=tuple({0: batch} for _ in shapes),
            )
        finally:
            logging.disable(logging.NOTSET)
    assert program is not None
    model = program.model_proto
    for part in (*model.graph.node, *model.graph.input, *model.graph.output, *model.graph.value_info):
        del part.metadata_props[:]  # where in the sources, and in whose folders, each number is made
    model.metadata_props.add(key=METADATA, value=json.dumps({"name": game.name, **game.config}))
    write_whole(out, model.SerializeToString())
    return list(shapes)
