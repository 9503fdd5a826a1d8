"""The tree of one traced search as plain data for a page.

A node is stored as its parent and the number of a *change*: an operator with what it made true and false there. The
page builds states from changes and derives the reasons of pruning from states, so that neither has to be stored.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from widthwise import _native
from widthwise.core.trace import NONE, Colouring, TracedSearch
from widthwise.explorer.best_first_data import dropped_successors, judged
from widthwise.explorer.first_showings import Showings, first_showings
from widthwise.explorer.sampling import Selection, select, with_owners

Column = npt.NDArray[np.uint32]

#: How many states are held while changes are computed. Children mostly follow one another, so that few are enough.
_MOST_STATES = 512
_SEED = 23


class Named(Protocol):
    """A task, as far as its names are concerned."""

    @property
    def atoms(self) -> Sequence[str]:
        """The names of the atoms."""

    def operator_name(self, op: int, /) -> str:
        """The name of an operator."""


@dataclass(slots=True)
class Names:
    """The features that a page names, numbered in the order of their first use.

    An atom is a feature; so is the falsehood of an atom, written `~atom` here, where novelty is computed over values.
    """

    task: Named
    numbers: dict[int, int] = field(default_factory=dict)

    def number(self, feature: int) -> int:
        """The number of a feature on the page."""
        return self.numbers.setdefault(feature, len(self.numbers))

    def all(self) -> list[str]:
        """The names, by number."""
        atoms = self.task.atoms
        return [atoms[feature] if feature >= 0 else f"(not {atoms[~feature]})" for feature in self.numbers]

    def false(self) -> list[int]:
        """The numbers of those that stand for the falsehood of an atom."""
        return [number for feature, number in self.numbers.items() if feature < 0]


def goal_node(traced: TracedSearch) -> int | None:
    """The node of a search at which its goal was reached."""
    flags = np.frombuffer(traced.search.columns()[4], dtype="<u4")
    goals = np.flatnonzero(flags & _native.GOAL)
    return int(goals[0]) if len(goals) else None


def branch(traced: TracedSearch, node: int) -> list[int]:
    """The nodes from the root to a node."""
    nodes = [node]
    while (parent := traced.search.node(nodes[-1])[0]) is not None:
        nodes.append(parent)
    return nodes[::-1]


def tree_data(traced: TracedSearch, names: Names, most: int) -> tuple[dict[str, Any], Selection]:
    """The tree of a search.

    Args:
        traced: The search.
        names: The features of the page; those of the tree are added.
        most: The most nodes to show.

    Returns:
        Plain data, and which nodes were chosen.
    """
    parents, operators, _, regions, flags = (np.frombuffer(data, dtype="<u4") for data in traced.search.columns())
    goal = goal_node(traced)
    entries = [int(node) for node in np.flatnonzero(flags & _native.ENTRY)]
    path = [] if goal is None else branch(traced, goal)
    selection, showings = _selected(traced, parents.tolist(), path, entries, most)
    place = {node: index for index, node in enumerate(selection.nodes)}
    shown = np.asarray(selection.nodes, dtype=np.int64)
    changes = _Changes(traced, names)
    data = {
        "planner": traced.planner,
        "stage": traced.stage,
        "widths": ["n" if width == _native.ALL_FEATURES else width for width in traced.widths],
        "entryInTable": traced.entry_in_table,
        "keepsTables": traced.keeps_tables,
        "generated": traced.search.generated,
        "total": selection.total,
        "complete": selection.complete,
        "entriesComplete": selection.entries_complete,
        "first": _first(showings, place, names),
        "firstLeft": {place[node]: left for node, left in showings.left.items() if left},
        "numbers": None if len(selection.nodes) == selection.total else list(selection.nodes),
        "parent": [place.get(int(parent), -1) for parent in parents[shown]],
        "change": [changes.number(int(node), int(parents[node]), int(operators[node])) for node in selection.nodes],
        "region": _signed(regions[shown]),
        "flags": flags[shown].tolist(),
        "root": sorted(changes.features(0)) if selection.total else [],
        "goal": None if goal is None else place[goal],
        "levels": _levels(traced, names, entries, place),
        "chapters": _chapters(traced, names, place),
        "judged": judged(traced, selection.nodes),
        "dropped": dropped_successors(traced, selection.nodes, changes.operator_number),
    }
    data["changes"], data["operators"] = changes.rows, changes.names()
    return data, selection


def _selected(
    traced: TracedSearch, parents: Sequence[int], path: Sequence[int], entries: Sequence[int], most: int
) -> tuple[Selection, Showings]:
    """The nodes of a page, and who showed the tuples of those first that are not in the complete beginning."""
    if len(parents) <= most or not traced.widths:
        return select(parents, path, entries, most), Showings()
    # A tenth of the page is left for the nodes that showed the tuples of the others first.
    selection = select(parents, path, entries, most - most // 10)
    behind = [node for node in selection.nodes if node >= selection.complete]
    random.Random(_SEED).shuffle(behind)
    wanted = dict.fromkeys([node for node in path if node >= selection.complete] + behind)
    showings = first_showings(traced, list(wanted))
    return with_owners(selection, parents, showings, most), showings


def _first(showings: Showings, place: Mapping[int, int], names: Names) -> dict[int, list[list[Any]]]:
    """By place: each tuple as the numbers of its features (None for the whole state), and its first node."""
    rows: dict[int, list[list[Any]]] = {}
    for node, shown in showings.first.items():
        rows[place[node]] = [
            [None if isinstance(key, frozenset) else [names.number(feature) for feature in key], owner]
            for key, owner in shown
        ]
    return rows


class _Changes:
    """The different changes of a tree: operator, features that became true, features that became false."""

    def __init__(self, traced: TracedSearch, names: Names) -> None:
        self.traced, self.page = traced, names
        self.complements = traced.operators.complements
        self.rows: list[list[Any]] = []
        self.known: dict[tuple[int, frozenset[int], frozenset[int]], int] = {}
        self.operators: dict[int, int] = {}
        self.features = lru_cache(maxsize=_MOST_STATES)(self._features)

    def _features(self, node: int) -> frozenset[int]:
        """The features of a node's state, by their numbers on the page."""
        state = self.traced.search.state(node)
        number = self.page.number
        true = {number(atom) for atom in state}
        return frozenset(true | {number(~atom) for atom in self.complements if atom not in state})

    def number(self, node: int, parent: int, operator: int) -> int:
        """The number of the change that led to a node; -1 for the root."""
        if parent == NONE:
            return -1
        before, after = self.features(parent), self.features(node)
        operator = self.operator_number(operator)
        change = (operator, after - before, before - after)
        if change not in self.known:
            self.known[change] = len(self.rows)
            self.rows.append([operator, sorted(change[1]), sorted(change[2])])
        return self.known[change]

    def operator_number(self, operator: int) -> int:
        """The number of an operator on the page."""
        return self.operators.setdefault(operator, len(self.operators))

    def names(self) -> list[str]:
        """The names of the operators."""
        return [self.page.task.operator_name(operator) for operator in self.operators]


