"""Players by name: baselines, trained policies, and searches. torch and the like are imported only for those that need them."""

from ..envs.core.game import Game
from ..envs.core.players import BASELINES, Player
from .player_names import FOREIGN, PRETRAINED, SEARCHES, policy_in


def load_player(name: str, game: Game, sample: bool = False) -> Player:
    """The player called ``name`` for ``game``.

    ``random``, ``greedy``, a policy (``pretrained:herd`` comes with boardherd, others are the path of a checkpoint, a policy file or
    a run's folder), a policy trained elsewhere (``sb3:PATH``, ``rllib:PATH``, ``onnx:PATH``, ``torchscript:PATH``), or a search:
    ``expectimax:1``, ``expectimax:2`` (moves ahead), ``mcts:1000`` (simulations), with one of boardherd's policies if it follows after
    another colon, or ``turns:64:POLICY`` (whole turns drawn from it). sample: policies draw their moves.

    ValueError if there is no such player, or if it was trained on another game or another size. ImportError that names the extra
    if a policy needs a library that is not installed.
    """
    if name in BASELINES:
        return BASELINES[name]
    policy = policy_in(name)
    kind, colon, rest = name.partition(":")
    if colon and kind in SEARCHES and policy != name:
        from .search import search_player

        network = None
        if policy:
            from .policy import load_network

            network = load_network(policy, game)
        return search_player(kind, rest.partition(":")[0], network)
    if colon and kind == "rllib" and policy != name:
        from .rllib_player import load_rllib_player

        return load_rllib_player(rest, game)
    if colon and kind in FOREIGN and policy != name:
        from .foreign import foreign_player

        return foreign_player(kind, rest, game, sample)
    if policy is None:
        numbered, at_paths = [f"{kind}:NUMBER" for kind in SEARCHES], [f"{kind}:PATH" for kind in FOREIGN]
        known = ", ".join([*BASELINES, f"{PRETRAINED}NAME", *numbered, *at_paths])
        raise ValueError(f"no player {name!r}: it is neither one of {known} nor the path of a policy")
    from .policy import PolicyPlayer, load_network

    return PolicyPlayer(load_network(policy, game), sample)
