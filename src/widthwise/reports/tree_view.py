"""What a search tree knows at one step, made ready for drawing: where it looked, and which high-level states it met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from widthwise.simulator_search.tree import NONE, Tree

Cell = tuple[int, int]  # row, column
#: Says where a snapshot is, for worlds made of cells.
CellOf = Callable[[Any], Cell]


@dataclass(slots=True)
class TreeView:
    """A tree, looked at: the number of each node's high-level state, and the states met in each cell."""

    state: dict[int, int] = field(default_factory=dict)  # tree node -> number of its high-level state
    cells: dict[Cell, list[int]] = field(default_factory=dict)  # cell -> numbers of the states met there
    edges: dict[tuple[Cell, Cell], int] = field(default_factory=dict)  # between cells, with the number of the state
    here: Cell | None = None  # the cell of the root


class TreeViewer:
    """Looks at trees and numbers high-level states in the order they are first met, for a whole episode.

    A state keeps its number when the tree forgets it and meets it again, so that it keeps its colour in a film.
    Without a hierarchy all nodes have the number 0.
    """

    def __init__(self, place: CellOf | None = None) -> None:
        self.place = place
        self.numbers: dict[bytes, int] = {}

    def view(self, tree: Tree) -> TreeView:
        """Everything there is to draw of a tree."""
        seen = TreeView()
        top = tree.regions[-1] if tree.regions else None
        places: dict[int, Cell] = {}
        for node in tree.nodes.live:
            number = 0
            if top is not None:
                number = self.numbers.setdefault(top.features[top.of[node]], len(self.numbers))
            seen.state[node] = number
            snapshot = tree.snapshot[node]
            if self.place is None or snapshot is None:  # nobody can go on from an end, so it has no snapshot
                continue
            places[node] = here = self.place(snapshot)
            met = seen.cells.setdefault(here, [])
            if number not in met:
                met.append(number)
            parent = tree.nodes.parent[node]
            if parent != NONE and places[parent] != here:
                seen.edges[places[parent], here] = number
        seen.here = places.get(tree.root)
        return seen
