"""Which nodes of a tree a page shows: all of them, or the plan, entries, the first nodes and a sample of the others."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from widthwise.core.showing import counted
from widthwise.explorer.first_showings import Showings

#: The most nodes of all trees of a page together.
MOST_NODES = 50_000
_SEED = 17


@dataclass(frozen=True, slots=True)
class Selection:
    """The nodes of one tree that are shown, in ascending order; a node comes with all nodes above it.

    Args:
        nodes: The numbers of the nodes.
        complete: The nodes below this number are all shown.
        total: How many nodes the tree has.
        entries_complete: The entries of high-level nodes below this number are all shown.
        note: What is left out, in sentences; empty if nothing is.
    """

    nodes: Sequence[int]
    complete: int
    total: int
    entries_complete: int
    note: str = ""


def shares(sizes: Sequence[int], most: int) -> list[int]:
    """How many nodes of each tree are shown: small trees whole, the others with equal shares of what is left.

    Args:
        sizes: The nodes of each tree.
        most: The most nodes of all trees together.

    Returns:
        The limit of each tree; at least 1, so that every tree has its root.

    Example:
        >>> shares([70, 10, 500], 100)
        [45, 10, 45]
    """
    limits = [0] * len(sizes)
    for position, tree in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        limits[tree] = max(1, min(sizes[tree], most // (len(sizes) - position)))
        most = max(0, most - limits[tree])
    return limits


def select(parents: Sequence[int], path: Sequence[int], entries: Sequence[int], most: int) -> Selection:
    """Choose nodes of a tree.

    Args:
        parents: The parent of each node; the root has a number that is not below the number of nodes.
        path: The nodes of the plan.
        entries: The nodes that begin a high-level node.
        most: The most nodes to choose; the root and the nodes of the plan are chosen in any case.

    Returns:
        The choice. The nodes that were generated first are shown without a gap, so that the reasons of pruning among
        them are complete.
    """
    total = len(parents)
    if total <= most:
        return Selection(range(total), total, total, total)
    chosen: set[int] = set()

    def add(candidates: Iterable[int], room: int) -> int:
        added = 0
        for node in candidates:
            above = []
            while node < total and node not in chosen:
                above.append(node)
                node = parents[node]
            if len(chosen) + len(above) > room:
                break
            chosen.update(above)
            added += 1
        return added

    add([0, *path], total)
    shown_entries = add(entries, most // 4)
    complete = 0
    while complete < total and (complete in chosen or len(chosen) < 3 * most // 4):
        add([complete], total)
        complete += 1
    rest = [node for node in range(complete, total) if node not in chosen]
    random.Random(_SEED).shuffle(rest)
    sampled = add(rest, most)
    if len(chosen) == total:  # the plan alone may take more than its share
        return Selection(range(total), total, total, total)
    parts = [f"the first {complete:,} in the order of generation", "the plan"] if path else [f"the first {complete:,}"]
    if entries:
        few = "all" if shown_entries == len(entries) else f"the first {shown_entries:,} of"
        parts.append(f"{few} {counted(len(entries), 'entry', 'entries')} of high-level nodes")
    parts.append(f"a random sample of {sampled:,} others")
    note = (
        f"The tree has {total:,} nodes. This page shows {len(chosen):,} of them: {', '.join(parts)}, each with the "
        "nodes above it."
    )
    all_entries = next((node for node in entries if node not in chosen), total)
    return Selection(sorted(chosen), complete, total, all_entries, note)


def with_owners(selection: Selection, parents: Sequence[int], showings: Showings, most: int) -> Selection:
    """A selection with the nodes that showed the tuples of others first, as far as there is room for them.

    Args:
        selection: The nodes of a page so far.
        parents: The parent of each node.
        showings: Who was first, for nodes behind the complete beginning.
        most: The most nodes to choose.

    Returns:
        The selection, whose note says which nodes have reasons.
    """
    chosen = set(selection.nodes)
    before = len(chosen)
    for owner in showings.owners():
        above, node = [], owner
        while node < selection.total and node not in chosen:
            above.append(node)
            node = parents[node]
        if len(chosen) + len(above) <= most:
            chosen.update(above)
    if len(chosen) == selection.total:
        return Selection(range(selection.total), selection.total, selection.total, selection.total)
    shown = selection.note.replace(f"shows {before:,} of them", f"shows {len(chosen):,} of them")
    owners = len(chosen) - before
    without = showings.unknown + owners
    unknown = f"; for {without:,} it is not: the work for a page is limited" if without else ""
    entries = ""
    if selection.entries_complete < selection.total:
        entries = f" Entries of high-level nodes have their reasons up to node {selection.entries_complete - 1:,}."
    added = (
        f" {counted(owners, 'node is', 'nodes are')} included as the first to show what other nodes show."
        if owners
        else ""
    )
    note = (
        f"{shown}{added} Why a node was kept or pruned is known for the first {selection.complete:,} nodes and for "
        f"{len(showings.first):,} of the others{unknown}.{entries}"
    )
    return replace(selection, nodes=sorted(chosen), note=note)
