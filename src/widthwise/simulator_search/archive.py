"""The archive: the high-level states of a whole search, each with the best known path to it.

A region is a high-level state. Regions nest as the levels of HIW do: inside a region of coarse features are regions of
finer ones. A region of the lowest level has an *entry*, a saved state of the simulator from which the search can
continue. In the paper a high level lasts for one planning step; the archive lasts for the whole search. Its counts
persist, and the entry of a region is replaced when a better path to it is found.

The gain, the sum of positive rewards so far, can be the feature of the highest level. It is often a splitting feature:
a key or a door that was rewarded changes what can be done, and the gain shows it where the screen hardly does. Negative
rewards do not count: where every mistake costs a point, all scores are different, and the regions of each would be
searched separately. The search prefers high gains and gives up low ones first when the archive becomes too large.

Every gain has regions of its own, and most of them are known from lower gains. A region is therefore chosen less often
if it was visited often, be it with this gain or with others: the search with a new gain passes through known regions
and soon continues where few visits were.
"""

from __future__ import annotations

import random
import struct
from array import array
from bisect import bisect_right, insort
from collections.abc import Sequence
from typing import Any

from widthwise.simulator_search.sizes import size_of
from widthwise.simulator_search.trajectories import DIGITS, rank

#: Bytes of an entry and its region in addition to the saved state.
ENTRY_BYTES = 600


def add_gain(gain: float, reward: float) -> float:
    """The gain after a step, rounded as in `rank`, so that equal gains have one region."""
    return round(gain + max(0.0, reward), DIGITS)


