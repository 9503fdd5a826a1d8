"""Checks certificates of unsolvability on the PDDL as it was read: no normal form, no grounding, no search.

A set of states proves that there is no plan if it contains the initial state, if every action that can be executed in
one of its states leads to a state of the set, and if the goal holds in none of its states. `verify_mutexes` checks
certificates that describe the set by mutexes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from widthwise.classical.atom_names import fact_text
from widthwise.classical.certificate import Certificate
from widthwise.classical.matching import Binding
from widthwise.classical.pddl.changes import changed_predicates
from widthwise.classical.pddl.syntax import (
    Action,
    Args,
    Condition,
    DomainDefinition,
    ProblemDefinition,
)
from widthwise.classical.relaxed_world import RelaxedWorld
from widthwise.classical.verify_mutexes import mutex_fault, step_text
from widthwise.classical.world import Fact, World

CERTIFICATE = "the certificate was checked"


@dataclass(frozen=True, slots=True)
class CertificateVerdict:
    """What `verify_certificate` returns. It is true in a condition if the certificate is valid.

    Args:
        valid: Whether the certificate proves that there is no plan.
        reason: Why, or why not.

    Example:
        >>> bool(ww.CertificateVerdict(False, "the goal holds in a listed state"))
        False
    """

    valid: bool
    reason: str

    def __bool__(self) -> bool:
        return self.valid


class _Refused(Exception):
    """A certificate proves nothing."""


def check_certificate(
    domain: DomainDefinition,
    problem: ProblemDefinition,
    certificate: Certificate,
    goal: Condition | None = None,
    *,
    poll: Callable[[], None],
) -> CertificateVerdict:
    """Check that a certificate proves a task unsolvable.

    Args:
        domain: The domain as it was read.
        problem: The problem as it was read.
        certificate: The certificate.
        goal: Another goal than the problem's own.
        poll: Called repeatedly during the check. It may raise an exception to stop.

    Returns:
        The verdict. An invalid certificate proves nothing about the task.
    """
    wanted = problem.goal if goal is None else goal
    try:
        facts = _facts(domain, problem, certificate)
        if certificate.kind == "states":
            _states(World(domain, problem, poll), wanted, facts, certificate)
        else:
            world = RelaxedWorld(domain, problem, changed_predicates(domain), poll)
            initial = _initial(domain, problem)
            _all_listed(initial, facts)
            world.change(facts, [])
            if certificate.kind == "relaxed":
                _relaxed(world, wanted, facts)
            elif fault := mutex_fault(world, wanted, facts, initial, list(map(frozenset, certificate.mutexes))):
                raise _Refused(fault)
    except _Refused as refused:
        return CertificateVerdict(False, str(refused))
    return CertificateVerdict(True, f"there is no plan ({certificate.summary})")


def _facts(domain: DomainDefinition, problem: ProblemDefinition, certificate: Certificate) -> list[Fact]:
    """Return the atoms of a certificate as facts; refuse atoms that actions cannot change."""
    names = (certificate.domain, certificate.problem)
    if names != (domain.name, problem.name):
        raise _Refused(f"it belongs to problem {names[1]} of domain {names[0]}, not to {problem.name} of {domain.name}")
    changed = changed_predicates(domain)
    facts: dict[Fact, None] = {}
    for atom in certificate.atoms:
        words = atom.removeprefix("(").removesuffix(")").split(" ")
        predicate, args = words[0], tuple(words[1:])
        if fact_text(predicate, args) != atom or predicate not in domain.predicates:
            raise _Refused(f"{atom!r:.80} is not an atom of the task")
        if predicate not in changed:
            raise _Refused(f"{atom} can never change, so it belongs to no state")
        parameters = domain.predicates[predicate].parameters
        if len(args) != len(parameters) or any(name not in problem.objects for name in args):
            raise _Refused(f"{atom} is not an atom of the task")
        if (predicate, args) in facts:
            raise _Refused(f"{atom} is listed twice")
        facts[predicate, args] = None
    if any(not -len(facts) <= number < len(facts) for row in certificate.mutexes for number in row) or any(
        not 0 <= number < len(facts) for row in certificate.states for number in row
    ):
        raise _Refused("it has a number that belongs to no atom")
    if not all(certificate.mutexes):
        raise _Refused("it has a mutex without literals")
    return list(facts)


def _initial(domain: DomainDefinition, problem: ProblemDefinition) -> set[Fact]:
    """Return the facts of the first state that actions could change."""
    changed = changed_predicates(domain)
    return {(name, args) for name, rows in problem.init.items() if name in changed for args in rows}


def _all_listed(initial: set[Fact], facts: list[Fact]) -> None:
    """Refuse atoms among which one of the initial state is missing."""
    missing = initial - set(facts)
    if missing:
        raise _Refused(f"the initial state has {_text(min(missing))}, which is not among the atoms")


def _relaxed(world: World, goal: Condition, facts: list[Fact]) -> None:
    """Refuse atoms that are not closed, or among which the goal may hold."""
    closed = set(facts)
    for action in world.domain.actions:
        for binding in _executions(world, action):
            for fact, negated in world.changes(action, binding):
                if not negated and fact not in closed:
                    raise _Refused(f"{step_text(action, binding)} may add {_text(fact)}, which is not among the atoms")
    if world.holds(goal, {}):
        raise _Refused("the goal may hold among these atoms")


def _states(world: World, goal: Condition, facts: list[Fact], certificate: Certificate) -> None:
    """Refuse a set of states that is not closed, lacks the initial state, or contains a goal."""
    number = {fact: place for place, fact in enumerate(facts)}
    states = {frozenset(state) for state in certificate.states}
    initial = _initial(world.domain, world.problem)
    if not all(fact in number for fact in initial) or frozenset(number[fact] for fact in initial) not in states:
        raise _Refused("the initial state is not among the states")
    current = frozenset(number[fact] for fact in initial)
    for place, listed in enumerate(certificate.states):
        world.poll()
        state = frozenset(listed)
        world.change([facts[atom] for atom in state - current], [facts[atom] for atom in current - state])
        current = state
        if world.holds(goal, {}):
            raise _Refused(f"the goal holds in state {place}")
        for action in world.domain.actions:
            for binding in _executions(world, action):
                after = _successor(world, action, binding, state, number)
                if after is None or after not in states:
                    raise _Refused(
                        f"{step_text(action, binding)} leads from state {place} to a state that is not listed"
                    )


def _executions(world: World, action: Action) -> Iterator[Binding]:
    """Yield the arguments for which an action can be executed; some twice."""
    return world.solutions(action.parameters, action.precondition, {})


def _successor(
    world: World, action: Action, binding: Binding, state: frozenset[int], number: dict[Fact, int]
) -> frozenset[int] | None:
    """Return the state after an action; none if it has an atom without a number."""
    added: set[int] = set()
    deleted: set[int] = set()
    for fact, negated in world.changes(action, binding):
        atom = number.get(fact)
        if atom is not None:
            (deleted if negated else added).add(atom)
        elif not negated:
            return None
    return (state - deleted) | added


def _text(fact: tuple[str, Args]) -> str:
    return fact_text(*fact)
