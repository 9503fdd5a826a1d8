"""IW, breadth-first and depth-first search on simulators: the twin of `task_search/iw.py`."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

from widthwise.simulator_search.driver import Requests
from widthwise.simulator_search.hiw import Space
from widthwise.task_search.iw import IW


class QueueIW:
    """IW(w) as a level on a simulator: width n prunes duplicates only, which makes it breadth-first search."""

    def __init__(self, planner: IW) -> None:
        self.name, self.width = planner.name, planner.width
        self.depth_first = planner.depth_first

    def search(self, space: Space, rng: random.Random) -> QueueSearch:
        """A search in a space."""
        return QueueSearch(space, self)


class QueueSearch:
    """IW(w) inside one region: a queue of novel nodes, which are expanded one by one."""

    def __init__(self, space: Space, planner: QueueIW) -> None:
        self.space = space
        self.depth_first = planner.depth_first
        self.table = space.table(planner.width)
        self.queue: deque[tuple[int, list[int]]] = deque()  # nodes with their untried labels
        self.stepped = False  # it started with nodes in the tree
        self.reset()

    def reset(self) -> None:
        """Restart with the nodes in the tree, in the order of the search; descendants of pruned nodes are left out."""
        self.table.clear()
        self.queue.clear()
        root = self.space.root
        self.table.insert(
            self.space.nodes.features[root], 0 if self.depth_first else self.space.nodes.depth[root], root
        )
        self.stepped = bool(self.space.known(root))
        pending = deque([root])
        while pending:
            node = pending.popleft()
            if labels := self.space.untried(node):
                self.queue.append((node, labels))
            for entry in self.space.known(node):
                if self.enters(node, entry):
                    pending.append(self.space.own[entry])
        self.exhausted = not self.queue

    def resume(self) -> Requests:
        """Expand nodes until one leaves the region, or the queue is empty."""
        space, queue = self.space, self.queue
        last = -1 if self.depth_first else 0
        while not self.exhausted:
            if not queue:
                # New nodes may be shallower than nodes kept from before a step: restart once.
                self.exhausted = True
                if self.stepped and not self.depth_first:
                    self.reset()
                continue
            node, labels = queue[last]
            entry = yield from space.successor(node, labels[0])
            if entry is None or space.lowest:
                labels.pop(0)
                if not labels:
                    del queue[last]
            if entry is not None:
                enters = self.enters(node, entry)
                if space.outside(entry):
                    return entry
                if enters:
                    child = space.own[entry]
                    queue.append((child, space.untried(child)))
        return None

    def enters(self, node: int, entry: int) -> bool:
        """Whether a successor is to be expanded; its tuples are stored unless it ends the episode."""
        nodes, child = self.space.nodes, self.space.own[entry]
        if nodes.terminal[child]:
            return False
        depth = (
            0 if self.depth_first else nodes.depth[node] + 1
        )  # depth 0 for all nodes: novelty independent of the depth
        novel, _ = self.table.insert(nodes.features[child], depth, child)
        return novel > 0 and not self.space.outside(entry)

    def state(self) -> dict[str, Any]:
        """Novelty and the queue, as plain data."""
        return {
            "table": self.table.save(),
            "queue": [(node, list(labels)) for node, labels in self.queue],
            "stepped": self.stepped,
            "exhausted": self.exhausted,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state; the tree must be the same."""
        self.table.load(state["table"])
        self.queue = deque((node, list(labels)) for node, labels in state["queue"])
        self.stepped, self.exhausted = state["stepped"], state["exhausted"]
