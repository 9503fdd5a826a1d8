"""The syntax tree of PDDL domains and problems, as they were written.

Names are lower-case. `at` is the number of a node's first token in the source it was read from, of which
`Source.place` makes a line and a column; it takes no part in comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from widthwise.classical.pddl.lexer import Source
from widthwise.classical.pddl.node import Node
from widthwise.classical.pddl.numbers import Number, plain
from widthwise.classical.pddl.typetable import Types, TypeTable
from widthwise.core.showing import counted

Args: TypeAlias = tuple[str, ...]


class Variable(Node):
    """A variable with its type; several types mean `either`."""

    name: str
    types: Types
    at: int = -1


class Atom(Node):
    """A predicate over variables and objects."""

    predicate: str
    args: Args
    at: int = -1


class Equality(Node):
    """Two terms are the same object."""

    left: str
    right: str
    at: int = -1


class Truth(Node):
    """The empty condition `()`, which always holds."""

    at: int = -1


class And(Node):
    """All parts hold."""

    parts: tuple[Condition, ...]
    at: int = -1


class Or(Node):
    """At least one part holds."""

    parts: tuple[Condition, ...]
    at: int = -1


class Not(Node):
    """The part does not hold."""

    part: Condition
    at: int = -1


class Imply(Node):
    """If the left side holds, the right side does."""

    left: Condition
    right: Condition
    at: int = -1


class Forall(Node):
    """The part holds for all values of the variables."""

    variables: tuple[Variable, ...]
    part: Condition
    at: int = -1


class Exists(Node):
    """The part holds for some values of the variables."""

    variables: tuple[Variable, ...]
    part: Condition
    at: int = -1


Condition: TypeAlias = Atom | Equality | Truth | And | Or | Not | Imply | Forall | Exists


class LiteralEffect(Node):
    """The atom becomes true, or false if negated."""

    atom: Atom
    negated: bool = False
    at: int = -1


class AndEffect(Node):
    """All parts happen."""

    parts: tuple[Effect, ...]
    at: int = -1


class ForallEffect(Node):
    """The part happens for all values of the variables."""

    variables: tuple[Variable, ...]
    part: Effect
    at: int = -1


class When(Node):
    """The part happens if the condition holds before the action."""

    condition: Condition
    part: Effect
    at: int = -1


class FunctionTerm(Node):
    """A cost function over variables and objects."""

    name: str
    args: Args
    at: int = -1


class IncreaseCost(Node):
    """The cost of the plan grows by a constant and by table values."""

    constant: Number
    terms: tuple[FunctionTerm, ...] = ()
    at: int = -1


Effect: TypeAlias = LiteralEffect | AndEffect | ForallEffect | When | IncreaseCost


class Predicate(Node):
    """A declared predicate."""

    name: str
    parameters: tuple[Variable, ...]
    at: int = -1


class Function(Node):
    """A declared numeric function; only the cost of a plan may change."""

    name: str
    parameters: tuple[Variable, ...]
    at: int = -1


class Action(Node):
    """An action schema."""

    name: str
    parameters: tuple[Variable, ...]
    precondition: Condition
    effect: Effect
    at: int = -1


class Derived(Node):
    """A rule of a derived predicate: its atom holds wherever the condition does."""

    predicate: str
    parameters: tuple[Variable, ...]
    condition: Condition
    at: int = -1


@dataclass(slots=True, eq=False)
class DomainDefinition:
    """A planning domain as it was read; `cache` keeps what is computed once for all its problems."""

    name: str
    requirements: tuple[str, ...]
    types: TypeTable
    constants: Mapping[str, Types]
    predicates: Mapping[str, Predicate]
    functions: Mapping[str, Function]
    actions: tuple[Action, ...]
    derived: tuple[Derived, ...]
    source: Source
    constants_at: int = -1
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"<domain {self.name}: {counted(len(self.actions), 'action')}>"

    @property
    def derived_names(self) -> frozenset[str]:
        """Names of the derived predicates, to ask for membership."""
        return frozenset(rule.predicate for rule in self.derived)

    @property
    def cost_terms(self) -> list[FunctionTerm]:
        """The functions that costs of actions depend on, wherever they occur."""
        known: list[FunctionTerm] | None = self.cache.get("cost terms")
        if known is None:
            known = self.cache["cost terms"] = []
            todo: list[Effect] = [action.effect for action in reversed(self.actions)]
            while todo:
                effect = todo.pop()
                if isinstance(effect, AndEffect):
                    todo.extend(reversed(effect.parts))
                elif isinstance(effect, IncreaseCost):
                    known.extend(effect.terms)
        return known

    @property
    def cost_functions(self) -> frozenset[str]:
        """Names of the functions that costs of actions depend on."""
        known: frozenset[str] | None = self.cache.get("cost functions")
        if known is None:
            known = self.cache["cost functions"] = frozenset(term.name for term in self.cost_terms)
        return known


@dataclass(slots=True, eq=False)
class ProblemDefinition:
    """A planning problem as it was read.

    `objects` are the constants of the domain and then the problem's own. `init` holds the arguments of the
    true facts of each predicate that has any, without repetitions; `values` those of the cost functions.
    `minimize_cost` is true if the metric asks for cheap plans.
    """

    name: str
    domain: DomainDefinition
    objects: Mapping[str, Types]
    init: Mapping[str, list[Args]]
    values: Mapping[str, Mapping[Args, Number]]
    goal: Condition
    minimize_cost: bool
    source: Source
    objects_at: int = -1
    init_at: int = -1

    def __repr__(self) -> str:
        return f"<problem {self.name} of {self.domain!r}: {counted(len(self.objects), 'object')}>"


def show(node: Condition | Effect) -> str:
    """Write a condition or an effect as PDDL."""
    match node:
        case Atom(predicate, args):
            return f"({' '.join((predicate, *args))})"
        case Equality(left, right):
            return f"(= {left} {right})"
        case Truth():
            return "()"
        case And(parts) | AndEffect(parts):
            return f"(and{''.join(' ' + show(part) for part in parts)})"
        case Or(parts):
            return f"(or{''.join(' ' + show(part) for part in parts)})"
        case Not(part):
            return f"(not {show(part)})"
        case Imply(first, second) | When(first, second):
            return f"({'imply' if isinstance(node, Imply) else 'when'} {show(first)} {show(second)})"
        case Forall(variables, part) | Exists(variables, part) | ForallEffect(variables, part):
            word = "exists" if isinstance(node, Exists) else "forall"
            return f"({word} ({show_variables(variables)}) {show(part)})"
        case LiteralEffect(atom, negated):
            return f"(not {show(atom)})" if negated else show(atom)
        case IncreaseCost(constant, terms):
            amounts = [f"({' '.join((term.name, *term.args))})" for term in terms]
            if constant or not amounts:
                amounts.append(f"{plain(constant)}")
            amount = amounts[0] if len(amounts) == 1 else f"(+ {' '.join(amounts)})"
            return f"(increase (total-cost) {amount})"


def show_variables(variables: tuple[Variable, ...]) -> str:
    """Write a typed list of variables."""
    words = []
    for variable in variables:
        if variable.types == ("object",):
            words.append(variable.name)
        elif len(variable.types) == 1:
            words.append(f"{variable.name} - {variable.types[0]}")
        else:
            words.append(f"{variable.name} - (either {' '.join(variable.types)})")
    return " ".join(words)
