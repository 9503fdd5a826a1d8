"""The bridges between problems of unified-planning and tasks: the same plans, costs and verdicts on both sides."""

from __future__ import annotations

import os
import pickle
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from unified_planning.engines.plan_validator import SequentialPlanValidator
from unified_planning.environment import Environment
from unified_planning.io import PDDLReader
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
from random_pddl import ADL, EVERYTHING, random_task
from random_up import random_problem, shortest
from up_problems import lamp, road
from widthwise.classical.collection import domain_of, problems_in
from widthwise.up import WidthwiseEngine, sequential_plan

BENCHMARKS = os.environ.get("WIDTHWISE_BENCHMARKS")


def judge(problem: Any, plan: Any) -> Any:
    """The verdict of UP's own validator, whatever the kind of the problem is."""
    validator = SequentialPlanValidator()
    validator.skip_checks = True
    return validator.validate(problem, plan)


def value(verdict: Any) -> Any:
    return None if verdict.metric_evaluations is None else next(iter(verdict.metric_evaluations.values()))


# Problems of unified-planning


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
        verdict = judge(problem, sequential_plan(problem, result))
        assert verdict
        assert value(verdict) == value(WidthwiseEngine().validate(problem, sequential_plan(problem, result)))


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
        assert value(judge(problem, plan)) == value(WidthwiseEngine().validate(problem, plan)) == exact
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


# Tasks


@settings(max_examples=120)
@given(st.randoms(use_true_random=False), st.sampled_from([ADL, EVERYTHING]))
def test_random_tasks_survive_the_way_to_unified_planning_and_back(rng: random.Random, language: Any) -> None:
    task = ww.parse(*random_task(rng, language))
    problem = ww.to_unified_planning(task)
    back = ww.from_unified_planning(problem)
    # UP simplifies conditions, so that more actions are seen to be inapplicable.
    assert set(back.operators) <= set(task.operators)
    first, second = (ww.solve(either, "bfs", budget=ww.Budget(nodes=2000)) for either in (task, back))
    assert first.status == second.status
    if first.plan is not None and second.plan is not None:
        assert len(first.plan) == len(second.plan)
        for plan, cost in (
            (sequential_plan(problem, first, task=task), first.cost),
            (sequential_plan(problem, second), second.cost),
        ):
            verdict = judge(problem, plan)
            assert verdict and value(verdict) in (None, cost)
        assert ww.validate(task, second.plan) and ww.validate(back, first.plan)


TYPED = """(define (domain typed) (:requirements :adl)
  (:types vehicle - object car boat - vehicle amphibian - car amphibian - boat garage)
  (:predicates (clean ?c - car) (wet ?b - boat) (seen ?x - (either car garage)) (vehicle))
  (:action wash :parameters (?v - (either car boat)) :effect (and (clean ?v) (vehicle)))
  (:action swim :parameters (?v - vehicle) :precondition (exists (?b - boat) (= ?b ?v)) :effect (wet ?v))
  (:action see :parameters () :precondition (forall (?c - car) (clean ?c))
    :effect (forall (?x - (either car garage)) (seen ?x))))"""
TYPED_PROBLEM = """(define (problem typed) (:domain typed) (:objects a - amphibian c - car b - boat g - garage)
  (:init) (:goal (and (seen g) (seen a) (not (wet b)) (wet a) (vehicle))))"""


def test_types_that_are_no_tree_become_static_fluents() -> None:
    task = ww.parse(TYPED, TYPED_PROBLEM)
    problem = ww.to_unified_planning(task)
    assert [kind.name for kind in problem.user_types] == ["object"]
    back = ww.from_unified_planning(problem)
    assert set(back.operators) == set(task.operators)
    result = ww.solve(task)
    assert result.plan is not None
    assert judge(problem, sequential_plan(problem, result, task=task))
    assert ww.solve(back, "bfs").cost == ww.solve(task, "bfs").cost


WIDE = """(define (domain wide) (:requirements :typing :derived-predicates :equality)
  (:types thing place - object box - thing)
  (:predicates (in ?b - box ?p - place) (lift) (reached ?t - thing) (far ?b - box))
  (:derived (reached ?t - box) (exists (?x - place) (in ?t ?x)))
  (:derived (far ?x - box) (and (reached ?x) (exists (?t - box) (not (= ?t ?x)))))
  (:action lift :parameters (?t - thing ?x - object) :precondition (not (= ?t ?x)) :effect (and (lift) (in ?t ?x))))"""
WIDE_PROBLEM = """(define (problem wide) (:domain wide) (:objects lift - box other - box hall - place ring - thing)
  (:init) (:goal (and (forall (?t - thing) (imply (not (= ?t ring)) (reached ?t))) (far other) (lift))))"""


def test_wider_variables_derived_predicates_and_repeated_names_are_written() -> None:
    task = ww.parse(WIDE, WIDE_PROBLEM)
    problem = ww.to_unified_planning(task)
    assert [action.name for action in problem.actions] == ["lift"]
    assert problem.has_object("lift_1") and problem.has_fluent("lift_2")
    result = ww.solve(task, "bfs")
    assert result.plan is not None
    assert judge(problem, sequential_plan(problem, result, task=task))
    assert ww.solve(ww.from_unified_planning(problem), "bfs").cost == result.cost == shortest(problem)


