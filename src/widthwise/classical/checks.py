"""The public checks of plans and certificates, on what `load` and `solve` return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from widthwise.classical.goal import Goal, goal_text
from widthwise.classical.pddl.parser import parse_goal, read_domain, read_problem
from widthwise.classical.pddl.syntax import And, Condition, DomainDefinition, Not, ProblemDefinition
from widthwise.classical.plan import Plan
from widthwise.classical.result import Result
from widthwise.classical.task import Task
from widthwise.classical.validate import Verdict, check_plan
from widthwise.core.budget import Budget
from widthwise.core.errors import UsageError
from widthwise.core.guard import PLAN, Guard

if TYPE_CHECKING:
    from widthwise.classical.certificate import Certificate
    from widthwise.classical.verify import CertificateVerdict

#: A plan: what `solve` returns, a plan, its actions, or a plan file.
PlanLike = Result | Plan | Iterable[str] | str | Path
#: A goal: PDDL, several texts that all have to hold, a goal of a task, or a condition that was read.
GoalLike = Goal | str | Sequence[str] | Condition
Poll = Callable[[], None]


@overload
def validate(
    task: Task, plan: PlanLike, *, goal: GoalLike | None = None, budget: Budget | None = None, poll: Poll | None = None
) -> Verdict: ...


@overload
def validate(
    task: str | Path | DomainDefinition,
    problem: str | Path | ProblemDefinition,
    plan: PlanLike,
    goal: GoalLike | None = None,
    *,
    budget: Budget | None = None,
    poll: Poll | None = None,
) -> Verdict: ...


def validate(  # type: ignore[misc]
    task: Task | str | Path | DomainDefinition,
    problem: PlanLike | ProblemDefinition | None = None,
    plan: PlanLike | None = None,
    goal: GoalLike | None = None,
    *,
    budget: Budget | None = None,
    poll: Poll | None = None,
) -> Verdict:
    """Check a plan: execute it step by step on the PDDL as it was read, and check the goal.

    The call is `validate(task, plan)`, or `validate(domain, problem, plan)` with PDDL files, which are not grounded.

    Args:
        task: What `load` returned; or a domain file.
        problem: The problem file, if `task` is a domain file.
        plan: What `solve` returned, a plan, a list of actions such as `(move a b)`, or the path of a plan file.
        goal: Another goal: PDDL such as `(on a b)`, a list of such strings, or one of `task.goals`. Without it, the
            goal that the result was solved for, or else the goal of the task.
        budget: Limits of time and memory for the check.
        poll: Called repeatedly during the check, instead of `budget`. It may raise an exception to stop.

    Returns:
        The verdict: `valid`, `reason`, the `step` that failed, and the exact `cost` of the executed steps.

    Raises:
        UsageError: The result has no plan, or an argument has the wrong type.
        InputError: A file or a goal cannot be read.
        OutOfTime, OutOfMemory: A limit was reached before the plan was checked.

    Example:
        >>> task = ww.example("corridor", length=2)
        >>> ww.validate(task, ww.solve(task)).valid
        True
    """
    if poll is None and budget is not None:
        poll = Guard(budget.start(), PLAN)
    if isinstance(task, Task):
        given = [argument for argument in (problem, plan) if argument is not None]
        if len(given) != 1:
            raise UsageError("call validate(task, plan), or validate(domain, problem, plan) with PDDL files")
        domain, definition, plan = task.domain, task.problem, given[0]  # type: ignore[assignment]
    else:
        domain, definition = _definitions(task, problem, poll)
    if plan is None:
        raise UsageError("validate needs a plan: a result of solve, a list of actions or the path of a plan file")
    if goal is None and isinstance(plan, Result):
        goal = plan.goal
    condition = _condition(domain, definition, goal, task if isinstance(task, Task) else None)
    return check_plan(domain, definition, _steps(plan, poll), condition, poll=poll)


@overload
def verify_certificate(
    task: Task,
    certificate: Certificate,
    *,
    goal: GoalLike | None = None,
    budget: Budget | None = None,
    poll: Poll | None = None,
) -> CertificateVerdict: ...


@overload
def verify_certificate(
    task: str | Path | DomainDefinition,
    problem: str | Path | ProblemDefinition,
    certificate: Certificate,
    goal: GoalLike | None = None,
    *,
    budget: Budget | None = None,
    poll: Poll | None = None,
) -> CertificateVerdict: ...


def verify_certificate(  # type: ignore[misc]
    task: Task | str | Path | DomainDefinition,
    problem: str | Path | ProblemDefinition | Certificate | None = None,
    certificate: Certificate | None = None,
    goal: GoalLike | None = None,
    *,
    budget: Budget | None = None,
    poll: Poll | None = None,
) -> CertificateVerdict:
    """Check that a certificate proves that a task has no plan.

    The call is `verify_certificate(task, certificate)`, or `verify_certificate(domain, problem, certificate)` with PDDL
    files, which are not grounded.

    Args:
        task: What `load` returned; or a domain file.
        problem: The problem file, if `task` is a domain file.
        certificate: The certificate, for example `solve(task, certificate=True).certificate`.
        goal: A goal that replaces that of the task, as in `validate`.
        budget: Limits of time and memory for the check.
        poll: Called repeatedly during the check, instead of `budget`. It may raise an exception to stop.

    Returns:
        The verdict: `valid` and `reason`. An invalid certificate proves nothing about the task.

    Raises:
        UsageError: An argument has the wrong type.
        InputError: A file or the goal cannot be read.
        OutOfTime, OutOfMemory: A limit was reached before the certificate was checked.

    Example:
        >>> task = ww.example("corridor", length=2).with_goal("(and (at p0) (at p1))")
        >>> ww.verify_certificate(task, ww.certify(task)).valid
        True
    """
    from widthwise.classical.certificate import Certificate
    from widthwise.classical.verify import CERTIFICATE, check_certificate

    if poll is None:
        poll = Guard(budget.start(), CERTIFICATE) if budget is not None else lambda: None
    if isinstance(task, Task):
        domain, definition = task.domain, task.problem
        certificate = problem if isinstance(problem, Certificate) else certificate
    else:
        domain, definition = _definitions(task, problem, poll)
    if not isinstance(certificate, Certificate):
        raise UsageError(f"{certificate!r:.60} is not a certificate: use certify(task), or Certificate.read(path)")
    condition = _condition(domain, definition, goal, task if isinstance(task, Task) else None)
    return check_certificate(domain, definition, certificate, condition, poll=poll)


def goal_condition(task: Task, goal: Goal) -> Condition | None:
    """A goal as the validator reads it; None for the goal of the problem."""
    if goal.condition is not None:
        return goal.condition
    if (goal.positive, goal.negative) == (task.goal.positive, task.goal.negative):
        return task.condition
    # Conditions that cannot be split have a separate atom, which has no name in PDDL.
    parts = {(part.positive, part.negative): part.condition for part in task.goals}
    literals = [((atom,), ()) for atom in goal.positive] + [((), (atom,)) for atom in goal.negative]
    return And(tuple(parts.get(literal) or _literal(task, *literal) for literal in literals))


def task_condition(task: Task) -> Condition | None:
    """The goal of a task as the validator reads it; None for the goal of the problem."""
    return task.condition if task.cut is None else goal_condition(*task.uncut())


def _literal(task: Task, positive: tuple[int, ...], negative: tuple[int, ...]) -> Condition:
    atom = parse_goal(task.atoms[(*positive, *negative)[0]], task.domain, task.problem)
    return Not(atom) if negative else atom


def _condition(
    domain: DomainDefinition, problem: ProblemDefinition, goal: GoalLike | None, task: Task | None
) -> Condition | None:
    if goal is None:
        return None if task is None else task_condition(task)
    if isinstance(goal, Condition):
        return goal
    if isinstance(goal, Goal):
        if task is None:
            raise UsageError("a goal of a task needs its task: call validate(task, plan, goal=...)")
        return goal_condition(task, goal)
    return parse_goal(goal_text(goal), domain, problem)


def _definitions(domain: object, problem: object, poll: Poll | None) -> tuple[DomainDefinition, ProblemDefinition]:
    read = read_domain(domain, poll) if isinstance(domain, str | Path) else domain
    if not isinstance(read, DomainDefinition):
        raise UsageError(f"{domain!r:.60} is not a task: read one with load(domain, problem)")
    definition = read_problem(problem, read, poll) if isinstance(problem, str | Path) else problem
    if not isinstance(definition, ProblemDefinition):
        raise UsageError(f"{problem!r:.60} is not a problem: give the path of a problem file")
    return read, definition


def _steps(plan: PlanLike, poll: Poll | None) -> Iterable[str]:
    if isinstance(plan, Result):
        if plan.plan is None:
            raise UsageError(f"the result has no plan, its status is {plan.status}")
        return plan.plan
    if isinstance(plan, str | Path):
        return Plan.read(plan, poll)
    return plan
