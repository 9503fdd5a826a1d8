"""Rules of derived predicates, taken apart for the validator: what follows at once, and what from new facts."""

from __future__ import annotations

from collections.abc import Iterable
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
    at_once: Condition | None  # what asks for no predicate of its circle
    later: tuple[Condition, ...]  # each asks for a new fact of one


def circles(rules: Iterable[Derived]) -> dict[str, tuple[Circle, ...]]:
    """Return for every derived predicate the circles that it needs, each after those it needs itself.

    A circle is what is defined by each other. The last one is the predicate's own.
    """
    uses: dict[str, set[str]] = {}
    for rule in rules:
        uses.setdefault(rule.predicate, set()).update(name for name, _ in mentioned(rule.condition))
    reach = {name: _reachable(name, uses) for name in uses}
    own = {
        name: frozenset({name, *(other for other in found if name in reach.get(other, ()))})
        for name, found in reach.items()
    }
    # What needs a circle reaches more than the circle does.
    first = sorted(own, key=lambda name: len(reach[name] | {name}))
    return {
        name: tuple(dict.fromkeys(own[other] for other in first if other == name or other in found))
        for name, found in reach.items()
    }


def _reachable(name: str, uses: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = list(uses[name])
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo.extend(uses.get(one, ()))
    return found


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
                And((*parts[:place], one, *parts[place + 1 :]), condition.at)
                for place, (_, ones) in enumerate(halves)
                for one in ones
            ]
            return And(tuple(now), condition.at) if len(now) == len(parts) else None, later
        case Or(parts):
            halves = [_split(part, circle) for part in parts]
            now = [half for half, _ in halves if half is not None]
            return Or(tuple(now), condition.at) if now else None, [one for _, ones in halves for one in ones]
        case Imply(left, right):
            return _split(Or((Not(left, condition.at), right), condition.at), circle)
        case Exists(variables, part):
            half, ones = _split(part, circle)
            found = None if half is None else Exists(variables, half, condition.at)
            return found, [Exists(variables, one, condition.at) for one in ones]
        case _:
            return condition, []  # no circle goes through `not` or `forall`: the reader refuses such rules
