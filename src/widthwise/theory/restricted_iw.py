"""Theorem 2: HIW over splitting features visits the states of a restricted IW. Both searches, over feature values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from widthwise.core.errors import UsageError
from widthwise.core.novelty import RestrictedTable, ValueTable
from widthwise.theory.splitting import LIMIT, Explorable, TheoryFeature, check_limit, feature_function, is_splitting

State = TypeVar("State", bound=Hashable)
Vector = tuple[Hashable, ...]


def restricted_iw(
    task: Explorable[State],
    high: Sequence[TheoryFeature[State]],
    low: Sequence[TheoryFeature[State]],
    high_width: int = 1,
    low_width: int = 1,
    *,
    limit: int = LIMIT,
) -> list[State]:
    """The restricted IW(w_h + w_l) of Theorem 2, run until nothing novel is left.

    A breadth-first search that keeps a state if some `high_width` high-level features and some `low_width` low-level
    features have a combination of values that was not seen before.

    Args:
        task: The task.
        high: The high-level features: atoms by number or name, or functions of the state.
        low: The low-level features, in the same form.
        high_width: w_h, from 1 to the number of high-level features.
        low_width: w_l, from 1 to the number of low-level features.
        limit: The most states to keep.

    Returns:
        The states that were kept, in the order in which they were generated.

    Raises:
        UsageError: A width does not fit the features, an atom is unknown, or there are more than `limit` states.

    Example:
        >>> corridor = ww.example("corridor", length=4)
        >>> len(ww.theory.restricted_iw(corridor, ["(have-key)"], [f"(at p{place})" for place in range(5)]))
        10
    """
    above, below = _vector(task, high, high_width, "high"), _vector(task, low, low_width, "low")
    table = RestrictedTable(range(len(high)), high_width, range(len(high), len(high) + len(low)), low_width)
    kept = [task.init]
    table.take(above(task.init) + below(task.init))
    for state in kept:
        for _, child in task.successors(state):
            if table.take(above(child) + below(child)):
                check_limit(len(kept), limit)
                kept.append(child)
    return kept


def hierarchical_iw(
    task: Explorable[State],
    high: Sequence[TheoryFeature[State]],
    low: Sequence[TheoryFeature[State]],
    high_width: int = 1,
    low_width: int = 1,
    *,
    limit: int = LIMIT,
) -> list[State]:
    """HIW(w_h, w_l) over feature values as the paper defines it, run until nothing novel is left.

    A plain reference in Python. `HIW` is the fast planner; its low level uses all atoms of a task as features.

    Args:
        task: The task.
        high: The high-level features: atoms by number or name, or functions of the state.
        low: The low-level features, in the same form.
        high_width: w_h, from 1 to the number of high-level features.
        low_width: w_l, from 1 to the number of low-level features.
        limit: The most states to keep.

    Returns:
        The states that were kept, in the order in which they were generated.

    Raises:
        UsageError: A width does not fit the features, an atom is unknown, or there are more than `limit` states.

    Example:
        >>> corridor = ww.example("corridor", length=4)
        >>> len(ww.theory.hierarchical_iw(corridor, ["(have-key)"], [f"(at p{place})" for place in range(5)]))
        10
    """
    above, below = _vector(task, high, high_width, "high"), _vector(task, low, low_width, "low")
    high_table = ValueTable(high_width)
    high_table.take(above(task.init))
    kept = [task.init]
    open_nodes = deque([_HighLevelNode(task, task.init, above, below, low_width)])
    while open_nodes:
        node = open_nodes[0]
        state, entered = node.successor()
        if state is None:
            open_nodes.popleft()  # expanded: its low-level search is exhausted
        elif not entered or high_table.take(above(state)):
            check_limit(len(kept), limit)
            kept.append(state)
            if entered:
                open_nodes.append(_HighLevelNode(task, state, above, below, low_width))
    return kept


class _HighLevelNode(Generic[State]):
    """A high-level node with its low-level search, which is resumed for each successor."""

    def __init__(
        self,
        task: Explorable[State],
        root: State,
        above: Callable[[State], Vector],
        below: Callable[[State], Vector],
        width: int,
    ) -> None:
        self.task, self.above, self.below = task, above, below
        self.abstract = above(root)
        self.table = ValueTable(width)
        self.table.take(below(root))
        self.events = self._search(root)

    def successor(self) -> tuple[State | None, bool]:
        """The next state that was kept, and whether it has another high-level state; None if the search ended."""
        return next(self.events, (None, False))

    def _search(self, root: State) -> Iterator[tuple[State, bool]]:
        queue = [root]
        for state in queue:
            for _, child in self.task.successors(state):
                if self.above(child) != self.abstract:
                    yield child, True
                elif self.table.take(self.below(child)):
                    queue.append(child)
                    yield child, False


@dataclass(frozen=True, slots=True)
class Theorem2(Generic[State]):
    """Both sides of Theorem 2 on one task.

    Args:
        splitting: For each high-level feature, whether it is splitting.
        restricted: The states that the restricted IW(w_h + w_l) keeps.
        hierarchical: The states that HIW(w_h, w_l) keeps.

    Example:
        >>> corridor = ww.example("corridor", length=4)
        >>> ww.theory.theorem_2(corridor, ["(have-key)"], [f"(at p{place})" for place in range(5)])
        Theorem 2: all features are splitting; restricted IW keeps 10 states, HIW keeps 10, the same states
    """

    splitting: tuple[bool, ...]
    restricted: frozenset[State]
    hierarchical: frozenset[State]

    @property
    def applies(self) -> bool:
        """Whether all high-level features are splitting, which is the condition of the theorem."""
        return all(self.splitting)

    @property
    def equivalent(self) -> bool:
        """Whether both searches keep the same states."""
        return self.restricted == self.hierarchical

    def __repr__(self) -> str:
        condition = "all features are splitting" if self.applies else "not all features are splitting"
        same = "the same states" if self.equivalent else "not the same states"
        counts = f"restricted IW keeps {len(self.restricted)} states, HIW keeps {len(self.hierarchical)}"
        return f"Theorem 2: {condition}; {counts}, {same}"


def theorem_2(
    task: Explorable[State],
    high: Sequence[TheoryFeature[State]],
    low: Sequence[TheoryFeature[State]],
    high_width: int = 1,
    low_width: int = 1,
    *,
    limit: int = LIMIT,
) -> Theorem2[State]:
    """Run both searches of Theorem 2 and check its condition.

    Args:
        task: The task.
        high: The high-level features: atoms by number or name, or functions of the state.
        low: The low-level features, in the same form.
        high_width: w_h, from 1 to the number of high-level features.
        low_width: w_l, from 1 to the number of low-level features.
        limit: The most states to enumerate.

    Returns:
        The states of both searches, and which features are splitting.

    Raises:
        UsageError: A width does not fit the features, an atom is unknown, or there are more than `limit` states.

    Example:
        >>> corridor = ww.example("corridor", length=4)
        >>> ww.theory.theorem_2(corridor, ["(have-key)"], [f"(at p{place})" for place in range(5)]).equivalent
        True
    """
    return Theorem2(
        tuple(is_splitting(task, feature, limit) for feature in high),
        frozenset(restricted_iw(task, high, low, high_width, low_width, limit=limit)),
        frozenset(hierarchical_iw(task, high, low, high_width, low_width, limit=limit)),
    )


def _vector(
    task: Explorable[State], features: Sequence[TheoryFeature[State]], width: int, level: str
) -> Callable[[State], Vector]:
    """The feature vector of a level as a function of the state."""
    if not features or not 1 <= width <= len(features):
        raise UsageError(
            f"the {level} level has {len(features)} features and the width {width}: "
            "give at least one feature, and a width from 1 to their number"
        )
    functions = [feature_function(task, feature) for feature in features]
    return lambda state: tuple(function(state) for function in functions)
