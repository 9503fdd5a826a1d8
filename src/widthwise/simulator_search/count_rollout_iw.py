"""Count-Based Rollout IW (Algorithm 3): rollouts from nodes whose features were visited least.

OPEN holds the nodes that were novel and may have more successors. One is selected, with a preference for rarely
visited features, and a rollout goes on from there until a node without a novel tuple. A node owns the tuples for which
it is the shallowest known (n.T in the paper); one that loses its last tuple is pruned together with its descendants.
The end of an episode is never expanded: it owns no tuple, prunes no other node and leaves the novelty table as it is.
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
        width: The size of the tuples of features, from 1 on; "n" for all features.
        temperature: The temperature of the selection; .005 in the paper.

    Raises:
        UsageError: A value is out of range.

    Example:
        >>> planner = ww.HIW(ww.Info("key"), high=ww.CountRolloutIW(1), low=ww.RolloutIW(1))
        >>> planner.name
        'HIW(1,1)'
    """

    width: Width = 1
    temperature: float = 0.005

    __repr__ = brief_call

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        native_width(self.width)
        if not self.temperature > 0:
            raise UsageError(f"a temperature is above 0, not {self.temperature!r}")

    @property
    def name(self) -> str:
        """How the paper writes it."""
        return f"CRIW({self.width})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of its levels, here one."""
        return (self.width,)

    def search(self, space: Space, rng: random.Random) -> CountSearch:
        """Count-based rollouts in a space."""
        return CountSearch(space, self, rng)


class CountSearch:
    """Count-based rollouts inside one region."""

    def __init__(self, space: Space, planner: CountRolloutIW, rng: random.Random) -> None:
        self.space = space
        self.temperature = planner.temperature
        self.rng = rng
        self.table = space.table(planner.width)  # D, and the owners N
        self.counts: Counter[bytes] = Counter()  # C: visits per feature vector; kept when the search begins again
        self.owned: dict[int, int] = {}  # the size of n.T
        self.open: dict[int, list[int]] = {}  # O, with the labels not tried yet
        self.reset()

    def reset(self) -> None:
        """Begin again with the nodes in the tree: breadth first they count for novelty, pruned ones end a branch."""
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
                if nodes.terminal[child]:
                    self.owned[child] = 0
                    continue
                self.owned[child], _ = self.table.insert(nodes.features[child], nodes.depth[node] + 1, child)
                if self.owned[child] and not space.outside(entry):
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
        """A node of OPEN, with probability proportional to exp(1 / (temperature (c + 1))), c its features' count."""
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
        """Go on from a node until one without novelty; returns the tree node that left the region, if one did.

        A visit is counted before the successor is asked for: a budget that ends inside a visit does not undo it.
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
            if nodes.terminal[child]:  # IsTerminal comes before PruneOther
                self.owned[child] = 0
                return entry if space.outside(entry) else None
            self.owned[child], losers = self.table.insert(nodes.features[child], nodes.depth[node] + 1, child)
            self.prune_others(losers)
            if space.outside(entry):
                return entry
            if not self.owned[child]:
                return None
            self.open[child] = space.untried(child)
            node = child

    def choose(self, node: int) -> int:
        """What to ask a node for: on the lowest level an action not tried yet, at random or as the prior says."""
        labels = self.open[node]
        if len(labels) == 1:
            return labels[0]
        if self.space.lowest and (prior := self.space.tree.prior[node]) is not None:
            weights = [prior[label] for label in labels]
            if sum(weights) > 0:
                return self.rng.choices(labels, weights)[0]
        return labels[int(self.rng.random() * len(labels))]

    def tried(self, node: int, label: int) -> None:
        """A node without untried labels has no successor left and leaves OPEN."""
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
        """Return to a state, in a tree that is the same."""
        self.table.load(state["table"])
        self.counts = Counter(dict(state["counts"]))
        self.owned = dict(state["owned"])
        self.open = {node: list(labels) for node, labels in state["open"]}
        self.exhausted = state["exhausted"]
