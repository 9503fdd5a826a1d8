"""The types that a problem of unified-planning gets from a task.

unified-planning has one parent per type and one type per variable, and a fluent accepts only arguments of its own type.
PDDL also has types with several parents, variables of either type, and predicates over variables of a wider type.
"""

from __future__ import annotations

from collections.abc import Iterable

from widthwise.classical.pddl.syntax import (
    And,
    AndEffect,
    Args,
    Atom,
    Condition,
    DomainDefinition,
    Effect,
    Exists,
    Forall,
    ForallEffect,
    Function,
    Imply,
    IncreaseCost,
    LiteralEffect,
    Not,
    Or,
    Predicate,
    ProblemDefinition,
    Variable,
    When,
)
from widthwise.classical.pddl.typetable import OBJECT, Types

TypeScope = dict[str, Types]


class Signatures:
    """The types of predicates, functions and variables of a task, as unified-planning has them.

    If the types of the task are not a tree, or if a variable has several, `flat` is true: then `object` is the only
    type, and the others become static predicates.
    """

    def __init__(self, domain: DomainDefinition, problem: ProblemDefinition, goal: Condition) -> None:
        walk = _Walk(domain, problem, goal)
        self.parents = domain.types.parents
        self.flat = any(len(parents) > 1 for parents in self.parents.values()) or any(
            len(types) > 1 for types in (*walk.declared, *problem.objects.values())
        )
        #: The types of the arguments of predicates and functions: the declared ones, widened where necessary.
        self.predicates = self._declared(domain.predicates.values())
        self.functions = self._declared(domain.functions.values())
        for declared, uses in ((self.predicates, walk.predicates), (self.functions, walk.functions)):
            for name, arguments in uses:
                wanted = declared[name]
                for place, types in enumerate(arguments):
                    wanted[place] = self.join(wanted[place], self.type_of(types))
        used = {name for types in (*self.predicates.values(), *self.functions.values()) for name in types}
        used.update(self.type_of(types) for types in (*walk.declared, *problem.objects.values()))
        self.rooted = OBJECT in used  # whether something is of no other type than `object`

    def _declared(self, declarations: Iterable[Predicate | Function]) -> dict[str, list[str]]:
        return {
            declaration.name: [self.type_of(variable.types) for variable in declaration.parameters]
            for declaration in declarations
        }

    def type_of(self, types: Types) -> str:
        """The type of a variable or an object."""
        return OBJECT if self.flat else types[0]

    def above(self, name: str) -> list[str]:
        """A type and the types above it, from the lowest to `object`."""
        path = [name]
        while path[-1] != OBJECT:
            path.append(next(iter(self.parents[path[-1]]), OBJECT))
        return path

    def join(self, left: str, right: str) -> str:
        """The lowest type that is above both."""
        path = self.above(right)
        return next(name for name in self.above(left) if name in path)


class _Walk:
    """Collects the types of all variables, and those of the arguments of each use of a predicate or function."""

    def __init__(self, domain: DomainDefinition, problem: ProblemDefinition, goal: Condition) -> None:
        self.objects = problem.objects
        self.declared: list[Types] = []
        self.predicates: list[tuple[str, list[Types]]] = []
        self.functions: list[tuple[str, list[Types]]] = []
        for parameters in (
            *(predicate.parameters for predicate in domain.predicates.values()),
            *(function.parameters for function in domain.functions.values()),
        ):
            self.inside(parameters, {})
        for action in domain.actions:
            scope = self.inside(action.parameters, {})
            self.condition(action.precondition, scope)
            self.effect(action.effect, scope)
        for rule in domain.derived:
            scope = self.inside(rule.parameters, {})
            self.predicates.append((rule.predicate, list(scope.values())))
            self.condition(rule.condition, scope)
        self.condition(goal, {})

    def inside(self, variables: tuple[Variable, ...], scope: TypeScope) -> TypeScope:
        self.declared += [variable.types for variable in variables]
        return {**scope, **{variable.name: variable.types for variable in variables}}

    def types(self, args: Args, scope: TypeScope) -> list[Types]:
        return [scope[arg] if arg in scope else self.objects[arg] for arg in args]

    def condition(self, condition: Condition, scope: TypeScope) -> None:
        match condition:
            case Atom(predicate, args):
                self.predicates.append((predicate, self.types(args, scope)))
            case And(parts) | Or(parts):
                for part in parts:
                    self.condition(part, scope)
            case Not(part):
                self.condition(part, scope)
            case Imply(left, right):
                self.condition(left, scope)
                self.condition(right, scope)
            case Forall(variables, part) | Exists(variables, part):
                self.condition(part, self.inside(variables, scope))

    def effect(self, effect: Effect, scope: TypeScope) -> None:
        match effect:
            case LiteralEffect(atom):
                self.predicates.append((atom.predicate, self.types(atom.args, scope)))
            case AndEffect(parts):
                for part in parts:
                    self.effect(part, scope)
            case ForallEffect(variables, part):
                self.effect(part, self.inside(variables, scope))
            case When(condition, part):
                self.condition(condition, scope)
                self.effect(part, scope)
            case IncreaseCost(_, terms):
                self.functions += [(term.name, self.types(term.args, scope)) for term in terms]
