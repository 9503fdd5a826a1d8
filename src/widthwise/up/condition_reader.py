"""Conditions of unified-planning as conditions of the syntax tree, and what they read that may be undefined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from unified_planning.model.operators import OperatorKind

from widthwise.classical.pddl.syntax import (
    And,
    Args,
    Atom,
    Condition,
    Equality,
    Exists,
    Forall,
    Imply,
    Not,
    Or,
    Truth,
    Variable,
)
from widthwise.core.errors import UnsupportedError
from widthwise.up.element_names import ElementNames, clean, fresh

#: The parameters and variables that may occur, with their names in PDDL. The two kinds may share a name.
Scope: TypeAlias = Mapping[Any, str]


def conjunction(parts: Iterable[Condition]) -> Condition:
    """All parts hold; conjunctions among them are merged."""
    flat: list[Condition] = []
    for part in parts:
        if isinstance(part, And):
            flat += part.parts
        elif not isinstance(part, Truth):
            flat.append(part)
    return Truth() if not flat else flat[0] if len(flat) == 1 else And(tuple(flat))


class ConditionReader:
    """Translates conditions of one problem.

    A boolean fluent that may be undefined has a second predicate for the values that are defined. `partial` maps the
    name of the fluent to it.
    """

    def __init__(self, names: ElementNames, partial: Mapping[str, str]) -> None:
        self.names, self.partial = names, partial

    def variables(self, declared: Iterable[Any], scope: Scope) -> tuple[tuple[Variable, ...], Scope]:
        """Parameters or quantified variables, and the scope in which they are known."""
        inner = dict(scope)
        variables = []
        for item in declared:
            if not item.type.is_user_type():
                raise UnsupportedError(f"not supported: the parameter or variable {item.name} of type {item.type}")
            inner[item] = fresh(f"?{clean(item.name)}", set(inner.values()))
            variables.append(Variable(inner[item], (self.names.type_of(item.type),)))
        return tuple(variables), inner

    def term(self, expression: Any, scope: Scope) -> str:
        """An object, a parameter or a variable."""
        if expression.is_object_exp():
            return self.names.objects[expression.object().name]
        if expression.is_parameter_exp():
            return scope[expression.parameter()]
        if expression.is_variable_exp():
            return scope[expression.variable()]
        raise UnsupportedError(f"not supported: {expression} where an object, a parameter or a variable is expected")

    def terms(self, expression: Any, scope: Scope) -> Args:
        """The arguments of a fluent."""
        return tuple([self.term(arg, scope) for arg in expression.args])

    def atom(self, expression: Any, scope: Scope) -> Atom:
        """A boolean fluent with its arguments."""
        if not expression.is_fluent_exp() or not expression.fluent().type.is_bool_type():
            raise UnsupportedError(f"not supported: {expression} where a boolean fluent is expected")
        return Atom(self.names.fluents[expression.fluent().name], self.terms(expression, scope))

    def condition(self, expression: Any, scope: Scope) -> Condition:
        """A condition as the syntax tree writes it; fluents that are undefined count as false."""
        kind, args = expression.node_type, expression.args
        match kind:
            case OperatorKind.FLUENT_EXP:
                return self.atom(expression, scope)
            case OperatorKind.BOOL_CONSTANT:
                return Truth() if expression.is_true() else Or(())
            case OperatorKind.AND:
                return conjunction([self.condition(arg, scope) for arg in args])
            case OperatorKind.OR:
                return Or(tuple([self.condition(arg, scope) for arg in args]))
            case OperatorKind.NOT:
                return Not(self.condition(args[0], scope))
            case OperatorKind.IMPLIES:
                return Imply(self.condition(args[0], scope), self.condition(args[1], scope))
            case OperatorKind.IFF:
                left, right = (self.condition(arg, scope) for arg in args)
                return And((Imply(left, right), Imply(right, left)))
            case OperatorKind.FORALL | OperatorKind.EXISTS if args[0].is_bool_constant():
                return self.condition(args[0], scope)  # as in unified-planning, even if there are no objects
            case OperatorKind.FORALL | OperatorKind.EXISTS:
                variables, inner = self.variables(expression.variables(), scope)
                build = Forall if kind is OperatorKind.FORALL else Exists
                return build(variables, self.condition(args[0], inner))
            case OperatorKind.EQUALS if args[0].type.is_user_type():
                return Equality(self.term(args[0], scope), self.term(args[1], scope))
        simple = expression.simplify()  # such as a comparison of two numbers
        if simple.is_bool_constant():
            return self.condition(simple, scope)
        raise UnsupportedError(f"not supported: the condition {expression}")

    def defined(self, expression: Any, scope: Scope) -> Condition:
        """The condition that everything that an expression reads is defined.

        unified-planning evaluates all parts of a condition: one undefined fluent makes it undefined.
        """
        if not self.partial:
            return Truth()
        if expression.is_fluent_exp():
            predicate = self.partial.get(expression.fluent().name)
            return Truth() if predicate is None else Atom(predicate, self.terms(expression, scope))
        if expression.is_forall() or expression.is_exists():
            variables, inner = self.variables(expression.variables(), scope)
            return universal(variables, self.defined(expression.arg(0), inner))
        return conjunction([self.defined(arg, scope) for arg in expression.args])


def universal(variables: tuple[Variable, ...], part: Condition) -> Condition:
    """The part holds for all values of the variables."""
    return part if isinstance(part, Truth) or not variables else Forall(variables, part)
