"""Set foot on every cell of a grid, which may have holes."""

from __future__ import annotations

import random
from collections.abc import Mapping

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter
from widthwise.classical.examples.grids import Place, beside, cell, neighbours
from widthwise.core.errors import UsageError


def _remaining(rng: random.Random, height: int, width: int, holes: int) -> list[Place]:
    """Return the cells left after punching holes that keep the grid in one piece.

    Holes are leaves of a random spanning tree, taken one after another: what remains of a tree is connected.
    """
    places = [(row, column) for row in range(height) for column in range(width)]
    root = rng.choice(places)
    parent: dict[Place, Place] = {}
    children = dict.fromkeys(places, 0)
    reached = {root}
    edges = [(root, other) for other in neighbours(root) if other in children]
    while edges:
        index = rng.randrange(len(edges))
        edges[index], edges[-1] = edges[-1], edges[index]
        place, other = edges.pop()
        if other in reached:
            continue
        reached.add(other)
        parent[other] = place
        children[place] += 1
        edges += [(other, further) for further in neighbours(other) if further in children]

    leaves = [place for place in places if place != root and not children[place]]
    for _ in range(holes):
        index = rng.randrange(len(leaves))
        leaves[index], leaves[-1] = leaves[-1], leaves[index]
        leaf = leaves.pop()
        del children[leaf]
        above = parent[leaf]
        children[above] -= 1
        if above != root and not children[above]:
            leaves.append(above)
    return list(children)


def _generate(rng: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    height, width, holes = sizes["height"], sizes["width"], sizes["holes"]
    most = height * width - 2
    if holes > most:
        raise UsageError(f"a grid of {width} x {height} cells can have at most {max(most, 0)} holes, not {holes}")
    places = _remaining(rng, height, width, holes)
    cells = [cell(*place) for place in places]
    start = rng.choice(cells)
    init = [f"(standing {start})", f"(visited {start})", *beside(places)]
    return GeneratedProblem([("cell", cells)], init, [f"(visited {name})" for name in cells])


VISIT_ALL = Example(
    name="visit-all",
    summary="visit every cell of a grid, with or without holes",
    parameters=(
        Parameter("width", 4, 2, 200, "cells of a row"),
        Parameter("height", 3, 1, 200, "rows"),
        Parameter("holes", 0, 0, 39_998, "cells removed at random; the remaining cells, at least two, stay connected"),
    ),
    generate=_generate,
    domain_name="visit-all",
)
