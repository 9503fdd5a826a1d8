"""From the outcome of a planner to the result for the user: names, and validated plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from widthwise import _native
from widthwise.classical.checks import goal_condition, task_condition
from widthwise.classical.goal import Goal
from widthwise.classical.plan import Plan
from widthwise.classical.result import Discovered, Incumbent, Result
from widthwise.classical.task import Task
from widthwise.classical.validate import check_plan
from widthwise.core.budget import Budget, check
from widthwise.core.errors import OutOfBudget, RunInterrupted, WidthwiseError
from widthwise.core.guard import PLAN
from widthwise.core.logs import LazyLogger
from widthwise.core.result import REASONS, Outcome, Status
from widthwise.portfolio.registry import Planner

_log = LazyLogger(__name__)
_UNCHECKED = {
    Status.OUT_OF_TIME: "the time limit was reached",
    Status.OUT_OF_MEMORY: "the memory limit was reached",
    Status.INTERRUPTED: "it was interrupted",
}
#: Seconds that the check of a plan may take even if the time is up by then, so that a plan found at the last moment is
#: not lost. Most checks take hundredths of them.
GRACE = 1.0


@dataclass(slots=True)
class Reporter:
    """Turns outcomes of planners into results with names and validated plans."""

    task: Task
    searched: Task  # the task after irrelevant parts were dropped
    planner: Planner
    seed: int | None
    budget: Budget
    goal: Goal | None
    on_plan: Callable[[Result], None] | None
    offset: float = 0.0  # what the clock of the run is ahead of its meter
    latest: Result | None = None  # what was made of the planner's outcome, from the moment it is there

    def seconds(self, meter: _native.Meter) -> dict[str, float]:
        """How long each part of the run took until now.

        Their sum is the time since the reading of the task began, without that between grounding it and solving it.
        """
        searched = self.offset + meter.seconds - sum(self.task.seconds.values())
        return {**self.task.seconds, "search": max(0.0, searched)}

    def ended(self, outcome: Outcome, meter: _native.Meter) -> Result:
        """The result of a planner's run."""
        result = Result(
            status=outcome.status,
            planner=self.planner.name,
            width=",".join(map(str, self.planner.widths)),
            seed=self.seed,
            generated=outcome.generated,
            expanded=outcome.expanded,
            pruned=outcome.pruned,
            high_level_nodes=outcome.high_level_nodes,
            features=[_feature(self.searched, entry) for entry in outcome.features],
            story=self._story(outcome),
            seconds=self.seconds(meter),
            budget=self.budget.describe(),
            reason=outcome.reason or REASONS.get(outcome.status, ""),
            stages=list(outcome.stages),
            goal=self.goal.name if self.goal else None,
            unit_cost=not self.task.normal.uses_costs,
            search=outcome.search,
        )
        self.latest = result
        if outcome.path is not None:
            how = outcome.reason or f"solved by {self.planner.name}"
            ended = self.add_plan(result, outcome.path, how, meter)
            if ended is None:
                result.true_at_start = not outcome.path
            else:
                result.status, result.search = ended, None
                result.reason = f"{how}, but {_UNCHECKED[ended]} before its plan was checked"
        return result

    def failed(self, error: Exception) -> Result:
        """The result of a run that ended with an error."""
        return Result(
            status=Status.FAILED,
            planner=self.planner.name,
            width=",".join(map(str, self.planner.widths)),
            seed=self.seed,
            seconds={**self.task.seconds, "search": 0.0},
            budget=self.budget.describe(),
            reason=f"{error}" if isinstance(error, WidthwiseError) else f"{type(error).__name__}: {error}",
            goal=self.goal.name if self.goal else None,
            unit_cost=not self.task.normal.uses_costs,
        )

    def _story(self, outcome: Outcome) -> list[Discovered]:
        """The features that were discovered, with their evidence."""
        task, search = self.searched, outcome.search
        return [
            Discovered(
                _feature(task, entry.feature),
                [task.operator_name(op) for op in search.path(entry.pruned_node)] if search else [],
                [_feature(task, candidate) for candidate in entry.candidates],
                entry.regions,
                entry.generated,
                entry.search,
            )
            for entry in outcome.story
        ]

    def add_plan(self, result: Result, path: list[int], how: str, meter: _native.Meter) -> Status | None:
        """Validate a plan, add it to a result, and call `on_plan`.

        If the budget ends the check, the result stays as it was, and what ended it is returned.
        """
        steps = tuple(self.searched.operator_name(op) for op in path)
        try:
            cost = self._cost(steps, meter)
        except OutOfBudget as ended:
            return Status(ended.status)
        except RunInterrupted:
            return Status.INTERRUPTED
        if (
            result.plan is not None
            and result.cost is not None
            and (cost, len(steps)) >= (result.cost, len(result.plan))
        ):
            return None  # it is cheaper only in floating point, in which searches add costs
        result.plan, result.cost = Plan(steps, cost, result.unit_cost), cost
        result.seconds = self.seconds(meter)
        result.plans.append(Incumbent(cost, result.elapsed_seconds, how))
        _log.debug("%s: plan of cost %s (%s)", self.task.name, cost, how)
        if self.on_plan is not None:
            self.on_plan(result)
        return None

    def _cost(self, steps: tuple[str, ...], meter: _native.Meter) -> float:
        """The cost of a plan, replayed on the parsed PDDL. A plan that fails there is a bug and is not reported."""
        task, unit_cost = self.task, not self.task.normal.uses_costs
        condition = task_condition(task) if self.goal is None else goal_condition(task, self.goal)
        late = meter.seconds + GRACE

        def poll() -> None:
            if meter.seconds > late:
                check(meter, PLAN)

        verdict = check_plan(task.domain, task.problem, steps, condition, poll=poll)
        if not verdict.valid:
            raise WidthwiseError(
                f"the planner {self.planner.name} returned a plan that the validator refuses ({verdict.reason}). "
                + (
                    "This is a bug in Widthwise; please report it with the task"
                    if type(self.planner).__module__.startswith("widthwise.")
                    else f"This is a fault of {type(self.planner).__name__}"
                )
            )
        return len(steps) if unit_cost else verdict.cost


def _feature(task: Task, feature: int) -> str:
    """The name of a discovered feature: an atom, or its negation."""
    return task.atoms[feature] if feature >= 0 else f"(not {task.atoms[~feature]})"
