"""Count-Based Rollout IW (Algorithm 3): rollouts from nodes whose features were visited least.

OPEN holds the novel nodes that may have more successors. One of them is selected, with a preference for rarely visited
features, and a rollout continues from it until a node without a novel tuple. A node owns the tuples for which it is the
shallowest node (n.T in the paper); a node that loses its last tuple is pruned together with its descendants. The end of
an episode is never expanded: it owns no tuple, prunes no other node and does not change the novelty table, unless
`ends_novel`.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.level import Width
from widthwise.core.showing import brief_call
from widthwise.simulator_search.driver import Requests
from widthwise.simulator_search.hiw import Space
from widthwise.task_search.iw import native_width


@dataclass(frozen=True, slots=True)
class CountRolloutIW:
    """Count-based Rollout IW (Algorithm 3): rollouts from nodes whose features were visited least.

    Args:
        width: The size of the tuples of features, at least 1; "n" for all features.
        temperature: The temperature of the selection; .005 in the paper.
        ends_novel: Whether the end of an episode takes novelty from other nodes.

    Raises:
        UsageError: A value is out of range.

    Example:
        >>> planner = ww.HIW(ww.Info("key"), high=ww.CountRolloutIW(1), low=ww.RolloutIW(1))
        >>> planner.name
        'HIW(1,1)'
    """

    width: Width = 1
    temperature: float = 0.005
    ends_novel: bool = False

    __repr__ = brief_call

    def __post_init__(self) -> None:
        """Check the settings."""
        native_width(self.width)
        if not self.temperature > 0:
            raise UsageError(f"a temperature must be above 0, not {self.temperature!r}")

    @property
    def name(self) -> str:
        """The name used in the paper."""
        return f"CRIW({self.width})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """Its width."""
        return (self.width,)

    def search(self, space: Space, rng: random.Random) -> CountSearch:
        """Count-based rollouts in a space."""
        return CountSearch(space, self, rng)


class CountSearch:
    """Count-based rollouts inside one region."""

    def __init__(self, space: Space, planner: CountRolloutIW, rng: random.Random) -> None:
        self.space = space
        self.temperature, self.ends_novel = planner.temperature, planner.ends_novel
        self.rng = rng
        self.table = space.table(planner.width)  # D, and the owners N
        self.counts: Counter[bytes] = Counter()  # C: visits per feature vector; kept by `reset`
        self.owned: dict[int, int] = {}  # the size of n.T
        self.open: dict[int, list[int]] = {}  # O, with the untried labels
        self.reset()

    def reset(self) -> None:
        """Restart with the nodes in the tree, in breadth-first order; descendants of pruned nodes are left out."""
        space, nodes = self.space, self.space.nodes
        self.table.clear()
        root = space.root
        self.owned = {root: self.table.insert(nodes.features[root], nodes.depth[root], root)[0]}
        self.open = {}
        queue = [root]
        for node in queue:
            if labels := space.untried(node):
                self.open[node] = labels
            for entry in space.known(node):
                child = space.own[entry]
                if nodes.terminal[child] and not self.ends_novel:
                    self.owned[child] = 0
                    continue
                self.owned[child], _ = self.table.insert(nodes.features[child], nodes.depth[node] + 1, child)
                if self.owned[child] and not space.outside(entry) and not nodes.terminal[child]:
                    queue.append(child)
        self.exhausted = not self.open

    def resume(self) -> Requests:
        """Select and roll out until a node leaves the region, or OPEN is empty."""
        while self.open:
            left = yield from self.rollout(self.select())
            if left is not None:
                return left
        self.exhausted = True
        return None

    def select(self) -> int:
        """A node of OPEN, with probability proportional to exp(1 / (temperature (c + 1))); c counts its features."""
        nodes = list(self.open)
        if len(nodes) == 1:
            return nodes[0]
        features, visits = self.space.nodes.features, self.counts.get
        counts = [visits(features[node], 0) for node in nodes]
        most = 1 / (min(counts) + 1)
        weight = {count: math.exp((1 / (count + 1) - most) / self.temperature) for count in set(counts)}
        chosen = self.rng.random() * sum([weight[count] for count in counts])
        for node, count in zip(nodes, counts, strict=True):
            chosen -= weight[count]
            if chosen < 0:
                return node
        return nodes[-1]  # rounding

    def rollout(self, node: int) -> Requests:
        """Continue from a node until one without novelty; returns the tree node that left the region, if any.

        A visit is counted before the successor is generated, so it counts even if the budget ends during the visit.
        """
        space, nodes = self.space, self.space.nodes
        while True:
            label = self.choose(node)
            self.counts[nodes.features[node]] += 1
            entry = yield from space.successor(node, label)
            if entry is None or space.lowest:
                self.tried(node, label)
            if entry is None:
                return None
            child = space.own[entry]
            if nodes.terminal[child] and not self.ends_novel:  # IsTerminal comes before PruneOther
                self.owned[child] = 0
                return entry if space.outside(entry) else None
            self.owned[child], losers = self.table.insert(nodes.features[child], nodes.depth[node] + 1, child)
            self.prune_others(losers)
            if space.outside(entry):
                return entry
            if not self.owned[child] or nodes.terminal[child]:
                return None
            self.open[child] = space.untried(child)
            node = child

    def choose(self, node: int) -> int:
        """An untried label of a node: at random, or on the lowest level sampled from the prior."""
        labels = self.open[node]
        if len(labels) == 1:
            return labels[0]
        if self.space.lowest and (prior := self.space.tree.prior[node]) is not None:
            weights = [prior[label] for label in labels]
            if sum(weights) > 0:
                return self.rng.choices(labels, weights)[0]
        return labels[int(self.rng.random() * len(labels))]

    def tried(self, node: int, label: int) -> None:
        """Mark a label as tried; a node without untried labels leaves OPEN."""
        self.open[node].remove(label)
        if not self.open[node]:
            del self.open[node]

    def prune_others(self, losers: list[int]) -> None:
        """PruneOther: a node that lost its last tuple leaves OPEN together with its descendants."""
        for loser in losers:
            self.owned[loser] -= 1
            if self.owned[loser] == 0:
                self.prune(loser)

    def prune(self, node: int) -> None:
        """Remove a node and its descendants from OPEN."""
        space = self.space
        pending = [node]
        while pending:
            node = pending.pop()
            self.open.pop(node, None)
            pending += [space.own[entry] for entry in space.known(node) if not space.outside(entry)]

    def state(self) -> dict[str, Any]:
        """Novelty, counts, owners and OPEN, as plain data."""
        return {
            "table": self.table.save(),
            "counts": list(self.counts.items()),
            "owned": list(self.owned.items()),
            "open": [(node, list(labels)) for node, labels in self.open.items()],
            "exhausted": self.exhausted,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state; the tree must be the same."""
        self.table.load(state["table"])
        self.counts = Counter(dict(state["counts"]))
        self.owned = dict(state["owned"])
        self.open = {node: list(labels) for node, labels in state["open"]}
        self.exhausted = state["exhausted"]
