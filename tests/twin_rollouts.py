"""Literal versions of depth-based novelty and of IW(w) on a simulator, to compare the real ones with."""

from __future__ import annotations

from collections import deque
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
            new = [one for one in tuples(features(step), width) if one not in seen]
            seen.update({one: len(child) for one in new})
            generated[child] = bool(new) and not step.done
            if generated[child]:
                queue.append((child, simulator.save()))
    return generated, seen
