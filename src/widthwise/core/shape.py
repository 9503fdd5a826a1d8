"""Shapes of plain data: checks of JSON files and checkpoints before they are used.

A shape is a function of a value and its place; it raises `Mismatch` if the value does not fit. Fields that a shape does
not name are accepted, so that files of later versions can be read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[Any, str], None]


class Mismatch(ValueError):
    """A value does not have the expected shape; the message names the place."""


def _refuse(value: Any, place: str, wanted: str) -> Mismatch:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a string", type(None): "null"}
    kind = "a list" if isinstance(value, list | tuple) else "an object" if isinstance(value, dict) else None
    shown = kind or kinds.get(type(value), f"a {type(value).__name__}")
    short = isinstance(value, bool | int | float | str) and len(repr(value)) <= 40
    return Mismatch(f"{place or 'the value'} is {repr(value) if short else shown}, not {wanted}")


def anything(value: Any, place: str) -> None:
    """Every value."""


def nothing(value: Any, place: str) -> None:
    """No value: null."""
    if value is not None:
        raise _refuse(value, place, "null")


def text(value: Any, place: str) -> None:
    """A string."""
    if not isinstance(value, str):
        raise _refuse(value, place, "a string")


def switch(value: Any, place: str) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise _refuse(value, place, "true or false")


def number(value: Any, place: str) -> None:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        raise _refuse(value, place, "a finite number")


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False


def whole(least: int | None = 0, most: int = 2**63 - 1) -> Shape:
    """A whole number within bounds."""

    def check(value: Any, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise _refuse(value, place, "a whole number")
        if (least is not None and value < least) or value > most:
            raise _refuse(value, place, f"a whole number from {least if least is not None else 'below 0'} to {most}")

    return check


def choice(*values: Any) -> Shape:
    """One of several values."""

    def check(value: Any, place: str) -> None:
        if not any(type(value) is type(allowed) and value == allowed for allowed in values):
            raise _refuse(value, place, " or ".join(map(repr, values)))

    return check


def items(shape: Shape, most: int | None = None) -> Shape:
    """A list whose items have one shape."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, list | tuple):
            raise _refuse(value, place, "a list")
        if most is not None and len(value) > most:
            raise Mismatch(f"{place} has {len(value):,} items; at most {most:,} are allowed")
        for index, item in enumerate(value):
            shape(item, f"{place}[{index}]")

    return check


def table(shape: Shape) -> Shape:
    """An object whose values all have one shape."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise _refuse(value, place, "an object")
        for name, item in value.items():
            shape(item, f"{place}.{name}" if place else str(name))

    return check


def fields(required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """An object with fields of these names; other fields are accepted."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise _refuse(value, place, "an object")
        for name, shape in required.items():
            if name not in value:
                raise Mismatch(f"{place + ': the' if place else 'the'} field {name!r} is missing")
            shape(value[name], f"{place}.{name}" if place else name)
        for name, shape in (optional or {}).items():
            if name in value:
                shape(value[name], f"{place}.{name}" if place else name)

    return check


def either(*shapes: Shape) -> Shape:
    """A value that fits one of several shapes; the message is that of the first shape."""

    def check(value: Any, place: str) -> None:
        first: Mismatch | None = None
        for shape in shapes:
            try:
                return shape(value, place)
            except Mismatch as error:
                first = first or error
        assert first is not None
        raise first

    return check


def optional(shape: Shape) -> Shape:
    """A value of a shape, or null."""
    return either(shape, nothing)


def both(*shapes: Shape) -> Shape:
    """A value that fits all of several shapes."""

    def check(value: Any, place: str) -> None:
        for shape in shapes:
            shape(value, place)

    return check
