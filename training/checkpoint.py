"""Checkpoints: one file that is written whole or not at all, and read without running any code in it."""

import io
import zipfile
from pathlib import Path
from typing import Any

import torch

from ..envs import make_game
from ..envs.core.files import write_whole
from ..envs.core.game import Game
from .config import TrainingConfig, check_config
from .network import PolicyNetwork, make_network

FORMAT = "boardherd checkpoint 1"


def save_checkpoint(path: Path, config: TrainingConfig, network: PolicyNetwork, training: dict[str, Any]) -> None:
    """Write the policy, the config, and ``training``: all else that going on needs. OSError if it can't be written; the old file stays."""
    game = network.encoder.game
    content = {
        "format": FORMAT,
        "game": {"name": game.name, **game.config},
        "config": config.model_dump(mode="json"),
        "network": network.state_dict(),
        "training": training,
    }
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_whole(path, buffer.getvalue())


def read_checkpoint(path: Path) -> dict[str, Any]:
    """What ``save_checkpoint`` wrote. ValueError of one line if the file is missing, damaged, or something else."""
    if path.is_dir():
        path = path / "checkpoint.pt"
    if not path.is_file():
        raise ValueError(f"no checkpoint file {str(path)!r}")
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
        if damaged:
            raise ValueError(f"{damaged} is damaged")
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # zipfile, pickle and torch each have errors of their own
        raise ValueError(f"{str(path)!r} is no checkpoint, or a damaged one: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{str(path)!r} is no checkpoint of this version ({FORMAT!r})")
    for part in ("game", "config", "network", "training"):
        if not isinstance(content.get(part), dict):
            raise ValueError(f"{str(path)!r} is a damaged checkpoint: its part {part!r} is missing or of the wrong kind")
    if not isinstance(content["game"].get("name"), str):
        raise ValueError(f"{str(path)!r} is a damaged checkpoint: its game has no name")
    return content


def load_policy(path: Path) -> tuple[Game, PolicyNetwork]:
    """The game that a checkpoint was trained on, and its policy. ValueError as from ``read_checkpoint``."""
    content = read_checkpoint(path)
    options = dict(content["game"])
    game = make_game(options.pop("name"), **options)
    config = check_config(str(path), content["config"])
    return game, restored(path, make_network(game, config.network), content["network"])


def restored(path: Path, network: PolicyNetwork, weights: dict[str, Any]) -> PolicyNetwork:
    """``network`` with saved weights. ValueError if they do not fit."""
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"{str(path)!r} holds weights of another network: {' '.join(str(error).split())[:200]}") from None
    if not all(bool(value.isfinite().all()) for value in network.parameters()):
        raise ValueError(f"{str(path)!r} holds weights that are not finite numbers")
    return network.eval()
