"""The archive: the high-level states of a whole search, each with the best way to it that is known.

A region is a high-level state. Regions nest as the levels of HIW do: inside a region of coarse features are regions of
finer ones. A region of the lowest level has an *entry*, a saved state of the simulator from which the search can go on.
In the paper a high level lives as long as one planning step; the archive lives as long as the search. Its table never
forgets a state, its counts go on, and the entry of a region is replaced when a better way to it is found.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

#: The trajectory node of the initial state.
START = -1


class Entry:
    """How the search goes on from a region: a saved state, and what it took to get there."""

    __slots__ = ("lives", "node", "score", "snapshot", "steps")

    def __init__(self, snapshot: Any, score: float, steps: int, node: int, lives: int | None) -> None:
        self.snapshot = snapshot
        self.score = score
        self.steps = steps
        self.node = node  # of the trajectories
        self.lives = lives  # None where the environment has no lives

    def worse(self, score: float, steps: int) -> bool:
        """Whether another way is better: it has a higher score, or the same score after fewer steps."""
        return (score, -steps) > (self.score, -self.steps)


class ArchiveRegion:
    """A high-level state: the regions inside it or, on the lowest level, its entry; and how often it was chosen."""

    __slots__ = ("entry", "index", "inside", "visits", "weights")

    def __init__(self) -> None:
        self.visits = 0
        self.index: dict[bytes, int] = {}  # the features of a region inside -> its place
        self.inside: list[ArchiveRegion] = []
        self.weights: list[float] = []
        self.entry: Entry | None = None

    def choose(self, rng: random.Random) -> int:
        """The place of a region inside, with a probability proportional to 1/sqrt(visits + 1); the visit counts."""
        place = rng.choices(range(len(self.inside)), cum_weights=list(accumulate(self.weights)))[0]
        region = self.inside[place]
        region.visits += 1
        self.weights[place] = weight(region.visits)
        return place

    def add(self, features: bytes) -> ArchiveRegion:
        """A new region inside."""
        region = ArchiveRegion()
        self.index[features] = len(self.inside)
        self.inside.append(region)
        self.weights.append(weight(0))
        return region


def weight(visits: int) -> float:
    """How likely a region is chosen that was chosen so often already."""
    return float((visits + 1) ** -0.5)


class Archive:
    """All regions of a search, on any number of levels."""

    def __init__(self, levels: int) -> None:
        self.levels = levels
        self.top = ArchiveRegion()
        self.regions = [0] * levels  # how many there are on each level, highest first

    def offer(
        self,
        features: Sequence[bytes],
        make: Callable[[], Entry],
        score: float,
        steps: int,
        *,
        improve: bool = True,
    ) -> bool:
        """Show a state to the archive.

        Args:
            features: The features of the state on each level, highest first.
            make: Makes an entry of the state; called only if it is kept, since a snapshot takes time.
            score: The sum of rewards on the way to the state.
            steps: The length of the way.
            improve: Whether a better way to a known region replaces its entry.

        Returns:
            Whether the state is in a region that was not known before.
        """
        outer = region = self.top
        new = False
        for level, vector in enumerate(features):
            outer, place = region, region.index.get(vector)
            if place is None:
                region = outer.add(vector)
                self.regions[level] += 1
                new = True
            else:
                region = outer.inside[place]
        if region.entry is None:
            region.entry = make()
        elif improve and region.entry.worse(score, steps):
            region.entry = make()
            # What can be reached from here may be new now, so that the region is looked at again.
            region.visits = 0
            outer.weights[outer.index[features[-1]]] = weight(0)
        return new


class Trajectories:
    """Every step of a search as a node: its parent and its action. A way from the start is read backwards."""

    def __init__(self) -> None:
        self.parent = array("q")
        self.action = array("H")

    def __len__(self) -> int:
        return len(self.parent)

    def add(self, parent: int, action: int) -> int:
        """A step from a node (`START` for the initial state); returns the new node."""
        self.parent.append(parent)
        self.action.append(action)
        return len(self.parent) - 1

    def actions(self, node: int) -> list[int]:
        """The actions from the start to a node."""
        actions = []
        while node != START:
            actions.append(self.action[node])
            node = self.parent[node]
        return actions[::-1]
