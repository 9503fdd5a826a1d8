"""Splitting features: the condition of Theorem 2, under which HIW is as strong as a flat search of larger width."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Protocol, TypeVar

from widthwise.core.errors import UsageError

State = TypeVar("State", bound=Hashable)
#: A feature: an atom by its number or name, or a function of the state with hashable values.
TheoryFeature = int | str | Callable[[State], Hashable]
#: The most states that are examined if no other limit is given.
LIMIT = 100_000


class Explorable(Protocol[State]):
    """A task whose states can be enumerated: a `Task`, or any object with `init` and `successors`.

    Example:
        >>> task = ww.example("corridor", length=2)
        >>> len(task.successors(task.init))
        1
    """

    @property
    def init(self) -> State:
        """The initial state."""

    def successors(self, state: State) -> Iterable[tuple[object, State]]:
        """Expand a state.

        Args:
            state: The state.

        Returns:
            Pairs of an operator and the state after it.
        """


def is_splitting(task: Explorable[State], feature: TheoryFeature[State], limit: int = LIMIT) -> bool:
    """Whether a feature is splitting, decided by enumerating the reachable states of a small task.

    The paper calls a feature splitting if, for each of its values, the states with that value form a connected graph.
    Transitions are directed, so this needs a precise reading. The definition is used to conclude that a search which
    enters such a set of states can visit all of it without leaving it. Therefore a set counts as connected here if
    every entry reaches all of it: from the initial state, if it is in the set, and from every state of the set that a
    transition enters from outside, all reachable states of the set can be reached by transitions inside the set. For
    reversible transitions this is the usual notion.

    Args:
        task: The task.
        feature: The feature: an atom by number or name, or a function of the state.
        limit: The most states to enumerate.

    Returns:
        Whether the feature is splitting.

    Raises:
        UsageError: More than `limit` states are reachable, or the task has no atom of that name.

    Example:
        >>> corridor = ww.example("corridor", length=4)
        >>> ww.theory.is_splitting(corridor, "(have-key)"), ww.theory.is_splitting(corridor, "(at p2)")
        (True, False)
    """
    value = feature_function(task, feature)
    values: dict[State, Hashable] = {task.init: value(task.init)}
    inside: dict[State, list[State]] = {}  # transitions that keep the value
    entries: list[State] = [task.init]
    queue = [task.init]
    while queue:
        state = queue.pop()
        inside[state] = []
        for _, child in task.successors(state):
            if child not in values:
                check_limit(len(values), limit)
                values[child] = value(child)
                queue.append(child)
            if values[child] == values[state]:
                inside[state].append(child)
            else:
                entries.append(child)

    sizes: dict[Hashable, int] = {}
    for feature_value in values.values():
        sizes[feature_value] = sizes.get(feature_value, 0) + 1
    return all(_reach(entry, inside) == sizes[values[entry]] for entry in dict.fromkeys(entries))


def check_limit(states: int, limit: int) -> None:
    """Refuse another state if there are as many as the limit allows."""
    if states >= limit:
        raise UsageError(f"more than {limit} states are reachable: too many to enumerate; give a larger limit")


def feature_function(task: Explorable[State], feature: TheoryFeature[State]) -> Callable[[State], Hashable]:
    """A feature as a function of the state; an atom has the values true and false."""
    if callable(feature):
        return feature
    if isinstance(feature, str):
        lookup = getattr(task, "atom", None)
        if lookup is None:
            raise UsageError(f"this task has no names, so it cannot look up {feature!r}: give the number of the atom")
        feature = int(lookup(feature))
    number = feature

    def holds(state: State) -> Hashable:
        return number in state  # type: ignore[operator]

    return holds


def _reach(start: State, inside: dict[State, list[State]]) -> int:
    """How many states can be reached by transitions that stay inside."""
    seen = {start}
    queue = [start]
    while queue:
        for child in inside[queue.pop()]:
            if child not in seen:
                seen.add(child)
                queue.append(child)
    return len(seen)
