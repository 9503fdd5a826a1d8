"""Novelty over feature values of any type; the native tables are for atoms only."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal

Tuple = tuple[tuple[int, Hashable], ...]


class ValueTable:
    """A table of the tuples of (feature, value) seen so far, of size up to a width."""

    def __init__(self, width: int | Literal["n"]) -> None:
        self.width = width
        self.seen: set[Tuple] = set()

    def tuples(self, values: Sequence[Hashable]) -> Iterator[Tuple]:
        """The tuples of a feature vector that this table stores."""
        pairs = list(enumerate(values))
        # All vectors have the same length, so the largest size decides: a new small tuple is part of a new large one.
        size = len(pairs) if self.width == "n" else min(self.width, len(pairs))
        return combinations(pairs, size)

    def novel(self, values: Sequence[Hashable]) -> bool:
        """Whether a vector contains a tuple not seen before."""
        return any(pairs not in self.seen for pairs in self.tuples(values))

    def take(self, values: Sequence[Hashable]) -> bool:
        """Whether a vector contains a tuple not seen before; stores its tuples."""
        before = len(self.seen)
        self.seen.update(self.tuples(values))
        return len(self.seen) > before


class RestrictedTable(ValueTable):
    """Novelty over chosen tuples only: `high_width` features of one set together with `low_width` of another.

    This is the restricted IW(w_h + w_l) that Theorem 2 compares HIW(w_h, w_l) with. `high` and `low` are positions in
    the feature vector.
    """

    def __init__(self, high: Iterable[int], high_width: int, low: Iterable[int], low_width: int) -> None:
        super().__init__(high_width + low_width)
        self.high, self.low = list(high), list(low)
        self.high_width, self.low_width = high_width, low_width

    def tuples(self, values: Sequence[Hashable]) -> Iterator[Tuple]:
        """The allowed tuples of a feature vector."""
        for above in combinations([(place, values[place]) for place in self.high], self.high_width):
            for below in combinations([(place, values[place]) for place in self.low], self.low_width):
                yield above + below
