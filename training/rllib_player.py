"""Players trained by RLlib: ``boardherd train --engine rllib``, or anything else that trained the adapter's ``MaskedModule``."""

from pathlib import Path

from ..envs.adapters.extras import require
from ..envs.core.game import Game
from ..envs.core.players import Player

CHECKPOINT = "rllib"  # the folder within a run's folder
MODULE = "main"
_WITHIN = (Path(CHECKPOINT) / "learner_group/learner/rl_module" / MODULE, Path("learner_group/learner/rl_module") / MODULE, Path())


def load_rllib_player(path: str, game: Game) -> Player:
    """The player that plays the most likely moves of a checkpoint: of a run's folder, an algorithm (its module ``main``) or a module.

    RLlib's checkpoints are pickles, which run code when they are loaded: load only what you trust.
    ValueError if there is none, or its module does not go with ``game``; ImportError if RLlib is not installed.
    """
    folder = next((Path(path) / within for within in _WITHIN if (Path(path) / within / "class_and_ctor_args.pkl").is_file()), None)
    if folder is None:
        raise ValueError(f"no checkpoint of RLlib in {path!r}: no run, no algorithm with a module {MODULE!r} and no module")
    rl_module = require("ray.rllib.core.rl_module.rl_module", "rllib")
    from ..envs.adapters.rllib import ModulePlayer, module_spaces

    try:
        module = rl_module.RLModule.from_checkpoint(str(folder.resolve()))
    except Exception as error:  # pickle, torch and RLlib each have errors of their own
        raise ValueError(f"{path!r} is no checkpoint of RLlib, or a damaged one: {' '.join(str(error).split())[:200]}") from None
    if (module.observation_space, module.action_space) != module_spaces(game):
        raise ValueError(f"player {path!r} was trained on another game or another size than {game}")
    if (trained_on := module.model_config.get("game")) and trained_on != game.name:
        raise ValueError(f"player {path!r} was trained on {trained_on}, which {game} does not match")
    return ModulePlayer(module.eval())
