"""Board games as environments for multi-agent reinforcement learning."""

from .registry import GAMES, make_game, make_vec, register_environments

__all__ = ["GAMES", "make_game", "make_vec"]

register_environments()
