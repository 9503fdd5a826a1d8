"""The normal form of small conditions is what one would write by hand."""

from __future__ import annotations

import os
import subprocess
import sys

from pddl_texts import BLOCKS, BLOCKS_PROBLEM, WAREHOUSE, WAREHOUSE_PROBLEM
from places import SUPPORT
from widthwise.classical.pddl.normal import NormalLiteral, NormalTask, PredicateKind
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem


def literal(task: NormalTask, literal: NormalLiteral) -> str:
    name = task.predicates[literal.predicate].name
    args = [f"?{t}" if t >= 0 else task.objects[~t] for t in literal.args]
    text = f"({' '.join([name, *args])})"
    return f"(not {text})" if literal.negated else text


def warehouse(goal: str | None = None) -> NormalTask:
    domain = parse_domain(WAREHOUSE)
    problem = parse_problem(WAREHOUSE_PROBLEM, "p", domain)
    return normalize(domain, problem, parse_goal(goal, domain, problem) if goal else None)


def test_kinds_domains_and_init() -> None:
    domain = parse_domain(BLOCKS)
    task = normalize(domain, parse_problem(BLOCKS_PROBLEM, "p", domain))
    assert [p.name for p in task.predicates] == ["=", "on", "clear", "ontable", "holding", "free"]
    assert [p.kind for p in task.predicates] == [PredicateKind.STATIC] + [PredicateKind.FLUENT] * 5
    assert task.domains == [(0, 1, 2)]
    assert task.init == [[], [], [0, 1, 2], [0, 1, 2], [], [0]]
    assert [literal(task, part) for part in task.goal] == ["(on a b)"]
    assert not task.uses_costs


def test_disjunctions_split_and_quantifiers_go() -> None:
    task = warehouse()
    names = [action.name for action in task.actions]
    assert names == ["drive", "drive", "load", "unload", "shake", "inspect", "inspect"]
    load = task.actions[2]
    assert (load.shown, len(load.parameters)) == (2, 3)
    assert [literal(task, part) for part in load.precondition] == ["(at ?0 ?2)", "(at ?1 ?2)"]
    unload = task.actions[3]
    shown = [
        (len(e.parameters), [literal(task, part) for part in e.condition], literal(task, e.literal))
        for e in unload.effects
    ]
    assert shown == [
        (0, [], "(not (in ?0 ?1))"),
        (0, ["(broken ?0)"], "(done)"),
        (1, ["(in ?2 ?1)", "(not (= ?2 ?0))"], "(done)"),
    ]
    assert [literal(task, part) for part in task.actions[4].precondition] == ["(not (new-axiom@0 ?0))"]
    kinds = {p.name: p.kind.name for p in task.predicates}
    assert kinds["linked"] == kinds["stocked"] == kinds["new-axiom@0"] == "DERIVED"
    assert (kinds["road"], kinds["at"]) == ("STATIC", "FLUENT")


def test_axioms_and_complicated_goals() -> None:
    task = warehouse()
    rules = [f"{literal(task, a.head)} <- {' '.join(literal(task, p) for p in a.condition)}" for a in task.axioms]
    assert rules == [
        "(new-axiom@0 ?0) <- (in ?1 ?0)",
        "(linked ?0 ?1) <- (road ?0 ?1)",
        "(linked ?0 ?1) <- (linked ?0 ?2) (road ?2 ?1)",
        "(new-axiom@1 ?0) <- (not (broken ?1)) (not (at ?1 ?0))",
        "(stocked ?0) <- (not (new-axiom@1 ?0))",
        "(new-axiom@2) <- (not (at ?0 south))",
        "(new-axiom@3) <- (not (new-axiom@2)) (checked south)",
        "(new-axiom@3) <- (not (new-axiom@2)) (done)",
    ]
    assert [literal(task, part) for part in task.goal] == ["(new-axiom@3)"]


def test_costs_are_constants_and_tables() -> None:
    task = warehouse()
    drive, load, unload = task.actions[0], task.actions[2], task.actions[3]
    assert (drive.cost.constant, drive.cost.tables) == (1.0, ((1, (1, 2)),))
    assert (load.cost.constant, load.cost.tables) == (2.0, ())
    assert (unload.cost.constant, unload.cost.tables) == (0.0, ((2, ()),))
    assert task.tables[2] == {(): 1.0}
    assert task.uses_costs


def test_goals_by_hand() -> None:
    task = warehouse("(and (done) (not (broken box)) (and (checked north)))")
    assert [literal(task, part) for part in task.goal] == ["(done)", "(not (broken box))", "(checked north)"]
    assert warehouse("(and)").goal == ()
    task = warehouse("(or)")
    assert [literal(task, part) for part in task.goal] == ["(new-axiom@2)"]
    assert not [a for a in task.axioms if a.head.predicate == task.goal[0].predicate]
    task = warehouse("(forall (?t - truck) (forall (?c - crate) (not (in ?c ?t))))")
    assert [literal(task, part) for part in task.goal] == ["(not (new-axiom@2))"]


def test_adding_wins_over_deleting_and_shadowed_variables_stay_apart() -> None:
    text = """(define (domain d) (:predicates (p ?x) (q ?x ?y))
      (:action a :parameters (?x)
        :precondition (exists (?x) (p ?x))
        :effect (and (not (p ?x)) (p ?x)
                     (when (p ?x) (forall (?x) (when (exists (?y) (q ?x ?y)) (not (p ?x))))))))"""
    domain = parse_domain(text)
    problem = parse_problem("(define (problem e) (:domain d) (:objects o) (:init) (:goal (p o)))", "p", domain)
    task = normalize(domain, problem)
    (action,) = task.actions
    assert [literal(task, part) for part in action.precondition] == ["(p ?1)"]
    shown = [([literal(task, p) for p in e.condition], literal(task, e.literal)) for e in action.effects]
    assert shown == [([], "(p ?0)"), (["(p ?0)", "(q ?2 ?3)"], "(not (p ?2))")]


def test_the_normal_form_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from pddl_texts import *; from widthwise.classical.pddl.parser import *;"
        "from widthwise.classical.pddl.normalize import normalize\n"
        "for d, p in TASKS: d = parse_domain(d); print(normalize(d, parse_problem(p, 'p', d)))"
    )
    outputs = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            cwd=SUPPORT,
            capture_output=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
