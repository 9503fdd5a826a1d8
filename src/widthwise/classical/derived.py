"""Rules of derived predicates, taken apart for the validator: what follows at once, and what from new facts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from widthwise.classical.pddl.strata import mentioned
from widthwise.classical.pddl.syntax import And, Atom, Condition, Derived, Exists, Imply, Not, Or

#: Ends the name of the table with the newest facts of a predicate; no name in a file has a space.
NEW = " new"
Circle: TypeAlias = frozenset[str]


@dataclass(frozen=True, slots=True)
class Parts:
    """A rule in parts: once the first has been applied, new facts follow only from new facts."""

    rule: Derived
    at_once: Condition | None  # the part without predicates of its circle
    later: tuple[Condition, ...]  # each needs a new fact of such a predicate


class Rules:
    """The rules of all derived predicates, with the order in which their circles have to be computed.

    A circle is a group of predicates that are defined by each other.
    """

    def __init__(self, rules: Iterable[Derived], poll: Callable[[], None] = lambda: None) -> None:
        self._uses: dict[str, dict[str, None]] = {}
        rules = list(rules)
        for rule in rules:
            poll()
            uses = self._uses.setdefault(rule.predicate, {})
            uses.update(dict.fromkeys(name for name, _ in mentioned(rule.condition)))
        for name, uses in self._uses.items():
            self._uses[name] = {other: None for other in uses if other in self._uses}
        self.circles = circles(self._uses, poll)
        self.circle_of = {name: number for number, circle in enumerate(self.circles) for name in circle}
        self.parts: dict[str, list[Parts]] = {name: [] for name in self._uses}
        members = [frozenset(circle) for circle in self.circles]
        for rule in rules:
            poll()
            self.parts[rule.predicate].append(take_apart(rule, members[self.circle_of[rule.predicate]]))

    def needed(self, predicate: str, known: Container[str]) -> list[tuple[str, ...]]:
        """Return the circles that a predicate needs and that are not known, each after those it needs itself."""
        seen = {self.circle_of[predicate]}
        todo = [predicate]
        while todo:
            for name in self.circles[self.circle_of[todo.pop()]]:
                for other in self._uses[name]:
                    number = self.circle_of[other]
                    if number not in seen and other not in known:
                        seen.add(number)
                        todo.append(other)
        return [self.circles[number] for number in sorted(seen)]


def circles(uses: Mapping[str, Iterable[str]], poll: Callable[[], None] = lambda: None) -> list[tuple[str, ...]]:
    """Return the groups of names that use each other, each after those it uses (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    placed: set[str] = set()
    circles: list[tuple[str, ...]] = []
    for start in uses:
        if start in order:
            continue
        path: list[tuple[str, Iterator[str]]] = []
        new: str | None = start
        while True:
            poll()
            if new is not None:
                order[new] = lowest[new] = len(order)
                waiting.append(new)
                path.append((new, iter(uses[new])))
            name, others = path[-1]
            new = None
            for other in others:
                if other not in order:
                    new = other
                    break
                if other not in placed:
                    lowest[name] = min(lowest[name], order[other])
            if new is not None:
                continue
            path.pop()
            if path:
                lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
            if lowest[name] == order[name]:
                circle = [waiting.pop()]
                while circle[-1] != name:
                    circle.append(waiting.pop())
                circles.append(tuple(reversed(circle)))
                placed.update(circle)
            if not path:
                break
    return circles


def take_apart(rule: Derived, circle: Circle) -> Parts:
    """Split the condition of a rule whose predicate is defined in that circle."""
    at_once, later = _split(rule.condition, circle)
    return Parts(rule, at_once, tuple(later))


def _split(condition: Condition, circle: Circle) -> tuple[Condition | None, list[Condition]]:
    match condition:
        case Atom(predicate, args) if predicate in circle:
            return None, [Atom(predicate + NEW, args, condition.at)]
        case And(parts):
            halves = [_split(part, circle) for part in parts]
            now = [half for half, _ in halves if half is not None]
            later: list[Condition] = [
                And((*parts[:place], new_part, *parts[place + 1 :]), condition.at)
                for place, (_, new_parts) in enumerate(halves)
                for new_part in new_parts
            ]
            return And(tuple(now), condition.at) if len(now) == len(parts) else None, later
        case Or(parts):
            halves = [_split(part, circle) for part in parts]
            now = [half for half, _ in halves if half is not None]
            return Or(tuple(now), condition.at) if now else None, [part for _, new in halves for part in new]
        case Imply(left, right):
            return _split(Or((Not(left, condition.at), right), condition.at), circle)
        case Exists(variables, part):
            half, new_parts = _split(part, circle)
            quantified = None if half is None else Exists(variables, half, condition.at)
            return quantified, [Exists(variables, part, condition.at) for part in new_parts]
        case _:
            return condition, []  # no circle goes through `not` or `forall`: the reader refuses such rules
