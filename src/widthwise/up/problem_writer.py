"""The bridge to unified-planning: the syntax tree of a task becomes a problem of its model."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import Any

from unified_planning.environment import get_environment
from unified_planning.model import Fluent, InstantaneousAction, MinimizeActionCosts, Object, Problem
from unified_planning.model import Variable as UpVariable

from widthwise.classical.checks import task_condition
from widthwise.classical.pddl.syntax import (
    Action,
    And,
    AndEffect,
    Args,
    Atom,
    Condition,
    Derived,
    Effect,
    Equality,
    Exists,
    Forall,
    ForallEffect,
    Imply,
    IncreaseCost,
    LiteralEffect,
    Not,
    Or,
    Truth,
    Variable,
    When,
)
from widthwise.classical.pddl.typetable import OBJECT, Types
from widthwise.classical.task import Task
from widthwise.core.errors import UnsupportedError
from widthwise.up.element_names import fresh
from widthwise.up.signatures import Signatures

#: Variables and objects in PDDL, with their expressions in unified-planning.
Terms = dict[str, Any]


class WrittenNames:
    """The names of a task in unified-planning, where all elements of a problem have different names.

    Actions and objects, which occur in plans, keep theirs before predicates, functions and types do.
    """

    def __init__(self, task: Task) -> None:
        domain, taken = task.domain, set[str]()

        def choose(names: Iterable[str]) -> dict[str, str]:
            chosen = {}
            for name in names:
                chosen[name] = fresh(name, taken)
                taken.add(chosen[name])
            return chosen

        self.actions = choose(action.name for action in domain.actions)
        self.objects = choose(task.problem.objects)
        self.predicates = choose(domain.predicates)
        self.functions = choose(domain.functions)
        self.types = choose(domain.types.parents)


def write(task: Task, environment: Any = None) -> Any:
    """The problem of unified-planning that a task was read from.

    Raises:
        UnsupportedError: A derived predicate depends on itself.
    """
    return _Writer(task, get_environment(environment)).write()


class _Writer:
    """Translates one task."""

    def __init__(self, task: Task, environment: Any) -> None:
        self.task, self.environment = task, environment
        self.manager = environment.expression_manager
        self.domain, self.definition = task.domain, task.problem
        self.goal = task_condition(task) or self.definition.goal
        self.names = WrittenNames(task)
        self.signatures = Signatures(self.domain, self.definition, self.goal)
        self.rules: dict[str, list[Derived]] = {}
        for rule in self.domain.derived:
            self.rules.setdefault(rule.predicate, []).append(rule)
        self.opened: list[str] = []  # the derived predicates whose rules are being written
        self.problem = Problem(self.definition.name, environment)
        self.types: dict[str, Any] = {}
        self.objects: Terms = {}
        self.predicates: dict[str, Any] = {}
        self.functions: dict[str, Any] = {}
        self.type_predicates: dict[str, Any] = {}

    def write(self) -> Any:
        """Translate everything, each part before those that use it."""
        problem, manager = self.problem, self.manager
        for name, types in self.definition.objects.items():
            item = Object(self.names.objects[name], self.type_of(types), self.environment)
            problem.add_object(item)
            self.objects[name] = manager.ObjectExp(item)
        self.add_predicates()
        actions = [self.add_action(read) for read in self.domain.actions]
        if self.definition.minimize_cost:
            self.add_functions()
            costs = {
                action: manager.Plus([manager.Int(0), *self.cost(read.effect, scope)]).simplify()
                for read, (action, scope) in zip(self.domain.actions, actions, strict=True)
            }
            problem.add_quality_metric(MinimizeActionCosts(costs, environment=self.environment))
        for part in self.goal.parts if isinstance(self.goal, And) else (self.goal,):
            problem.add_goal(self.condition(part, {}))
        return problem

    # Types, fluents and the initial state

    def user_type(self, name: str) -> Any:
        """A user type, with the types above it. There is no `object` above them unless something needs it."""
        father = None
        for kind in reversed(self.signatures.above(name)):
            if kind != OBJECT or self.signatures.rooted:
                if kind not in self.types:
                    self.types[kind] = self.environment.type_manager.UserType(self.names.types[kind], father)
                father = self.types[kind]
        return father

    def type_of(self, types: Types) -> Any:
        return self.user_type(self.signatures.type_of(types))

    def add_fluent(self, name: str, kind: Any, signature: list[str], default: Any) -> Any:
        """A new fluent of the problem."""
        parameters = OrderedDict((f"x{number}", self.user_type(name)) for number, name in enumerate(signature))
        fluent = Fluent(name, kind, parameters, self.environment)
        self.problem.add_fluent(fluent, default_initial_value=default)
        return fluent

    def add_predicates(self) -> None:
        """The predicates and the initial state; those of types only where types are predicates."""
        boolean, false = self.environment.type_manager.BoolType(), self.manager.FALSE()
        for name in self.domain.predicates:
            if name not in self.rules:
                signature = self.signatures.predicates[name]
                self.predicates[name] = self.add_fluent(self.names.predicates[name], boolean, signature, false)
        for name, rows in self.definition.init.items():
            for args in rows:
                self.problem.set_initial_value(self.predicates[name](*self.terms(args, {})), True)
        if self.signatures.flat:
            fits = self.domain.types.fits
            for kind in self.domain.types.parents:
                if kind != OBJECT:
                    fluent = self.add_fluent(self.names.types[kind], boolean, [OBJECT], false)
                    self.type_predicates[kind] = fluent
                    for name, types in self.definition.objects.items():
                        if fits(types, (kind,)):
                            self.problem.set_initial_value(fluent(self.objects[name]), True)

    def add_functions(self) -> None:
        """The cost functions with their values; other functions play no part.

        A task has all values that its operators need. Others are 0, because validators refuse undefined values.
        """
        kinds = self.environment.type_manager
        for name in self.domain.functions:
            if name in self.domain.cost_functions:
                values = self.definition.values.get(name, {})
                kind = kinds.RealType() if any(isinstance(x, Fraction) for x in values.values()) else kinds.IntType()
                signature = self.signatures.functions[name]
                fluent = self.add_fluent(self.names.functions[name], kind, signature, self.manager.Int(0))
                self.functions[name] = fluent
                for args, value in values.items():
                    self.problem.set_initial_value(fluent(*self.terms(args, {})), value)

    # Conditions

    def terms(self, args: Args, scope: Terms) -> list[Any]:
        return [scope[arg] if arg in scope else self.objects[arg] for arg in args]

    def variables(self, declared: tuple[Variable, ...], scope: Terms) -> tuple[list[Any], Terms, list[Any]]:
        """New variables, the scope with them, and the conditions that their types impose.

        They have other names than the terms of the scope, which may be those of an outer quantifier.
        """
        variables, inner, limits = [], dict(scope), []
        taken = {str(term) for term in scope.values()}
        for variable in declared:
            name = fresh(variable.name[1:], taken)
            taken.add(name)
            new = UpVariable(name, self.type_of(variable.types), self.environment)
            variables.append(new)
            inner[variable.name] = self.manager.VariableExp(new)
            limits += self.limits(inner[variable.name], variable.types)
        return variables, inner, limits

    def limits(self, term: Any, types: Types) -> list[Any]:
        """The condition that a term is of one of these types, where types are predicates."""
        if not self.signatures.flat or OBJECT in types:
            return []
        return [self.manager.Or([self.type_predicates[kind](term) for kind in types])]

    def empty(self, variables: Iterable[Any]) -> bool:
        """Whether a variable has no values. unified-planning ignores variables that do not occur even then."""
        return any(not any(self.problem.objects(variable.type)) for variable in variables)

    def condition(self, condition: Condition, scope: Terms) -> Any:
        """A condition as an expression of unified-planning."""
        manager = self.manager
        match condition:
            case Atom(predicate, args):
                if predicate in self.rules:
                    return self.derived(predicate, self.terms(args, scope))
                return self.predicates[predicate](*self.terms(args, scope))
            case Equality(left, right):
                return self.equal(*self.terms((left, right), scope))
            case Truth():
                return manager.TRUE()
            case And(parts):
                return manager.And([self.condition(part, scope) for part in parts])
            case Or(parts):
                return manager.Or([self.condition(part, scope) for part in parts])
            case Not(part):
                return manager.Not(self.condition(part, scope))
            case Imply(left, right):
                return manager.Implies(self.condition(left, scope), self.condition(right, scope))
            case Forall(declared, part) | Exists(declared, part):
                variables, inner, limits = self.variables(declared, scope)
                body = self.condition(part, inner)
                if not variables:
                    return body
                if self.empty(variables):
                    return manager.Bool(isinstance(condition, Forall))
                if isinstance(condition, Forall):
                    return manager.Forall(manager.Implies(manager.And(limits), body) if limits else body, *variables)
                return manager.Exists(manager.And([*limits, body]), *variables)

    def equal(self, left: Any, right: Any) -> Any:
        """The condition that two terms are the same object. Objects of types without a common type never are."""
        if set(left.type.ancestors).isdisjoint(right.type.ancestors):
            return self.manager.FALSE()
        return self.manager.Equals(left, right)

    def derived(self, predicate: str, args: list[Any]) -> Any:
        """A derived predicate, replaced by the conditions of its rules."""
        if predicate in self.opened:
            raise UnsupportedError(
                f"not supported in unified-planning: the derived predicate {predicate}, which depends on itself"
            )
        manager = self.manager
        self.opened.append(predicate)
        cases = []
        for rule in self.rules[predicate]:
            choices: list[list[tuple[Any, list[Any]]]] = []  # for each parameter: the term, under which conditions
            for parameter, arg in zip(rule.parameters, args, strict=True):
                kind = self.type_of(parameter.types)
                if kind.is_compatible(arg.type):
                    choices.append([(arg, self.limits(arg, parameter.types))])
                else:  # the rule is for a narrower type than that of the argument
                    objects = [manager.ObjectExp(item) for item in self.problem.objects(kind)]
                    choices.append([(item, [self.equal(arg, item)]) for item in objects])
            for chosen in product(*choices):
                names = [parameter.name for parameter in rule.parameters]
                scope = dict(zip(names, (term for term, _ in chosen), strict=True))
                limits = [limit for _, limits in chosen for limit in limits]
                cases.append(manager.And([*limits, self.condition(rule.condition, scope)]))
        self.opened.pop()
        return manager.Or(cases)

    # Actions

    def add_action(self, read: Action) -> tuple[Any, Terms]:
        """A new action of the problem, with its parameters by their names in PDDL."""
        kinds = OrderedDict((variable.name[1:], self.type_of(variable.types)) for variable in read.parameters)
        action = InstantaneousAction(self.names.actions[read.name], kinds, self.environment)
        scope = {
            variable.name: self.manager.ParameterExp(parameter)
            for variable, parameter in zip(read.parameters, action.parameters, strict=True)
        }
        for variable in read.parameters:
            for limit in self.limits(scope[variable.name], variable.types):
                action.add_precondition(limit)
        precondition = read.precondition
        for part in precondition.parts if isinstance(precondition, And) else (precondition,):
            action.add_precondition(self.condition(part, scope))
        self.add_effect(action, read.effect, scope, (), ())
        self.problem.add_action(action)
        return action, scope

    def add_effect(
        self, action: Any, effect: Effect, scope: Terms, variables: tuple[Any, ...], when: tuple[Any, ...]
    ) -> None:
        """Add what an effect does for all values of the variables under the conditions."""
        match effect:
            case LiteralEffect(atom, negated):
                fluent = self.predicates[atom.predicate](*self.terms(atom.args, scope))
                action.add_effect(fluent, not negated, self.manager.And(when), forall=variables)
            case AndEffect(parts):
                for part in parts:
                    self.add_effect(action, part, scope, variables, when)
            case ForallEffect(declared, part):
                more, inner, limits = self.variables(declared, scope)
                if not self.empty(more):
                    self.add_effect(action, part, inner, (*variables, *more), (*when, *limits))
            case When(condition, part):
                self.add_effect(action, part, scope, variables, (*when, self.condition(condition, scope)))

    def cost(self, effect: Effect, scope: Terms) -> list[Any]:
        """The summands of the cost of an action."""
        match effect:
            case AndEffect(parts):
                return [summand for part in parts for summand in self.cost(part, scope)]
            case IncreaseCost(constant, terms):
                summands = [self.functions[term.name](*self.terms(term.args, scope)) for term in terms]
                if constant:
                    summands += self.manager.auto_promote(constant)
                return summands
        return []
