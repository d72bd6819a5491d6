"""Policies alone, without what learning goes on from: small files in the safetensors format, and those that come with boardherd."""

import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from ..envs import make_game
from ..envs.core.files import write_whole
from ..envs.core.game import Game
from .checkpoint import load_policy, read_checkpoint, restored
from .config import check_config
from .network import PolicyNetwork, make_network
from .player_names import PRETRAINED

FORMAT = "boardherd policy 1"
SUFFIX = ".safetensors"


def save_policy(run: str | Path, out: str | Path) -> None:
    """Write the policy of a checkpoint, or of a run's folder, to the file ``out``. ValueError if there is none, OSError if it can't be
    written."""
    content, (_, network) = read_checkpoint(Path(run)), load_policy(Path(run))
    metadata = {"format": FORMAT, "game": json.dumps(content["game"]), "config": json.dumps(content["config"])}
    write_whole(Path(out), save({name: weights.contiguous() for name, weights in network.state_dict().items()}, metadata))


def read_policy(path: Path) -> tuple[Game, PolicyNetwork]:
    """The game that a policy was trained on, and its network. ValueError of one line if the file is missing, damaged, or something else."""
    if not path.is_file():
        raise ValueError(f"no policy file {str(path)!r}")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            weights: dict[str, torch.Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    except SafetensorError as error:
        raise ValueError(f"{str(path)!r} is no policy file, or a damaged one: {error}") from None
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{str(path)!r} is no policy file of this version ({FORMAT!r})")
    options = json.loads(metadata["game"])
    game = make_game(options.pop("name"), **options)
    config = check_config(str(path), json.loads(metadata["config"]))
    return game, restored(path, make_network(game, config.network), weights)


def pretrained() -> list[str]:
    """Names of the policies that come with boardherd."""
    files = resources.files("boardherd.training.pretrained").iterdir()
    return sorted(file.name.removesuffix(SUFFIX) for file in files if file.name.endswith(SUFFIX))


def pretrained_file(name: str) -> Traversable:
    """The file of the policy called ``pretrained:NAME``. ValueError if none of that name comes with boardherd."""
    plain = name.removeprefix(PRETRAINED)
    if plain not in pretrained():
        raise ValueError(f"no policy {plain!r} comes with boardherd: there are {', '.join(pretrained())}")
    return resources.files("boardherd.training.pretrained") / f"{plain}{SUFFIX}"


def load_any_policy(name: str) -> tuple[Game, PolicyNetwork]:
    """The policy called ``pretrained:NAME``, or that of a policy file, a checkpoint or a run's folder. ValueError if there is none."""
    if not name.startswith(PRETRAINED):
        return read_policy(Path(name)) if name.endswith(SUFFIX) else load_policy(Path(name))
    with resources.as_file(pretrained_file(name)) as path:
        return read_policy(path)
