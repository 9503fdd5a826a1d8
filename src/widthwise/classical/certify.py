"""Makes certificates for tasks without a plan, if they are small enough."""

from __future__ import annotations

from widthwise import _native
from widthwise.classical.certificate import Certificate
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
        max_states: The most reachable states to list.
        budget: Limits for making and checking the certificate.
        meter: The meter of a run that this is a part of, instead of `budget`.

    Returns:
        A certificate that was verified; None if the task has a plan or more states than are listed.

    Raises:
        OutOfTime, OutOfMemory: A limit was reached first.

    Example:
        >>> ww.certify(ww.example("corridor", length=2).with_goal("(and (at p0) (at p1))")).kind
        'states'
    """
    guard = Guard(meter or (budget or Budget()).start(), CERTIFICATE)
    fluent = _fluent_atoms(task)
    names = (task.domain.name, task.problem.name)
    relaxed = Certificate("relaxed", *names, tuple(task.atoms[atom] for atom in fluent))
    if _holds(task, relaxed, guard):
        return relaxed
    states = _reachable(task, max_states, guard) if task.goal.reachable else None
    if states is None:
        return None
    number = {atom: place for place, atom in enumerate(fluent)}
    listed = tuple(tuple(number[atom] for atom in state if atom in number) for state in states)
    certificate = Certificate("states", *names, relaxed.atoms, listed)
    return certificate if _holds(task, certificate, guard) else None


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
