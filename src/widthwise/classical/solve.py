"""Solving a task: run a planner within a budget, make its plan cheaper if wanted, and report honestly."""

from __future__ import annotations

import contextlib
import resource
import sys
from collections.abc import Callable, Iterator
from typing import Any

from widthwise import _native
from widthwise.classical.reporter import Reporter
from widthwise.classical.result import Result
from widthwise.classical.task import Goal, Relevance, Task
from widthwise.core.budget import Budget
from widthwise.core.errors import InputError, OutOfBudget, OutOfMemory, UnsupportedError, UsageError
from widthwise.core.model import Model, Watch
from widthwise.core.result import Outcome, Stage, Status
from widthwise.planners.improve import ALLOWANCE
from widthwise.planners.improve import improve as improve_plan
from widthwise.planners.registry import Planner, make_planner


def solve(
    task: Task,
    planner: str | Planner = "auto",
    *,
    budget: Budget | None = None,
    seed: int | None = None,
    relevance: Relevance | None = None,
    goal: Goal | None = None,
    meter: _native.Meter | None = None,
    watch: Watch | None = None,
    improve: bool = False,
    on_plan: Callable[[Result], None] | None = None,
) -> Result:
    """Solve a task, or one goal of it, within a budget.

    `planner` is a name (auto, bfs, iw, ihiw, siw, bfws, gbfs, backward) or a planner such as `IW(2)` or, with its
    features, HIW.
    `seed` permutes the order in which operators are tried. `relevance` drops what cannot matter for the whole goal
    ("task", for goals that are part of it) or for the goal solved ("goal"); without it, a planner that has a wish of
    its own (auto, for single goals) gets it.

    With `improve` the plan is made cheaper until the time is up, until nothing helps or, where no time limit is set,
    for about half a second. `on_plan` hears of the first plan and of every better one, all of them validated.
    """
    budget = budget or Budget()
    meter = meter or budget.start()
    if isinstance(planner, str):
        planner = make_planner(planner)
    start = meter.seconds
    wanted = task.goal if goal is None else goal
    if relevance is None:
        relevance = wished_relevance(planner) if len(wanted.positive) + len(wanted.negative) == 1 else "none"
    searched = task
    if relevance == "task" and not (
        set(wanted.positive) <= set(task.goal.positive) and set(wanted.negative) <= set(task.goal.negative)
    ):
        raise UsageError(
            f"{wanted.name} is no part of the task's goal, so what matters for that goal may not be enough for it: "
            "take relevance='goal'"
        )
    report = Reporter(task, searched, planner, seed, budget, goal, on_plan)
    try:
        if relevance != "none":
            searched = report.searched = task.restricted(task.goal if relevance == "task" else wanted, meter)
            wanted = searched.renumbered(wanted)
        with _model(searched, wanted, meter=meter, max_nodes=budget.nodes, seed=seed, watch=watch) as model:
            outcome = _run(planner, model, wanted)
            result = report.ended(outcome, meter, meter.seconds - start)
            if improve and result.plan:
                result.search = outcome.search = None  # gives its memory to the improvement
                _improve(model, outcome, report, result)
    except OutOfBudget as ended:
        result = report.ended(Outcome(Status(ended.status)), meter, meter.seconds - start)
    finally:
        if searched is not task:  # who gave a restricted task was charged for it, if anybody was
            meter.release(searched.bytes)
    result.memory_mb = round(_peak_memory_mb(), 1)
    return result


def solve_each_goal(
    task: Task,
    planner: str | Planner = "auto",
    *,
    budget: Budget | None = None,
    seed: int | None = None,
    relevance: Relevance | None = None,
    meter: _native.Meter | None = None,
    watch: Watch | None = None,
) -> Iterator[Result]:
    """Solve every single goal of a task from its initial state, one after another, each with the node budget.

    A goal whose run ends with an error gets the status `failed` and the error as its reason; the others are solved.
    """
    if isinstance(planner, str):
        planner = make_planner(planner)
    relevance = relevance or wished_relevance(planner)
    charged = 0
    if relevance == "task":
        task, relevance = task.restricted(None, meter), "none"
        charged = task.bytes
    options: dict[str, Any] = {"budget": budget, "seed": seed, "relevance": relevance, "meter": meter, "watch": watch}
    try:
        for goal in task.goals:
            yield solve_or_fail(task, planner, goal, **options)
    finally:
        if meter is not None:
            meter.release(charged)


def solve_or_fail(task: Task, planner: Planner, goal: Goal, **options: Any) -> Result:
    """Solve one goal of several as `solve` does; an error becomes a result with the status `failed`."""
    try:
        return solve(task, planner, goal=goal, **options)
    except (UsageError, InputError, UnsupportedError, OutOfBudget, MemoryError):
        raise  # true of every goal
    except Exception as error:
        budget = options.get("budget") or Budget()
        return Reporter(task, task, planner, options.get("seed"), budget, goal, None).failed(error)


def wished_relevance(planner: Planner, *, otherwise: Relevance = "none") -> Relevance:
    """What a planner wants to be left out for a single goal where the user said nothing: its attribute `relevance`."""
    wish: Relevance = getattr(planner, "relevance", otherwise)
    return wish


@contextlib.contextmanager
def _model(
    task: Task,
    goal: Goal,
    *,
    meter: _native.Meter,
    max_nodes: int | None,
    seed: int | None,
    watch: Watch | None,
) -> Iterator[Model]:
    """The problem as planners see it, its operators charged to the meter while it lasts."""
    operators = task.ordered(seed, meter)
    if not meter.charge(operators.bytes):
        raise OutOfMemory("the memory limit was reached")
    try:
        yield Model(
            operators=operators,
            goal_pos=list(goal.positive),
            goal_neg=list(goal.negative),
            meter=meter,
            max_nodes=max_nodes,
            seed=seed or 0,
            costs=task.native.cost if task.normal.uses_costs else None,
            find_atoms=task.find_atoms,
            watch=watch,
        )
    finally:
        meter.release(operators.bytes)


def _run(planner: Planner, model: Model, goal: Goal) -> Outcome:
    if not goal.reachable:
        reason = "the goal cannot be reached even if nothing were ever deleted: there is no plan"
        return Outcome(Status.UNSOLVABLE, reason=reason)
    try:
        return planner.run(model)
    except MemoryError:  # the machine's memory, not the budget's, ran out
        return Outcome(Status.OUT_OF_MEMORY)


def _improve(model: Model, outcome: Outcome, report: Reporter, result: Result) -> None:
    """Make the plan of a result cheaper; whatever ends that, the result stays solved."""
    assert outcome.path is not None
    begin = model.meter.seconds
    limit = report.budget.nodes
    model.max_nodes = None if limit is None else limit - outcome.generated
    allowance = None if report.budget.seconds is not None else ALLOWANCE
    done = improve_plan(
        model,
        outcome.path,
        lambda path, how: report.found(result, path, how, model.meter),
        allowance=allowance,
    )
    seconds = model.meter.seconds - begin
    reason = "until the time limit" if allowance is None else "about half a second, because no time limit is set"
    if done.optimal:
        reason = "there is no cheaper plan"
    elif done.status is Status.EXHAUSTED:
        reason = "no part of the plan can be improved any more"
    result.stages.append(Stage("improvement", reason, done.generated, done.status, seconds))


def _peak_memory_mb() -> float:
    """The most memory this process has had, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3 * 1.024