def _signed(column: Column) -> list[int]:
    """A column with -1 for none."""
    signed: list[int] = column.astype("<i4").tolist()
    return signed


def _literal(names: Names, literal: int) -> list[Any]:
    """A literal as the page has it: the number of its atom, and whether the atom is true in it."""
    return [names.number(literal // 2), literal % 2 == 0]


def _levels(
    traced: TracedSearch, names: Names, entries: Sequence[int], place: Mapping[int, int]
) -> list[dict[str, Any]]:
    """The levels above the lowest, highest first: their literals, or the values of their function at entries."""
    levels: list[dict[str, Any]] = []
    search = traced.search
    for features in traced.features:
        literals = features if isinstance(features, list) else features.native
        if not callable(literals):
            levels.append({"literals": [_literal(names, literal) for literal in literals]})
            continue
        shown = {place[node]: features.vector(search.state(node)) for node in (0, *entries) if node in place}
        values = {node: [f"{number}: {value}" for number, value in enumerate(row)] for node, row in shown.items()}
        levels.append({"literals": None, "values": values})
    if len(levels) > 1:
        changed = {place[node]: _changed_level(traced, node) for node in entries if node in place}
        levels[0]["entryLevel"] = changed
    return levels


def _changed_level(traced: TracedSearch, node: int) -> int:
    """The highest level whose features differ between a node and its parent."""
    parent = traced.search.node(node)[0]
    assert parent is not None
    before, after = traced.search.state(parent), traced.search.state(node)
    for level, features in enumerate(traced.features):
        if callable(features.native):
            if features.native(before) != features.native(after):
                return level
        elif any((literal // 2 in before) != (literal // 2 in after) for literal in features.native):
            return level
    raise AssertionError("an entry changes a level")


def _chapters(traced: TracedSearch, names: Names, place: Mapping[int, int]) -> list[dict[str, Any]]:
    """The chapters before the last one of an incremental search, for the nodes that are shown."""
    chapters, before = [], 0
    for colouring in traced.colourings:
        chapters.append(_chapter(colouring, before, names, place))
        before = colouring.nodes
    return chapters


def _chapter(colouring: Colouring, before: int, names: Names, place: Mapping[int, int]) -> dict[str, Any]:
    changed = np.frombuffer(colouring.changed, dtype="<u4")
    nodes = np.concatenate([changed, np.arange(before, colouring.nodes, dtype="<u4")])
    rows = [(place[int(node)], index) for index, node in enumerate(nodes) if int(node) in place]
    kept = [index for _, index in rows]
    return {
        "nodes": colouring.nodes,
        "literals": len(colouring.literals),
        "added": [_literal(names, literal) for literal in colouring.added],
        "proposer": None if colouring.proposer is None else place.get(colouring.proposer),
        "changed": [node for node, _ in rows],
        "regions": _signed(np.frombuffer(colouring.regions, dtype="<u4")[kept]),
        "flags": np.frombuffer(colouring.flags, dtype="<u4")[kept].tolist(),
    }
