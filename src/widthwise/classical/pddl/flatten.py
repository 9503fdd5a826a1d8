"""Effects as a flat list: variables, condition and literal of each, and the cost."""

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
from widthwise.classical.pddl.numbers import Number, simple
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

Variables: TypeAlias = tuple[tuple[str, Types], ...]
FlatEffect: TypeAlias = tuple[Variables, Formula, Lit]


def flatten(action: Action) -> tuple[list[FlatEffect], IncreaseCost]:
    """Return the effects of an action one by one, and its cost.

    Where an action adds and deletes the same atom under the same condition, only the addition is kept.
    """
    keys: dict[tuple[Variables, Formula | None, str, tuple[str, ...], bool], None] = {}
    constant: Number = 0
    terms: list[FunctionTerm] = []

    def walk(
        effect: Effect,
        variables: Variables,
        condition: Formula,
        names: dict[str, str],
        scope: dict[str, Types],
    ) -> None:
        nonlocal constant
        match effect:
            case LiteralEffect(atom, negated):
                args = tuple([names.get(arg, arg) for arg in atom.args]) if names else atom.args
                key = (variables, None if condition is TRUE else condition, atom.predicate, args)
                if (*key, not negated) in keys:
                    if negated:
                        return
                    del keys[*key, True]
                keys[*key, negated] = None
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
                both = conjunction([condition, formula])
                walk(part, variables, TRUE if both == TRUE else both, names, scope)
            case IncreaseCost(amount, tables):
                constant += amount
                terms.extend(tables)

    walk(action.effect, (), TRUE, {}, {variable.name: variable.types for variable in action.parameters})
    effects = [
        (variables, condition or TRUE, Lit(predicate, args, negated))
        for variables, condition, predicate, args, negated in keys
    ]
    return effects, IncreaseCost(simple(constant), tuple(terms))
