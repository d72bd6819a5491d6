"""What ``render`` returns or shows, the same for every kind of environment."""

import importlib
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np

from .drawing import Drawing, rendering_libraries
from .game import Game, State

RENDER_MODES = ("ansi", "rgb_array", "human")
FRAMES_PER_SECOND = 4


def _drawing_module(game: Game) -> ModuleType:
    return importlib.import_module("..drawing", type(game.rules).__module__)


def text(game: Game, state: State) -> str:
    """The position for a terminal, by lines."""
    return _drawing_module(game).ansi(game.rules, state[0])


def picture(game: Game, state: State) -> Drawing:
    """The position as a drawing, of one size throughout a game."""
    return _drawing_module(game).draw(game.rules, state[0])


class Renderer:
    """Renders states of ``game``. ValueError for a render mode that is neither None nor in ``RENDER_MODES``."""

    def __init__(self, game: Game, render_mode: str | None):
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be None or one of {', '.join(RENDER_MODES)}, got {render_mode!r}")
        self._game, self._mode = game, render_mode
        self._window: Any = None
        self._clock: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None, "_clock": None}  # a window can neither be copied nor pickled: the copy opens its own

    def render(self, state: State) -> str | np.ndarray | None:
        """Text for ``ansi``, uint8 (height, width, 3) for ``rgb_array``; ``human`` shows the same picture in a window and returns None."""
        if self._mode is None:
            gymnasium.logger.warn("render() does nothing in an environment made without a render_mode")
            return None
        if self._mode == "ansi":
            return text(self._game, state)
        frame = picture(self._game, state).rgb_array()
        if self._mode == "rgb_array":
            return frame
        self._show(frame)
        return None

    def render_if_watched(self, state: State) -> None:
        """In mode ``human``, show the state without having been asked."""
        if self._mode == "human":
            self.render(state)

    def _show(self, frame: np.ndarray) -> None:
        pygame, _ = rendering_libraries()
        if self._window is None:
            pygame.display.init()
            self._window = pygame.display.set_mode((frame.shape[1], frame.shape[0]))
            pygame.display.set_caption(self._game.name.capitalize())
            self._clock = pygame.time.Clock()
        self._window.blit(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(FRAMES_PER_SECOND)

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._window is not None:
            pygame, _ = rendering_libraries()
            pygame.display.quit()
            self._window = None
