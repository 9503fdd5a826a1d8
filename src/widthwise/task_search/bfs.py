"""Breadth-first and depth-first search: IW with width n, which prunes duplicates only."""

from __future__ import annotations

from widthwise.task_search.iw import IW


def BFS() -> IW:
    """Breadth-first search with duplicate detection. It is complete and its plans are shortest.

    Returns:
        `IW("n")`, which prunes only repeated states.

    Example:
        >>> ww.solve(ww.example("corridor", length=4), ww.BFS()).cost
        9
    """
    return IW("n")


def DFS() -> IW:
    """Depth-first search with duplicate detection.

    Returns:
        `IW("n", depth_first=True)`.

    Example:
        >>> ww.solve(ww.example("corridor", length=4), ww.DFS()).status
        <Status.SOLVED: 'solved'>
    """
    return IW("n", depth_first=True)
