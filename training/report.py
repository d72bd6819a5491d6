"""Evaluations as tables for people."""

from collections.abc import Mapping

from rich.table import Table

from .arena import Evaluation, Score
from .match import seat_letter


def _wins(score: Score) -> str:
    return f"{score.wins:.1%} ({100 * score.wins_low:.1f}-{100 * score.wins_high:.1f})"


def _payoff(score: Score) -> str:
    return f"{score.payoff:+.3f} ({score.payoff_low:+.3f} to {score.payoff_high:+.3f})"


def _seats(score: Score) -> str:
    return " ".join(f"{seat_letter(seat)}:{share:.0%}" for seat, share in enumerate(score.by_seat))


def _table(*columns: str) -> Table:
    table = Table(*columns, caption_justify="left", caption="In brackets: 95 % intervals.")
    table.columns[0].overflow = "fold"
    for column in table.columns[1:4]:
        column.no_wrap = True
    return table


def _endings(evaluation: Evaluation) -> str:
    return ", ".join(f"{text} {count / evaluation.games:.1%}" for text, count in evaluation.endings.items() if count)


def describe(evaluation: Evaluation) -> str:
    """What was played and how it ended, in some sentences."""
    options = " ".join(f"{key}={value}" for key, value in evaluation.game.items() if key != "name")
    orders = f"{evaluation.seeds:,} seeds, seat orders of each: {evaluation.orders}"
    return (
        f"{evaluation.games:,} games of {evaluation.game['name']} ({options}): {orders}; {evaluation.mean_turns:.1f} turns on average. "
        f"Ended by: {_endings(evaluation)}. Equal players would win {evaluation.fair:.1%} a seat; a shared win counts in parts."
    )


def evaluation_table(evaluation: Evaluation) -> Table:
    """A row for each player."""
    table = _table("player", "seats", "wins", "payoff", "by seat")
    for score in evaluation.scores:
        table.add_row(score.name, str(score.seats), _wins(score), _payoff(score), _seats(score))
    return table


def training_table(results: Mapping[str, Evaluation]) -> Table:
    """A row for each opponent, with how the trained policy did against it."""
    table = _table("against", "games", "wins", "payoff", "by seat")
    for name, evaluation in results.items():
        score = evaluation.scores[0]
        table.add_row(name, f"{evaluation.games:,}", _wins(score), _payoff(score), _seats(score))
    return table
