"""Evaluations as tables for people."""

from collections.abc import Mapping

from rich.table import Table

from .arena import Evaluation, Score


def _share(middle: float, low: float, high: float) -> str:
    return f"{middle:.1%}  ({low:.1%} to {high:.1%})"


def _payoff(score: Score) -> str:
    return f"{score.payoff:+.3f}  ({score.payoff_low:+.3f} to {score.payoff_high:+.3f})"


def _seats(score: Score) -> str:
    return "  ".join(f"{'abcdefghijklmnop'[seat]} {share:.1%}" for seat, share in enumerate(score.by_seat))


def _endings(evaluation: Evaluation) -> str:
    return ", ".join(f"{text} {count / evaluation.games:.1%}" for text, count in evaluation.endings.items() if count)


def describe(evaluation: Evaluation) -> str:
    """What was played, in one or two sentences."""
    options = " ".join(f"{key}={value}" for key, value in evaluation.game.items() if key != "name")
    return (
        f"{evaluation.games:,} games of {evaluation.game['name']} ({options}): {evaluation.seeds:,} seeds in {evaluation.orders} seat orders each; "
        f"{evaluation.mean_turns:.1f} turns on average. How they ended: {_endings(evaluation)}."
    )


def evaluation_table(evaluation: Evaluation) -> Table:
    """A row for each player."""
    table = Table("player", "seats", "wins (95 % interval)", "payoff (95 % interval)", "wins by seat", caption_justify="left")
    table.caption = f"Equal players would win {evaluation.fair:.1%} a seat; a shared win counts in parts."
    for score in evaluation.scores:
        wins = _share(score.wins, score.wins_low, score.wins_high)
        table.add_row(score.name, str(score.seats), wins, _payoff(score), _seats(score))
    return table


def training_table(results: Mapping[str, Evaluation]) -> Table:
    """A row for each opponent, with how the trained policy did against it."""
    table = Table("against", "games", "wins (95 % interval)", "payoff (95 % interval)", "wins by seat", "ended by")
    for name, evaluation in results.items():
        score = evaluation.scores[0]
        wins = _share(score.wins, score.wins_low, score.wins_high)
        table.add_row(name, f"{evaluation.games:,}", wins, _payoff(score), _seats(score), _endings(evaluation))
    return table
