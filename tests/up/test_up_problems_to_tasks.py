"""Problems of unified-planning as tasks: the same plans, costs and verdicts on both sides."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from unified_planning.model import InstantaneousAction, Problem, Variable
from unified_planning.plans import ActionInstance, SequentialPlan
from unified_planning.shortcuts import (
    BoolType,
    Equals,
    Exists,
    Forall,
    Iff,
    IntType,
    MinimizeActionCosts,
    Not,
    Or,
    UserType,
    get_environment,
)

import widthwise as ww
from random_up import random_problem, shortest
from up_problems import judge, lamp, metric_value, road
from widthwise.up import WidthwiseEngine, sequential_plan


@settings(max_examples=150)
@given(st.randoms(use_true_random=False))
def test_random_problems_have_the_same_shortest_plans_in_the_simulator_of_unified_planning(rng: random.Random) -> None:
    problem = random_problem(rng)
    result = ww.solve(ww.from_unified_planning(problem), "bfs")
    try:
        length = shortest(problem)
    except OverflowError:
        assume(False)
    assert (None if result.plan is None else len(result.plan)) == length
    if result.plan is not None:
        plan = sequential_plan(problem, result)
        verdict = judge(problem, plan)
        assert verdict
        assert metric_value(verdict) == metric_value(WidthwiseEngine().validate(problem, plan))


@settings(max_examples=75)
@given(st.randoms(use_true_random=False))
def test_plans_of_random_problems_read_no_undefined_values(rng: random.Random) -> None:
    problem = random_problem(rng, undefined=True)
    result = ww.solve(ww.from_unified_planning(problem), "bfs")
    try:
        length = shortest(problem)
    except OverflowError:
        assume(False)
    if length is None:
        assert result.plan is None
    if result.plan is not None:
        assert length is not None and len(result.plan) >= length
        assert judge(problem, sequential_plan(problem, result))


@settings(max_examples=75)
@given(st.randoms(use_true_random=False))
def test_the_two_validators_agree_on_random_plans(rng: random.Random) -> None:
    problem = random_problem(rng)
    manager = problem.environment.expression_manager
    for _ in range(4):
        instances = []
        for _ in range(rng.randint(0, 3)):
            action = rng.choice(problem.actions)
            choices = [list(problem.objects(parameter.type)) for parameter in action.parameters]
            if all(choices):
                args = tuple(manager.ObjectExp(rng.choice(objects)) for objects in choices)
                instances.append(ActionInstance(action, args))
        plan = SequentialPlan(instances)
        ours, theirs = WidthwiseEngine().validate(problem, plan), judge(problem, plan)
        assert ours.status is theirs.status and ours.reason is theirs.reason
        assert ours.inapplicable_action is theirs.inapplicable_action
        assert ours.metric_evaluations == theirs.metric_evaluations


def test_names_are_written_in_the_characters_of_pddl() -> None:
    kind = UserType("A type")
    problem = Problem("some problem")
    fluent = problem.add_fluent("is (very) odd?", BoolType(), default_initial_value=False, x=kind)
    names = ["A", "a", "x y", "x_y", "-", "?v", ";", "Ä ß", "and"]
    for name in names:
        problem.add_object(name, kind)
    action = InstantaneousAction("Do It", x=kind)
    action.add_effect(fluent(action.x), True)
    problem.add_action(action)
    for name in names:
        problem.add_goal(fluent(problem.object(name)))
    task = ww.from_unified_planning(problem)
    assert len(set(task.operators)) == len(names)
    assert [goal.name for goal in task.goals][:5] == [
        "(is__very__odd_ a)",
        "(is__very__odd_ a_1)",
        "(is__very__odd_ x_y)",
        "(is__very__odd_ x_y_1)",
        "(is__very__odd_ _-)",
    ]
    result = ww.solve(task)
    assert ww.validate(task, result)
    plan = sequential_plan(problem, result)
    assert judge(problem, plan)
    assert {instance.actual_parameters[0].object().name for instance in plan.actions} == set(names)


def test_elements_of_different_kinds_may_share_a_name() -> None:
    environment = get_environment()
    before, environment.error_used_name = environment.error_used_name, False
    try:
        with pytest.warns(UserWarning, match="already defined"):
            problem = Problem("same names")
            light = problem.add_fluent("up", BoolType(), default_initial_value=False)
            action = InstantaneousAction("up")
            action.add_effect(light, True)
            problem.add_action(action)
    finally:
        environment.error_used_name = before
    problem.add_goal(light)
    assert list(ww.solve(ww.from_unified_planning(problem)).plan or ()) == ["(up)"]


def test_all_forms_of_conditions_are_read() -> None:
    kind, other = UserType("K"), UserType("L", UserType("M"))
    problem = Problem("forms")
    p = problem.add_fluent("p", BoolType(), default_initial_value=False, x=kind)
    q = problem.add_fluent("q", BoolType(), default_initial_value=True)
    a, b = problem.add_object("a", kind), problem.add_object("b", kind)
    x, y = Variable("x", kind), Variable("y", other)
    move = InstantaneousAction("move", x=kind, y=kind)
    move.add_precondition(Not(Equals(move.x, move.y)))
    move.add_precondition(Iff(p(move.x), p(move.y)))
    move.add_effect(p(move.x), Not(p(move.x)))
    move.add_effect(q, Forall(Or(p(x), Equals(x, move.y)), x), condition=Exists(Not(p(x)), x))
    problem.add_action(move)
    flip = InstantaneousAction("flip")
    flip.add_effect(p(x), Not(p(x)), forall=[x])
    problem.add_action(flip)
    problem.add_goal(p(a) & Not(p(b)))
    problem.add_goal(Forall(Exists(q(), x), y))  # there is no object of the type of y
    task = ww.from_unified_planning(problem)
    result = ww.solve(task, "bfs")
    assert result.plan is not None and len(result.plan) == shortest(problem) == 1
    assert judge(problem, sequential_plan(problem, result))


def test_costs_are_numbers_static_fluents_and_arithmetic_on_them() -> None:
    place = UserType("Place")
    problem = Problem("costs")
    at = problem.add_fluent("at", BoolType(), default_initial_value=False, p=place)
    far = problem.add_fluent("far", IntType(0, 9), default_initial_value=2, a=place, b=place)
    places = [problem.add_object(f"p{number}", place) for number in range(3)]
    problem.set_initial_value(far(places[0], places[2]), 7)
    actions = [InstantaneousAction(f"go{number}", a=place, b=place) for number in range(7)]
    cost = [
        lambda go: 3,
        lambda go: Fraction(7, 3),
        lambda go: far(go.a, go.b),
        lambda go: far(go.a, go.b) + 1 + far(go.b, go.a),
        lambda go: far(go.a, places[2]) * far(go.b, go.a) / 4,
        lambda go: 10 - far(go.a, go.b),
        lambda go: far(places[0], places[2]) - 7,
    ]
    for go in actions:
        go.add_precondition(at(go.a))
        go.add_effect(at(go.a), False)
        go.add_effect(at(go.b), True)
    problem.add_actions(actions)
    problem.set_initial_value(at(places[0]), True)
    problem.add_goal(at(places[2]))
    problem.add_quality_metric(
        MinimizeActionCosts({go: expression(go) for go, expression in zip(actions, cost, strict=True)})
    )
    task = ww.from_unified_planning(problem)
    wanted: list[int | Fraction] = [3, Fraction(7, 3), 7, 10, Fraction(7, 2), 3, 0]
    for number, exact in enumerate(wanted):
        plan = sequential_plan(problem, [f"(go{number} p0 p2)"])
        assert metric_value(judge(problem, plan)) == metric_value(WidthwiseEngine().validate(problem, plan)) == exact
        assert ww.validate(task, [f"(go{number} p0 p2)"]).cost == float(Fraction(exact))
    assert ww.solve(task, improve=True).cost == 0


def test_an_action_whose_cost_is_undefined_does_not_apply() -> None:
    problem = road(4)
    task = ww.from_unified_planning(problem)
    assert len(task.operators) == 3
    connected = problem.fluent("connected")
    problem.set_initial_value(connected(problem.object("p0"), problem.object("p3")), True)
    assert ww.from_unified_planning(problem).operators == task.operators


def test_an_action_without_a_cost_costs_nothing() -> None:
    problem = lamp()
    problem.add_quality_metric(MinimizeActionCosts({}))
    assert ww.solve(ww.from_unified_planning(problem)).cost == 0


def test_what_is_enumerated_is_charged_to_the_budget() -> None:
    kind = UserType("K")
    problem = lamp()
    problem.add_fluent("large", BoolType(), default_initial_value=True, **{f"x{n}": kind for n in range(6)})
    for number in range(20):
        problem.add_object(f"o{number}", kind)
    with pytest.raises(ww.OutOfMemory):
        ww.from_unified_planning(problem, budget=ww.Budget(bytes=1_000_000))
    with pytest.raises(ww.OutOfTime):
        ww.from_unified_planning(problem, budget=ww.Budget(seconds=0.01))


def test_a_task_from_a_problem_is_pickled_without_the_problem() -> None:
    task = pickle.loads(pickle.dumps(ww.from_unified_planning(road(4))))
    assert ww.solve(task).cost == 3


def test_a_deeply_nested_condition_is_refused() -> None:
    problem = lamp()
    condition = problem.fluent("on")()
    for _ in range(5000):
        condition = Not(Not(condition) | Not(condition)) | condition
    problem.clear_goals()
    problem.add_goal(condition)
    with pytest.raises(ww.InputError, match="nested too deeply"):
        ww.from_unified_planning(problem)
