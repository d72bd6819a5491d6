"""A game at a terminal: between people and players by name, move by move, with moves taken back and the whole saved as a record."""

import time
from collections.abc import Iterable

import numpy as np

from ..envs.core import rendering
from ..envs.core.game import Game, State
from ..envs.core.players import Decisions, Player
from ..envs.core.random import seed_of
from ..envs.core.replay import Event, Record, replay, throw

HUMAN = "human"


class Match:
    """A record that goes on. players: a callable for each seat, None where a person decides."""

    def __init__(self, record: Record, players: list[Player | None]):
        self.record, self.players = record, players
        self.game: Game = record.game
        self.states: list[State] = list(replay(record))

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def over(self) -> bool:
        return self.game.is_over(self.state)

    @property
    def waits_for_person(self) -> bool:
        seat = self.game.player(self.state)
        return seat is not None and self.players[seat] is None

    def play(self, text: str) -> None:
        """Make a move. ValueError if it is not legal."""
        self._happened(Event("move", text), self.game.play(self.state, text))

    def go_on(self) -> Event:
        """Throw the dice, or let the player whose turn it is choose a move. Not to be called when a person is to decide."""
        seat = self.game.player(self.state)
        if seat is None:
            text, after = throw(self.game, self.state)
            event = Event("throw", text)
        else:
            action = self._chosen(seat)
            event, after = Event("move", self.game.action_text(self.state, action)), self.game.play(self.state, action)
        self._happened(event, after)
        return event

    def _chosen(self, seat: int) -> int:
        player = self.players[seat]
        assert player is not None
        # Seeded by place in the game, so that a game resumed or taken back goes on as it would have.
        seed = seed_of((self.record.seed or 0) + 1 + len(self.record.events))
        observation, mask = self.game.observe(self.state, seat), self.game.legal_mask(self.state)
        decisions = Decisions(self.game, self.state.copy(), observation[None], mask[None], np.array([seat]), np.array([seed], np.uint64))
        return int(player(decisions)[0])

    def _happened(self, event: Event, after: State) -> None:
        self.record.events.append(event)
        self.states.append(after)

    def undo(self) -> bool:
        """Go back to the last decision of a person before this one. False if there is none."""
        for index in range(len(self.states) - 2, -1, -1):
            seat = self.game.player(self.states[index])
            if seat is not None and self.players[seat] is None:
                del self.states[index + 1 :], self.record.events[index:]
                return True
        return False


def seat_letter(seat: int) -> str:
    return chr(ord("a") + seat)


def board(game: Game, state: State) -> str:
    """The position as text for a terminal, its last line a status."""
    return rendering.text(game, state)


class Story:
    """Tells what happens, the moves of one player in a row on one line."""

    def __init__(self, record: Record):
        self._names = record.players
        self._seat: int | None = None
        self._moves: list[str] = []

    def add(self, seat: int | None, event: Event) -> None:
        """seat: whose decision it was, None for a throw."""
        if event.kind == "throw":
            self.tell()
            print(f"thrown: {event.text}")
            return
        if seat != self._seat:
            self.tell()
        self._seat = seat
        self._moves.append(event.text)

    def tell(self) -> None:
        """Print what has not yet been printed."""
        if self._moves and self._seat is not None:
            print(f"{seat_letter(self._seat)} ({self._names[self._seat]}) plays {', '.join(self._moves)}")
        self._moves, self._seat = [], None


def show(record: Record, steps: Iterable[tuple[State, Event]], delay: float) -> None:
    """Print a game: the board whenever another player is up, and what happened in between.

    steps: each state with the event that happened in it. delay: seconds to wait after each board.
    """
    story, shown_for = Story(record), None
    for state, event in steps:
        seat = record.game.player(state)
        if seat is not None and seat != shown_for:
            story.tell()
            print(f"\n{board(record.game, state)}", flush=True)
            shown_for = seat
            time.sleep(delay)
        story.add(seat, event)
    story.tell()


def payoffs_text(game: Game, state: State) -> str:
    return "payoffs: " + ", ".join(f"{seat_letter(seat)} {payoff:+.4g}" for seat, payoff in enumerate(game.payoffs(state)))
