"""Rollout IW(w): width search by rollouts from the root instead of a queue (Bandres, Bonet and Geffner, 2018).

A tuple of feature values is novel at a depth if it was not seen at that depth or above. A rollout follows actions,
chosen at random or by a policy, until a node without a novel tuple (or an end) and labels what is *solved*: where no
expansion is left. Nodes that rollouts pass again are tested again, as their tuples may have been seen at a smaller
depth since. Run to the end it is IW(w): it stops when every node that IW(w) would expand has been expanded. The end of
an episode is never expanded: it owns no tuple and leaves the novelty table as it is.
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
        width: The size of the tuples of features, from 1 on; "n" for all features.
        repeat: How often an action is repeated in a rollout while no feature changes.

    Raises:
        UsageError: A value is out of range.

    Example:
        >>> ww.OnlinePlanner("corridor", ww.RolloutIW(1), max_steps=3).run(seed=0).steps
        3
    """

    width: Width = 1
    repeat: int = 1

    __repr__ = brief_call

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        native_width(self.width)
        if not isinstance(self.repeat, int) or self.repeat < 1:
            raise UsageError(f"an action is done at least once: repeat is 1 or more, not {self.repeat!r}")

    @property
    def name(self) -> str:
        """How the paper writes it."""
        return f"RIW({self.width})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of its levels, here one."""
        return (self.width,)

    def search(self, space: Space, rng: random.Random) -> RolloutSearch:
        """Rollouts in a space."""
        return RolloutSearch(space, self.width, rng, self.repeat)


class RolloutSearch:
    """Rollouts inside one region.

    `owned` is the number of tuples for which a node is the shallowest known; `open` the labels of its children that
    are not solved yet. A node without open labels is solved.
    """

    def __init__(self, space: Space, width: Width, rng: random.Random, repeat: int = 1) -> None:
        self.space = space
        self.random = rng.random
        self.rng = rng
        self.table = space.table(width)
        self.owned: dict[int, int] = {}
        self.open: dict[int, list[int]] = {}
        self.prior = space.tree.prior
        self.repeat = repeat if space.lowest else 1
        self.reset()

    def reset(self) -> None:
        """Forget all labels, and test the nodes in the tree as IW(w) would: breadth first, pruned ones not followed."""
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
                if nodes.terminal[child]:
                    owned[child] = 0
                    continue
                owned[child] = novel = table.insert(features[child], depth, child, features[node])[0]
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
                # Descendants of nodes that were beaten later may have taken the novelty of others: look once more.
                self.reset()
        return None

    def rollout(self) -> Requests:
        """One rollout from the root; returns the tree node with which it left the region, if it did."""
        space, nodes, table = self.space, self.space.nodes, self.table
        features, own, children, owned, open_ = nodes.features, space.own, nodes.children, self.owned, self.open
        lowest, terminal = space.lowest, nodes.terminal
        node = space.root
        while open_[node]:
            label = self.choose(node)
            entry = children[node][label] if lowest or label != NEW else NONE
            if entry == NONE:
                found = (yield node, label) if lowest else (yield from space.successor(node, label))
                if found is None:
                    self.close(node, label)
                    return None
                child = own[found]
                novel = 0
                if not terminal[child]:
                    novel, losers = table.insert(features[child], nodes.depth[node] + 1, child, features[node])
                    for loser in losers:
                        owned[loser] -= 1
                owned[child] = novel
                open_[child] = []
                outside = space.outside(found)
                if not novel and not outside and not terminal[child] and self.repeats(child):
                    owned[child] = novel = 1
                if novel and not outside:
                    open_[child] = self.untried(child)
                    if not lowest:
                        open_[node].append(nodes.action[child])
                elif lowest:
                    self.close(node, label)
                if outside:
                    return found
            else:
                child = own[entry]
                if not owned[child]:  # each of its tuples has been seen at a smaller depth since
                    open_[child] = []
                    self.close(node, label)
            node = child
        return None

    def repeats(self, node: int) -> bool:
        """Whether a node has the features of its parent, and the action that led to it may be done once more."""
        return self.repeat > 1 and 0 < self.run(node) < self.repeat

    def run(self, node: int) -> int:
        """How many times the last action has been done without any change of the features."""
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
        """What may be tried in a node: where an action is being repeated, only that action."""
        labels = self.space.untried(node)
        if self.repeat > 1 and node != self.space.root and self.run(node):
            return [label for label in labels if label == self.space.nodes.action[node]]
        return labels

    def choose(self, node: int) -> int:
        """A label that is not solved: at random, or as the prior says."""
        labels = self.open[node]
        if len(labels) == 1:
            return labels[0]
        if self.space.lowest and (prior := self.prior[node]) is not None:
            weights = [prior[label] for label in labels]
            if sum(weights) > 0:
                return self.rng.choices(labels, weights)[0]
        return labels[int(self.random() * len(labels))]

    def close(self, node: int, label: int) -> None:
        """Label a child solved, and its ancestors that have no open child left."""
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
        """Return to a state, in a tree that is the same."""
        self.table.load(state["table"])
        self.owned = dict(state["owned"])
        self.open = {node: list(labels) for node, labels in state["open"]}
        self.exhausted = state["exhausted"]
