"""Literal versions of depth-based novelty and of IW(w) on a simulator, to compare the real ones with."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Sequence
from itertools import combinations
from typing import Any


def tuples(vector: bytes, width: int | str) -> list[tuple[tuple[int, int], ...]]:
    pairs = list(enumerate(vector))
    return list(combinations(pairs, len(pairs) if width == "n" else min(int(width), len(pairs))))


class LiteralTable:
    """The smallest depth of every tuple and its owner, in a dictionary."""

    def __init__(self, width: int | str) -> None:
        self.width = width
        self.seen: dict[Any, tuple[int, int]] = {}

    def insert(self, vector: bytes, depth: int, node: int) -> tuple[int, list[int]]:
        novel, losers = 0, []
        for item in tuples(vector, self.width):
            if item in self.seen:
                if depth >= self.seen[item][0]:
                    continue
                losers.append(self.seen[item][1])
            self.seen[item] = (depth, node)
            novel += 1
        return novel, losers


def literal_iw(simulator: Any, features: Any, width: int | str) -> tuple[dict[tuple[int, ...], bool], dict[Any, int]]:
    """IW(w) by a queue: every generated path with whether it was kept, and the depth of every tuple."""
    step = simulator.reset()
    seen: dict[Any, int] = dict.fromkeys(tuples(features(step), width), 0)
    generated: dict[tuple[int, ...], bool] = {(): True}
    queue: deque[tuple[tuple[int, ...], Any]] = deque([((), simulator.save())])
    while queue:
        path, snapshot = queue.popleft()
        for action in range(simulator.actions):
            simulator.load(snapshot)
            step = simulator.step(action)
            child = (*path, action)
            if step.done:  # an end takes no novelty from the nodes that live
                generated[child] = False
                continue
            new = [item for item in tuples(features(step), width) if item not in seen]
            seen.update({item: len(child) for item in new})
            generated[child] = bool(new)
            if generated[child]:
                queue.append((child, simulator.save()))
    return generated, seen


def literal_criw(
    simulator: Any,
    features: Any,
    width: int | str,
    temperature: float,
    rng: random.Random,
    budgets: Sequence[int | None] = (None,),
) -> tuple[list[tuple[int, ...]], dict[bytes, int]]:
    """Algorithm 3 as it is printed, with sets T and the mapping N, run once for each budget of simulator steps.

    Returns the paths of the nodes in the order of generation, and the counts C. A run whose budget is used up ends
    inside Successor, after the visit was counted. It draws from the generator where the real one does: only where
    there is something to choose.
    """
    step = simulator.reset()
    vector: dict[tuple[int, ...], Any] = {(): features(step)}
    snapshot: dict[tuple[int, ...], Any] = {(): simulator.save()}
    untried: dict[tuple[int, ...], list[int]] = {(): list(range(simulator.actions))}
    counts: dict[bytes, int] = {}  # C
    depths = dict.fromkeys(tuples(vector[()], width), 0)  # D
    owners: dict[Any, tuple[int, ...]] = dict.fromkeys(depths, ())  # N
    owned: dict[tuple[int, ...], set[Any]] = {(): set(depths)}  # n.T
    open_nodes: list[tuple[int, ...]] = [()]  # O
    order: list[tuple[int, ...]] = [()]

    def select() -> tuple[int, ...]:
        if len(open_nodes) == 1:
            return open_nodes[0]
        weights = [math.exp(1 / (temperature * (counts.get(vector[node], 0) + 1))) for node in open_nodes]
        place = rng.random() * sum(weights)
        for node, weight in zip(open_nodes, weights, strict=True):
            place -= weight
            if place < 0:
                return node
        return open_nodes[-1]

    def prune_other(new: tuple[int, ...]) -> None:
        for item in owned[new]:
            if item in owners:
                other = owners[item]
                owned[other].discard(item)
                if not owned[other]:
                    open_nodes[:] = [node for node in open_nodes if node[: len(other)] != other]
            owners[item] = new

    def rollout(node: tuple[int, ...], left: float) -> float:
        while True:
            counts[vector[node]] = counts.get(vector[node], 0) + 1
            labels = untried[node]
            action = labels[0] if len(labels) == 1 else labels[int(rng.random() * len(labels))]
            if left == 0:
                return -1
            left -= 1
            labels.remove(action)
            if not labels:  # the next call of the successor function would return null
                open_nodes.remove(node)
            simulator.load(snapshot[node])
            step = simulator.step(action)
            child = (*node, action)
            order.append(child)
            vector[child] = features(step)
            novel = {item for item in tuples(vector[child], width) if len(child) < depths.get(item, 10**9)}
            if not novel or step.done:  # IsTerminal before PruneOther: an end owns nothing
                return left
            owned[child] = novel
            depths.update(dict.fromkeys(novel, len(child)))
            prune_other(child)
            snapshot[child], untried[child] = simulator.save(), list(range(simulator.actions))
            open_nodes.append(child)
            node = child

    for budget in budgets:
        left = math.inf if budget is None else budget
        while open_nodes and left >= 0:
            left = rollout(select(), left)
    return order, counts


class LiteralRollouts:
    """Rollout IW(w) from one root with repeated actions, over paths: nothing is kept that could be computed anew.

    An action that leaves all features as they are is done again, up to `repeat` times in all; meanwhile no other action
    is tried. `labels` are the open labels of each path in the order in which the real search draws from them.
    """

    def __init__(self, simulator: Any, features: Any, width: int | str, repeat: int, rng: random.Random) -> None:
        self.simulator, self.features, self.width, self.repeat, self.rng = simulator, features, width, repeat, rng
        step = simulator.reset()
        self.vector: dict[tuple[int, ...], Any] = {(): features(step)}
        self.snapshot: dict[tuple[int, ...], Any] = {(): simulator.save()}
        self.ended: dict[tuple[int, ...], bool] = {(): step.done}
        self.order: list[tuple[int, ...]] = [()]
        self.look_at_the_tree()

    def same(self, path: tuple[int, ...]) -> int:
        """How many times in a row, at most `repeat`, the last action was done without changing the features."""
        times = 0
        while times < min(len(path), self.repeat):
            before = path[: len(path) - times - 1]
            if path[len(before)] != path[-1] or self.vector[before] != self.vector[path]:
                break
            times += 1
        return times

    def untried(self, path: tuple[int, ...]) -> list[int]:
        labels = [action for action in range(self.simulator.actions) if (*path, action) not in self.vector]
        if self.repeat > 1 and path and self.same(path) > 0:
            labels = [action for action in labels if action == path[-1]]
        return labels

    def keeps(self, path: tuple[int, ...]) -> bool:
        """Whether a new path is followed: it is the shortest to one of its tuples, or its action is to be repeated."""
        if self.ended[path]:
            return False
        novel = False
        for item in tuples(self.vector[path], self.width):
            if item not in self.owner or len(path) < len(self.owner[item]):
                self.owner[item] = path
                novel = True
        if not novel and self.repeat > 1 and 0 < self.same(path) < self.repeat:
            self.repeated.add(path)
            novel = True
        return novel

    def owns(self, path: tuple[int, ...]) -> bool:
        return path in self.owner.values() or path in self.repeated

    def look_at_the_tree(self) -> None:
        """Begin again with the paths that were generated: breadth first, those that are not kept are not followed."""
        self.owner: dict[Any, tuple[int, ...]] = dict.fromkeys(tuples(self.vector[()], self.width), ())
        self.repeated: set[tuple[int, ...]] = set()
        self.labels: dict[tuple[int, ...], list[int]] = {}
        queue: list[tuple[int, ...]] = [()]
        for path in queue:
            self.labels[path] = self.untried(path)
            for action in range(self.simulator.actions):
                child = (*path, action)
                if child in self.vector:
                    self.labels[child] = []
                    if self.keeps(child):
                        queue.append(child)
        for path in reversed(queue[1:]):
            if self.labels[path]:
                self.labels[path[:-1]].append(path[-1])

    def solved(self) -> None:
        """Take away labels of paths that have none, until nothing changes."""
        changed = True
        while changed:
            changed = False
            for path in self.order[1:]:
                above = self.labels.get(path[:-1], [])
                if not self.labels.get(path) and path[-1] in above:
                    above.remove(path[-1])
                    changed = True

    def rollout(self) -> None:
        path: tuple[int, ...] = ()
        while self.labels[path]:
            labels = self.labels[path]
            action = labels[0] if len(labels) == 1 else labels[int(self.rng.random() * len(labels))]
            child = (*path, action)
            if child not in self.vector:
                self.simulator.load(self.snapshot[path])
                step = self.simulator.step(action)
                self.order.append(child)
                self.vector[child], self.ended[child] = self.features(step), step.done
                self.snapshot[child] = None if step.done else self.simulator.save()
                self.labels[child] = self.untried(child) if self.keeps(child) else []
            elif not self.owns(child):
                self.labels[child] = []
            self.solved()
            path = child

    def run(self) -> list[tuple[int, ...]]:
        """The paths in the order of generation."""
        while self.labels[()]:
            while self.labels[()]:
                self.rollout()
            self.look_at_the_tree()
        return self.order
