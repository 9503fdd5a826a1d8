"""The data of a search tree for drawing: its cells, and the high-level states of its nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from widthwise.simulator_search.tree import NONE, Tree

Cell = tuple[int, int]  # row, column
#: The cell of a snapshot, for environments made of cells.
CellOf = Callable[[Any], Cell]


@dataclass(slots=True)
class TreeView:
    """The number of each node's high-level state, and the states of each cell."""

    state: dict[int, int] = field(default_factory=dict)  # tree node -> number of its high-level state
    cells: dict[Cell, list[int]] = field(default_factory=dict)  # cell -> numbers of the states met there
    edges: dict[tuple[Cell, Cell], int] = field(default_factory=dict)  # between cells, with the number of the state
    here: Cell | None = None  # the cell of the root


class TreeViewer:
    """Numbers the high-level states of trees in the order in which they first appear in an episode.

    A state that disappears and appears again keeps its number, and so its colour in a video.
    Without a hierarchy all nodes have the number 0.
    """

    def __init__(self, place: CellOf | None = None) -> None:
        self.place = place
        self.numbers: dict[bytes, int] = {}

    def view(self, tree: Tree) -> TreeView:
        """The data for drawing a tree."""
        seen = TreeView()
        top = tree.regions[-1] if tree.regions else None
        places: dict[int, Cell] = {}
        for node in tree.nodes.live:
            number = 0
            if top is not None:
                number = self.numbers.setdefault(top.features[top.of[node]], len(self.numbers))
            seen.state[node] = number
            snapshot = tree.snapshot[node]
            if self.place is None or snapshot is None:  # an end has no snapshot
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
