"""Reading position texts: what every game's notation shares."""

import re


class PositionError(ValueError):
    """A position text that stands for no position. The message names the field, what is wrong and what would be right."""


def split_fields(text: str, names: str) -> list[str]:
    """The fields of a position text, as many as ``names`` (upper case, separated by spaces) has."""
    if not isinstance(text, str):
        raise PositionError(f"a position is a text of the fields {names!r}, got {text!r}")
    fields = text.split(" ")
    if len(fields) != len(names.split()):
        raise PositionError(f"position {text!r} has {len(fields)} fields, not the {len(names.split())} of {names!r} with one space between")
    return fields


def read_int(text: str, field: str, low: int, high: int) -> int:
    """A whole number in plain digits without leading zeros, low <= number <= high."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,9}", text, re.ASCII) or not low <= int(text) <= high:
        raise PositionError(f"{field} must be a whole number from {low} to {high} without leading zeros, got {text!r}")
    return int(text)


def read_letter(text: str, field: str, letters: str) -> int:
    """The index of a single letter of ``letters``."""
    if len(text) != 1 or text not in letters:
        raise PositionError(f"{field} must be one of {', '.join(letters)}, got {text!r}")
    return letters.index(text)
