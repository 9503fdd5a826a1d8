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
        for one in tuples(vector, self.width):
            if one in self.seen:
                if depth >= self.seen[one][0]:
                    continue
                losers.append(self.seen[one][1])
            self.seen[one] = (depth, node)
            novel += 1
        return novel, losers


def literal_iw(simulator: Any, features: Any, width: int | str) -> tuple[dict[tuple[int, ...], bool], dict[Any, int]]:
    """IW(w) by a queue: every generated path with whether it was kept, and the depth of every tuple."""
    step = simulator.reset()
    seen: dict[Any, int] = dict.fromkeys(tuples(features(step), width), 0)
    generated = {(): True}
    queue = deque([((), simulator.save())])
    while queue:
        path, snapshot = queue.popleft()
        for action in range(simulator.actions):
            simulator.load(snapshot)
            step = simulator.step(action)
            child = (*path, action)
            if step.done:  # an end takes no novelty from the nodes that live
                generated[child] = False
                continue
            new = [one for one in tuples(features(step), width) if one not in seen]
            seen.update({one: len(child) for one in new})
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
    vector, snapshot, untried = {(): features(step)}, {(): simulator.save()}, {(): list(range(simulator.actions))}
    counts: dict[bytes, int] = {}  # C
    depths = dict.fromkeys(tuples(vector[()], width), 0)  # D
    owners = dict.fromkeys(depths, ())  # N
    owned = {(): set(depths)}  # n.T
    open_nodes = [()]  # O
    order = [()]

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
        for one in owned[new]:
            if one in owners:
                other = owners[one]
                owned[other].discard(one)
                if not owned[other]:
                    open_nodes[:] = [node for node in open_nodes if node[: len(other)] != other]
            owners[one] = new

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
            novel = {one for one in tuples(vector[child], width) if len(child) < depths.get(one, 10**9)}
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
