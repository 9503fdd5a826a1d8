"""How many novel states a width search can meet at most: N(n,d,w), Theorems 1 and 3 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod

from widthwise.core.errors import UsageError

#: A level: number of features, values per feature, width.
Level = tuple[int, int, int]


def novel_states(n: int, d: int, w: int) -> int:
    """N(n,d,w): the most states that IW(w) can find novel among n features of d values each.

    The closed form of Theorem 1, in exact integers. With w >= n only repeated states are pruned, so all
    d**n may be novel.
    """
    if n < 0 or d < 1 or w < 0:
        raise UsageError(f"N({n},{d},{w}) means nothing: take n >= 0 features of d >= 1 values and a width w >= 0")
    if w >= n:
        return int(d**n)
    return sum(int(comb(n - 1 - k, w - k) * d**k * (d - 1) ** (w - k)) for k in range(w + 1))


def hierarchical_states(levels: Sequence[Level]) -> int:
    """Theorem 3: the most novel states of a hierarchy, the product over its levels."""
    return prod(novel_states(*level) for level in levels)


def flat_states(levels: Sequence[Level]) -> int:
    """The bound of the flat search that sees as much: all features at once, the widths added up."""
    return novel_states(sum(n for n, _, _ in levels), max(d for _, d, _ in levels), sum(w for _, _, w in levels))
