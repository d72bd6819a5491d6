"""Players by name: baselines, trained policies, and searches. torch is imported only for those that need it."""

from pathlib import Path

from ..envs.core.game import Game
from ..envs.core.players import BASELINES, Player

PRETRAINED = "pretrained:"
SEARCHES = {"expectimax": "1 or 2", "mcts": "1 or more"}  # what the number behind the colon may be


def load_player(name: str, game: Game, sample: bool = False) -> Player:
    """The player called ``name`` for ``game``.

    ``random``, ``greedy``, a policy (``pretrained:herd`` comes with boardherd, others are the path of a checkpoint, a policy file or
    a run's folder), or a search: ``expectimax:1``, ``expectimax:2`` (moves ahead) or ``mcts:1000`` (simulations), with a policy if one
    follows after another colon.

    ValueError if there is no such player, or if it was trained on another game or another size.
    """
    if name in BASELINES:
        return BASELINES[name]
    policy = policy_in(name)
    kind, _, rest = name.partition(":")
    if kind in SEARCHES and policy != name:
        from .search import search_player

        network = None
        if policy:
            from .policy import load_network

            network = load_network(policy, game)
        return search_player(kind, rest.partition(":")[0], network)
    if policy is None:
        searches = ", ".join(f"{kind}:NUMBER" for kind in SEARCHES)
        raise ValueError(
            f"no player {name!r}: it is neither one of {', '.join(BASELINES)}, {searches} nor {PRETRAINED}NAME or a policy's path"
        )
    from .policy import PolicyPlayer, load_network

    return PolicyPlayer(load_network(policy, game), sample)


def policy_in(name: str) -> str | None:
    """What names the policy in a player's name: all of it, the end of a search's, or None where there is none."""
    if name.startswith(PRETRAINED) or (name not in BASELINES and Path(name).exists()):
        return name
    kind, colon, rest = name.partition(":")
    return rest.partition(":")[2] or None if colon and kind in SEARCHES else None
