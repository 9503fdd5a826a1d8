"""Cells of a grid, shared by the families played on one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Place = tuple[int, int]


def cell(row: int, column: int) -> str:
    """Return the object name of a cell; rows and columns count from 1 in it."""
    return f"c{row + 1}-{column + 1}"


def neighbours(place: Place) -> Iterator[Place]:
    """Yield the four places that share an edge with this one, on the grid or not."""
    row, column = place
    yield row - 1, column
    yield row, column - 1
    yield row, column + 1
    yield row + 1, column


def beside(places: Sequence[Place]) -> list[str]:
    """Return the atoms `(beside c d)` of all pairs among the places, in both directions."""
    known = set(places)  # looked up, never iterated over
    return [
        f"(beside {cell(*place)} {cell(*other)})" for place in places for other in neighbours(place) if other in known
    ]
