"""Costs of actions: constants, static numeric fluents and arithmetic on them become tables of the cost functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from widthwise.classical.pddl.numbers import Number, simple
from widthwise.classical.pddl.syntax import Args, Atom, Condition, Function, FunctionTerm, IncreaseCost, Variable
from widthwise.core.errors import UnsupportedError
from widthwise.up.condition_reader import ConditionReader, Scope
from widthwise.up.element_names import ElementNames

Values = dict[Args, Number]
#: How many bytes one value of a table takes.
VALUE_BYTES = 250


class Instances:
    """The objects of each type and the values of static numeric fluents in the initial state."""

    def __init__(self, problem: Any, names: ElementNames, charge: Callable[[int], None]) -> None:
        self.problem, self.names, self.charge = problem, names, charge
        self._objects: dict[str, list[str]] = {}
        self.explicit: dict[str, dict[Args, Any]] = {}
        for expression, value in problem.explicit_initial_values.items():
            args = tuple([names.objects[arg.object().name] for arg in self._objects_only(expression)])
            self.explicit.setdefault(expression.fluent().name, {})[args] = value
        self._values: dict[str, Values] = {}

    @staticmethod
    def _objects_only(expression: Any) -> Any:
        for arg in expression.args:
            if not arg.is_object_exp():
                raise UnsupportedError(f"not supported: the fluent {expression}, whose argument {arg} is not an object")
        return expression.args

    def objects(self, kind: Any) -> list[str]:
        """The objects of a type, by their names in PDDL."""
        if not kind.is_user_type():
            raise UnsupportedError(f"not supported: a parameter of type {kind}")
        known = self._objects.get(kind.name)
        if known is None:
            known = [self.names.objects[item.name] for item in self.problem.objects(kind)]
            self._objects[kind.name] = known
        return known

    def count(self, parameters: Iterable[Any]) -> int:
        """How many tuples of objects fit these parameters."""
        return prod(len(self.objects(parameter.type)) for parameter in parameters)

    def partial(self, fluent: Any) -> bool:
        """Whether some value of a fluent is undefined in the initial state."""
        if fluent in self.problem.fluents_defaults:
            return False
        return len(self.explicit.get(fluent.name, ())) < self.count(fluent.signature)

    def arguments(self, kinds: Iterable[Any]) -> Iterable[Args]:
        """All tuples of objects of these types."""
        for args in product(*(self.objects(kind) for kind in kinds)):
            self.charge(VALUE_BYTES)
            yield args

    def initial(self, fluent: Any) -> dict[Args, Any]:
        """The initial values of a fluent by its arguments, where they are defined."""
        explicit = self.explicit.get(fluent.name, {})
        default = self.problem.fluents_defaults.get(fluent)
        # A boolean fluent is stored by its true instances, so that false as the default needs no entries.
        if default is None or default.is_false():
            return explicit
        return {args: explicit.get(args, default) for args in self.arguments(item.type for item in fluent.signature)}

    def numbers(self, fluent: Any) -> Values:
        """The values of a static numeric fluent by its arguments."""
        known = self._values.get(fluent.name)
        if known is None:
            known = {args: exact(value.constant_value()) for args, value in self.initial(fluent).items()}
            self._values[fluent.name] = known
        return known


class CostReader:
    """Translates costs of actions and collects the cost functions with their tables.

    A cost is a sum. A summand that is a static fluent becomes a table with its values, one that is a number belongs to
    the constant, and any other becomes a table over the parameters that occur in it.
    """

    def __init__(self, problem: Any, conditions: ConditionReader, instances: Instances) -> None:
        self.problem, self.conditions, self.instances = problem, conditions, instances
        self.static = {fluent.name for fluent in problem.get_static_fluents()}
        self.functions: dict[str, Function] = {}
        self.values: dict[str, Values] = {}
        self.defined: dict[str, tuple[str, tuple[Variable, ...]]] = {}  # predicates of the values that are defined
        self._known: dict[Any, str] = {}

    def cost(self, expression: Any, scope: Scope) -> tuple[IncreaseCost, list[Condition]]:
        """A cost, and the conditions that its values are defined."""
        constant: Number = 0
        terms: list[FunctionTerm] = []
        for summand in _summands(expression.simplify()):
            if summand.is_int_constant() or summand.is_real_constant():
                constant += summand.constant_value()
            else:
                terms.append(self._term(summand, scope))
        if constant < 0 or any(min(self.values[term.name].values(), default=0) < 0 for term in terms):
            # Negative summands may still add up to costs that are not negative: one table for all of them.
            constant, terms = 0, [self._term(expression, scope)]
            if min(self.values[terms[0].name].values(), default=0) < 0:
                raise UnsupportedError(f"not supported: a negative cost of an action ({expression})")
        needs: list[Condition] = [
            Atom(self.defined[term.name][0], term.args) for term in terms if term.name in self.defined
        ]
        return IncreaseCost(exact(constant), tuple(terms)), needs

    def _term(self, expression: Any, scope: Scope) -> FunctionTerm:
        """A summand as a function of its parameters."""
        if expression.is_fluent_exp():
            return FunctionTerm(self._fluent(expression), self.conditions.terms(expression, scope))
        parameters = _parameters(expression)
        args = tuple([scope[parameter] for parameter in parameters])
        return FunctionTerm(self._expression(expression, parameters), args)

    def _fluent(self, expression: Any) -> str:
        """The function of a static fluent, which has its values in the initial state."""
        fluent = expression.fluent()
        self._check_static(fluent)
        name = self.conditions.names.fluents[fluent.name]
        if name not in self.functions:
            self._add(name, fluent.signature, self.instances.numbers(fluent))
        return name

    def _expression(self, expression: Any, parameters: list[Any]) -> str:
        """A function for an expression, with a table over the values of its parameters."""
        name = self._known.get(expression)
        if name is None:
            name = self._known[expression] = self.conditions.names.fluents.new("cost")
            values: Values = {}
            for args in self.instances.arguments(parameter.type for parameter in parameters):
                value = self._evaluate(expression, dict(zip(parameters, args, strict=True)))
                if value is not None:
                    values[args] = exact(value)
            self._add(name, parameters, values)
        return name

    def _add(self, name: str, parameters: list[Any], values: Values) -> None:
        variables, _ = self.conditions.variables(parameters, {})
        self.functions[name], self.values[name] = Function(name, variables), values
        if len(values) < self.instances.count(parameters):
            self.defined[name] = self.conditions.names.fluents.new(f"defined-{name}"), variables

    def _check_static(self, fluent: Any) -> None:
        if fluent.name not in self.static:
            raise UnsupportedError(f"not supported: a cost of an action that depends on {fluent.name}, which changes")

    def _evaluate(self, expression: Any, binding: Mapping[Any, str]) -> Number | None:
        """The value of an expression for given parameters; None if it is not defined."""
        if expression.is_int_constant() or expression.is_real_constant():
            number: Number = expression.constant_value()
            return number
        if expression.is_fluent_exp():
            self._check_static(expression.fluent())
            args = tuple(
                [
                    binding[arg.parameter()] if arg.is_parameter_exp() else self.conditions.term(arg, {})
                    for arg in expression.args
                ]
            )
            return self.instances.numbers(expression.fluent()).get(args)
        parts: list[Number] = []
        for arg in expression.args:
            value = self._evaluate(arg, binding)
            if value is None:
                return None
            parts.append(value)
        if expression.is_plus():
            return sum(parts)
        if expression.is_minus():
            return parts[0] - parts[1]
        if expression.is_times():
            return prod(parts)
        if expression.is_div():
            return Fraction(parts[0]) / parts[1] if parts[1] else None
        raise UnsupportedError(f"not supported: {expression} in the cost of an action")


def exact(value: Number) -> Number:
    """A number as the syntax tree holds it. Searches compare costs as doubles, so that it must not be larger."""
    try:
        float(value)
    except OverflowError:
        raise UnsupportedError("not supported: a cost beyond the largest double") from None
    return simple(value)


def _summands(expression: Any) -> list[Any]:
    if expression.is_plus():
        return [summand for arg in expression.args for summand in _summands(arg)]
    return [expression]


def _parameters(expression: Any) -> list[Any]:
    """The parameters in an expression, each once, in the order in which they occur."""
    if expression.is_parameter_exp():
        return [expression.parameter()]
    return list(dict.fromkeys(parameter for arg in expression.args for parameter in _parameters(arg)))
