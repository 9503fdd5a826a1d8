"""The normal form of a task: what the reader hands to the grounder, integers all through.

Conditions are conjunctions of literals, effects are single literals under such a condition, quantifiers are
gone: existential ones became parameters, universal conditions became axioms, disjunctions became several
schemas of the same name. This is the normal form of Fast Downward's translator (Helmert 2009), so that the
two can be compared.

Terms are integers: `t >= 0` is the schema's variable number t, `t < 0` is the object number `~t`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from widthwise.classical.pddl.node import Node
from widthwise.classical.pddl.numbers import Number
from widthwise.core.showing import counted

EQUALITY = 0  # predicate number of "=", always the first


class PredicateKind(IntEnum):
    """How the truth of a predicate can change."""

    STATIC = 0  # never: no effect and no axiom mentions it
    FLUENT = 1  # by an action's effect
    DERIVED = 2  # by axioms only


class NormalPredicate(Node):
    """A predicate with its arity and kind; names made by the normaliser contain an `@`."""

    name: str
    arity: int
    kind: PredicateKind


@dataclass(frozen=True, slots=True)
class NormalLiteral:
    """An atom over terms, or its negation."""

    predicate: int
    args: tuple[int, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class NormalEffect:
    """`literal` becomes true if `condition` holds, for all values of the further variables.

    `parameters` are the domains of variables numbered on from the schema's own.
    """

    parameters: tuple[int, ...]
    condition: tuple[NormalLiteral, ...]
    literal: NormalLiteral


class NormalCost(Node):
    """A cost: `constant` plus the table values of `(function, args)` terms."""

    constant: Number
    tables: tuple[tuple[int, tuple[int, ...]], ...] = ()


class NormalAction(Node):
    """An action schema; `parameters` are indices of domains, the first `shown` are the PDDL parameters."""

    name: str
    parameters: tuple[int, ...]
    shown: int
    precondition: tuple[NormalLiteral, ...]
    effects: tuple[NormalEffect, ...]
    cost: NormalCost


class NormalAxiom(Node):
    """`head` holds whenever `condition` holds for some values of the parameters."""

    head: NormalLiteral
    parameters: tuple[int, ...]
    condition: tuple[NormalLiteral, ...]


@dataclass(slots=True)
class NormalTask:
    """A whole task in normal form.

    `domains` are the sets of objects that variables range over, ascending. `init` holds, per predicate
    (equality left out), the arguments of its initial facts one after another; where there are no arguments, a
    single 0 stands for the fact. `tables` are the values of cost functions by their
    arguments. `goal` is ground: its arguments are all objects.
    """

    name: str
    domain_name: str
    objects: list[str]
    predicates: list[NormalPredicate]
    domains: list[tuple[int, ...]]
    init: list[list[int]]
    actions: list[NormalAction]
    axioms: list[NormalAxiom]
    goal: tuple[NormalLiteral, ...]
    uses_costs: bool = False
    tables: list[dict[tuple[int, ...], Number]] = field(default_factory=list)
    table_names: list[str] = field(default_factory=list)  # for messages; may be empty

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.actions), 'action')}, {counted(len(self.axioms), 'axiom')}"
        return f"<normal form of {self.name}: {sizes}>"
