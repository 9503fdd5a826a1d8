"""Solving a task: run a planner within a budget, make its plan cheaper if wanted, and report the result."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, cast

from widthwise import _native
from widthwise.classical.goal import Goal, goal_text
from widthwise.classical.reporter import Reporter
from widthwise.classical.result import Result, TracedRun
from widthwise.classical.task import Relevance, Task
from widthwise.core.budget import Budget
from widthwise.core.errors import (
    InputError,
    OnInterrupt,
    OutOfBudget,
    OutOfMemory,
    RunInterrupted,
    UnsupportedError,
    UsageError,
)
from widthwise.core.logs import LazyLogger
from widthwise.core.model import Model, Novelty, Progress, Watch
from widthwise.core.result import Outcome, Stage, Status
from widthwise.core.trace import Trace
from widthwise.portfolio.improve import ALLOWANCE
from widthwise.portfolio.improve import improve as improve_plan
from widthwise.portfolio.registry import Planner, make_planner

_log = LazyLogger(__name__)


def solve(
    task: Task,
    planner: str | Planner = "auto",
    *,
    budget: Budget | None = None,
    seed: int | None = None,
    relevance: Relevance | None = None,
    novelty: Novelty = "values",
    goal: Goal | str | Sequence[str] | None = None,
    meter: _native.Meter | None = None,
    watch: Watch | None = None,
    improve: bool = False,
    on_plan: Callable[[Result], None] | None = None,
    on_interrupt: OnInterrupt = "raise",
    certificate: bool = False,
    trace: bool = False,
) -> Result:
    """Solve a task, or one goal of it, within a budget.

    Args:
        task: What `load` returned.
        planner: A name (auto, bfs, iw, ihiw, siw, bfws, gbfs, backward) or a planner such as `IW(2)` or, with its
            features, `HIW(["(have-key)"])`.
        budget: Limits of nodes, seconds and bytes.
        seed: Permutes the order in which operators are tried.
        relevance: Drops what is irrelevant to the whole goal ("task", for goals that are part of it) or to the goal
            to be solved ("goal"). Without it, a planner that has a preference (auto, for single goals) gets it.
        novelty: What novelty is computed over: the values of atoms ("values"), where falsehood counts for atoms that a
            condition or the goal needs false, or only true atoms ("true-atoms").
        goal: A goal that replaces that of the task: PDDL such as `"(have-key)"`, a list of such strings that all have
            to hold, or one of `task.goals`. For PDDL the task is grounded again.
        meter: The meter of a run that this is a part of, instead of one made from `budget`.
        watch: Called with the search from time to time.
        improve: Improve the plan until the time limit, until no part can be improved or, without a time limit, for
            about half a second.
        on_plan: Called with the result at the first plan and at every better one. All of them are validated.
        on_interrupt: "raise" turns Ctrl-C into a `RunInterrupted` whose `result` is the result so far; "return" returns
            that result, with the status `interrupted` if there is no plan.
        certificate: Give an unsolvable result a certificate, if one can be found.
        trace: Keep every search with its pruned nodes in `Result.traced`, for `explore`. The nodes and the plan stay
            the same; the run takes more memory.

    Returns:
        The result: its status, the plan if there is one, and statistics.

    Raises:
        UsageError: The planner is not for tasks, or an argument is wrong.
        InputError: A goal in PDDL cannot be read.
        RunInterrupted: The run was interrupted, see `on_interrupt`.

    Example:
        >>> result = ww.solve(ww.example("corridor"), "ihiw", goal="(have-key)")
        >>> result.status, result.cost
        (<Status.SOLVED: 'solved'>, 11)
    """
    check_task(task)
    if on_interrupt not in ("raise", "return"):
        raise UsageError(f"on_interrupt must be 'raise' or 'return', not {on_interrupt!r}")
    if certificate and isinstance(goal, Goal):
        raise UsageError("certificates are for whole goals: give the goal as PDDL, such as goal='(have-key)'")
    budget = budget or Budget()
    original = task
    options: dict[str, Any] = {"seed": seed, "relevance": relevance, "novelty": novelty, "goal": goal, "budget": budget}
    meter = meter or budget.start()
    offset = sum(task.seconds.values()) - meter.seconds
    planner = as_planner(planner)
    single, name = (goal, None) if isinstance(goal, Goal) or goal is None else (None, goal_text(goal))
    report = Reporter(task, task, planner, seed, budget, single, on_plan, offset)
    charged, stopped, progress = 0, False, Progress()
    _log.debug("solving %s with %s", task.name, planner.name)
    try:
        if name is not None:
            task = report.task = report.searched = task.with_goal(name, meter)
        wanted = task.goal if single is None else single
        if relevance is None:
            relevance = wished_relevance(planner) if len(wanted.positive) + len(wanted.negative) == 1 else "none"
        _check_relevance(task, wanted, relevance)
        if relevance != "none":
            report.searched = task.restricted(task.goal if relevance == "task" else wanted, meter)
            charged = report.searched.bytes
            wanted = report.searched.renumbered(wanted)
        if not getattr(planner, "uses_novelty", True):
            novelty = "true-atoms"  # states need no features that the search does not use
        operators = report.searched.ordered(seed, meter, goal=wanted, novelty=novelty)
        with _model(report.searched, operators, wanted, budget.nodes, meter=meter, seed=seed, watch=watch) as model:
            progress = model.progress
            model.trace = Trace() if trace else None
            outcome = _run(planner, model, wanted)
            result = report.ended(outcome, meter)
            if improve and result.plan:
                result.search = outcome.search = None  # gives its memory to the improvement
                _improve(model, outcome, report, result)
            if model.trace is not None:
                result.traced = TracedRun(report.searched, wanted, operators, model.trace, outcome.path)
    except OutOfBudget as ended:
        result = report.ended(Outcome(Status(ended.status)), meter)
    except KeyboardInterrupt:  # between two native calls; inside a call it becomes a status
        stopped, latest = True, report.latest
        if latest is not None and latest.plan is not None:
            result = latest
        else:
            outcome = Outcome(Status.INTERRUPTED, **asdict(progress))
            result = report.ended(outcome, meter)
    finally:
        meter.release(charged)
    if name is not None:
        result.goal = name
    result.again = lambda: solve(original, planner, trace=True, on_interrupt="return", **options)
    if certificate and result.status is Status.UNSOLVABLE:
        try:
            from widthwise.classical.certify import certify

            result.certificate = certify(task, meter=meter)
        except OutOfBudget:
            pass  # the result stands without it
        except KeyboardInterrupt:
            stopped = True
    result.memory_mb = round(_peak_memory_mb(), 1)
    result.seconds = report.seconds(meter)
    _log.info("%s: %r", task.name, result)
    if on_interrupt == "raise" and (stopped or meter.signalled):
        raise RunInterrupted(result) from None
    return result


def as_planner(planner: object) -> Planner:
    """A planner for tasks, from its name or from the planner itself; refuses anything else."""
    if isinstance(planner, str):
        return make_planner(planner)
    if isinstance(planner, type):
        raise UsageError(f"{planner.__name__} is a class, not a planner: give {planner.__name__}(...)")
    if not callable(getattr(planner, "run", None)) and callable(getattr(planner, "search", None)):
        width = getattr(planner, "width", 1)
        raise UsageError(
            f"{planner!r} plans on simulators",
            python=f"use OnlinePlanner(simulator(task), {planner!r}), or solve the task with IW({width!r})",
        )
    if not callable(getattr(planner, "run", None)):
        raise UsageError(f"{planner!r} is not a planner: give a planner such as IW(2), or a name such as 'ihiw'")
    if missing := [name for name in ("name", "widths") if not hasattr(planner, name)]:
        raise UsageError(f"{type(planner).__name__} is not a planner: it lacks {' and '.join(missing)}")
    return cast(Planner, planner)


def check_task(task: object) -> None:
    """Refuse anything but a task."""
    if not isinstance(task, Task):
        raise UsageError(f"{task!r:.60} is not a task: read one with load(domain, problem)")


def _check_relevance(task: Task, wanted: Goal, relevance: Relevance) -> None:
    if relevance == "task" and not (
        set(wanted.positive) <= set(task.goal.positive) and set(wanted.negative) <= set(task.goal.negative)
    ):
        raise UsageError(
            f"{wanted.name} is not part of the goal of the task, so relevance for that goal alone is not sufficient",
            python="use relevance='goal'",
            command="use --relevance goal",
        )


def solve_each_goal(
    task: Task,
    planner: str | Planner = "auto",
    *,
    budget: Budget | None = None,
    seed: int | None = None,
    relevance: Relevance | None = None,
    novelty: Novelty = "values",
    meter: _native.Meter | None = None,
    watch: Watch | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Iterator[Result]:
    """Solve every single goal of a task from its initial state, one after another, each with the node budget.

    A goal whose run ends with an error gets the status `failed` and the error as its reason.

    Args:
        task: What `load` returned.
        planner: A name or a planner, as in `solve`.
        budget: Limits; those of nodes apply to each goal.
        seed: Permutes the order in which operators are tried.
        relevance: Drops what is irrelevant, as in `solve`.
        novelty: What novelty is computed over, as in `solve`.
        meter: The meter of a run that this is a part of, instead of one made from `budget`.
        watch: Called with the search from time to time.
        on_interrupt: "raise" turns Ctrl-C into a `RunInterrupted` whose `result` is that of the goal being solved;
            "return" ends the iteration after that result.

    Yields:
        The result for each goal, in the order of `task.goals`.

    Raises:
        UsageError: The planner is not for tasks, or an argument is wrong.
        RunInterrupted: The run was interrupted, see `on_interrupt`.

    Example:
        >>> for result in ww.solve_each_goal(ww.example("corridor"), ww.IW(1)):
        ...     print(result.goal, result.status)
        (at p0) solved
        (have-key) solved
    """
    check_task(task)
    planner = as_planner(planner)
    relevance = relevance or wished_relevance(planner)
    charged = 0
    if relevance == "task":
        task, relevance = task.restricted(None, meter), "none"
        charged = task.bytes
    options: dict[str, Any] = {
        "budget": budget,
        "seed": seed,
        "relevance": relevance,
        "novelty": novelty,
        "meter": meter,
        "watch": watch,
    }
    try:
        for goal in task.goals:
            try:
                result = solve_or_fail(task, planner, goal, **options)
            except RunInterrupted as stopped:
                if on_interrupt == "raise":
                    raise
                yield stopped.result
                return
            yield result
            if result.status is Status.INTERRUPTED:
                return
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
    """The relevance that a planner prefers for a single goal: its attribute `relevance`."""
    wish: Relevance = getattr(planner, "relevance", otherwise)
    return wish


@contextlib.contextmanager
def _model(
    task: Task,
    operators: _native.Operators,
    goal: Goal,
    max_nodes: int | None,
    *,
    meter: _native.Meter,
    seed: int | None,
    watch: Watch | None,
) -> Iterator[Model]:
    """The problem as planners see it, its operators charged to the meter while it lasts."""
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
        reason = "the goal cannot be reached even if delete effects are ignored: there is no plan"
        return Outcome(Status.UNSOLVABLE, reason=reason)
    model.at_work(planner.name)
    try:
        outcome: object = planner.run(model)
        if not isinstance(outcome, Outcome):
            raise UsageError(f"{planner.name}: run(model) returned {outcome!r:.60}, not a widthwise.Outcome")
        return outcome
    except MemoryError:  # the machine's memory, not the budget's, ran out
        return Outcome(Status.OUT_OF_MEMORY)


def _improve(model: Model, outcome: Outcome, report: Reporter, result: Result) -> None:
    """Make the plan of a result cheaper. The result stays solved however this ends."""
    assert outcome.path is not None
    begin = model.meter.seconds
    limit = report.budget.nodes
    model.max_nodes = None if limit is None else limit - outcome.generated
    allowance = None if report.budget.seconds is not None else ALLOWANCE
    unchecked = False

    def add_plan(path: list[int], how: str) -> None:
        nonlocal unchecked
        unchecked = report.add_plan(result, path, how, model.meter) is not None

    done = improve_plan(model, outcome.path, add_plan, allowance=allowance)
    result.optimal = done.optimal and not unchecked
    seconds = model.meter.seconds - begin
    reason = "until the time limit" if allowance is None else "about half a second, because no time limit is set"
    if done.optimal:
        reason = "there is no cheaper plan"
    elif done.status is Status.EXHAUSTED:
        reason = "no part of the plan can be improved any more"
    result.stages.append(Stage("improvement", reason, done.generated, done.status, seconds))


def _peak_memory_mb() -> float:
    """The most memory this process has had, in megabytes; 0 where the system does not report it."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3 * 1.024
