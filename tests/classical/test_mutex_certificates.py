"""Certificates that list mutexes: made for unsolvable tasks, verified without grounding, refused when forged."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from certificate_tasks import random_task
from cli_tools import TORN, call, texts
from widthwise.classical.certificate import Certificate
from widthwise.classical.certify import certify
from widthwise.classical.examples import EXAMPLES
from widthwise.classical.pddl.parser import parse_domain, parse_problem
from widthwise.classical.task import Task
from widthwise.core.errors import InputError

# Lamps break when they are switched on while they are wet; rain makes all of them wet, and nothing dries them.
LAMPS = """(define (domain lamps) (:requirements :adl) (:types lamp)
 (:predicates (on ?l - lamp) (broken ?l - lamp) (wet ?l - lamp) (dark))
 (:action switch-on :parameters (?l - lamp) :precondition (and (not (on ?l)) (not (broken ?l)))
  :effect (and (not (dark)) (when (not (wet ?l)) (on ?l)) (when (wet ?l) (broken ?l))))
 (:action all-off :parameters () :precondition (not (dark))
  :effect (and (dark) (forall (?l - lamp) (not (on ?l)))))
 (:action rain :parameters () :precondition (dark) :effect (forall (?l - lamp) (wet ?l)))
 )"""
LAMPS_PROBLEM = """(define (problem two) (:domain lamps) (:objects a b - lamp)
 (:init (dark) (wet b)) (:goal {goal}))"""
LAMP_ATOMS = ("(on a)", "(on b)", "(broken a)", "(broken b)", "(dark)", "(wet a)", "(wet b)")


def corridor(goal: str = "(and (at p0) (at p2))") -> Task:
    return ww.example("corridor", length=3).with_goal(goal)


def valid(task: Task, certificate: Certificate) -> bool:
    return ww.verify_certificate(task, certificate).valid


def test_two_places_exclude_each_other() -> None:
    task = corridor()
    certificate = certify(task)
    assert certificate is not None and certificate.kind == "mutex" and not certificate.states
    places = [atom for atom in certificate.atoms if atom.startswith("(at ")]
    listed = {frozenset(certificate.atoms[literal] for literal in mutex) for mutex in certificate.mutexes}
    assert listed == set(map(frozenset, combinations(places, 2)))
    assert valid(task, certificate)
    assert Certificate.parse(certificate.text()) == certificate


def test_a_certificate_without_any_one_of_its_mutexes_is_refused() -> None:
    task = corridor()
    certificate = certify(task)
    assert certificate is not None
    for place in range(len(certificate.mutexes)):
        rest = certificate.mutexes[:place] + certificate.mutexes[place + 1 :]
        assert not valid(task, replace(certificate, mutexes=rest))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (
            lambda c: replace(c, mutexes=(*c.mutexes, (0, 4))),
            "the initial state satisfies the mutex (at p0), (key-at p3)",
        ),
        (
            lambda c: replace(c, mutexes=(*c.mutexes, (0, ~2))),
            "the initial state satisfies the mutex (not (at p2)), (at p0)",
        ),
        (lambda c: replace(c, mutexes=(*c.mutexes, (5,))), "(take-key p3) may satisfy the mutex (have-key)"),
        (lambda c: replace(c, mutexes=(*c.mutexes, (3, ~4, 5))), "(walk p2 p3) may satisfy"),
        (lambda c: replace(c, mutexes=c.mutexes[1:]), "may satisfy the mutex"),
        (lambda c: replace(c, mutexes=((0, 1),)), "(walk p2 p1) may satisfy the mutex (at p0), (at p1)"),
        (lambda c: replace(c, mutexes=((6,),)), "belongs to no atom"),
        (lambda c: replace(c, mutexes=((-7,),)), "belongs to no atom"),
        (lambda c: replace(c, mutexes=((),)), "a mutex without literals"),
        (lambda c: replace(c, atoms=c.atoms[:-1]), "(take-key p3) may add (have-key), which is not among the atoms"),
        (lambda c: replace(c, atoms=c.atoms[1:], mutexes=()), "the initial state has (at p0)"),
        (lambda c: replace(c, mutexes=()), "the goal may hold without a mutex"),
        (lambda c: replace(c, kind="relaxed"), "the goal may hold among these atoms"),
        (lambda c: replace(c, domain="other"), "belongs to problem"),
    ],
)
def test_forged_certificates_are_refused(change: Callable[[Certificate], Certificate], word: str) -> None:
    task = corridor()
    certificate = certify(task)
    assert certificate is not None
    verdict = ww.verify_certificate(task, change(certificate))
    assert not verdict.valid and word in verdict.reason, verdict.reason


def test_a_certificate_of_a_similar_task_is_refused() -> None:
    certificate = certify(corridor())
    assert certificate is not None
    assert not valid(corridor("(and (at p0) (have-key))"), certificate)
    assert not valid(corridor("(or (at p2) (and (at p0) (at p1)))"), certificate)
    assert valid(corridor("(or (and (at p2) (at p3)) (and (at p0) (at p1)))"), certificate)
    assert valid(corridor("(exists (?p - position) (and (next p0 ?p) (at p0) (at ?p)))"), certificate)
    assert not valid(corridor("(exists (?p - position) (and (next p0 ?p) (at ?p)))"), certificate)


def literal(text: str) -> int:
    negated = text.startswith("(not ")
    return ~LAMP_ATOMS.index(text[5:-1]) if negated else LAMP_ATOMS.index(text)


@pytest.mark.parametrize(
    ("goal", "mutexes", "reason"),
    [
        ("(and (on a) (dark))", [["(on a)", "(dark)"]], None),
        ("(not (imply (on a) (not (dark))))", [["(on a)", "(dark)"]], None),
        ("(on b)", [["(on b)"], ["(not (wet b))"]], None),
        ("(forall (?l - lamp) (on ?l))", [["(on b)"], ["(not (wet b))"]], None),
        ("(exists (?l - lamp) (and (on ?l) (dark)))", [["(on a)", "(dark)"], ["(on b)", "(dark)"]], None),
        ("(exists (?l - lamp) (and (on ?l) (dark)))", [["(on a)", "(dark)"]], "the goal may hold"),
        ("(on b)", [["(on b)"]], "(switch-on b) may satisfy the mutex (on b)"),
        ("(on a)", [["(on a)"], ["(not (wet a))"]], "the initial state satisfies the mutex (not (wet a))"),
        ("(wet a)", [["(wet a)"]], "(rain) may satisfy the mutex (wet a)"),
        ("(and (broken a) (dark))", [["(broken a)", "(dark)"]], "(all-off) may satisfy"),
        ("(and (broken a) (on a))", [["(broken a)", "(on a)"]], None),
        ("(and (on a) (on b))", [["(on a)", "(on b)"]], "(switch-on a) may satisfy"),
    ],
)
def test_conditional_effects_and_quantifiers_are_understood(
    goal: str, mutexes: list[list[str]], reason: str | None
) -> None:
    domain = parse_domain(LAMPS)
    problem = parse_problem(LAMPS_PROBLEM.format(goal=goal), "p", domain)
    rows = tuple(tuple(literal(text) for text in mutex) for mutex in mutexes)
    verdict = ww.verify_certificate(domain, problem, Certificate("mutex", "lamps", "two", LAMP_ATOMS, (), rows))
    assert verdict.valid == (reason is None), verdict.reason
    assert reason is None or reason in verdict.reason
    if verdict.valid:
        assert ww.solve(Task.of(domain, problem), "bfs").status is ww.Status.UNSOLVABLE


def _levels(task: Task) -> list[list[frozenset[int]]]:
    """The states that are reached first after 0, 1, 2, ... steps."""
    known, levels = {task.init}, [[task.init]]
    while levels[-1]:
        children = dict.fromkeys(child for state in levels[-1] for _, child in task.successors(state))
        levels.append([child for child in children if child not in known])
        known.update(levels[-1])
    return [[frozenset(state.atoms()) for state in level] for level in levels]


def test_no_mutexes_that_hold_for_a_while_prove_a_solvable_task_unsolvable() -> None:
    """All pairs and single literals that no state within k steps satisfies: valid only where there is no plan."""
    generator = random.Random(5)
    seen = {"refused": 0, "valid": 0}
    for number in range(60):
        task = Task.of(*random_task(generator))
        solved = ww.solve(task, "bfs").status is ww.Status.SOLVED
        kinds = [task.normal.predicates[predicate].name for predicate in task.native.atom_predicate]
        fluent = [atom for atom, name in enumerate(kinds) if name in ("p", "q")]
        literals = [*range(len(fluent)), *(~place for place in range(len(fluent)))]
        states: list[frozenset[int]] = []
        for level in _levels(task):
            states += [
                frozenset(place if atom in state else ~place for place, atom in enumerate(fluent)) for state in level
            ]
            candidates = [*((item,) for item in literals), *combinations(literals, 2)]
            mutexes = tuple(mutex for mutex in candidates if not any(state.issuperset(mutex) for state in states))
            atoms = tuple(task.atoms[atom] for atom in fluent)
            names = (task.domain.name, task.problem.name)
            if mutexes and valid(task, Certificate("mutex", *names, atoms, (), mutexes)):
                assert not solved, number
                seen["valid"] += 1
            else:
                seen["refused"] += 1
    assert min(seen.values()) >= 10, seen


def test_random_tasks_are_certified_by_mutexes_where_too_many_states_are_left() -> None:
    generator = random.Random(6)
    seen = {"mutex": 0, "relaxed": 0, "solved": 0}
    for number in range(150):
        task = Task.of(*random_task(generator, plain=True))
        certificate = certify(task, max_states=0)
        solved = ww.solve(task, "bfs").status is ww.Status.SOLVED
        assert (certificate is None) == solved, number
        seen[certificate.kind if certificate else "solved"] += 1
    assert min(seen.values()) >= 10, seen


def test_three_atoms_of_which_any_two_hold_together_but_never_all() -> None:
    moves = "".join(
        f"(:action move-{source}-{target} :precondition (and ({source}) (not ({target}))) "
        f":effect (and ({target}) (not ({source}))))"
        for source, target in permutations("abc", 2)
    )
    domain = parse_domain(f"(define (domain tokens) (:predicates (a) (b) (c)) {moves})")
    problem = "(define (problem two) (:domain tokens) (:init (a) (b)) (:goal (and (a) (b) (c))))"
    task = Task.of(domain, parse_problem(problem, "p", domain))
    certificate = certify(task, max_states=2)
    assert certificate is not None and certificate.mutexes == ((0, 1, 2),)
    assert certify(task, max_states=3).kind == "states"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.update(mutexes=[]),
        lambda data: data.update(mutexes=[[]]),
        lambda data: data.update(mutexes=[[99]]),
        lambda data: data.update(mutexes=[[-7]]),
        lambda data: data.update(mutexes=[[True]]),
        lambda data: data.update(mutexes={"0": 1}),
        lambda data: data.update(states=[[0]]),
        lambda data: data.update(kind="states"),
        lambda data: data.update(kind="relaxed"),
    ],
)
def test_what_is_no_certificate_is_refused_as_bad_input(damage: Callable[[dict[str, Any]], None]) -> None:
    certificate = certify(corridor())
    assert certificate is not None
    data = json.loads(certificate.text())
    damage(data)
    with pytest.raises(InputError, match="not a certificate"):
        Certificate.parse(json.dumps(data), "c.json")


def test_limits_hold_while_mutexes_are_found() -> None:
    with pytest.raises(ww.OutOfTime):
        certify(corridor(), budget=ww.Budget(seconds=1e-9))
    with pytest.raises(ww.OutOfMemory):
        certify(corridor(), budget=ww.Budget(bytes=1000))


def test_solve_writes_mutexes_that_verify_certificate_accepts(tmp_path: Path) -> None:
    files = texts(tmp_path, EXAMPLES["corridor"].domain(), TORN)
    proof = str(tmp_path / "proof.json")
    ended = call("solve", *files, "--certificate", proof)
    assert ended.code == 11 and "1 mutex, 4 atoms" in ended.err
    ended = call("verify-certificate", *files, proof)
    assert (ended.code, ended.out) == (0, "valid: there is no plan (1 mutex, 4 atoms)\n")
    ended = call("verify-certificate", *files, proof, "--goal", "(at p1)")
    assert (ended.code, ended.out) == (1, "not valid: the goal may hold without a mutex\n")
