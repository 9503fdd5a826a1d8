"""Conditions and effects evaluated by enumerating all values of all variables: the definition, as slow as it is."""

from __future__ import annotations

from itertools import product

from widthwise.classical.pddl.syntax import (
    And,
    AndEffect,
    Atom,
    Equality,
    Exists,
    Forall,
    ForallEffect,
    Imply,
    LiteralEffect,
    Not,
    Or,
    Truth,
    When,
)


def bindings(world, variables, binding):
    """All extensions of a binding by values of the variables."""
    names = [variable.name for variable in variables]
    for values in product(*(world.of_type(variable.types) for variable in variables)):
        yield {**binding, **dict(zip(names, values, strict=True))}


def holds(world, facts, condition, binding):
    """Whether a condition is true of facts, by the definition of PDDL."""
    match condition:
        case Atom(predicate, args):
            return tuple(binding.get(arg, arg) for arg in args) in facts[predicate]
        case Equality(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Truth():
            return True
        case And(parts):
            return all(holds(world, facts, part, binding) for part in parts)
        case Or(parts):
            return any(holds(world, facts, part, binding) for part in parts)
        case Not(part):
            return not holds(world, facts, part, binding)
        case Imply(left, right):
            return not holds(world, facts, left, binding) or holds(world, facts, right, binding)
        case Forall(variables, part):
            return all(holds(world, facts, part, inner) for inner in bindings(world, variables, binding))
        case Exists(variables, part):
            return any(holds(world, facts, part, inner) for inner in bindings(world, variables, binding))
    raise AssertionError(condition)


def changes(world, facts, effect, binding):
    """The (predicate, arguments, negated) that an effect brings about."""
    match effect:
        case LiteralEffect(atom, negated):
            return {(atom.predicate, tuple(binding.get(arg, arg) for arg in atom.args), negated)}
        case AndEffect(parts):
            return set().union(*(changes(world, facts, part, binding) for part in parts))
        case When(condition, part):
            return changes(world, facts, part, binding) if holds(world, facts, condition, binding) else set()
        case ForallEffect(variables, part):
            inner = bindings(world, variables, binding)
            return set().union(*(changes(world, facts, part, each) for each in inner))
    raise AssertionError(effect)
