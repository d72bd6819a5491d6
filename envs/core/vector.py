"""The batch engine: many games of one kind, stepped by one compiled call."""

import io
import json
from typing import Any

import numba
import numpy as np

from . import loops
from .game import Game
from .players import Decisions
from .random import fill_seeds, seed_of
from .threads import SAMPLE, STEP, Crew

_SAVED = (
    "states", "seeds", "observation", "action_mask", "player", "rewards", "terminated", "truncated", "ending", "final_observation",
)  # fmt: skip


class BatchEnv:
    """``num_envs`` games that always stand at a decision. All arrays are rewritten in place by ``reset`` and ``step``.

    observation: int8 (B, *observation_shape), as seen by the player to decide.
    action_mask: int8 (B, num_actions), 1 for legal actions; at least one a row.
    player: int64 (B,), who is to decide.
    rewards: float64 (B, n), of the last step for every player; zero but at the end of a game.
    terminated, truncated: bool (B,): the last step ended the game by its rules, or by the cap on turns. The next game
        has begun in the same step: ``observation``, ``action_mask`` and ``player`` are already its own.
    ending: int8 (B,): how the last step ended the game, an index into ``game.endings``; 0 where it did not.
    final_observation: int8 (B, *observation_shape): rows of games that the last step ended hold the last position as
        seen by the player who made the last move; other rows are left as they were.
    states: the games themselves, a structured array (B,).

    threads: over how many threads the games are spread; results do not depend on it.
    skip_forced: play decisions with a single legal action at once, so that nobody is asked for them.
    """

    def __init__(self, game: Game, num_envs: int, seed: int | None = None, threads: int = 1, skip_forced: bool = False):
        for name, value, most in (("num_envs", num_envs, 2**31), ("threads", threads, 1024)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
                raise ValueError(f"{name} must be an integer from 1 to {most}, got {value!r}")
        self.game, self.num_envs, self.threads, self.skip_forced = game, int(num_envs), int(threads), bool(skip_forced)
        self.states = np.zeros(num_envs, game.state_dtype)
        self.seeds = np.zeros(num_envs, np.uint64)
        self.observation = np.zeros((num_envs, *game.observation_shape), np.int8)
        self.final_observation = np.zeros_like(self.observation)
        self.action_mask = np.zeros((num_envs, game.num_actions), np.int8)
        self.player = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros((num_envs, game.num_players))
        self.terminated, self.truncated = np.zeros(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
        self.ending = np.zeros(num_envs, np.int8)
        self._actions = np.zeros(num_envs, np.int64)
        self._sampled = np.zeros(num_envs, np.int64)
        self._weights = np.empty(game.rules.num_outcomes)  # scratch
        self._crew = self._hired()
        self.reset(seed)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_crew"}  # threads are not copied

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._crew = self._hired()

    def _hired(self) -> Crew | None:
        if min(self.threads, self.num_envs) == 1 or numba.config.DISABLE_JIT:
            return None
        return Crew(
            min(self.threads, self.num_envs), self.num_envs, self.game.rules, self.states, self.seeds, self._sampled, *self._stepped(),
        )  # fmt: skip

    def _stepped(self) -> tuple[Any, ...]:
        """The arguments that a step writes to or reads."""
        return (
            self._actions, self.action_mask, self.player, self._flat(self.observation), self._flat(self.final_observation), self.rewards,
            self.terminated, self.truncated, self.ending, self.skip_forced,
        )  # fmt: skip

    def _check_begun(self, begun: bool) -> None:
        if not begun:
            raise ValueError(
                f"no game of {self.game} reaches a decision{' with two legal moves' if self.skip_forced else ''}: raise its cap on turns"
            )

    def reset(self, seed: int | None = None) -> None:
        """Begin all games anew. The same seed gives the same games; without one the generators are drawn from the system's entropy."""
        start = seed_of(int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) if seed is None else seed)
        seeds = np.empty(2 * self.num_envs, np.uint64)
        fill_seeds(start, seeds)
        self.states["rng"], self.seeds[:] = seeds[: self.num_envs], seeds[self.num_envs :]
        self.rewards[:], self.terminated[:], self.truncated[:], self.ending[:] = 0, False, False, 0
        self.final_observation[:] = 0
        begun = loops.reset_range(
            self.game.rules, self.states, self.action_mask, self.player, self._flat(self.observation), self.skip_forced, self._weights,
            0, self.num_envs,
        )  # fmt: skip
        self._check_begun(begun)

    def _flat(self, observations: np.ndarray) -> np.ndarray:
        return observations.reshape(self.num_envs, -1)

    def sample(self) -> np.ndarray:
        """A random legal action for each game, int64 (B,), uniform; each game draws from a generator of its own."""
        if self._crew:
            self._crew.run(SAMPLE)
        else:
            loops.sample_range(self.action_mask, self.seeds, self._sampled, 0, self.num_envs)
        return self._sampled.copy()

    def decisions(self) -> Decisions:
        """The decisions now due, as ``players.ask`` asks a player for them: copies of the states, views of the rest."""
        return Decisions(self.game, self.states.copy(), self.observation, self.action_mask, self.player, self.seeds)

    def step(self, actions: np.ndarray) -> None:
        """Make one move in each game.

        actions: integers (B,). ValueError, before anything moves, if one of them is not legal or the array does not fit.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(f"actions must be integers of shape ({self.num_envs},), got {actions.dtype} of shape {actions.shape}")
        self._actions[:] = actions
        wrong = loops.find_illegal(self.action_mask, self._actions)
        if wrong >= 0:
            try:
                self.game.action_text(self.states[wrong : wrong + 1], int(self._actions[wrong]))
            except ValueError as error:
                raise ValueError(f"environment {wrong}: {error}") from None
        if self._crew:
            begun = self._crew.run(STEP)
        else:
            begun = loops.step_range(self.game.rules, self.states, *self._stepped(), self._weights, 0, self.num_envs)
        self._check_begun(begun)

    def _header(self) -> str:
        return json.dumps({"game": self.game.name, "config": self.game.config, "num_envs": self.num_envs, "skip_forced": self.skip_forced})

    def save(self) -> bytes:
        """The whole state: games, generators, and all arrays."""
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, header=np.array(self._header()), **{name: getattr(self, name) for name in _SAVED})
        return buffer.getvalue()

    def load(self, data: bytes) -> None:
        """Go back to what ``save`` returned. ValueError, with nothing changed, if it is of another game, config or size, or damaged."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                loaded = {name: arrays[name] for name in ("header", *_SAVED)}
        except Exception as error:  # zipfile, zlib and NumPy each have errors of their own for damaged data
            raise ValueError(f"these bytes are no saved batch of games: {error}") from None
        if str(loaded["header"]) != self._header():
            raise ValueError(f"these bytes are of another batch: saved {loaded['header']}, this one is {self._header()}")
        for name in _SAVED:
            target = getattr(self, name)
            if loaded[name].dtype != target.dtype or loaded[name].shape != target.shape:
                raise ValueError(f"these bytes were saved by another version: {name} is {loaded[name].dtype}{loaded[name].shape}")
        for name in _SAVED:
            getattr(self, name)[...] = loaded[name]
