"""Sliding tiles in a square frame: the 8-puzzle and its larger sisters."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter, numbered
from widthwise.classical.examples.grids import beside, cell


def _solvable(layout: Sequence[int], side: int) -> bool:
    """Whether slides can bring tiles 1, 2, … to cells 0, 1, … and the free cell, written 0, to the last.

    Each slide swaps the free cell with a neighbour. That changes the parity of the permutation, and also that
    of the free cell's distance from the last cell. In the solved layout the two parities agree, hence always.
    """
    count = side * side
    target = [(tile - 1) % count for tile in layout]
    seen = [False] * count
    swaps = 0
    for first in range(count):
        length, at = 0, first
        while not seen[at]:
            seen[at] = True
            at = target[at]
            length += 1
        swaps += max(length - 1, 0)
    row, column = divmod(layout.index(0), side)
    distance = (side - 1 - row) + (side - 1 - column)
    return swaps % 2 == distance % 2


def _generate(rng: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    side = sizes["side"]
    count = side * side
    solved = [*range(1, count), 0]
    layout = solved
    while layout == solved:
        layout = rng.sample(solved, count)
        if not _solvable(layout, side):
            first, second = (index for index, tile in enumerate(layout) if tile in (1, 2))
            layout[first], layout[second] = layout[second], layout[first]
    tiles = numbered("t", count - 1)
    cells = [cell(row, column) for row in range(side) for column in range(side)]
    start = dict(zip(layout, cells, strict=True))
    init = [f"(free {start[0]})"]
    init += [f"(tile-at {tile} {start[number]})" for number, tile in enumerate(tiles, 1)]
    init += beside([divmod(index, side) for index in range(count)])
    goal = [f"(tile-at {tile} {place})" for tile, place in zip(tiles, cells, strict=False)]
    return GeneratedProblem([("cell", cells), ("tile", tiles)], init, goal)


PUZZLE = Example(
    name="8puzzle",
    summary="slide numbered tiles into order, from a random layout that can be solved",
    parameters=(Parameter("side", 3, 2, 30, "cells along each side of the frame; 3 is the 8-puzzle"),),
    generate=_generate,
    domain_name="sliding-tiles",
)
