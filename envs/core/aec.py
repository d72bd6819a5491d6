"""Any game as a PettingZoo environment: one agent moves at a time (AEC)."""

import operator
import secrets
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from . import contract, loops, rendering
from .compiling import compiled
from .contract import TERMINAL
from .game import Game, State
from .random import seed_of
from .rendering import FRAMES_PER_SECOND, RENDER_MODES, Renderer


@compiled
def step_and_observe(rules, states, action, mask, weights, seen):
    """``loops.step_one``, and at a decision what its player sees is written to ``seen``: one call costs less than two."""
    legal_moves = loops.step_one(rules, states, action, mask, weights)
    if legal_moves > 0:
        contract.observe(rules, states[0], int(states[0]["player"]), seen)
    return legal_moves


def starting_state(game: Game, options: Mapping[str, Any]) -> State:
    """Where ``reset`` begins: the bare first node, or ``options["position"]``. ValueError if that is no position."""
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a mapping such as {{'position': text}}, got {options!r}")
    position = options.get("position")
    return game.start() if position is None else game.from_position(position)


class BoardEnv(AECEnv):
    """A game for agents ``player_0``, ``player_1``, … Dice are thrown by the environment, never by an agent.

    Observations are ``{"observation": int8 game.observation_shape, "action_mask": int8 (num_actions,)}``, infos
    ``{"action_mask": the same mask}`` and nothing else; the mask is all zero for agents who are not to move. Rewards are 0 until
    the game is over, then the game's payoffs, which sum to zero. All agents stay until then: a game that its rules ended
    terminates for all of them, one that the cap on turns ended is truncated for all.

    ``reset`` understands ``options={"position": text}`` and keeps its options for later resets without any. Without a seed it
    goes on with the generator that threw the dice so far (at first one seeded by the system).

    game: the rules. name: the environment's name, such as ``"herd_v0"``. render_mode: None, "ansi", "rgb_array" or "human".
    """

    def __init__(self, game: Game, name: str, render_mode: str | None = None):
        super().__init__()
        self._renderer = Renderer(game, render_mode)
        self.metadata = {"name": name, "render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND, "is_parallelizable": False}
        self.game, self.render_mode = game, render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self._start = game.start()
        self._state = game.reseed(self._start, secrets.randbits(63))
        self._mask = np.zeros(game.num_actions, np.int8)  # of the mover's legal moves
        self._seen = np.zeros(game.rules.observation_size, np.int8)  # what the mover sees
        self._weights = np.empty(game.rules.num_outcomes)  # of a throw: scratch
        self._mover: str | None = None

    def _observation_space(self) -> spaces.Dict:
        low, high = self.game.observation_low, self.game.observation_high
        return spaces.Dict(
            {
                "observation": spaces.Box(low, high, dtype=np.int8),
                "action_mask": spaces.Box(0, 1, (self.game.num_actions,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game. ValueError, with nothing changed, for a negative seed or ``options["position"]`` that is none."""
        start = self._start if options is None else starting_state(self.game, options)
        generator = self._state["rng"] if seed is None else seed_of(seed)
        state = start.copy()
        state["rng"] = generator
        self._start, self._state = start, state

        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._no_moves() for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None  # left over when an illegal move ended the last game
        self._mover = None
        self._advance(-1)

    def step(self, action: Any) -> None:
        """Make the move of ``agent_selection``; None when that agent is terminated or truncated, which removes it.

        ValueError, with nothing changed, for anything but a legal action; ``gymnasium.error.ResetNeeded`` if there is no agent.
        """
        if not self.agents:
            raise gymnasium.error.ResetNeeded("no game is going on: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        index = self._legal_index(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._advance(index)

    def _legal_index(self, action: Any) -> int:
        try:
            index = -1 if isinstance(action, bool) else operator.index(action)
        except TypeError:
            index = -1
        if not 0 <= index < len(self._mask) or not self._mask[index]:
            self.game.action_text(self._state, action)  # raises the error that names the legal moves
        return index

    def _advance(self, action: int) -> None:
        """Make a move (-1: none), throw what dice there are to throw, and turn to the agent whose decision is next."""
        legal_moves = step_and_observe(self.game.rules, self._state, action, self._mask, self._weights, self._seen)
        mover = self.possible_agents[self._state["player"][0]] if legal_moves else None
        if mover != self._mover and self._mover is not None:
            self.infos[self._mover] = self._no_moves()
        self._mover = mover
        if mover is None:
            self._finish()
        else:
            self.infos[mover] = {"action_mask": self._mask.copy()}
            self.agent_selection = mover
        self._renderer.render_if_watched(self._state)

    def _finish(self) -> None:
        ended = self.terminations if self._state["node"][0] == TERMINAL else self.truncations
        for agent, payoff in zip(self.agents, self.game.payoffs(self._state).tolist(), strict=True):
            self.rewards[agent] = payoff
            ended[agent] = True
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]

    def _no_moves(self) -> dict[str, np.ndarray]:
        return {"action_mask": np.zeros(self.game.num_actions, np.int8)}

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What ``agent`` sees now, in arrays of its own; at any time, in the game or out of it."""
        if agent == self._mover:
            seen, mask = self._seen.copy(), self._mask.copy()
        else:
            seen, mask = np.empty_like(self._seen), np.zeros_like(self._mask)
            loops.observe_one(self.game.rules, self._state, self._seats[agent], seen)
        return {"observation": seen.reshape(self.game.observation_shape), "action_mask": mask}

    def state(self) -> State:
        """A copy of the game's state, for the methods of ``game``. It throws the same dice as the environment: see ``game.reseed``."""
        return self._state.copy()

    @property
    def position(self) -> str:
        """The position's text, for ``reset`` and ``game.from_position``."""
        return self.game.position(self._state)

    def render(self) -> str | np.ndarray | None:
        """Text, uint8 pixels (height, width, 3), or None with the picture shown in a window, as ``render_mode`` says."""
        return self._renderer.render(self._state)

    def svg(self) -> str:
        """The picture as SVG text."""
        return rendering.picture(self.game, self._state).svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def close(self) -> None:
        self._renderer.close()


def wrapped(env: BoardEnv) -> AECEnv:
    """``env`` as PettingZoo wraps its classic games.

    An illegal move then ends the game: -1 for its agent, 0 for the others, all of them terminated and truncated.
    """
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))
