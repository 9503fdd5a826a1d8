"""Hierarchies on simulators: the successor functions of the lowest level and of the levels above.

On the lowest level a successor is the result of an action. Above, it is the next region: the successor function resumes
the search inside a region until the features of the level change. The same search algorithms run on every level. Their
`resume` runs until a node leaves the region (and returns that tree node), or until no node is left (and returns None).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.level import Width
from widthwise.core.showing import counted
from widthwise.simulator_search.driver import SET, Requests
from widthwise.simulator_search.tree import NONE, Nodes, Tree

NEW = -1  # the label of "a successor not known yet" among the children of a region


class LevelSearch(Protocol):
    """The protocol of a search of one level inside one region of the level above. `LevelPlanner.search` returns one.

    Training runs are saved while trees are grown. For them a search has two more methods: `state()` returns what the
    search holds beyond the tree as plain data, and `restore(state)` takes it back in the same tree.

    Example:
        >>> sorted(name for name in dir(ww.LevelSearch) if not name.startswith("_"))
        ['exhausted', 'reset', 'resume']
    """

    @property
    def exhausted(self) -> bool:
        """Whether no node is left; then `resume` is not called again before `reset`."""

    def resume(self) -> Requests:
        """Continue until a node leaves the region, or no node is left.

        A generator: it yields what `space.successor` yields (`yield from space.successor(node, label)`). It may be
        closed at any yield; then `resume` is called again.

        Returns:
            The tree node with which the search left its region (`space.outside(entry)`), or None if no node is left.
        """

    def reset(self) -> None:
        """Restart with the nodes in the tree, after a step has changed its root and removed nodes."""


class LevelPlanner(Protocol):
    """The protocol of an algorithm for simulators: alone, or as a level of `HIW`.

    `OnlinePlanner(simulator, planner)` and `HIW(features, high=planner, low=planner)` take any object with these
    attributes. `examples/own_level.py` is a random search of limited depth.

    Example:
        >>> sorted(name for name in dir(ww.LevelPlanner) if not name.startswith("_"))
        ['name', 'search', 'width']
    """

    @property
    def name(self) -> str:
        """The name in records and messages."""

    @property
    def width(self) -> Width:
        """The size of the tuples of novelty; 1 for an algorithm without novelty."""

    def search(self, space: Space, rng: random.Random) -> LevelSearch:
        """Create a search.

        Args:
            space: The nodes of its level inside one region of the level above.
            rng: The random numbers of the agent. Use no others, so that a seed determines the run.

        Returns:
            A search, ready to resume.
        """


class Space:
    """The scope of a search of one level: the nodes of its level in one region of the level above.

    The same search runs on any level. On the lowest level a node is a node of the tree and a label is an action. Above,
    a node is a region and its only label stands for the next region. `successor` and `known` return nodes of the tree;
    `own[entry]` is the node of this level in which a tree node lies.

    Args:
        hierarchy: The hierarchy at work.
        level: The number of the level, from 0 for the lowest.
        outer: The region of the level above.

    Attributes:
        nodes: The nodes of this level as columns: `parent`, `depth`, `features` (bytes), `terminal`.
        own: The node of this level for each node of the tree.
        lowest: Whether this is the lowest level.
        top: Whether this is the highest level.
        tree: The tree, with `reward`, `observation` and `prior` for each of its nodes.

    Example:
        >>> class FirstAction:
        ...     name, width = "first action", 1
        ...     def search(self, space: ww.Space, rng) -> ww.LevelSearch:
        ...         self.labels = space.untried(space.root)
        ...         return ww.RolloutIW(1).search(space, rng)
        >>> planner = FirstAction()
        >>> ww.OnlinePlanner("corridor", planner, max_steps=1).run(seed=0).steps, planner.labels
        (1, [0, 1, 2, 3, 4])
    """

    def __init__(self, hierarchy: SimulatorHierarchy, level: int, outer: int) -> None:
        self.hierarchy = hierarchy
        self.tree = tree = hierarchy.tree
        self.level = level
        self.lowest = level == 0
        self.outer = outer
        self.top = level == len(tree.regions)
        self.nodes: Nodes = tree.nodes if self.lowest else tree.regions[level - 1]
        self.colours: Sequence[int] = [] if self.top else tree.regions[level].of
        self.own: Sequence[int] = range(1 << 62) if self.lowest else tree.regions[level - 1].of  # tree node -> node

    @property
    def root(self) -> int:
        """The first node of a search."""
        entry = self.tree.root if self.top else self.tree.regions[self.level].entry[self.outer]
        return self.own[entry]

    def outside(self, entry: int) -> bool:
        """Whether a tree node is outside the region."""
        return not self.top and self.colours[entry] != self.outer

    def untried(self, node: int) -> list[int]:
        """The labels of a node that may have unknown successors."""
        if self.lowest:
            return [action for action, child in enumerate(self.nodes.children[node]) if child == NONE]
        return [] if self.inner(node).exhausted else [NEW]

    def known(self, node: int) -> list[int]:
        """The first tree nodes of the known successors of a node, including those outside the region."""
        return [child for child in self.nodes.children[node] if child != NONE]

    def successor(self, node: int, label: int) -> Requests:
        """Generate the next unknown successor (`entry = yield from space.successor(node, label)`).

        Args:
            node: A node that is not terminal.
            label: One of `untried(node)`.

        Returns:
            The first tree node of the successor; None if there is none.
        """
        if self.lowest:
            return (yield node, label)
        return (yield from self.inner(node).resume())

    def inner(self, node: int) -> LevelSearch:
        """The search inside a region, created at the first call."""
        searches = self.tree.regions[self.level - 1].search
        search: LevelSearch | None = searches[node]
        if search is None:
            search = searches[node] = self.hierarchy.search(self.level - 1, node)
        return search

    def table(self, width: Width) -> _native.DepthTable:
        """An empty table for depth-based novelty over the features of this level.

        `table.insert(features, depth, node)` returns the number of tuples for which the node is now the shallowest, and
        the nodes that were the shallowest before.

        Raises:
            UsageError: If the width is not 1, 2 or "n".
        """
        if width not in (1, 2, "n"):
            raise UsageError(f"on simulators a width must be 1, 2 or n, not {width!r}")
        size = self.tree.item_sizes[self.level]
        if size == SET and width == 2:
            raise UsageError("sets of features have novelty of width 1 or n, not 2")
        return _native.DepthTable(0 if width == "n" else int(width), size)


class SimulatorHierarchy:
    """A running planner on a tree with any number of levels."""

    def __init__(self, planners: Sequence[LevelPlanner], tree: Tree, rng: random.Random) -> None:
        """`planners` has one algorithm per level, lowest first; the tree must have its root."""
        if len(planners) != tree.levels:
            given, needed = counted(len(planners), "planner"), counted(tree.levels, "level")
            raise UsageError(f"{given} for a tree with {needed}: give one planner per level")
        self.planners = planners
        self.tree = tree
        self.rng = rng
        self.top: LevelSearch = self.search(len(planners) - 1, NONE)

    def search(self, level: int, outer: int) -> LevelSearch:
        """A new search of a level inside a region of the level above."""
        return self.planners[level].search(Space(self, level, outer), self.rng)

    def requests(self) -> Requests:
        """The planner as a coroutine; it may be closed at any request and called again."""
        return self.top.resume()

    def reroot(self, node: int) -> None:
        """Move the root to a node, keep the subtree below it, and restart the searches that lost nodes.

        The search on the top level always loses nodes; the search inside the root's region only if the new root is in
        the same region. Every other region keeps its table and labels.
        """
        tree = self.tree
        stays = [regions.of[tree.root] == regions.of[node] for regions in tree.regions]
        tree.reroot(node)
        self._restart(stays)

    def restart_at_root(self) -> None:
        """Restart the searches that contain the root, after nodes were added below it that no search asked for."""
        self._restart([True] * len(self.tree.regions))

    def _restart(self, stays: Sequence[bool]) -> None:
        """Restart the top search, and below it those inside the root's regions as long as the root `stays` in them."""
        searches, root = [self.top], self.tree.root
        for regions, stay in zip(reversed(self.tree.regions), reversed(stays), strict=True):
            inside = regions.search[regions.of[root]]
            if not stay or inside is None:
                break
            searches.append(inside)
        for search in reversed(searches):  # from below: a level checks whether the searches inside are exhausted
            search.reset()

    def begin_again(self) -> None:
        """Restart all searches with the nodes in the tree after their features have changed; counts are kept."""
        for regions in self.tree.regions:
            for region in regions.live:
                if regions.search[region] is not None:
                    regions.search[region].reset()
        self.top.reset()
