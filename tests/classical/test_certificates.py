"""Certificates of unsolvability: made for tasks without a plan, verified by independent code, refused when forged."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from certificate_tasks import random_task
from cli_tools import call
from widthwise import verify_certificate
from widthwise.classical.certificate import Certificate
from widthwise.classical.certify import certify
from widthwise.classical.pddl.parser import parse_domain, parse_problem
from widthwise.classical.task import Task
from widthwise.core.errors import InputError

# A lock that needs two keys, of which only one can be carried through the one-way door.
DOMAIN = """(define (domain doors) (:requirements :adl :derived-predicates) (:types room key)
 (:predicates (at ?r - room) (way ?a ?b - room) (lies ?k - key ?r - room) (held ?k - key) (open)
              (free-hand) (rich))
 (:derived (free-hand) (forall (?k - key) (not (held ?k))))
 (:derived (rich) (exists (?j ?k - key) (and (held ?j) (held ?k) (not (= ?j ?k)))))
 (:action go :parameters (?a ?b - room) :precondition (and (at ?a) (way ?a ?b))
  :effect (and (at ?b) (not (at ?a))))
 (:action take :parameters (?k - key ?r - room) :precondition (and (at ?r) (lies ?k ?r) (free-hand))
  :effect (and (held ?k) (not (lies ?k ?r))))
 (:action drop :parameters (?r - room) :precondition (and (at ?r) (not (free-hand)))
  :effect (forall (?k - key) (when (held ?k) (and (not (held ?k)) (lies ?k ?r)))))
 (:action unlock :parameters () :precondition (and (at vault) (rich)) :effect (open))
 {extra}
 )""".replace("(:types room key)", "(:types room key) (:constants hall vault - room)")
PROBLEM = """(define (problem p) (:domain doors) (:objects gold silver - key)
 (:init (at hall) (way hall vault) (way vault hall) (lies gold hall) (lies silver hall)) (:goal {goal}))"""


def task_of(goal: str = "(open)", extra: str = "", init: str = "") -> Task:
    domain = parse_domain(DOMAIN.format(extra=extra))
    text = PROBLEM.format(goal=goal).replace("(at hall)", f"(at hall) {init}")
    return Task.of(domain, parse_problem(text, "p", domain))


@pytest.fixture(scope="module")
def states() -> tuple[Task, Certificate]:
    task = task_of()
    certificate = certify(task)
    assert certificate is not None and certificate.kind == "states"
    return task, certificate


def test_all_reachable_states_are_listed_where_the_relaxed_goal_is_in_reach(states: tuple[Task, Certificate]) -> None:
    task, certificate = states
    # Where I am, and of each key whether it lies in the hall, lies in the vault, or is the one held.
    assert len(certificate.states) == 2 * (4 + 2 + 2)
    assert verify_certificate(task.domain, task.problem, certificate).valid


@pytest.mark.parametrize("goal", ["(and (open) (way hall hall))", "(or (way hall hall) (and (not (open)) (or)))"])
def test_a_goal_out_of_relaxed_reach_needs_no_states(goal: str) -> None:
    task = task_of(goal)
    certificate = certify(task)
    assert certificate is not None and certificate.kind == "relaxed" and not certificate.states
    assert verify_certificate(task.domain, task.problem, certificate).valid


@pytest.mark.parametrize("goal", ["(held gold)", "(and (at hall) (lies gold vault))", "(not (at hall))"])
def test_a_task_with_a_plan_has_no_certificate(goal: str) -> None:
    assert certify(task_of(goal)) is None


def test_a_task_with_too_many_states_has_none() -> None:
    assert certify(task_of(), max_states=5) is None


def test_a_certificate_is_read_back_as_it_was_written(states: tuple[Task, Certificate]) -> None:
    relaxed = [Certificate("relaxed", "d", "p", atoms) for atoms in ((), ("(a)", "(b c)"))]
    for certificate in (states[1], *relaxed):
        assert Certificate.parse(certificate.text()) == certificate


def _without(certificate: Certificate, place: int) -> Certificate:
    return replace(certificate, states=certificate.states[:place] + certificate.states[place + 1 :])


def test_a_certificate_without_any_one_of_its_states_is_refused(states: tuple[Task, Certificate]) -> None:
    task, certificate = states
    for place in range(len(certificate.states)):
        verdict = verify_certificate(task.domain, task.problem, _without(certificate, place))
        assert not verdict.valid
        assert "initial state" in verdict.reason if place == 0 else "not listed" in verdict.reason


def test_a_certificate_with_any_atom_of_a_state_changed_is_refused(states: tuple[Task, Certificate]) -> None:
    task, certificate = states
    generator = random.Random(1)
    for _ in range(60):
        place = generator.randrange(len(certificate.states))
        atom = generator.randrange(len(certificate.atoms))
        changed = tuple(sorted({*certificate.states[place]} ^ {atom}))
        forged = replace(certificate, states=(*certificate.states[:place], changed, *certificate.states[place + 1 :]))
        assert not verify_certificate(task.domain, task.problem, forged).valid


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda c: replace(c, kind="relaxed", states=()), "goal may hold"),
        (lambda c: replace(c, kind="relaxed", states=(), atoms=c.atoms[1:]), "not among the atoms"),
        (lambda c: replace(c, problem="other"), "belongs to problem other"),
        (lambda c: replace(c, atoms=(*c.atoms, "(way hall hall)")), "can never change"),
        (lambda c: replace(c, atoms=(*c.atoms, "(free-hand)")), "can never change"),
        (lambda c: replace(c, atoms=(*c.atoms, "(at moon)")), "not an atom of the task"),
        (lambda c: replace(c, atoms=(*c.atoms, "(at hall vault)")), "not an atom of the task"),
        (lambda c: replace(c, atoms=(*c.atoms, c.atoms[0])), "twice"),
        (lambda c: replace(c, states=c.states[:1]), "not listed"),
        (lambda c: replace(c, states=((),)), "initial state"),
    ],
)
def test_forged_certificates_are_refused(
    states: tuple[Task, Certificate], change: Callable[[Certificate], Certificate], word: str
) -> None:
    task, certificate = states
    verdict = verify_certificate(task.domain, task.problem, change(certificate))
    assert not verdict.valid and word in verdict.reason


def test_a_certificate_of_a_similar_task_is_refused(states: tuple[Task, Certificate]) -> None:
    _, certificate = states
    for task, word in [
        (task_of(init="(held gold)"), "initial state"),
        (task_of(goal="(held gold)"), "goal holds in state"),
        (task_of(extra="(:action magic :parameters () :precondition (at vault) :effect (open))"), "(magic) leads"),
    ]:
        verdict = verify_certificate(task.domain, task.problem, certificate)
        assert not verdict.valid and word in verdict.reason


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"format": "widthwise-unsolvability"}',
        lambda data: data.update(version=2),
        lambda data: data.update(version=True),
        lambda data: data.update(kind="magic"),
        lambda data: data.update(atoms=[1]),
        lambda data: data.update(atoms="(at hall)"),
        lambda data: data.update(states=[]),
        lambda data: data.update(states=[[99]]),
        lambda data: data.update(states=[[-1]]),
        lambda data: data.update(states=[[True]]),
        lambda data: data.update(states=[[0.0]]),
        lambda data: data.update(kind="relaxed"),
        lambda data: data.update(domain=None),
    ],
)
def test_what_is_no_certificate_is_refused_as_bad_input(states: tuple[Task, Certificate], damage: Any) -> None:
    text = damage
    if callable(damage):
        data = json.loads(states[1].text())
        damage(data)
        text = json.dumps(data)
    with pytest.raises(InputError, match="not a certificate"):
        Certificate.parse(text, "c.json")


def test_random_tasks_are_certified_exactly_where_breadth_first_search_is_exhausted() -> None:
    generator = random.Random(3)
    seen = {"states": 0, "relaxed": 0, "solved": 0}
    for number in range(120):
        domain, problem = random_task(generator)
        task = Task.of(domain, problem)
        solved = ww.solve(task, "bfs").status is ww.Status.SOLVED
        certificate = certify(task)
        assert (certificate is None) == solved, number
        seen[certificate.kind if certificate else "solved"] += 1
    assert min(seen.values()) >= 10, seen


# On the command line and in Python


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    (tmp_path / "d.pddl").write_text(DOMAIN.format(extra=""))
    (tmp_path / "p.pddl").write_text(PROBLEM.format(goal="(open)"))
    return str(tmp_path / "d.pddl"), str(tmp_path / "p.pddl"), str(tmp_path / "proof.json")


def test_solve_writes_a_certificate_that_verify_certificate_accepts(files: tuple[str, str, str]) -> None:
    domain, problem, proof = files
    ended = call("solve", domain, problem, "--certificate", proof)
    assert ended.code == 11 and "all 16 reachable states" in ended.err
    ended = call("verify-certificate", domain, problem, proof)
    assert (ended.code, ended.out) == (0, "valid: there is no plan (all 16 reachable states, 9 atoms)\n")
    ended = call("verify-certificate", domain, problem, proof, "--goal", "(held gold)")
    assert ended.code == 1 and ended.out.startswith("not valid: the goal holds in state")
    ended = call("verify-certificate", domain, problem, proof, "--max-time", "0.000001")
    assert ended.code == 23 and ended.out.startswith("not checked")
    ended = call("solve", domain, problem, "--goal", "(held gold)", "--certificate", proof + "2")
    assert ended.code == 0 and "the task was not proved unsolvable" in ended.err and not Path(proof + "2").exists()
    assert call("solve", domain, problem, "--each-goal", "--certificate", proof).code == 2


def test_a_result_has_its_certificate_in_python(files: tuple[str, str, str]) -> None:
    task = ww.load(files[0], files[1])
    result = ww.solve(task, certificate=True)
    assert result.status is ww.Status.UNSOLVABLE and result.reason and result.certificate is not None
    assert ww.verify_certificate(task.domain, task.problem, result.certificate).valid
    assert ww.solve(task).certificate is None
    with pytest.raises(ww.UsageError, match="certificates"):
        ww.solve(task, goal=task.goals[0], certificate=True)
