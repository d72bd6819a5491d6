"""The names of players: what stands before a colon, and where the policy is in a name."""

from pathlib import Path

from ..envs.core.players import BASELINES

PRETRAINED = "pretrained:"
SEARCHES = {"expectimax": "1 or 2", "mcts": "1 or more", "turns": "1 or more"}  # what the number behind the colon may be
FOREIGN = ("sb3", "rllib", "onnx", "torchscript")  # what trained the policy behind the colon, or the format of its file


def policy_in(name: str) -> str | None:
    """What names the policy in a player's name: all of it, the end of a search's, or None where there is none of boardherd's own."""
    if name.startswith(PRETRAINED) or (name not in BASELINES and Path(name).exists()):
        return name
    kind, colon, rest = name.partition(":")
    return rest.partition(":")[2] or None if colon and kind in SEARCHES else None
