"""Players that search: expectimax over one or two moves, Monte-Carlo tree search, and whole turns drawn from a policy.

Every seat is taken to maximise its own payoff (max^n), so that any number of seats will do. What lies beyond the search is judged by a
network's values, or by playing games on to their ends.

Searches look ahead with dice of their own, drawn from ``Decisions.seeds``: the same seeds give the same moves.
"""

from ...envs.core.players import Player
from ..network import PolicyNetwork
from ..player_names import SEARCHES
from .expectimax import Expectimax
from .tree import TreeSearch
from .turns import TurnSearch

__all__ = ["Expectimax", "TreeSearch", "TurnSearch", "search_player"]


def search_player(kind: str, number: str, network: PolicyNetwork | None) -> Player:
    """``expectimax`` with plies, ``mcts`` with simulations, ``turns`` with turns. ValueError that says what the number may be, or that
    a policy is missing."""
    allowed = SEARCHES[kind]
    if not number.isdecimal() or int(number) < 1 or (kind == "expectimax" and int(number) > 2):
        raise ValueError(f"player {kind} needs a number behind the colon, {allowed}, got {number!r}, as in {kind}:{allowed[0]}")
    if kind == "expectimax":
        return Expectimax(int(number), network)
    if kind == "mcts":
        return TreeSearch(int(number), network)
    if network is None:
        raise ValueError(f"player {kind}:{number} needs a policy behind another colon, as in {kind}:{number}:pretrained:herd")
    return TurnSearch(int(number), network)
