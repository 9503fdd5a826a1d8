"""Goals of any form: split into parts that are solved, shown and validated one by one."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings

import condition_texts
import widthwise as ww
from cli_tools import texts
from widthwise import validate
from widthwise.classical import goal_parts
from widthwise.classical.goal_parts import split_goal
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem
from widthwise.classical.pddl.syntax import show
from widthwise.classical.profile import profile
from widthwise.classical.reporter import Reporter
from widthwise.classical.task import Task
from widthwise.cli.main import main
from widthwise.core.errors import WidthwiseError

DOMAIN = """
(define (domain wash) (:requirements :adl :derived-predicates)
  (:types vehicle place spare)
  (:predicates (dirty ?v - vehicle) (at ?v - vehicle ?p - place) (road ?a ?b - place) (clean-at ?p - place))
  (:derived (clean-at ?p - place) (exists (?v - vehicle) (and (at ?v ?p) (not (dirty ?v)))))
  (:action wash :parameters (?v - vehicle) :precondition (dirty ?v) :effect (not (dirty ?v)))
  (:action drive :parameters (?v - vehicle ?a ?b - place) :precondition (and (at ?v ?a) (road ?a ?b))
    :effect (and (at ?v ?b) (not (at ?v ?a)) (dirty ?v))))
"""
GOAL = """(and (forall (?v - vehicle) (not (dirty ?v))) (at b1 c)
  (forall (?p - place) (imply (road a ?p) (clean-at ?p))) (or (at b2 c) (at b2 b))
  (exists (?v - vehicle) (at ?v c)) (forall (?z - spare) (or)) (at b1 c))"""
PARTS = [
    *("(not (dirty b1))", "(not (dirty b2))", "(at b1 c)", "(clean-at b)", "(or (at b2 c) (at b2 b))"),
    "(exists (?v - vehicle) (at ?v c))",
]


def problem_text(goal: str = GOAL) -> str:
    return f"""(define (problem w) (:domain wash) (:objects b1 b2 - vehicle a b c - place)
      (:init (dirty b1) (dirty b2) (at b1 a) (at b2 a) (road a b) (road b c)) (:goal {goal}))"""


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    return [str(path) for path in texts(tmp_path, DOMAIN, problem_text())]


@pytest.mark.parametrize("planner", ["auto", "bfs", "iw", "ihiw", "siw", "bfws", "gbfs"])
@pytest.mark.parametrize("relevance", ["none", "task", "goal"])
def test_every_part_is_solved_on_its_own_and_shown_as_pddl(
    paths: list[str], planner: str, relevance: ww.Relevance
) -> None:
    task = ww.load(*paths)
    results = list(ww.solve_each_goal(task, planner, relevance=relevance))
    assert [result.goal for result in results] == PARTS
    for result in results:
        assert result.status is ww.Status.SOLVED and result.plan and result.goal
        condition = parse_goal(result.goal, task.domain, task.problem)
        assert validate(task.domain, task.problem, result.plan, condition).valid
    whole = ww.solve(task, planner)
    assert whole.status in (ww.Status.SOLVED, ww.Status.EXHAUSTED)


def test_the_command_line_shows_every_part(paths: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *paths, "--each-goal", "--json"]) == 0
    assert [goal["goal"] for goal in json.loads(capsys.readouterr().out)["goals"]] == PARTS
    assert main(["profile", *paths, "--json"]) == 0
    assert [goal["goal"] for goal in json.loads(capsys.readouterr().out)["goals"]] == PARTS
    assert main(["ground", *paths, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["goals"] == PARTS


def test_a_goal_by_hand_may_have_any_form(paths: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    goal = "(forall (?v - vehicle) (and (at ?v b) (not (exists (?p - place) (and (at ?v ?p) (= ?p c))))))"
    assert main(["solve", *paths, "--goal", goal, "--goal", "(clean-at b)", "--each-goal", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["goals"]
    expected = ["(at b1 b)", "(not (at b1 c))", "(at b2 b)", "(not (at b2 c))", "(clean-at b)"]
    assert [item["goal"] for item in result] == expected
    assert [item["true_at_start"] for item in result] == [False, True, False, True, False]
    assert main(["solve", *paths, "--goal", goal, "--first"]) == 0


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("(and)", []),
        ("()", []),
        ("(or)", ["(or)"]),
        ("(not (and))", ["(or)"]),
        ("(forall (?z - spare) (or))", []),
        ("(exists (?z - spare) (and))", ["(or)"]),
        ("(and (road a b) (road a c))", ["(road a b)", "(road a c)"]),
        ("(not (or (at b1 a) (not (at b1 b))))", ["(not (at b1 a))", "(at b1 b)"]),
        ("(not (imply (at b1 a) (at b1 b)))", ["(at b1 a)", "(not (at b1 b))"]),
        ("(not (and (at b1 a) (at b1 b)))", ["(not (and (at b1 a) (at b1 b)))"]),
        ("(forall (?v - vehicle) (or (= ?v b1) (at ?v c)))", ["(at b2 c)"]),
        ("(or (road b a) (forall (?v - vehicle) (at ?v c)))", ["(at b1 c)", "(at b2 c)"]),
        ("(forall (?v - vehicle) (exists (?p - place) (at ?v ?p)))", [
            "(exists (?p - place) (at b1 ?p))", "(exists (?p - place) (at b2 ?p))",
        ]),
    ],
)  # fmt: skip
def test_goals_are_split_where_that_keeps_their_meaning(goal: str, expected: list[str]) -> None:
    domain = parse_domain(DOMAIN)
    problem = parse_problem(problem_text(goal), "p", domain)
    assert [show(part) for part in split_goal(problem, problem.goal)] == expected


def test_a_large_universal_goal_stays_whole(monkeypatch: pytest.MonkeyPatch, paths: list[str]) -> None:
    monkeypatch.setattr(goal_parts, "MOST_INSTANCES", 1)
    task = ww.load(*paths, goals=["(forall (?v - vehicle) (not (dirty ?v)))"])
    assert [goal.name for goal in task.goals] == ["(forall (?v - vehicle) (not (dirty ?v)))"]
    (result,) = ww.solve_each_goal(task, "bfs")
    assert result.status is ww.Status.SOLVED and len(result.plan or ()) == 2


def test_a_universal_goal_over_very_many_instances_is_read_at_once() -> None:
    variables = " ".join(f"?v{number} - vehicle" for number in range(100))
    domain = parse_domain(DOMAIN)
    problem = parse_problem(problem_text(f"(forall ({variables}) (not (dirty ?v0)))"), "p", domain)
    assert len(split_goal(problem, problem.goal)) == 1


def test_an_error_in_one_goal_leaves_the_others(
    paths: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cost = Reporter._cost

    def broken(self: Reporter, *args: object) -> float:
        if self.goal is not None and self.goal.name == "(at b1 c)":
            raise WidthwiseError("the validator refuses the plan")
        return cost(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Reporter, "_cost", broken)
    task = ww.load(*paths)
    expected = [ww.Status.FAILED if name == "(at b1 c)" else ww.Status.SOLVED for name in PARTS]
    results = list(ww.solve_each_goal(task, "iw"))
    assert [result.status for result in results] == expected
    assert results[2].reason == "the validator refuses the plan"
    assert [item.status for item in profile(task)] == expected
    assert main(["solve", *paths, "--each-goal"]) == 1
    ended = capsys.readouterr()
    assert ended.out.count("solved") == len(PARTS) - 1 and "(at b1 c): failed: the validator refuses" in ended.err
    assert main(["profile", *paths]) == 1
    assert "(at b1 c): IW(1) failed: the validator refuses" in capsys.readouterr().err


@settings(max_examples=300, deadline=None)
@given(condition_texts.conditions())
def test_the_parts_hold_exactly_where_the_goal_holds(text: str) -> None:
    domain = parse_domain(condition_texts.DOMAIN.format(action=""))
    problem = parse_problem(condition_texts.PROBLEM.format(goal=text), "p", domain)
    task = Task.of(domain, problem)
    assert not any("@" in goal.name for goal in task.goals)
    parts = [parse_goal(goal.name, domain, problem) for goal in task.goals]
    plans: list[list[str]] = [
        *([], ["(clear a)"], ["(set-p b)"], ["(set-q a c)"]),
        *(["(clear a)", "(swap)"], ["(set-p b)", "(clear b)"]),
    ]
    for plan in plans:
        whole = validate(domain, problem, plan).valid
        assert all(validate(domain, problem, plan, part).valid for part in parts) == whole
        state = task.init
        for step in plan:
            state = task.apply(state, task.operators.index(step))
        assert task.is_goal(state) == whole
        for goal, part in zip(task.goals, parts, strict=True):
            holds = all(atom in state for atom in goal.positive) and not any(atom in state for atom in goal.negative)
            assert (goal.reachable and holds) == validate(domain, problem, plan, part).valid


@settings(max_examples=300, deadline=None)
@given(condition_texts.conditions(scope=(("?x", "few"),)), condition_texts.conditions(scope=(("?x", "few"),)))
def test_preconditions_and_effect_conditions_hold_exactly_where_the_validator_says_so(first: str, second: str) -> None:
    action = f"(:action act :parameters (?x - few) :precondition {first} :effect (and (r) (when {second} (p ?x))))"
    domain = parse_domain(condition_texts.DOMAIN.format(action=action))
    problem = parse_problem(condition_texts.PROBLEM.format(goal="(p b)"), "p", domain)
    task = Task.of(domain, problem)
    for before, argument in itertools.product(
        ([], ["(clear a)"], ["(set-p b)"], ["(set-q a c)", "(clear a)", "(swap)"]), ("a", "b")
    ):
        state = task.init
        for step in before:
            state = task.apply(state, task.operators.index(step))
        step = f"(act {argument})"
        copies = [op for op in task.applicable(state) if task.operator_name(op) == step]
        if validate(domain, problem, [*before, step], parse_goal("(and)", domain, problem)).valid:
            changes = validate(domain, problem, [*before, step], parse_goal(f"(p {argument})", domain, problem)).valid
            after = {task.apply(state, op) for op in copies}
            # An operator that changes nothing in any state is not tried.
            assert after or ("(r)" in task.atoms and task.atom("(r)") in state)
            for child in after:
                assert (task.atom(f"(p {argument})") in child) == changes
        else:
            assert not copies
