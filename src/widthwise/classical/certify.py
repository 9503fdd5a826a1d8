"""Makes certificates for tasks without a plan, if they are small enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from widthwise import _native
from widthwise.classical.certificate import Certificate
from widthwise.classical.certify_mutexes import find_mutexes
from widthwise.classical.pddl.normal import PredicateKind
from widthwise.classical.task import Task
from widthwise.classical.verify import CERTIFICATE, check_certificate
from widthwise.core.budget import Budget
from widthwise.core.guard import Guard

#: The most states that a certificate lists.
MOST_STATES = 20_000


def certify(
    task: Task, *, max_states: int = MOST_STATES, budget: Budget | None = None, meter: _native.Meter | None = None
) -> Certificate | None:
    """Make a certificate that a task has no plan.

    Args:
        task: The task, with the goal it was loaded with.
        max_states: The maximum number of reachable states to list.
        budget: Limits for making and checking the certificate.
        meter: The meter of a run that this is a part of, instead of `budget`.

    Returns:
        A certificate that was verified; None if the task has a plan, or more states than are listed and no mutexes
        that show it.

    Raises:
        OutOfTime, OutOfMemory: A limit was reached first.

    Example:
        >>> ww.certify(ww.example("corridor", length=2).with_goal("(and (at p0) (at p1))")).kind
        'mutex'
    """
    meter = meter or (budget or Budget()).start()
    guard = Guard(meter, CERTIFICATE)
    fluent = _fluent_atoms(task)
    names = (task.domain.name, task.problem.name)
    relaxed = Certificate("relaxed", *names, tuple(task.atoms[atom] for atom in fluent))
    if _holds(task, relaxed, guard):
        return relaxed
    if not task.goal.reachable:
        return None
    number = {atom: place for place, atom in enumerate(fluent)}

    def by_mutexes(*, pairs_only: bool) -> Certificate | None:
        result = find_mutexes(task, guard, meter, pairs_only=pairs_only)
        if result is None:
            return None
        listed = tuple(tuple(number[atom] if atom >= 0 else ~number[~atom] for atom in row) for row in result)
        return replace(relaxed, kind="mutex", mutexes=listed)

    def by_states() -> Certificate | None:
        states = _reachable(task, max_states, guard)
        if states is None:
            return None
        listed = tuple(tuple(number[atom] for atom in state if atom in number) for state in states)
        return replace(relaxed, kind="states", states=listed)

    # Two literals of the goal that exclude each other make the shortest certificate.
    ways: list[Callable[[], Certificate | None]]
    ways = [partial(by_mutexes, pairs_only=True), by_states, partial(by_mutexes, pairs_only=False)]
    for make in ways:
        certificate = make()
        if certificate is not None and _holds(task, certificate, guard):
            return certificate
    return None


def _holds(task: Task, certificate: Certificate, guard: Guard) -> bool:
    return check_certificate(task.domain, task.problem, certificate, task.condition, poll=guard).valid


def _fluent_atoms(task: Task) -> list[int]:
    """Return the atoms that actions change; derived ones follow from them."""
    predicates = task.normal.predicates
    kinds = [predicates[number].kind for number in task.native.atom_predicate]
    return [atom for atom, kind in enumerate(kinds) if kind is PredicateKind.FLUENT]


def _reachable(task: Task, max_states: int, guard: Guard) -> list[list[int]] | None:
    """Return the atoms of all reachable states; None if there are too many, or if the goal holds in one of them."""
    known = {task.init}
    order = [task.init]
    for state in order:
        guard()
        if task.is_goal(state):
            return None
        for _, child in task.successors(state):
            if child not in known:
                known.add(child)
                order.append(child)
        if len(order) > max_states:
            return None
    return [state.atoms() for state in order]
