"""States in which the agent has been, whose value by a network is doubted."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from widthwise.simulator_search.tree import Tree

#: A value that identifies an observation.
Recognise = Callable[[Any], Hashable]


class Doubts:
    """The states of an episode in which the agent has been, recognised by their observations.

    A network that values a state too highly would make the agent wait in it, so that such a value counts once.
    """

    def __init__(self, recognise: Recognise) -> None:
        self.recognise = recognise
        self.stood: set[Hashable] = set()  # where the agent was in this episode
        self._marks: dict[int, tuple[Any, Hashable]] = {}  # of observations in the tree, which stay alive

    def nodes(self, tree: Tree) -> set[int]:
        """The nodes that show where the agent has been; the root, if that was before. The root is added to them."""
        before, marks = self._marks, dict[int, tuple[Any, Hashable]]()
        for node in tree.nodes.live:
            shown = tree.observation[node]
            if id(shown) not in marks:
                marks[id(shown)] = before.get(id(shown)) or (shown, self.recognise(shown))
        self._marks = marks
        here = marks[id(tree.observation[tree.root])][1]
        again = here in self.stood
        self.stood.add(here)
        visited = {node for node in tree.nodes.live if marks[id(tree.observation[node])][1] in self.stood}
        return visited if again else visited - {tree.root}
