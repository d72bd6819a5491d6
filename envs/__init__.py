"""Board games as environments for multi-agent reinforcement learning."""

from .core.vector import BatchEnv
from .registry import GAMES, make_game, make_vec, register_environments

__all__ = ["GAMES", "BatchEnv", "make_game", "make_vec"]

register_environments()