class Entry:
    """How the search continues from a region: a saved state, and what it took to get there."""

    __slots__ = ("_size", "gain", "lives", "node", "policy", "score", "snapshot", "steps")

    def __init__(
        self,
        snapshot: Any,
        score: float,
        steps: int,
        node: int,
        lives: int | None,
        *,
        gain: float = 0.0,
        policy: array[float] | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.score = score
        self.gain = gain  # the sum of positive rewards
        self.steps = steps
        self.node = node  # of the trajectories
        self.lives = lives  # None where the environment has no lives
        self.policy = policy  # a probability for each action, where the search follows a policy
        self._size: int | None = None

    @property
    def size(self) -> int:
        """Its bytes, about."""
        if self._size is None:
            followed = 0 if self.policy is None else len(self.policy) * self.policy.itemsize
            self._size = ENTRY_BYTES + followed + size_of(self.snapshot)
        return self._size

    def worse(self, score: float, steps: int) -> bool:
        """Whether another way is better: it has a higher score, or the same score after fewer steps."""
        return rank(score, steps) > rank(self.score, self.steps)


class Count:
    """The visits to all regions with the same features on the levels below the gain.

    Args:
        features: These features, by which the archive finds it.
    """

    __slots__ = ("features", "regions", "visits")

    def __init__(self, features: tuple[bytes, ...] = ()) -> None:
        self.features = features
        self.regions = 0  # how many regions use it; without any it is forgotten, as a checkpoint does
        self.visits = 0.0


class ArchiveRegion:
    """A high-level state: the regions inside it or, on the lowest level, its entry; and how often it was visited.

    Args:
        everywhere: The visits to the same region with any gain; None on the lowest level, where they do not count.
    """

    __slots__ = ("entry", "everywhere", "index", "inside", "low", "visits")

    def __init__(self, everywhere: Count | None = None) -> None:
        self.visits = 0.0
        self.everywhere = everywhere
        self.low: Any = None  # how rollouts are pruned that begin in it, where the search has begun with that
        self.index: dict[bytes, int] = {}  # the features of a region inside -> its place
        self.inside: list[ArchiveRegion] = []
        self.entry: Entry | None = None

    def weight(self) -> float:
        """How likely it is chosen: less likely, the more often it was visited, here and with any gain."""
        everywhere = 0.0 if self.everywhere is None else self.everywhere.visits
        return 1 / ((self.visits + 1) * (everywhere + 1))

    def choose(self, rng: random.Random) -> ArchiveRegion:
        """A region inside, with a probability proportional to its weight."""
        return rng.choices(self.inside, [region.weight() for region in self.inside])[0]

    def add(self, features: bytes, everywhere: Count | None = None) -> ArchiveRegion:
        """A new region inside."""
        region = ArchiveRegion(everywhere)
        self.index[features] = len(self.inside)
        self.inside.append(region)
        return region

    def count(self, visits: float) -> None:
        """Count a visit, or a part of one."""
        self.visits += visits
        if self.everywhere is not None:
            self.everywhere.visits += visits


class Gains(ArchiveRegion):
    """The highest level where its feature is the gain: the regions inside have one gain each.

    The gain of rank r, the highest having rank 1, is chosen with a probability proportional to 1/r: high gains are
    preferred, and none is left out, since a high gain may be a dead end.
    """

    __slots__ = ("free", "harmonic", "ranked")

    def __init__(self) -> None:
        super().__init__()
        self.free: list[int] = []  # places of gains that were given up; new gains take them
        self.ranked: list[tuple[float, int]] = []  # gain and place, in increasing order
        self.harmonic: list[float] = []  # sums of 1/r

    def choose(self, rng: random.Random) -> ArchiveRegion:
        """A gain, with a probability proportional to 1/r."""
        count = len(self.ranked)
        rank = 0 if count == 1 else min(bisect_right(self.harmonic, rng.random() * self.harmonic[count - 1]), count - 1)
        return self.inside[self.ranked[count - 1 - rank][1]]

    def add(self, features: bytes, everywhere: Count | None = None) -> ArchiveRegion:
        """A gain that was not seen before."""
        if self.free:
            region, place = ArchiveRegion(everywhere), self.free.pop()
            self.index[features], self.inside[place] = place, region
        else:
            region, place = super().add(features, everywhere), len(self.inside) - 1
        insort(self.ranked, (gain_of(features), place))
        if len(self.harmonic) < len(self.ranked):
            self.harmonic.append((self.harmonic[-1] if self.harmonic else 0.0) + 1 / len(self.ranked))
        return region

    def drop_lowest(self) -> ArchiveRegion:
        """Give up the lowest gain; returns what was in it."""
        gain, place = self.ranked.pop(0)
        del self.index[gain_features(gain)]
        dropped, self.inside[place] = self.inside[place], _NO_REGION  # places of other regions stay
        self.free.append(place)
        return dropped


#: In the place of a gain that was given up. Nothing is added to it.
_NO_REGION = ArchiveRegion()


def gain_features(gain: float) -> bytes:
    """A gain as the feature of a region."""
    return struct.pack("<d", gain)


def gain_of(features: bytes) -> float:
    """The gain that `gain_features` has packed."""
    gain: float = struct.unpack("<d", features)[0]
    return gain


class Archive:
    """All regions of a search, on any number of levels.

    Args:
        levels: The number of levels, that of the gain included.
        gains: Whether the feature of the highest level is the gain.
        most: The bytes of entries to keep. When there are more, a state with a higher gain replaces those with the
            lowest one; other states are not stored.
        shared: Whether visits to a region count for the same region with other gains.
    """

    def __init__(self, levels: int, *, gains: bool = False, most: float = float("inf"), shared: bool = True) -> None:
        self.levels = levels
        self.top: ArchiveRegion = Gains() if gains else ArchiveRegion()
        self.regions = [0] * levels  # how many there are on each level, highest first
        self.shared = shared
        self.counts: dict[tuple[bytes, ...], Count] = {}  # by the features below the gain
        self.most = most
        self.bytes = 0  # of all entries, about
        self.lowest = float("-inf")  # gains up to this one were given up

    def entry(self, features: Sequence[bytes]) -> Entry | None:
        """The entry of the region with these features, highest level first; None if the region is not known."""
        region = self.top
        for vector in features:
            place = region.index.get(vector)
            if place is None:
                return None
            region = region.inside[place]
        return region.entry

    def knows(self, features: bytes) -> bool:
        """Whether there is a region of the highest level with these features."""
        return features in self.top.index

    def offer(self, features: Sequence[bytes], entry: Entry, *, improve: bool = True) -> bool:
        """Show a state to the archive.

        Args:
            features: The features of the state on each level, highest first.
            entry: The state and the way to it.
            improve: Whether a better way to a known region replaces its entry.

        Returns:
            Whether the state is in a region that was not known before.
        """
        region = self.top
        for vector in features:
            place = region.index.get(vector)
            if place is None:
                return self._add(features, entry)
            region = region.inside[place]
        before = region.entry
        assert before is not None
        if improve and before.worse(entry.score, entry.steps):
            region.entry = entry
            self.bytes += entry.size - before.size
            # What can be reached from here may be new now, so that the region is looked at again.
            region.visits = 0.0
        return False

    def _add(self, features: Sequence[bytes], entry: Entry) -> bool:
        """Add the regions that are missing on the way to a new one of the lowest level, if there is room."""
        if isinstance(self.top, Gains) and gain_of(features[0]) <= self.lowest:
            return False
        if self.bytes >= self.most and not self._drop(features[0]):
            return False
        region = self.top
        for level, vector in enumerate(features):
            place = region.index.get(vector)
            if place is None:
                region = region.add(vector, self.everywhere(features[: level + 1]))
                self.regions[level] += 1
            else:
                region = region.inside[place]
        region.entry = entry
        self.bytes += entry.size
        return True

    def everywhere(self, features: Sequence[bytes]) -> Count | None:
        """The visits to a new region with any gain; `features` are those of its level and of all levels above."""
        if len(features) == self.levels:
            return None
        if not self.shared:
            return Count()
        below = tuple(features[isinstance(self.top, Gains) :])
        count = self.counts.get(below)
        if count is None:
            count = self.counts[below] = Count(below)
        count.regions += 1
        return count

    def _drop(self, gain: bytes) -> bool:
        """Give up the lowest gain, if it is below this one; returns whether it was."""
        if not isinstance(self.top, Gains) or self.top.ranked[0][0] >= gain_of(gain):
            return False
        self.lowest = self.top.ranked[0][0]
        pending = [(0, self.top.drop_lowest())]
        while pending:
            level, region = pending.pop()
            self.regions[level] -= 1
            if region.entry is not None:
                self.bytes -= region.entry.size
            if self.shared and region.everywhere is not None:
                self._forget(region.everywhere)
            pending += [(level + 1, inner) for inner in region.inside]
        return True

    def _forget(self, count: Count) -> None:
        """A region that used a count is gone; the last one takes the count with it."""
        count.regions -= 1
        if not count.regions:
            del self.counts[count.features]
