"""Effects as a flat list: variables, condition and literal of each, and the cost beside them."""

from __future__ import annotations

from typing import TypeAlias

from widthwise.classical.pddl.formula import (
    TRUE,
    Formula,
    Lit,
    conjunction,
    fresh,
    negation_normal_form,
    rename,
)
from widthwise.classical.pddl.syntax import (
    Action,
    AndEffect,
    Effect,
    ForallEffect,
    FunctionTerm,
    IncreaseCost,
    LiteralEffect,
    When,
)
from widthwise.classical.pddl.typetable import Types

FlatEffect: TypeAlias = tuple[tuple[tuple[str, Types], ...], Formula, Lit]


def flatten(action: Action) -> tuple[list[FlatEffect], IncreaseCost]:
    """Return the effects of an action one by one, and its cost.

    Where an action adds and deletes the same atom under the same condition, only the addition is kept.
    """
    found: dict[FlatEffect, None] = {}
    constant = 0.0
    terms: list[FunctionTerm] = []

    def walk(
        effect: Effect,
        variables: tuple[tuple[str, Types], ...],
        condition: Formula,
        names: dict[str, str],
        scope: dict[str, Types],
    ) -> None:
        nonlocal constant
        match effect:
            case LiteralEffect(atom, negated):
                args = tuple([names.get(arg, arg) for arg in atom.args]) if names else atom.args
                if (variables, condition, Lit(atom.predicate, args, not negated)) in found:
                    if negated:
                        return
                    del found[variables, condition, Lit(atom.predicate, args, True)]
                found[variables, condition, Lit(atom.predicate, args, negated)] = None
            case AndEffect(parts):
                for part in parts:
                    walk(part, variables, condition, names, scope)
            case ForallEffect(own, part):
                scope = dict(scope)
                new = [(fresh(v.name, v.types, scope), v.types) for v in own]
                inner = {**names, **{v.name: name for v, (name, _) in zip(own, new, strict=True)}}
                walk(part, variables + tuple(new), condition, inner, scope)
            case When(when, part):
                # A clash of quantified names inside the condition is settled later, for the whole action.
                formula = negation_normal_form(when)
                if any(old != new for old, new in names.items()):
                    formula = rename(formula, dict(scope), names)
                walk(part, variables, conjunction([condition, formula]), names, scope)
            case IncreaseCost(amount, tables):
                constant += amount
                terms.extend(tables)

    walk(action.effect, (), TRUE, {}, {variable.name: variable.types for variable in action.parameters})
    return list(found), IncreaseCost(constant, tuple(terms))
