"""Discovery of high-level features on a simulator (Algorithms 1 and 2), for discrete feature vectors.

An atom is a feature with its value. A branch that was pruned right after an atom appeared in it for the first time
proposes this atom as a high-level feature: its other atoms may have been seen without the new one, and should be
explored again with it. The search starts flat. When it is exhausted, one proposed atom becomes a feature of the level
above, the tree is restructured, and the search continues.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.simulator_search.driver import SET, FeatureFunction, Requests, pack
from widthwise.simulator_search.hiw import LevelPlanner, SimulatorHierarchy
from widthwise.simulator_search.tree import NONE, Tree

#: The position of a feature of the lowest level, and its value.
Atom = tuple[int, bytes]


class DiscoveredFeatures:
    """The features of two levels: a feature function below, the atoms discovered so far above."""

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
        """Which discovered atoms hold in the last step passed to `low`."""
        return self.abstract(self.vector)

    def abstract(self, vector: bytes) -> bytes:
        """Which discovered atoms hold in a vector."""
        size = self.size
        return bytes([vector[place * size : (place + 1) * size] == value for place, value in self.atoms])


def atoms_of(vector: bytes, size: int = 1) -> set[Atom]:
    """A feature vector as a set of atoms, each value taking `size` bytes."""
    return {(place, vector[place * size : (place + 1) * size]) for place in range(len(vector) // size)}


def find_features(tree: Tree, node: int) -> list[Atom]:
    """Algorithm 1: the atoms that a pruned leaf shares with its parent and that did not occur in the branch before."""
    nodes, size = tree.nodes, tree.item_sizes[0]
    regions = tree.regions[0]
    start = regions.entry[regions.of[node]]
    branch = [node]
    while branch[-1] != start:
        branch.append(nodes.parent[branch[-1]])
    if len(branch) <= 2:  # the leaf must be at least two steps below the root of its low-level tree
        return []
    leaf, parent, *before = [atoms_of(nodes.features[row], size) for row in branch]
    common = leaf & parent
    if len(common) == len(leaf):  # the same state as its parent
        return []
    return sorted(common.difference(*before))


class DiscoveringHierarchy(SimulatorHierarchy):
    """A running incremental HIW (Algorithm 2) on a tree with two levels."""

    def __init__(
        self, planners: Sequence[LevelPlanner], tree: Tree, rng: random.Random, discovered: DiscoveredFeatures
    ) -> None:
        super().__init__(planners, tree, rng)
        if tree.item_sizes[0] == SET:
            raise UsageError("ihiw discovers features among the values of vectors, not in sets of features")
        self.discovered = discovered
        self.asked: set[int] = set()  # pruned nodes whose proposals have been used

    def requests(self) -> Requests:
        """Search, and discover a feature whenever the search is exhausted, until no branch proposes one."""
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
        """The atoms that the next pruned node proposes, in reverse order of generation; each node is used once.

        The leaves of an exhausted search are the pruned nodes and the ends of episodes.
        """
        nodes = self.tree.nodes
        for node in reversed(nodes.live):
            if node in self.asked or nodes.terminal[node] or any(child != NONE for child in nodes.children[node]):
                continue
            self.asked.add(node)
            known = set(self.discovered.atoms)
            if proposed := [atom for atom in find_features(self.tree, node) if atom not in known]:
                return proposed
        return []

    def recolour(self) -> None:
        """Restructure the tree: new regions for all features, with new searches and tables."""
        tree = self.tree
        tree.recolour([self.discovered.abstract(features) for features in tree.nodes.features])
        self.top = self.search(1, NONE)

    def reroot(self, node: int) -> None:
        """Move the root to a node; rows of dropped nodes are reused for other nodes."""
        super().reroot(node)
        self.asked &= set(self.tree.nodes.live)
