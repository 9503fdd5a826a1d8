"""Small problems of unified-planning for the tests of the engine and the bridges, and its validator as a judge."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from unified_planning.engines.plan_validator import SequentialPlanValidator
from unified_planning.shortcuts import (
    BoolType,
    Fluent,
    InstantaneousAction,
    MinimizeActionCosts,
    Not,
    Problem,
    RealType,
    UserType,
)


def lamp(name: str = "lamp") -> Any:
    """One action reaches the goal."""
    problem, light, press = Problem(name), Fluent("on"), InstantaneousAction("press")
    problem.add_fluent(light, default_initial_value=False)
    press.add_precondition(Not(light))
    press.add_effect(light, True)
    problem.add_action(press)
    problem.add_goal(light)
    return problem


def road(length: int = 8, shortcuts: tuple[tuple[int, int, int | Fraction], ...] = ()) -> Any:
    """A road of places with a cost for each pair that is connected; the first step of a shortcut is not the best.

    The costs of pairs that are not connected are undefined.
    """
    place = UserType("Place")
    problem = Problem("road")
    at = problem.add_fluent("at", BoolType(), default_initial_value=False, p=place)
    connected = problem.add_fluent("connected", BoolType(), default_initial_value=False, a=place, b=place)
    price = problem.add_fluent("price", RealType(), a=place, b=place)
    places = [problem.add_object(f"p{number}", place) for number in range(length)]
    for start, end, cost in (*((n, n + 1, 1) for n in range(length - 1)), *shortcuts):
        problem.set_initial_value(connected(places[start], places[end]), True)
        problem.set_initial_value(price(places[start], places[end]), cost)
    drive = InstantaneousAction("drive", a=place, b=place)
    drive.add_precondition(at(drive.a))
    drive.add_precondition(connected(drive.a, drive.b))
    drive.add_effect(at(drive.a), False)
    drive.add_effect(at(drive.b), True)
    problem.add_action(drive)
    problem.set_initial_value(at(places[0]), True)
    problem.add_goal(at(places[-1]))
    problem.add_quality_metric(MinimizeActionCosts({drive: price(drive.a, drive.b)}))
    return problem


def towers(blocks: int = 10) -> Any:
    """A tower to be built upside down: the first plan is far from the best, and the best takes long to prove."""
    kind = UserType("Block")
    problem = Problem("towers")
    on = problem.add_fluent("on", BoolType(), default_initial_value=False, a=kind, b=kind)
    table = problem.add_fluent("on table", BoolType(), default_initial_value=False, a=kind)
    clear = problem.add_fluent("clear", BoolType(), default_initial_value=False, a=kind)
    items = [problem.add_object(f"b{number}", kind) for number in range(blocks)]
    stack = InstantaneousAction("stack", a=kind, b=kind)
    stack.add_precondition(table(stack.a) & clear(stack.a) & clear(stack.b) & Not(stack.a.Equals(stack.b)))
    stack.add_effect(on(stack.a, stack.b), True)
    stack.add_effect(table(stack.a), False)
    stack.add_effect(clear(stack.b), False)
    unstack = InstantaneousAction("unstack", a=kind, b=kind)
    unstack.add_precondition(on(unstack.a, unstack.b) & clear(unstack.a))
    unstack.add_effect(on(unstack.a, unstack.b), False)
    unstack.add_effect(table(unstack.a), True)
    unstack.add_effect(clear(unstack.b), True)
    problem.add_actions([stack, unstack])
    problem.set_initial_value(table(items[0]), True)
    problem.set_initial_value(clear(items[-1]), True)
    for below, above in pairwise(items):
        problem.set_initial_value(on(above, below), True)
        problem.add_goal(on(below, above))
    return problem


def judge(problem: Any, plan: Any) -> Any:
    """The verdict of UP's own validator, whatever the kind of the problem is."""
    validator = SequentialPlanValidator()
    validator.skip_checks = True
    return validator.validate(problem, plan)


def metric_value(verdict: Any) -> Any:
    """The value of the only metric of a problem; None if it has none."""
    return None if verdict.metric_evaluations is None else next(iter(verdict.metric_evaluations.values()))
