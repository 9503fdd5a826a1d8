"""Layers of derived predicates: each can be computed once those of the layers below are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from widthwise.classical.pddl.errors import PddlUnsupportedError
from widthwise.classical.pddl.lexer import Check, Source
from widthwise.classical.pddl.syntax import And, Atom, Condition, Derived, Exists, Forall, Imply, Not, Or


def mentioned(condition: Condition, positive: bool = True) -> Iterator[tuple[str, bool]]:
    """Yield the predicates of a condition, and whether each occurs positively and under no `forall`."""
    match condition:
        case Atom(predicate):
            yield predicate, positive
        case And(parts) | Or(parts):
            for part in parts:
                yield from mentioned(part, positive)
        case Not(part) | Forall(_, part):
            # A universal condition becomes a negated axiom in normal form, so it counts as a negation.
            yield from mentioned(part, False)
        case Exists(_, part):
            yield from mentioned(part, positive)
        case Imply(left, right):
            yield from mentioned(left, False)
            yield from mentioned(right, positive)
        case _:
            pass


def layers(rules: Iterable[Derived], source: Source, check: Check = lambda: None) -> dict[str, int]:
    """Return the layer of each derived predicate; a predicate that depends on its own negation has none."""
    rules = list(rules)
    layer = dict.fromkeys((rule.predicate for rule in rules), 0)
    uses = [(rule, name, positive) for rule in rules for name, positive in mentioned(rule.condition) if name in layer]
    changed = True
    while changed:
        changed = False
        for number, (rule, name, positive) in enumerate(uses):
            if not number & 1023:
                check()
            least = layer[name] + (not positive)
            if layer[rule.predicate] < least:
                if least > len(layer):
                    raise PddlUnsupportedError(
                        f"derived predicate '{rule.predicate}' depends on its own negation",
                        source,
                        rule.at,
                        hint="recursion through 'not' or 'forall' has no well-defined meaning here",
                    )
                layer[rule.predicate] = least
                changed = True
    return layer
