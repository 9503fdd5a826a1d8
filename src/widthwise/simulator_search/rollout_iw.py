"""Rollout IW(w): width search by rollouts from the root instead of a queue (Bandres, Bonet and Geffner, 2018).

A tuple of feature values is novel at a depth if it was not seen at that depth or above. A rollout follows actions,
chosen at random or by a policy, until a node without a novel tuple or the end of an episode. It labels as *solved* the
nodes below which no expansion is left. Nodes on later rollouts are tested again, because their tuples may have been
seen at a smaller depth since. A complete run is IW(w): it ends when every node that IW(w) expands has been expanded.
The end of an episode is never expanded: it owns no tuple and does not change the novelty table, unless `ends_novel`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.level import Width
from widthwise.core.showing import brief_call
from widthwise.simulator_search.driver import Requests
from widthwise.simulator_search.hiw import NEW, Space
from widthwise.simulator_search.tree import NONE
from widthwise.task_search.iw import native_width


@dataclass(frozen=True, slots=True)
class RolloutIW:
    """Rollout IW: width search on a simulator by rollouts from the root.

    Args:
        width: The size of the tuples of features, at least 1; "n" for all features.
        repeat: How often an action is repeated in a rollout while no feature changes.
        ends_novel: Whether the end of an episode takes novelty from other nodes.

    Raises:
        UsageError: A value is out of range.

    Example:
        >>> ww.OnlinePlanner("corridor", ww.RolloutIW(1), max_steps=3).run(seed=0).steps
        3
    """

    width: Width = 1
    repeat: int = 1
    ends_novel: bool = False

    __repr__ = brief_call

    def __post_init__(self) -> None:
        """Check the settings."""
        native_width(self.width)
        if not isinstance(self.repeat, int) or self.repeat < 1:
            raise UsageError(f"repeat must be a whole number above 0, not {self.repeat!r}")

    @property
    def name(self) -> str:
        """The name used in the paper."""
        return f"RIW({self.width})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """Its width."""
        return (self.width,)

    def search(self, space: Space, rng: random.Random) -> RolloutSearch:
        """Rollouts in a space."""
        return RolloutSearch(space, self.width, rng, self.repeat, self.ends_novel)


class RolloutSearch:
    """Rollouts inside one region.

    `owned` is the number of tuples for which a node is the shallowest; `open` are the labels of its children that are
    not solved. A node without open labels is solved.
    """

    def __init__(
        self, space: Space, width: Width, rng: random.Random, repeat: int = 1, ends_novel: bool = False
    ) -> None:
        self.space = space
        self.random = rng.random
        self.rng = rng
        self.table = space.table(width)
        self.owned: dict[int, int] = {}
        self.open: dict[int, list[int]] = {}
        self.prior = space.tree.prior
        self.repeat = repeat if space.lowest else 1
        self.ends_novel = ends_novel
        self.reset()

    def reset(self) -> None:
        """Drop all labels and test the nodes in the tree as IW(w) does, in breadth-first order."""
        space, nodes, table = self.space, self.space.nodes, self.table
        features, own = nodes.features, space.own
        table.clear()
        root = space.root
        self.owned = owned = {root: table.insert(features[root], nodes.depth[root], root)[0]}
        self.open = open_ = {}
        queue = [root]
        for node in queue:
            open_[node] = self.untried(node)
            depth = nodes.depth[node] + 1
            for entry in nodes.children[node]:
                if entry == NONE:
                    continue
                child = own[entry]
                open_[child] = []
                if nodes.terminal[child] and not self.ends_novel:
                    owned[child] = 0
                    continue
                owned[child] = novel = table.insert(features[child], depth, child, features[node])[0]
                if nodes.terminal[child]:
                    continue
                outside = space.outside(entry)
                if not novel and not outside and self.repeats(child):
                    owned[child] = novel = 1
                if novel and not outside:
                    queue.append(child)
        for node in reversed(queue):
            if open_[node] and node != root:
                open_[nodes.parent[node]].append(nodes.action[node])
        self.exhausted = not open_[root]

    def resume(self) -> Requests:
        """Roll out until a node leaves the region, or the root is solved."""
        while not self.exhausted:
            left = yield from self.rollout()
            if left is not None:
                return left
            if not self.open[self.space.root]:
                # Descendants of nodes that lost their novelty later may own tuples of others: restart once.
                self.reset()
        return None

    def rollout(self) -> Requests:
        """One rollout from the root; returns the tree node that left the region, if any."""
        space, nodes, table = self.space, self.space.nodes, self.table
        features, own, children, owned, open_ = nodes.features, space.own, nodes.children, self.owned, self.open
        lowest, terminal = space.lowest, nodes.terminal
        node = space.root
        while open_[node]:
            label = self.choose(node)
            entry = children[node][label] if lowest or label != NEW else NONE
            if entry == NONE:
                reached = (yield node, label) if lowest else (yield from space.successor(node, label))
                if reached is None:
                    self.close(node, label)
                    return None
                child = own[reached]
                novel = 0
                if not terminal[child] or self.ends_novel:
                    novel, losers = table.insert(features[child], nodes.depth[node] + 1, child, features[node])
                    for loser in losers:
                        owned[loser] -= 1
                owned[child] = novel
                open_[child] = []
                outside = space.outside(reached)
                if not novel and not outside and not terminal[child] and self.repeats(child):
                    owned[child] = novel = 1
                if novel and not outside and not terminal[child]:
                    open_[child] = self.untried(child)
                    if not lowest:
                        open_[node].append(nodes.action[child])
                elif lowest:
                    self.close(node, label)
                if outside:
                    return reached
            else:
                child = own[entry]
                if not owned[child]:  # all its tuples have been seen at a smaller depth since
                    open_[child] = []
                    self.close(node, label)
            node = child
        return None

    def repeats(self, node: int) -> bool:
        """Whether a node has the features of its parent, and its action may be repeated."""
        return self.repeat > 1 and 0 < self.run(node) < self.repeat

    def run(self, node: int) -> int:
        """How many times the last action was executed without a change of the features."""
        nodes, root = self.space.nodes, self.space.root
        features, done = nodes.features[node], 0
        action = nodes.action[node]
        while node != root and nodes.action[node] == action and done < self.repeat:
            node = nodes.parent[node]
            if nodes.features[node] != features:
                break
            done += 1
        return done

    def untried(self, node: int) -> list[int]:
        """The untried labels of a node; only the last action if it is being repeated."""
        labels = self.space.untried(node)
        if self.repeat > 1 and node != self.space.root and self.run(node):
            return [label for label in labels if label == self.space.nodes.action[node]]
        return labels

    def choose(self, node: int) -> int:
        """A label that is not solved: at random, or sampled from the prior."""
        labels = self.open[node]
        if len(labels) == 1:
            return labels[0]
        if self.space.lowest and (prior := self.prior[node]) is not None:
            weights = [prior[label] for label in labels]
            if sum(weights) > 0:
                return self.rng.choices(labels, weights)[0]
        return labels[int(self.random() * len(labels))]

    def close(self, node: int, label: int) -> None:
        """Label a child as solved, and its ancestors without open children."""
        nodes, open_, root = self.space.nodes, self.open, self.space.root
        open_[node].remove(label)
        while not open_[node] and node != root:
            node, label = nodes.parent[node], nodes.action[node]
            open_[node].remove(label)

    def state(self) -> dict[str, Any]:
        """Novelty, labels and owners, as plain data."""
        return {
            "table": self.table.save(),
            "owned": list(self.owned.items()),
            "open": [(node, list(labels)) for node, labels in self.open.items()],
            "exhausted": self.exhausted,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state; the tree must be the same."""
        self.table.load(state["table"])
        self.owned = dict(state["owned"])
        self.open = {node: list(labels) for node, labels in state["open"]}
        self.exhausted = state["exhausted"]
