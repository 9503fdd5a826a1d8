"""The public bridges between unified-planning and tasks. The package is imported where it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from widthwise import _native
from widthwise.classical.result import Result
from widthwise.classical.solve import check_task
from widthwise.classical.task import Task
from widthwise.core.budget import Budget
from widthwise.core.errors import UnsupportedError, UsageError
from widthwise.core.guard import Guard
from widthwise.up.element_names import ElementNames
from widthwise.up.supported import refusal, require_unified_planning

if TYPE_CHECKING:
    from widthwise.up.problem_reader import Reading


def from_unified_planning(problem: Any, *, budget: Budget | None = None, meter: _native.Meter | None = None) -> Task:
    """Convert a problem of unified-planning into a task. No PDDL text is written.

    Names are as in PDDL: lower case, and characters that PDDL cannot write become `_`. `widthwise.up.sequential_plan`
    turns a plan for the task into a plan for the problem.

    Args:
        problem: A classical `unified_planning.model.Problem`.
        budget: Limits of time and memory.
        meter: The meter of a run that this is a part of, instead of `budget`.

    Returns:
        The task, grounded.

    Raises:
        UnsupportedError: The problem uses something that Widthwise does not support. The message names it.
        MissingExtraError: unified-planning is not installed.
        OutOfTime, OutOfMemory: A limit was reached before the task was grounded.

    Example:
        >>> from unified_planning.shortcuts import Fluent, InstantaneousAction, Problem  # needs unified_planning
        >>> problem, lamp, press = Problem("lamp"), Fluent("on"), InstantaneousAction("press")
        >>> press.add_effect(lamp, True)
        >>> problem.add_action(press)
        >>> problem.add_goal(problem.add_fluent(lamp, default_initial_value=False))
        >>> list(ww.solve(ww.from_unified_planning(problem)).plan)
        ['(press)']
    """
    require_unified_planning("a task from unified-planning")
    reason = refusal(problem.kind.features)
    if reason is not None:
        raise UnsupportedError(f"the problem {problem.name} is {reason}")
    return ground(problem, meter or (budget or Budget()).start())[0]


def ground(problem: Any, meter: _native.Meter) -> tuple[Task, Reading]:
    """The task of a problem whose kind is known to be supported, and the problem as it was read."""
    from widthwise.up.problem_reader import read

    start, guard = meter.seconds, Guard(meter)

    def charge(size: int) -> None:
        guard.charge(size)
        guard()

    guard()
    reading = read(problem, charge)
    seconds = meter.seconds - start
    task = Task.of(reading.definition.domain, reading.definition, meter=meter)
    task.seconds["parse"] += seconds
    return task, reading


def to_unified_planning(task: Task, *, environment: Any = None) -> Any:
    """Convert a task into a problem of unified-planning.

    Derived predicates are replaced by the conditions of their rules. Types that are not a tree become static fluents.
    All elements of a problem have different names: a name that the task uses twice, such as that of an action and a
    predicate, gets a number.

    Args:
        task: What `load` returned.
        environment: The environment of unified-planning. Without it, the global environment.

    Returns:
        The `unified_planning.model.Problem`.

    Raises:
        UnsupportedError: A derived predicate depends on itself.
        MissingExtraError: unified-planning is not installed.

    Example:
        >>> problem = ww.to_unified_planning(ww.example("corridor", length=2))  # needs unified_planning
        >>> [action.name for action in problem.actions]
        ['walk', 'take-key', 'open-door']
    """
    require_unified_planning("a problem for unified-planning")
    check_task(task)
    from widthwise.up.problem_writer import write

    return write(task, environment)


def sequential_plan(problem: Any, plan: Result | Iterable[str], *, task: Task | None = None) -> Any:
    """Make a plan of unified-planning of a plan of Widthwise.

    Args:
        problem: The problem of unified-planning.
        plan: What `solve` returned, a plan, or a list of actions such as `(move a b)`.
        task: The task, if the problem was made of it by `to_unified_planning`. Without it, the problem is one that
            `from_unified_planning` was given.

    Returns:
        The `unified_planning.plans.SequentialPlan`.

    Raises:
        UsageError: The plan is not a plan for the problem, or the result has no plan.
        MissingExtraError: unified-planning is not installed.

    Example:
        >>> from widthwise.up import sequential_plan
        >>> task = ww.example("corridor", length=2)
        >>> plan = ww.solve(task, goal="(have-key)")
        >>> sequential_plan(ww.to_unified_planning(task), plan, task=task).actions  # needs unified_planning
        [walk(p0, p1), walk(p1, p2), take-key(p2)]
    """
    require_unified_planning("a plan for unified-planning")
    from widthwise.up.plans import plan_of
    from widthwise.up.problem_writer import WrittenNames

    if isinstance(plan, Result):
        if plan.plan is None:
            raise UsageError(f"the result has no plan, its status is {plan.status}")
        plan = plan.plan
    if task is None:
        names = ElementNames(problem)
        return plan_of(plan, problem, names.actions.elements, names.objects.elements)
    written = WrittenNames(task)
    actions = {name: problem.action(new) for name, new in written.actions.items()}
    objects = {name: problem.object(new) for name, new in written.objects.items()}
    return plan_of(plan, problem, actions, objects)
