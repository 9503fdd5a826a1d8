"""The interface of algorithms that can be a level of a hierarchy, on tasks and on simulators."""

from __future__ import annotations

from typing import Literal, Protocol

#: A width: the size of the tuples of novelty, or "n" for all features at once (only duplicates are pruned).
Width = int | Literal["n"]


class LevelAlgorithm(Protocol):
    """An algorithm that searches one level: it has a name and a width."""

    @property
    def name(self) -> str:
        """The name as the paper writes it."""

    @property
    def width(self) -> Width:
        """The size of the tuples of novelty; an algorithm without novelty has width 1."""
