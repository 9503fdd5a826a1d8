"""What a traced run keeps: its searches with all their nodes, and how restructuring coloured the tree each time.

A traced search stores pruned nodes, which changes neither the order of nodes nor the plan. Nothing else is computed
while the search runs; the explorer derives the reasons of pruning afterwards, from the recorded tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from widthwise import _native

#: The columns of a tree as the kernel stores them: 32-bit numbers, with this one for "none".
NONE = 0xFFFFFFFF


@dataclass(slots=True)
class Colouring:
    """The tree at the end of one chapter of an incremental search: what changed since the chapter before.

    Args:
        nodes: How many nodes the tree had.
        literals: The high-level features of the chapter: `2 * atom`, or `2 * atom + 1` for its falsehood.
        added: The features with which the tree was restructured then; empty if pruned high-level nodes were resumed.
        proposer: The pruned node whose branch proposed them.
        changed: The earlier nodes whose region or flags changed, as 32-bit numbers.
        regions: The regions of the changed nodes, then of the nodes that are new, as 32-bit numbers.
        flags: Their flags, in the same order.
    """

    nodes: int
    literals: tuple[int, ...]
    added: tuple[int, ...]
    proposer: int | None
    changed: bytes
    regions: bytes
    flags: bytes


@dataclass(slots=True)
class TracedSearch:
    """One native search of a traced run.

    Args:
        planner: The name of the search, such as IW(2).
        stage: The name of the planner of a portfolio that ran it.
        search: The search, with its tree.
        operators: The operators of the task that was searched.
        goal_pos: The atoms that had to be true.
        goal_neg: The atoms that had to be false.
        one_of: Literals of which one had to hold as well.
        widths: The widths of its levels, highest first; empty for a best-first search.
        features: The features of the levels above the lowest: literals, or an object with a feature function.
        entry_in_table: Whether an entry also counts as seen in the region it was generated from.
        keeps_tables: Whether a region that lost nodes keeps the novelty table it had.
        colourings: The chapters before the last one, for an incremental search.
    """

    planner: str
    stage: str
    search: _native.Search | _native.BestFirst
    operators: _native.Operators
    goal_pos: Sequence[int]
    goal_neg: Sequence[int]
    one_of: Sequence[int]
    widths: tuple[int, ...] = ()
    features: list[Any] = field(default_factory=list)
    entry_in_table: bool = True
    keeps_tables: bool = False
    colourings: list[Colouring] = field(default_factory=list)
    _regions: Any = None  # of the last colouring
    _flags: Any = None

    def colour(self, literals: Sequence[int], added: Sequence[int], proposer: int | None) -> None:
        """Keep the regions and flags of the tree, before it is restructured with the features `added`."""
        import numpy as np

        *_, regions, flags = (np.frombuffer(column, dtype="<u4") for column in self.search.columns())
        before = 0 if self._regions is None else len(self._regions)
        changed = np.zeros(0, dtype="<u4")
        if before:
            differs = (regions[:before] != self._regions) | (flags[:before] != self._flags)
            changed = np.flatnonzero(differs).astype("<u4")
        kept = np.concatenate([changed, np.arange(before, len(regions), dtype="<u4")])
        self.colourings.append(
            Colouring(
                len(regions),
                tuple(literals),
                tuple(added),
                proposer,
                changed.tobytes(),
                regions[kept].tobytes(),
                flags[kept].tobytes(),
            )
        )
        self._regions, self._flags = regions, flags


@dataclass(slots=True)
class Trace:
    """The searches of a traced run, in the order in which they began."""

    searches: list[TracedSearch] = field(default_factory=list)
    stage: str = ""  # the planner of a portfolio that is running

    def of(self, search: _native.Search | _native.BestFirst) -> TracedSearch:
        """What is kept of a search."""
        return next(traced for traced in self.searches if traced.search is search)
