"""Bounds on the number of novel states of a width search: N(n,d,w), Theorems 1 and 3 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod

from widthwise.core.errors import UsageError

#: A level: number of features, values per feature, width.
Level = tuple[int, int, int]


def novel_states(n: int, d: int, w: int) -> int:
    """N(n,d,w) of Theorem 1: the largest number of states that IW(w) can find novel.

    The number is exact. For w >= n only repeated states are pruned, so that all d**n states may be novel.

    Args:
        n: The number of features, at least 0.
        d: The number of values of each feature, at least 1.
        w: The width, at least 0.

    Returns:
        The bound.

    Raises:
        UsageError: An argument is too small.

    Example:
        >>> ww.theory.novel_states(128, 256, 2)
        528555841
    """
    if n < 0 or d < 1 or w < 0:
        raise UsageError(f"N({n},{d},{w}) is not defined: use n >= 0 features, d >= 1 values and a width w >= 0")
    if w >= n:
        return int(d**n)
    return sum(int(comb(n - 1 - k, w - k) * d**k * (d - 1) ** (w - k)) for k in range(w + 1))


def hierarchical_states(levels: Sequence[Level]) -> int:
    """The bound of Theorem 3 for HIW: the product of N(n,d,w) over the levels.

    Args:
        levels: For each level, highest first, the number of features, the number of values and the width.

    Returns:
        The bound.

    Raises:
        UsageError: A number is too small.

    Example:
        >>> ww.theory.hierarchical_states([(1, 256, 1), (127, 256, 1)])
        8290816
    """
    return prod(novel_states(*level) for level in levels)


def flat_states(levels: Sequence[Level]) -> int:
    """The bound of the flat search to compare a hierarchy with: all features together, the widths added up.

    Args:
        levels: For each level, highest first, the number of features, the number of values and the width.

    Returns:
        N(n_1 + ... + n_k, max d, w_1 + ... + w_k).

    Raises:
        UsageError: There is no level, or a number is too small.

    Example:
        >>> ww.theory.flat_states([(1, 256, 1), (127, 256, 1)])
        528555841
    """
    if not levels:
        raise UsageError("a hierarchy has at least one level: give (features, values, width) for each")
    return novel_states(sum(n for n, _, _ in levels), max(d for _, d, _ in levels), sum(w for _, _, w in levels))
