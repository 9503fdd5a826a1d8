"""Whether a feature splits a task: the condition under which HIW is as strong as a flat search of greater width."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Protocol, TypeVar

from widthwise.core.errors import UsageError

State = TypeVar("State", bound=Hashable)


class Explorable(Protocol[State]):
    """A task small enough to look at all of its states."""

    @property
    def init(self) -> State:
        """The initial state."""

    def successors(self, state: State) -> Iterable[tuple[object, State]]:
        """All (operator, state after it) of a state."""


def splitting(task: Explorable[State], feature: int | str | Callable[[State], Hashable], limit: int = 100_000) -> bool:
    """Decide whether a feature is splitting, by looking at every reachable state of a small task.

    A feature is splitting if for each of its values the states with that value form a connected graph (the paper's
    definition). Transitions have a direction, so "connected" has to be said more exactly. What the definition is for is
    that a search which enters such a set of states can see all of it without leaving it. So a set is connected here if
    *every way in leads everywhere*: from the initial state, if it belongs to the set, and from every state of the set
    that some transition enters from outside, all reachable states of the set can be reached by transitions that stay
    inside. Where every step can be undone this is the ordinary notion. A set that can only be entered before something
    irreversible happens inside it (a door that opens for good) still counts as connected; being joined by transitions
    of the wrong direction does not.

    `feature` is an atom, by number or name, or any function of the state. Raises UsageError when there are more than
    `limit` reachable states.
    """
    value = _function(task, feature)
    values: dict[State, Hashable] = {task.init: value(task.init)}
    inside: dict[State, list[State]] = {}  # transitions that keep the value
    entries: list[State] = [task.init]
    queue = [task.init]
    while queue:
        state = queue.pop()
        inside[state] = []
        for _, after in task.successors(state):
            if after not in values:
                if len(values) >= limit:
                    raise UsageError(f"more than {limit} states are reachable: too many to decide what splits them")
                values[after] = value(after)
                queue.append(after)
            if values[after] == values[state]:
                inside[state].append(after)
            else:
                entries.append(after)

    sizes: dict[Hashable, int] = {}
    for one in values.values():
        sizes[one] = sizes.get(one, 0) + 1
    return all(_reach(entry, inside) == sizes[values[entry]] for entry in dict.fromkeys(entries))


def _reach(start: State, inside: dict[State, list[State]]) -> int:
    """How many states can be reached by transitions that stay inside."""
    seen = {start}
    queue = [start]
    while queue:
        for after in inside[queue.pop()]:
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return len(seen)


def _function(task: Explorable[State], feature: int | str | Callable[[State], Hashable]) -> Callable[[State], Hashable]:
    if callable(feature):
        return feature
    if isinstance(feature, str):
        find = getattr(task, "atom", None)
        if find is None:
            raise UsageError(f"this task has no names, so it cannot look up {feature!r}: give the number of the atom")
        feature = int(find(feature))
    number = feature

    def holds(state: State) -> Hashable:
        return number in state  # type: ignore[operator]

    return holds
