"""Finding high-level features on a simulator (Algorithms 1 and 2), for feature vectors of any discrete kind.

An atom is here a feature with its value. A branch that was pruned right after an atom appeared in it for the first time
proposes that atom as a high-level feature: everything else in it may have been seen without the atom, and is worth to
be seen again with it. The search begins flat; whenever it runs dry, one proposed atom becomes a feature of the level
above, the tree is coloured anew, and the search goes on.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from widthwise.core.simulator import Step
from widthwise.simulator_search.driver import FeatureFunction, Requests, pack
from widthwise.simulator_search.hiw import LevelPlanner, SimulatorHierarchy
from widthwise.simulator_search.tree import NONE, Tree

#: A feature of the lowest level, by its place in the vector, and its value.
Atom = tuple[int, bytes]


class DiscoveredFeatures:
    """The features of two levels: below what is given, above the atoms discovered so far."""

    def __init__(self, function: FeatureFunction) -> None:
        self.function = function
        self.atoms: list[Atom] = []
        self.vector, self.size = b"", 1

    def low(self, step: Step) -> Any:
        """The features of the lowest level."""
        values = self.function(step)
        self.vector, self.size = pack(values)
        return values

    def high(self, step: Step) -> bytes:
        """Which discovered atoms hold in the step that `low` was asked about last."""
        return self.abstract(self.vector)

    def abstract(self, vector: bytes) -> bytes:
        """Which discovered atoms hold in a vector."""
        size = self.size
        return bytes([vector[place * size : (place + 1) * size] == value for place, value in self.atoms])


def atoms_of(vector: bytes, size: int = 1) -> set[Atom]:
    """A feature vector as a set of atoms, each value taking `size` bytes."""
    return {(place, vector[place * size : (place + 1) * size]) for place in range(len(vector) // size)}


def find_features(tree: Tree, node: int) -> list[Atom]:
    """Algorithm 1: what a pruned leaf shares with its parent and what did not appear in the branch before."""
    nodes, size = tree.nodes, tree.item_sizes[0]
    regions = tree.regions[0]
    start = regions.entry[regions.of[node]]
    branch = [node]
    while branch[-1] != start:
        branch.append(nodes.parent[branch[-1]])
    if len(branch) <= 2:  # the leaf must be at least two steps below the root of its low-level tree
        return []
    leaf, parent, *before = [atoms_of(nodes.features[one], size) for one in branch]
    common = leaf & parent
    if len(common) == len(leaf):  # the same state as its parent
        return []
    return sorted(common.difference(*before))


class DiscoveringHierarchy(SimulatorHierarchy):
    """Incremental HIW (Algorithm 2) at work on a tree of two levels."""

    def __init__(
        self, planners: Sequence[LevelPlanner], tree: Tree, rng: random.Random, discovered: DiscoveredFeatures
    ) -> None:
        super().__init__(planners, tree, rng)
        self.discovered = discovered
        self.asked: set[int] = set()  # pruned nodes that have proposed already

    def requests(self) -> Requests:
        """Search, and whenever nothing is left discover a feature and go on, until no branch proposes any."""
        candidates: list[Atom] = []
        while True:
            yield from self.top.resume()
            if not candidates:
                candidates = self.discover()
            if not candidates:
                return None
            self.discovered.atoms.append(candidates.pop(self.rng.randrange(len(candidates))))
            self.recolour()

    def discover(self) -> list[Atom]:
        """What the pruned nodes propose, the last generated first; each is asked once.

        After a search has run dry the leaves are the pruned nodes and the ends of episodes.
        """
        nodes = self.tree.nodes
        for node in reversed(nodes.live):
            if node in self.asked or nodes.terminal[node] or any(child != NONE for child in nodes.children[node]):
                continue
            self.asked.add(node)
            known = set(self.discovered.atoms)
            if found := [atom for atom in find_features(self.tree, node) if atom not in known]:
                return found
        return []

    def recolour(self) -> None:
        """Restructure the tree: new regions by all features, and new searches with new tables in them."""
        tree = self.tree
        tree.recolour([self.discovered.abstract(features) for features in tree.nodes.features])
        self.top = self.search(1, NONE)

    def reroot(self, node: int) -> None:
        """Take a step; rows of dropped nodes will be other nodes."""
        super().reroot(node)
        self.asked &= set(self.tree.nodes.live)
