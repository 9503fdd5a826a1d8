"""The predicates that actions change."""

from __future__ import annotations

from typing import cast

from widthwise.classical.pddl.syntax import AndEffect, DomainDefinition, Effect, ForallEffect, LiteralEffect, When

_CACHE = "changed predicates"


def changed_predicates(domain: DomainDefinition) -> frozenset[str]:
    """Return the predicates that occur in effects; computed once per domain. Derived predicates are not among them."""
    known = domain.cache.get(_CACHE)
    if known is None:
        known = domain.cache[_CACHE] = frozenset(_changed([action.effect for action in domain.actions]))
    return cast(frozenset[str], known)


def _changed(effects: list[Effect]) -> set[str]:
    changed: set[str] = set()
    todo = list(effects)
    while todo:
        match todo.pop():
            case AndEffect(parts):
                todo.extend(parts)
            case ForallEffect(_, part) | When(_, part):
                todo.append(part)
            case LiteralEffect(atom):
                changed.add(atom.predicate)
            case _:
                pass
    return changed
