"""Players by name: baselines, trained policies, and searches. torch and the like are imported only for those that need them."""

from pathlib import Path

import numpy as np

from ..envs.core.game import Game
from ..envs.core.players import BASELINES, Player

SEARCHES = {"expectimax": "1 or 2", "mcts": "1 or more"}  # what the number behind the colon may be
FOREIGN = ("sb3", "onnx", "torchscript")  # what trained the policy behind the colon, or the format of its file


def load_player(name: str, game: Game, sample: bool = False) -> Player:
    """The player called ``name`` for ``game``.

    ``random``, ``greedy``, the path of a checkpoint or of a run's folder, or a search: ``expectimax:1``, ``expectimax:2`` (moves ahead)
    or ``mcts:1000`` (simulations), with a checkpoint's policy if its path follows after another colon. Policies trained elsewhere
    (see ``foreign``): ``sb3:PATH``, ``onnx:PATH``, ``torchscript:PATH``. sample: policies draw their moves.

    ValueError if there is no such player, or if it was trained on another game or another size. ImportError that names the extra
    if a policy needs a library that is not installed.
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
    if ":" in name and kind in FOREIGN and not Path(name).exists():
        from .foreign import foreign_player

        return foreign_player(kind, rest, game, sample)
    if not Path(name).exists():
        others = ", ".join([f"{kind}:NUMBER" for kind in SEARCHES] + [f"{kind}:PATH" for kind in FOREIGN])
        raise ValueError(f"no player {name!r}: it is neither one of {', '.join(BASELINES)}, {others} nor the path of a checkpoint")
    from .policy import PolicyPlayer, load_network

    return PolicyPlayer(load_network(name, game), sample)


def fits(trained_on: Game, game: Game) -> bool:
    """Whether a policy for one game can play the other: the same game with the same coding of observations and actions."""
    return (
        trained_on.name == game.name
        and trained_on.num_players == game.num_players
        and trained_on.num_actions == game.num_actions
        and np.array_equal(trained_on.observation_high, game.observation_high)
    )
