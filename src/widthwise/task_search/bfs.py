"""Breadth-first and depth-first search: width n, so that nothing but duplicates is pruned."""

from __future__ import annotations

from widthwise.task_search.iw import IW


def BFS() -> IW:
    """Breadth-first search with duplicate detection: complete, and its plans are shortest."""
    return IW("n")


def DFS() -> IW:
    """Depth-first search with duplicate detection."""
    return IW("n", depth_first=True)
