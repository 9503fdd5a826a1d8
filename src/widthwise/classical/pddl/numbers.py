"""Numbers of PDDL files, held exactly: whole numbers as integers, all others as fractions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias, Union

if TYPE_CHECKING:
    from fractions import Fraction

Number: TypeAlias = Union[int, "Fraction"]

#: The longest number that is read, and the largest exponent: more than any double has.
MOST_DIGITS = 400
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e([+-]?[0-9]+))?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_LARGEST = 2**1024 - 2**970  # the largest double


def is_number(token: str) -> bool:
    """Tell whether a token is written as a number, however large."""
    return _NUMBER.fullmatch(token) is not None


def number(token: str) -> Number | None:
    """Return the exact value of a number, or nothing if the token is none or is too large or too long to be held.

    Its size is limited to that of doubles, because searches compare costs as doubles.
    """
    match = _NUMBER.fullmatch(token)
    if match is None or len(token) > MOST_DIGITS or (match[1] is not None and abs(int(match[1])) > MOST_DIGITS):
        return None
    if _WHOLE.fullmatch(token):
        value: Number = int(token)
    else:
        from fractions import Fraction  # takes 3 ms to import, and most tasks have whole numbers only

        value = Fraction(token)
    return simple(value) if -_LARGEST <= value <= _LARGEST else None


def simple(value: Number) -> Number:
    """Return a whole number as an integer."""
    return value.numerator if value.denominator == 1 else value


def plain(value: Number) -> int | float:
    """Return a number for people and JSON: whole numbers exactly, others as the nearest double."""
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError:
        return round(value)
