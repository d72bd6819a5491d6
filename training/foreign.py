"""Policies that were trained elsewhere, as players: ``sb3:PATH.zip``, ``onnx:PATH``, ``torchscript:PATH``.

They judge the deciding seat's observation, int8 (B, *observation_shape); what is not legal gets no probability here, whatever they think
of it. ``onnx`` models have inputs called ``observation`` and ``action_mask`` (or the first alone), ``torchscript`` modules take these two
in this order; both return logits (B, num_actions), alone or before other outputs. Files made by ``boardherd export`` are such models.
A file of SB3 holds pickled Python: load none from people you do not trust.
"""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..envs import make_game
from ..envs.adapters.extras import require
from ..envs.core.game import Game
from ..envs.core.players import Decisions, Player
from .choice import NO_ACTION, choose

Logits = Callable[[Decisions], np.ndarray]

_DTYPES: dict[str, Any] = {
    "tensor(int8)": np.int8, "tensor(uint8)": np.uint8, "tensor(int32)": np.int32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_,
    "tensor(float16)": np.float16, "tensor(float)": np.float32, "tensor(double)": np.float64,
}  # fmt: skip


def foreign_player(kind: str, path: str, game: Game, sample: bool = False) -> Player:
    """The player whose policy is in a file. kind: a key of ``LOADERS``. It plays the most likely legal move, or draws if ``sample``.

    ValueError of one line if there is no such file, or if what is in it does not fit the game. ImportError that names the extra if a
    library is missing.
    """
    name = f"{kind}:{path}"
    if not Path(path).is_file():
        raise ValueError(f"no player {name!r}: there is no file {path!r}")
    try:
        player = ForeignPlayer(name, LOADERS[kind](Path(path), game), sample)
        player(_trial(game))
    except ImportError:
        raise
    except Exception as error:  # each library has errors of its own for damaged files and for shapes that do not fit
        raise ValueError(f"player {name!r} cannot play {game}: {' '.join(str(error).split())[:400] or type(error).__name__}") from None
    return player


def _trial(game: Game) -> Decisions:
    """Three decisions: a policy that can judge them can judge any."""
    states = np.concatenate([game.new(seed) for seed in range(3)])
    players = states["player"].astype(np.int64)
    seen = [game.observe(states[row : row + 1], player) for row, player in enumerate(players.tolist())]
    masks = [game.legal_mask(states[row : row + 1]) for row in range(3)]
    return Decisions(game, states, np.stack(seen), np.stack(masks), players, np.zeros(3, np.uint64))


class ForeignPlayer:
    """Plays by the logits that a policy gives to all actions, among the legal ones. ValueError for logits that make no sense."""

    def __init__(self, name: str, logits: Logits, sample: bool):
        self.__name__, self._logits, self._sample = name, logits, sample

    def __call__(self, decisions: Decisions) -> np.ndarray:
        mask = decisions.action_mask
        given = np.asarray(self._logits(decisions))
        if given.shape != mask.shape:
            raise ValueError(f"the logits of {self.__name__} must be of shape {mask.shape}, got {given.shape}")
        counts = mask.sum(axis=1)
        width = int(counts.max())
        actions = np.argsort(mask == 0, axis=1, kind="stable")[:, :width]
        legal = np.arange(width) < counts[:, None]
        logits = np.take_along_axis(given, actions, axis=1).astype(np.float32)
        if not np.isfinite(logits[legal]).all():
            raise ValueError(f"the logits of {self.__name__} for legal actions must be finite numbers")
        return choose(np.where(legal, logits, np.float32(-np.inf)), np.where(legal, actions, NO_ACTION), decisions.seeds, self._sample)


def _sb3(path: Path, game: Game) -> Logits:
    require("sb3_contrib", "sb3")
    import torch
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.policies import ActorCriticPolicy
    from stable_baselines3.common.save_util import load_from_zip_file

    data, parameters, _ = load_from_zip_file(path, device="cpu")
    assert data is not None
    kind = data["policy_class"]
    if not issubclass(kind, ActorCriticPolicy | MaskableActorCriticPolicy):
        raise ValueError(f"it holds a {kind.__name__}, but only policies of PPO and MaskablePPO can play")
    seen, actions = data["observation_space"], data["action_space"]
    if seen.shape != game.observation_shape or getattr(actions, "n", None) != game.num_actions:
        raise ValueError(
            f"its observations are of shape {seen.shape} with action space {actions}, the game's are {game.observation_shape} and "
            f"Discrete({game.num_actions})"
        )
    # The policy alone is made anew: loading the whole algorithm would seed the generators of the whole process.
    with torch.random.fork_rng(devices=[]):
        policy = kind(seen, actions, lambda _: 0.0, **data["policy_kwargs"])
    policy.load_state_dict(parameters["policy"])
    policy.set_training_mode(False)

    def logits(decisions: Decisions) -> np.ndarray:
        with torch.inference_mode():
            return policy.get_distribution(policy.obs_to_tensor(decisions.observation)[0]).distribution.logits.numpy()

    return logits


def _onnx(path: Path, game: Game) -> Logits:
    onnxruntime: Any = require("onnxruntime", "onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # small networks gain nothing by more, and tournaments keep all cores busy
    options.log_severity_level = 4  # errors are raised anyway
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    written = session.get_modelmeta().custom_metadata_map.get("boardherd")
    if written is not None and not (trained_on := make_game(**json.loads(written))).plays_like(game):
        raise ValueError(f"it was trained on {trained_on}")
    inputs = {each.name: _DTYPES.get(each.type, np.float32) for each in session.get_inputs()}
    if not {"observation"} <= set(inputs) <= {"observation", "action_mask", "action_features"}:
        raise ValueError(f"its inputs must be called observation and action_mask, they are called {', '.join(inputs)}")
    first_output = [session.get_outputs()[0].name]

    def logits(decisions: Decisions) -> np.ndarray:
        given = {"observation": decisions.observation, "action_mask": decisions.action_mask}
        if "action_features" in inputs:
            given["action_features"] = game.observe_actions(decisions.states, decisions.action_mask)
        return session.run(first_output, {name: given[name].astype(dtype, copy=False) for name, dtype in inputs.items()})[0]

    return logits


def _torchscript(path: Path, game: Game) -> Logits:
    torch: Any = require("torch", "train")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the format is deprecated, files in it are still about
        module = torch.jit.load(path, map_location="cpu").eval()

    def logits(decisions: Decisions) -> np.ndarray:
        with torch.inference_mode():
            answer = module(torch.from_numpy(decisions.observation), torch.from_numpy(decisions.action_mask))
        return (answer[0] if isinstance(answer, tuple) else answer).numpy()

    return logits


LOADERS = {"sb3": _sb3, "onnx": _onnx, "torchscript": _torchscript}
