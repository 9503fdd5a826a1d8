"""Tasks as problems of unified-planning: the same plans, costs and verdicts on both sides, and the way back."""

from __future__ import annotations

import os
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unified_planning.environment import Environment
from unified_planning.io import PDDLReader

import widthwise as ww
from random_pddl import ADL, EVERYTHING, random_task
from random_up import shortest
from up_problems import judge, lamp, metric_value, road
from widthwise.classical.collection import domain_of, problems_in
from widthwise.up import WidthwiseEngine, sequential_plan

BENCHMARKS = os.environ.get("WIDTHWISE_BENCHMARKS")


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
            assert verdict and metric_value(verdict) in (None, cost)
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
    assert metric_value(judge(written, sequential_plan(written, ww.solve(task), task=task))) == Fraction(51, 10)


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
