"""Random small problems of unified-planning, and a search with its own simulator that knows nothing of Widthwise.

They use what PDDL text has not or writes otherwise: names of any characters, boolean constants, equivalences, values of
assignments that are conditions, values that are undefined or true by default, and costs that are expressions.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from unified_planning.engines.sequential_simulator import UPSequentialSimulator, evaluate_quality_metric
from unified_planning.environment import get_environment
from unified_planning.exceptions import UPInvalidActionError, UPUsageError
from unified_planning.model import Fluent, InstantaneousAction, MinimizeActionCosts, Object, Problem, Variable
from unified_planning.model.metrics import MinimizeSequentialPlanLength
from unified_planning.model.walkers.state_evaluator import StateEvaluator

NAMES = ["a b", "A", "a", "(x)", "?y", "not", "=", "-", "object", "Größe", "p,q", "and", "total-cost", "1", "x_1", ":k"]


class _Maker:
    """Draws the parts of one problem."""

    def __init__(self, rng: random.Random, *, undefined: bool) -> None:
        self.rng, self.undefined = rng, undefined
        self.environment = get_environment()  # UP's grounder fails in any other
        self.manager, kinds = self.environment.expression_manager, self.environment.type_manager
        top = kinds.UserType(rng.choice(("object", "Thing", "a")))
        below = kinds.UserType("b b", top)
        self.types = [top, below, rng.choice((below, kinds.UserType("C", below)))]
        self.problem = Problem("some problem", self.environment)
        self.fluents: list[Any] = []
        names = rng.sample(NAMES, len(NAMES))
        for _ in range(rng.randint(1, 4)):
            self.problem.add_object(Object(names.pop(), rng.choice(self.types), self.environment))
        for _ in range(rng.randint(2, 4)):
            signature = {f"x{n}": rng.choice(self.types) for n in range(rng.choice((0, 1, 1, 2)))}
            fluent = Fluent(names.pop(), kinds.BoolType(), environment=self.environment, **signature)
            default = rng.choice((False, False, True, None) if undefined else (False, False, True))
            self.problem.add_fluent(fluent, default_initial_value=default)
            self.fluents.append(fluent)
        self.cost = Fluent("Cost of", kinds.RealType(), environment=self.environment, x=self.types[0])
        self.names = names

    def atom(self, scope: list[Any]) -> Any:
        fluent = self.rng.choice(self.fluents)
        args = []
        for parameter in fluent.signature:
            fitting = [term for term in scope if parameter.type.is_compatible(term.type)]
            if not fitting:
                return self.manager.Bool(self.rng.random() < 0.5)
            args.append(self.rng.choice(fitting))
        return fluent(*args)

    def condition(self, scope: list[Any], depth: int) -> Any:
        rng, manager = self.rng, self.manager
        kind = rng.choice(("atom", "atom", "not", "and", "or", "implies", "iff", "forall", "exists", "equals", "bool"))
        if kind == "atom" or not depth:
            return self.atom(scope)
        if kind in ("and", "or"):
            parts = [self.condition(scope, depth - 1) for _ in range(rng.randint(1, 3))]
            return manager.And(parts) if kind == "and" else manager.Or(parts)
        if kind in ("forall", "exists"):
            variable = Variable(rng.choice(("x", "y")), rng.choice(self.types), self.environment)
            body = self.condition([*scope, manager.VariableExp(variable)], depth - 1)
            return manager.Forall(body, variable) if kind == "forall" else manager.Exists(body, variable)
        if kind == "equals" and scope:
            return manager.Equals(rng.choice(scope), rng.choice(scope))
        if kind == "bool":
            return manager.Bool(rng.random() < 0.7)
        first = self.condition(scope, depth - 1)
        if kind == "not":
            return manager.Not(first)
        second = self.condition(scope, depth - 1)
        return manager.Iff(first, second) if kind == "iff" else manager.Implies(first, second)

    def effect(self, action: Any, scope: list[Any]) -> None:
        rng = self.rng
        variables = []
        if rng.random() < 0.2:
            variables = [Variable("x", rng.choice(self.types), self.environment)]
            scope = [*scope, self.manager.VariableExp(variables[0])]
        fluent = self.atom(scope)
        if fluent.is_fluent_exp():
            value = self.condition(scope, 1) if rng.random() < 0.15 else rng.random() < 0.6
            condition = self.condition(scope, 1) if rng.random() < 0.3 else True
            action.add_effect(fluent, value, condition, forall=variables)

    def action(self, objects: list[Any]) -> Any:
        rng = self.rng
        parameters = {f"p{n}": rng.choice(self.types) for n in range(rng.randint(0, 2))}
        action = InstantaneousAction(self.names.pop(), _env=self.environment, **parameters)
        scope = [*objects, *(self.manager.ParameterExp(parameter) for parameter in action.parameters)]
        for _ in range(rng.randint(0, 2)):
            action.add_precondition(self.condition(scope, 2))
        for _ in range(rng.randint(1, 3)):
            self.effect(action, scope)
        return action

    def costs(self, actions: list[Any], objects: list[Any]) -> Any:
        """A metric whose costs are numbers, static fluents and arithmetic on them."""
        rng, manager = self.rng, self.manager
        self.problem.add_fluent(self.cost)
        for item in objects:
            if not self.undefined or rng.random() < 0.8:
                self.problem.set_initial_value(self.cost(item), rng.choice((0, 1, 3, Fraction(1, 3))))
        costs = {}
        for action in actions:
            terms = [*objects, *(manager.ParameterExp(parameter) for parameter in action.parameters)]
            value = self.cost(rng.choice(terms))
            number = manager.Int(2)
            costs[action] = rng.choice(
                (
                    number,
                    manager.Real(Fraction(1, 2)),
                    value,
                    manager.Plus(value, number),
                    manager.Times(value, number),
                    manager.Minus(manager.Int(5), value),
                    manager.Div(value, number),
                )
            )
        return MinimizeActionCosts(costs, environment=self.environment)

    def make(self) -> Any:
        rng, problem = self.rng, self.problem
        objects = [self.manager.ObjectExp(item) for item in problem.all_objects]
        for _ in range(rng.randint(0, 6)):
            atom = self.atom(objects)
            if atom.is_fluent_exp():
                problem.set_initial_value(atom, rng.random() < 0.6)
        actions = [self.action(objects) for _ in range(rng.randint(1, 3))]
        problem.add_actions(actions)
        for _ in range(rng.randint(1, 2)):
            problem.add_goal(self.condition(objects, 2))
        metric = rng.choice(("none", "length", "costs", "costs"))
        if metric == "length":
            problem.add_quality_metric(MinimizeSequentialPlanLength(self.environment))
        elif metric == "costs":
            problem.add_quality_metric(self.costs(actions, objects))
        return problem


def random_problem(rng: random.Random, *, undefined: bool = False) -> Any:
    """A random problem; with `undefined`, some initial values are missing."""
    environment = get_environment()
    before, environment.error_used_name = environment.error_used_name, False  # of elements of different kinds
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _Maker(rng, undefined=undefined).make()
    finally:
        environment.error_used_name = before


def shortest(problem: Any, limit: int = 60) -> int | None:
    """The length of a shortest plan by breadth-first search in UP's simulator; None if there is none.

    An action that reads an undefined value, or whose cost is undefined, does not apply.

    Raises:
        OverflowError: More states than the limit were reached.
    """
    simulator = UPSequentialSimulator(problem, error_on_failed_checks=False)
    actions = [(action, parameters) for action, parameters, _ in simulator._grounder.get_grounded_actions()]
    start = simulator.get_initial_state()
    seen, layer, depth = {start}, [start], 0
    while layer:
        if any(_defined(simulator, simulator.is_goal, state) for state in layer):
            return depth
        after = []
        for state in layer:
            for action, parameters in actions:
                child = _defined(simulator, _child, simulator, state, action, parameters)
                if child is not None and child not in seen:
                    seen.add(child)
                    after.append(child)
            if len(seen) > limit:
                raise OverflowError
        layer, depth = after, depth + 1
    return None


def _child(simulator: Any, state: Any, action: Any, parameters: Any) -> Any:
    child = simulator.apply(state, action, parameters)
    if child is not None:
        for metric in simulator._problem.quality_metrics:
            evaluate_quality_metric(simulator, metric, 0, state, action, parameters, child)
    return child


def _defined(simulator: Any, function: Callable[..., Any], *args: Any) -> Any:
    """The value of a function, or None if it reads something undefined or if an action is never applicable."""
    try:
        return function(*args)
    except (UPUsageError, UPInvalidActionError):
        simulator._se = StateEvaluator(simulator._problem)  # an error leaves the old one unusable
        return None
