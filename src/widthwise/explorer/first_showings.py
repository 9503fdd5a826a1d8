"""Which node showed a tuple first, for the nodes of a large tree that a page has only a sample of.

A page replays novelty tables itself where it has every node. Beyond that part the tables are replayed here, over the
whole tree, for the tuples of the nodes that the page shows. The work is limited, and what was left out is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations, islice
from math import comb

import numpy as np
import numpy.typing as npt

from widthwise import _native
from widthwise.core.trace import NONE, TracedSearch

#: The most states that are looked at, the most tuples of all nodes together, and the most of one node.
MOST_STATES, MOST_TUPLES, MOST_OF_NODE = 300_000, 200_000, 400
#: The most regions of nodes, over all chapters of an incremental search.
MOST_REGIONS = 40_000_000
#: How many states are held. Children mostly follow one another.
_HELD = 4096

#: Features of a state: atoms, and `~atom` for the falsehood of an atom that novelty looks at.
Features = frozenset[int]
#: What may be new in a node: some features, ascending, or its whole state.
Key = tuple[int, ...] | Features
Pairs = npt.NDArray[np.int64]


@dataclass(slots=True)
class Showings:
    """What was found out.

    Args:
        first: By node: each of its tuples with the number of the node that showed it first, which may be itself.
        left: By node: how many more tuples it has.
        unknown: The nodes whose tuples were not examined.
    """

    first: dict[int, list[tuple[Key, int]]] = field(default_factory=dict)
    left: dict[int, int] = field(default_factory=dict)
    unknown: int = 0

    def owners(self) -> list[int]:
        """The nodes that were first, those that were first for the most nodes at the front."""
        counts = Counter(owner for shown in self.first.values() for owner in {owner for _, owner in shown})
        return sorted(counts, key=lambda owner: (-counts[owner], owner))


def first_showings(traced: TracedSearch, nodes: Sequence[int]) -> Showings:
    """Who showed the tuples of some nodes first, at the end of the search.

    Args:
        traced: A search with novelty tables.
        nodes: The nodes, the most important first.

    Returns:
        The first node of each tuple, for as many nodes as the limits allow. Entries of high-level nodes, goals and
        nodes outside all regions have no tuples here.
    """
    replay = _Replay(traced)
    wanted = [node for node in nodes if replay.inside(node)]
    showings = Showings()
    counted = replay.counted_pairs()
    if counted is None:
        showings.unknown = len(wanted)
        return showings
    questions = _Questions(replay)
    tuples = 0
    for node in wanted:
        if tuples >= MOST_TUPLES:
            break
        tuples += questions.ask(node)
    showings.unknown = len(wanted) - len(questions.asked)
    examined = questions.answer(counted)
    for node, keys in questions.asked.items():
        owners = [questions.first.get((replay.region(node), key)) for key in keys]
        if node > examined and None in owners:
            showings.unknown += 1
            continue
        # What no node has shown before is new; so it is if a later node showed it.
        showings.first[node] = [
            (key, node if owner is None else min(owner, node)) for key, owner in zip(keys, owners, strict=True)
        ]
        if questions.left.get(node):
            showings.left[node] = questions.left[node]
    return showings


class _Replay:
    """The tree of a search, and which of its nodes put their tuples into which table."""

    def __init__(self, traced: TracedSearch) -> None:
        self.traced = traced
        self.parents, _, _, self.regions, self.flags = (
            np.frombuffer(column, dtype="<u4") for column in traced.search.columns()
        )
        self.width = traced.widths[-1]
        self.complements = traced.operators.complements
        self.features = lru_cache(maxsize=_HELD)(self._features)

    def _features(self, node: int) -> Features:
        state = self.traced.search.state(node)
        return frozenset(chain(state, (~atom for atom in self.complements if atom not in state)))

    def region(self, node: int) -> int:
        """The region that a node was generated in."""
        return int(self.regions[self.parents[node]])

    def added(self, node: int) -> Features:
        """The features of a node that its parent lacks."""
        return self.features(node) - self.features(int(self.parents[node]))

    def inside(self, node: int) -> bool:
        """Whether a node was judged by the table of a region."""
        flags, plain = int(self.flags[node]), _native.GOAL | _native.ENTRY
        return node > 0 and not flags & plain and int(self.regions[node]) != NONE and self.region(node) != NONE

    def roots(self) -> dict[int, int]:
        """The first node of each region."""
        entries = np.flatnonzero((self.flags & _native.ENTRY).astype(bool) & ~(self.flags & _native.GOAL).astype(bool))
        begun = {int(self.regions[node]): int(node) for node in entries if node > 0 and self.regions[node] != NONE}
        return {0: 0, **begun}

    def counted_pairs(self) -> Pairs | None:
        """The nodes that count in the table of a region, as rows of node and region, ascending; None if too many.

        Where tables are kept when a tree is restructured, a node counts if it did so at any chapter.
        """
        chapters = self.traced.colourings if self.traced.keeps_tables else []
        if (len(chapters) + 1) * len(self.parents) > MOST_REGIONS:
            return None
        pairs = [self._pairs(self.regions, self.flags)]
        regions, flags = np.zeros(0, dtype="<u4"), np.zeros(0, dtype="<u4")
        for colouring in chapters:
            changed = np.frombuffer(colouring.changed, dtype="<u4")
            new_regions = np.frombuffer(colouring.regions, dtype="<u4")
            new_flags = np.frombuffer(colouring.flags, dtype="<u4")
            regions, flags = regions.copy(), flags.copy()
            regions[changed], flags[changed] = new_regions[: len(changed)], new_flags[: len(changed)]
            regions = np.concatenate([regions, new_regions[len(changed) :]])
            flags = np.concatenate([flags, new_flags[len(changed) :]])
            pairs.append(self._pairs(regions, flags))
        return np.unique(np.concatenate(pairs), axis=0) if len(pairs) > 1 else pairs[0]

    def _pairs(self, regions: npt.NDArray[np.uint32], flags: npt.NDArray[np.uint32]) -> Pairs:
        goal = (flags & _native.GOAL).astype(bool)
        entry = (flags & _native.ENTRY).astype(bool) & ~goal
        kept = (flags & _native.PRUNED) == 0
        counts = np.where(entry, self.traced.entry_in_table, kept & ~goal)
        if len(counts):
            counts[0] = False  # the root is the first node of its region
        nodes = np.flatnonzero(counts)
        table = regions[self.parents[nodes]]
        inside = table != NONE
        return np.stack([nodes[inside], table[inside]], axis=1).astype(np.int64)


class _Questions:
    """The tuples whose first node is wanted, by region and by their features."""

    def __init__(self, replay: _Replay) -> None:
        self.replay = replay
        self.asked: dict[int, list[Key]] = {}
        self.left: dict[int, int] = {}
        self.first: dict[tuple[int, Key], int] = {}
        # By region and feature: what it forms a wanted pair with, or itself if the feature alone is wanted.
        self.partners: dict[int, dict[int, set[int]]] = {}
        self.larger: dict[int, dict[int, set[tuple[int, ...]]]] = {}
        self.states: dict[int, set[Features]] = {}

    def ask(self, node: int) -> int:
        """Ask for the tuples of a node; returns how many."""
        replay, region = self.replay, self.replay.region(node)
        if replay.width == _native.ALL_FEATURES:
            state = replay.features(node)
            self.states.setdefault(region, set()).add(state)
            self.asked[node] = [state]
            return 1
        added, state = replay.added(node), replay.features(node)
        asked: list[Key] = []
        for features in islice(_tuples(added, state, replay.width), MOST_OF_NODE):
            asked.append(features)
            if len(features) > 2:
                for feature in features:
                    self.larger.setdefault(region, {}).setdefault(feature, set()).add(features)
            else:
                first, second = features[0], features[-1]  # the same for a single feature
                for feature, partner in ((first, second), (second, first)):
                    self.partners.setdefault(region, {}).setdefault(feature, set()).add(partner)
        self.asked[node] = asked
        sizes = range(1, replay.width + 1)
        total = sum(comb(len(state), size) - comb(len(state - added), size) for size in sizes)
        self.left[node] = total - len(asked)
        return len(asked)

    def answer(self, counted: Pairs) -> int:
        """Look at nodes in the order of generation. Returns the node up to which everything was looked at."""
        last = max(self.asked, default=-1)
        for region, root in self.replay.roots().items():
            if root <= last:
                self._look(root, region, self.replay.features(root))
        looked = 0
        for node, region in counted.tolist():
            if node > last:
                break
            if region not in self.partners and region not in self.larger and region not in self.states:
                continue
            if looked == MOST_STATES:
                return int(node) - 1
            looked += 1
            self._look(node, region, self.replay.added(node))
        return last

    def _look(self, node: int, region: int, added: Features) -> None:
        """Answer what a node shows, as far as a feature that is new in it takes part."""
        shown = self.replay.features(node)
        if shown in self.states.get(region, ()):
            self._settle(region, shown, node)
        partners, larger = self.partners.get(region, {}), self.larger.get(region, {})
        for feature in added:
            for partner in partners.get(feature, set()) & shown:
                self._settle(region, (feature,) if partner == feature else tuple(sorted((feature, partner))), node)
                partners[partner].discard(feature)
                partners[feature].discard(partner)
            for features in [features for features in larger.get(feature, ()) if shown.issuperset(features)]:
                self._settle(region, features, node)
                for member in features:
                    larger[member].discard(features)

    def _settle(self, region: int, key: Key, node: int) -> None:
        # Roots of regions are looked at before all other nodes, and may come after some of another region only.
        self.first[region, key] = min(node, self.first.get((region, key), node))


def _tuples(added: Features, features: Features, width: int) -> Iterator[tuple[int, ...]]:
    """The tuples of features with at least one that is new, ascending within each."""
    others = sorted(features - added)
    for size in range(1, width + 1):
        for taken in range(1, size + 1):
            for new in combinations(sorted(added), taken):
                for old in combinations(others, size - taken):
                    yield tuple(sorted((*new, *old)))
