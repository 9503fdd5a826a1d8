"""The bridge from unified-planning: its model becomes the syntax tree of a domain and a problem, without PDDL text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from unified_planning.model import InstantaneousAction, Problem

from widthwise.classical.pddl.lexer import Source
from widthwise.classical.pddl.syntax import (
    Action,
    AndEffect,
    Args,
    Atom,
    Condition,
    DomainDefinition,
    Effect,
    ForallEffect,
    LiteralEffect,
    Not,
    Predicate,
    ProblemDefinition,
    Truth,
    When,
)
from widthwise.classical.pddl.typetable import TypeTable
from widthwise.core.errors import InputError, UnsupportedError
from widthwise.up.condition_reader import ConditionReader, Scope, conjunction, universal
from widthwise.up.cost_reader import CostReader, Instances, Values
from widthwise.up.element_names import ElementNames
from widthwise.up.supported import REMEDIES


class Reading(NamedTuple):
    """A problem as it was read."""

    definition: ProblemDefinition
    names: ElementNames  # of the elements of the problem in the syntax tree
    partial: bool  # whether some boolean fluent is undefined in the initial state


def read(problem: Any, charge: Callable[[int], None] = lambda size: None) -> Reading:
    """The syntax tree of a problem and the names that its elements have there.

    Args:
        problem: A problem of unified-planning.
        charge: Called with the bytes of everything that is enumerated. It may raise an exception to stop.

    Returns:
        The problem with its domain, the names, and whether some initial value is undefined.

    Raises:
        UnsupportedError: The problem uses something that Widthwise does not support.
        InputError: A condition is nested too deeply.
    """
    _check(problem)
    try:
        return _Reader(problem, charge).read()
    except RecursionError:
        raise InputError(f"the problem {problem.name} has a condition that is nested too deeply") from None


def _check(problem: Any) -> None:
    """Refuse what has no counterpart in the syntax tree, by name."""
    if type(problem) is not Problem:
        raise UnsupportedError(f"not supported: a {type(problem).__name__}; a classical problem is a Problem")
    for what, elements in (
        ("trajectory constraints and state invariants", problem.trajectory_constraints),
        ("timed goals", problem.timed_goals),
        ("timed effects", problem.timed_effects),
        ("processes", getattr(problem, "processes", ())),
        ("events", getattr(problem, "events", ())),
    ):
        if list(elements):
            raise UnsupportedError(f"not supported: {what}")
    for fluent in problem.fluents:
        if fluent.type.is_user_type():
            raise UnsupportedError(
                f"not supported: the fluent {fluent.name}, whose values are objects; "
                f"{REMEDIES['OBJECT_FLUENTS']} such fluents"
            )
    for action in problem.actions:
        if not isinstance(action, InstantaneousAction):
            raise UnsupportedError(f"not supported: the {type(action).__name__} {action.name}")
        if action.simulated_effect is not None:
            raise UnsupportedError(f"not supported: the simulated effect of {action.name}")
    if len(problem.quality_metrics) > 1:
        raise UnsupportedError("not supported: more than one quality metric")
    for metric in problem.quality_metrics:
        if not metric.is_minimize_action_costs() and not metric.is_minimize_sequential_plan_length():
            raise UnsupportedError(f"not supported: the quality metric {type(metric).__name__}")


class _Reader:
    """Translates one problem."""

    def __init__(self, problem: Any, charge: Callable[[int], None]) -> None:
        self.problem = problem
        self.names = names = ElementNames(problem)
        self.instances = Instances(problem, names, charge)
        undefined = [item for item in problem.fluents if item.type.is_bool_type() and self.instances.partial(item)]
        # The predicate of the defined values of a fluent that may be undefined.
        self.partial = {fluent.name: names.fluents.new(f"defined-{fluent.name}") for fluent in undefined}
        self.conditions = ConditionReader(names, self.partial)
        self.costs = CostReader(problem, self.conditions, self.instances)
        self.metric = next((item for item in problem.quality_metrics if item.is_minimize_action_costs()), None)

    def read(self) -> Reading:
        problem, names = self.problem, self.names
        name = problem.name or "problem"
        source = Source("", f"<unified-planning problem {name}>")
        actions = tuple([self.action(action) for action in problem.actions])
        objects = {names.objects[item.name]: (names.type_of(item.type),) for item in problem.all_objects}
        predicates, init = self.predicates()
        goal = self.goal()
        types = TypeTable(names.parents, {})  # after everything was read that may mention a type
        types.drop_check()
        domain = DomainDefinition(
            name, (), types, objects, predicates, self.costs.functions, actions, derived=(), source=source
        )
        values: dict[str, Values] = self.costs.values
        definition = ProblemDefinition(
            name, domain, objects, init, values, goal, minimize_cost=self.metric is not None, source=source
        )
        return Reading(definition, names, bool(self.partial))

    def goal(self) -> Condition:
        return conjunction([part for goal in self.problem.goals for part in self.both(goal, {}, simplified=False)])

    def both(self, expression: Any, scope: Scope, *, simplified: bool = True) -> tuple[Condition, Condition]:
        """The condition that everything that an expression reads is defined, and the expression itself.

        unified-planning simplifies the conditions of actions, but not goals, before it evaluates them. That leaves out
        quantified variables that do not occur, even if there is no object of their type.
        """
        if simplified:
            expression = expression.simplify()
        return self.conditions.defined(expression, scope), self.conditions.condition(expression, scope)

    # Fluents and the initial state

    def predicates(self) -> tuple[dict[str, Predicate], dict[str, list[Args]]]:
        """The predicates and their facts in the initial state; those of values that are defined come last."""
        predicates: dict[str, Predicate] = {}
        init: dict[str, list[Args]] = {}
        defined: list[tuple[Predicate, list[Args]]] = []
        for fluent in self.problem.fluents:
            if not fluent.type.is_bool_type():
                continue  # a numeric fluent occurs in costs or not at all
            name = self.names.fluents[fluent.name]
            variables, _ = self.conditions.variables(fluent.signature, {})
            predicates[name] = Predicate(name, variables)
            initial = self.instances.initial(fluent)
            if rows := [args for args, value in initial.items() if value.is_true()]:
                init[name] = rows
            if fluent.name in self.partial:
                defined.append((Predicate(self.partial[fluent.name], variables), list(initial)))
        for function, (name, variables) in self.costs.defined.items():
            defined.append((Predicate(name, variables), list(self.costs.values[function])))
        for predicate, rows in defined:
            predicates[predicate.name] = predicate
            if rows:
                init[predicate.name] = rows
        return predicates, init

    # Actions

    def action(self, action: Any) -> Action:
        parameters, scope = self.conditions.variables(action.parameters, {})
        needs: list[Condition] = [part for condition in action.preconditions for part in self.both(condition, scope)]
        effects: list[Effect] = []
        for effect in action.effects:
            needs.append(self.effect(effect, scope, effects))
        if self.metric is not None:
            cost = self.metric.get_action_cost(action)
            if cost is not None:
                increase, defined = self.costs.cost(cost, scope)
                effects.append(increase)
                needs += defined
        return Action(self.names.actions[action.name], parameters, conjunction(needs), AndEffect(tuple(effects)))

    def effect(self, effect: Any, scope: Scope, into: list[Effect]) -> Condition:
        """Add what an effect does to a list, and return the condition that everything it reads is defined."""
        if not effect.is_assignment() or not effect.fluent.type.is_bool_type():
            raise UnsupportedError(f"not supported: the effect {effect}")
        variables, inner = self.conditions.variables(effect.forall, scope)
        atom = self.conditions.atom(effect.fluent, inner)
        value = effect.value.simplify()
        reads, condition = self.both(effect.condition, inner)
        more_reads, becomes = self.both(value, inner)

        def add(literal: Effect, *when: Condition) -> None:
            needed = conjunction(when)
            part = literal if isinstance(needed, Truth) else When(needed, literal)
            into.append(ForallEffect(variables, part) if variables else part)

        if not value.is_false():
            add(LiteralEffect(atom), condition, becomes)
        if not value.is_true():
            add(LiteralEffect(atom, negated=True), condition, Truth() if value.is_false() else Not(becomes))
        partial = self.partial.get(effect.fluent.fluent().name)
        if partial is not None:
            add(LiteralEffect(Atom(partial, atom.args)), condition)
        return universal(variables, conjunction((reads, more_reads)))
