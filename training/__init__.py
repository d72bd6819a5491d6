"""PPO self-play configured by YAML, and fair evaluation of the policies it makes."""

from typing import Any

__all__ = ["evaluate", "load_player", "train"]


def __getattr__(name: str) -> Any:
    """Import on use: torch is heavy, and not every part needs it."""
    if name == "evaluate":
        from .arena import evaluate

        return evaluate
    if name == "load_player":
        from .players import load_player

        return load_player
    if name == "train":
        from .ppo import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
