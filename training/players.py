"""Players by name: baselines, trained policies, and searches. torch is imported only for those that need it."""

from pathlib import Path

from ..envs.core.game import Game
from ..envs.core.players import BASELINES, Player

SEARCHES = {"expectimax": "1 or 2", "mcts": "1 or more"}  # what the number behind the colon may be


def load_player(name: str, game: Game, sample: bool = False) -> Player:
    """The player called ``name`` for ``game``.

    ``random``, ``greedy``, the path of a checkpoint or of a run's folder, or a search: ``expectimax:1``, ``expectimax:2`` (moves ahead)
    or ``mcts:1000`` (simulations), with a checkpoint's policy if its path follows after another colon.

    ValueError if there is no such player, or if it was trained on another game or another size.
    """
    if name in BASELINES:
        return BASELINES[name]
    kind, _, rest = name.partition(":")
    if ":" in name and kind in SEARCHES and not Path(name).exists():
        number, _, checkpoint = rest.partition(":")
        from .search import search_player

        network = None
        if checkpoint:
            from .policy import load_network

            network = load_network(checkpoint, game)
        return search_player(kind, number, network)
    if not Path(name).exists():
        searches = ", ".join(f"{kind}:NUMBER" for kind in SEARCHES)
        raise ValueError(f"no player {name!r}: it is neither one of {', '.join(BASELINES)}, {searches} nor the path of a checkpoint")
    from .policy import PolicyPlayer, load_network

    return PolicyPlayer(load_network(name, game), sample)
