"""Runs of the engine: one plan, or better and better plans from a search in a separate thread."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import IO, Any

from unified_planning.engines import PlanGenerationResult
from unified_planning.engines import PlanGenerationResultStatus as PlanStatus

from widthwise import _native
from widthwise.classical.result import Result
from widthwise.classical.solve import solve
from widthwise.classical.task import Task
from widthwise.core.budget import Budget
from widthwise.core.errors import WidthwiseError
from widthwise.up.bridge import ground
from widthwise.up.outcome import failure, final_status, messages, metrics
from widthwise.up.plans import plan_of
from widthwise.up.problem_reader import Reading
from widthwise.up.settings import Settings

#: Seconds for a run that lasts until its consumer stops: thirty years.
_ENDLESS = 1e9
_FAILURES = (WidthwiseError, MemoryError)


@dataclass(slots=True)
class EngineRun:
    """A run of the engine on one problem."""

    engine: str
    problem: Any
    settings: Settings
    budget: Budget
    meter: _native.Meter
    output: IO[str] | None
    reading: Reading | None = None

    def task(self) -> Task:
        """The grounded task of the problem."""
        task, self.reading = ground(self.problem, self.meter)
        return task

    def solve(self, task: Task, *, improve: bool, on_plan: Callable[[Result], None] | None = None) -> Result:
        """Solve the task with the settings of the run."""
        return solve(
            task,
            self.settings.make_planner(),
            budget=self.budget,
            seed=self.settings.seed,
            meter=self.meter,
            improve=improve,
            on_plan=on_plan,
        )

    def report(self, result: Result, status: PlanStatus | None = None) -> PlanGenerationResult:
        """A result in the terms of unified-planning, with the status of a run that has ended unless one is given."""
        assert self.reading is not None
        names = self.reading.names
        plan = (
            None
            if result.plan is None
            else plan_of(result.plan, self.problem, names.actions.elements, names.objects.elements)
        )
        logs = messages(result)
        self.write(logs)
        if status is None:
            status = final_status(result, measured=bool(self.problem.quality_metrics), partial=self.reading.partial)
        return PlanGenerationResult(status, plan, self.engine, metrics(result, self.meter), logs)

    def failed(self, error: Exception) -> PlanGenerationResult:
        """The result of a run that ended without a result of the search."""
        status, logs = failure(error)
        self.write(logs)
        return PlanGenerationResult(status, None, self.engine, {"engine_internal_time": f"{self.meter.seconds}"}, logs)

    def write(self, logs: list[Any]) -> None:
        """Write messages to the stream of the caller."""
        if self.output is not None:
            self.output.writelines(f"{message.message}\n" for message in logs)


def solve_once(
    engine: str, problem: Any, settings: Settings, timeout: float | None, output: IO[str] | None
) -> PlanGenerationResult:
    """Solve a problem within the limits of the settings and the timeout."""
    budget = settings.budget(timeout)
    run = EngineRun(engine, problem, settings, budget, budget.start(), output)
    try:
        return run.report(run.solve(run.task(), improve=settings.improve))
    except _FAILURES as error:
        return run.failed(error)


class _Search(threading.Thread):
    """A search in a thread. Its queue gets every plan (a copy of the result so far) and then the end.

    The end is the result of the run, or the exception that it raised.
    """

    def __init__(self, run: EngineRun, task: Task) -> None:
        super().__init__(name="widthwise", daemon=True)
        self.search_run, self.task = run, task
        self.plans: SimpleQueue[Result | None] = SimpleQueue()
        self.ended: Result | BaseException | None = None

    def run(self) -> None:
        """Search and improve until a limit is reached, the meter is interrupted, or nothing is left to do."""
        try:
            self.ended = self.search_run.solve(self.task, improve=True, on_plan=self.add_plan)
        except BaseException as error:
            self.ended = error
        self.plans.put(None)

    def add_plan(self, result: Result) -> None:
        """Pass on a plan, with the counts of this moment."""
        self.plans.put(copy.copy(result))

    def better_plans(self) -> Iterator[Result]:
        """Yield each plan that is cheaper than all before. A plan that is only shorter is not better by a metric."""
        cost = float("inf")
        while (result := self.plans.get()) is not None:
            if result.cost is not None and result.cost < cost:
                cost = result.cost
                yield result

    def stop(self) -> None:
        """End the search and wait for it."""
        self.search_run.meter.interrupt()
        self.join()


def solutions(
    engine: str, problem: Any, settings: Settings, timeout: float | None, output: IO[str] | None
) -> Iterator[PlanGenerationResult]:
    """Yield each better plan once, as soon as it is found.

    A plan is yielded with the status `INTERMEDIATE`. When the run has ended, the last one gets the final status. The
    search runs in a thread and ends with the iteration. unified-planning is used only in the thread of the caller.
    """
    budget = settings.budget(timeout)
    if budget.seconds is None:
        budget = replace(budget, seconds=_ENDLESS)
    run = EngineRun(engine, problem, settings, budget, budget.start(), output)
    try:
        search = _Search(run, run.task())
    except _FAILURES as error:
        yield run.failed(error)
        return
    latest: PlanGenerationResult | None = None
    search.start()
    try:
        for result in search.better_plans():
            latest = run.report(result, PlanStatus.INTERMEDIATE)
            yield latest
    finally:
        search.stop()
    ended = search.ended
    if isinstance(ended, Result):
        final = run.report(ended)
    elif isinstance(ended, _FAILURES):
        final = run.failed(ended)
    else:
        assert ended is not None
        raise ended
    if latest is None:
        yield final
    else:
        latest.status = final.status if final.plan is not None else PlanStatus.SOLVED_SATISFICING
        latest.metrics, latest.log_messages = final.metrics, final.log_messages