def test_a_recursive_derived_predicate_is_refused_by_name() -> None:
    domain = """(define (domain d) (:predicates (edge ?x ?y) (path ?x ?y)) (:derived (path ?x ?y)
      (or (edge ?x ?y) (exists (?z) (and (edge ?x ?z) (path ?z ?y)))))
      (:action cut :parameters (?x ?y) :precondition (path ?x ?y) :effect (not (edge ?x ?y))))"""
    problem = "(define (problem p) (:domain d) (:objects a b) (:init (edge a b)) (:goal (not (path a b))))"
    with pytest.raises(ww.UnsupportedError, match="the derived predicate path, which depends on itself"):
        ww.to_unified_planning(ww.parse(domain, problem))


def test_the_goal_of_a_task_is_written_even_if_it_is_not_that_of_the_file() -> None:
    task = ww.example("corridor", length=3)
    for other in (task.with_goal("(have-key)"), task.restricted(task.goals[1])):
        problem = ww.to_unified_planning(other)
        result = WidthwiseEngine().solve(problem)
        assert str(problem.goals) == "[have-key]" and len(result.plan.actions) == 4


def test_costs_of_a_task_are_written_exactly() -> None:
    domain = """(define (domain d) (:requirements :action-costs) (:predicates (done ?x))
      (:functions (total-cost) - number (price ?x) - number)
      (:action do :parameters (?x) :effect (and (done ?x) (increase (total-cost) (+ (price ?x) 1.5)))))"""
    problem = """(define (problem p) (:domain d) (:objects a b) (:init (= (price a) 0.1) (= (price b) 2))
      (:goal (and (done a) (done b))) (:metric minimize (total-cost)))"""
    task = ww.parse(domain, problem)
    written = ww.to_unified_planning(task)
    assert value(judge(written, sequential_plan(written, ww.solve(task), task=task))) == Fraction(51, 10)


def test_a_problem_can_be_written_for_another_environment() -> None:
    environment = Environment()
    problem = ww.to_unified_planning(ww.example("gripper"), environment=environment)
    assert problem.environment is environment
    assert WidthwiseEngine().solve(problem).plan.environment is environment


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ww.UsageError, match="is not a task"):
        ww.to_unified_planning("corridor")  # type: ignore[arg-type]
    with pytest.raises(ww.UsageError, match="has no action 'fly'"):
        sequential_plan(lamp(), ["(fly)"])
    with pytest.raises(ww.UsageError, match="has no object 'p9'"):
        sequential_plan(road(3), ["(drive p0 p9)"])
    unsolved = ww.solve(ww.example("corridor"), ww.IW(1), budget=ww.Budget(nodes=2))
    with pytest.raises(ww.UsageError, match="the result has no plan"):
        sequential_plan(lamp(), unsolved)


# Tasks of the competitions

#: Domains that the PDDL reader of unified-planning cannot read.
NOT_READ = {"floortile-sat11-strips", "logistics00", "philosophers", "psr-middle", "storage", "tidybot-sat11-strips"}
NOT_READ |= {"zenotravel"}
#: Domains whose reading takes that reader more than some seconds.
SLOW = {"nomystery-sat11-strips", "trucks-strips", "visitall-sat11-strips", "openstacks-strips"}
SLOW |= {"woodworking-sat08-strips", "maintenance-sat14-adl"}


def first_problem(folder: str) -> tuple[Path, Path]:
    assert BENCHMARKS is not None
    problem = problems_in(Path(BENCHMARKS) / folder)[0]
    return domain_of(problem), problem


def folders() -> list[str]:
    if BENCHMARKS is None:
        return ["none"]
    return sorted(path.name for path in Path(BENCHMARKS).iterdir() if path.is_dir())


@pytest.mark.ipc
@pytest.mark.skipif(BENCHMARKS is None, reason="WIDTHWISE_BENCHMARKS is not set")
@pytest.mark.parametrize("folder", folders())
def test_tasks_of_the_competitions_survive_the_way_to_unified_planning_and_back(folder: str) -> None:
    task = ww.load(*first_problem(folder))
    if folder == "psr-middle":
        with pytest.raises(ww.UnsupportedError, match="depends on itself"):
            ww.to_unified_planning(task)
        return
    problem = ww.to_unified_planning(task)
    back = ww.from_unified_planning(problem)
    assert sorted(back.operators) == sorted(task.operators)
    assert named(back) == named(task)
    result = ww.solve(back, budget=ww.Budget(nodes=200_000))
    if result.plan is not None:
        assert judge(problem, sequential_plan(problem, result))


@pytest.mark.ipc
@pytest.mark.slow
@pytest.mark.skipif(BENCHMARKS is None, reason="WIDTHWISE_BENCHMARKS is not set")
@pytest.mark.parametrize("folder", sorted(set(folders()) - NOT_READ - SLOW))
def test_tasks_that_unified_planning_has_read_are_those_that_widthwise_reads(folder: str) -> None:
    domain, path = first_problem(folder)
    task, problem = ww.load(domain, path), PDDLReader().parse_problem(str(domain), str(path))
    other = ww.from_unified_planning(problem)
    assert sorted(other.operators) == sorted(task.operators)
    assert named(other) == named(task)
    result = WidthwiseEngine(max_nodes=200_000).solve(problem)
    if result.plan is not None:
        assert judge(problem, result.plan)


def named(task: ww.Task) -> list[str]:
    """The atoms of a task, without derived ones: rules are written out, and axioms are numbered as they come."""
    derived = task.domain.derived_names
    return sorted(atom for atom in task.atoms if "@" not in atom and atom[1:-1].split()[0] not in derived)
