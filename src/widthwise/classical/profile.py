"""The width profile of a task: for every goal the smallest width, or the first planner, that solves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from widthwise import _native
from widthwise.classical.goal import Goal
from widthwise.classical.result import Result
from widthwise.classical.solve import solve_or_fail
from widthwise.classical.task import Relevance, Task
from widthwise.core.budget import Budget
from widthwise.core.errors import OnInterrupt, RunInterrupted
from widthwise.core.model import Novelty, Watch
from widthwise.core.result import Status
from widthwise.portfolio.registry import Planner
from widthwise.task_search.bfs import BFS
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW

AT_START = "true at start"
#: What is tried for every goal, in this order, until one solves it.
LADDER: tuple[tuple[str, Planner], ...] = (
    ("IW(1)", IW(1)),
    ("IHIW(1,1)", IHIW()),
    ("IW(2)", IW(2)),
    ("IW(3)", IW(3)),
    ("BFS", BFS()),
)
_ENDS = (Status.OUT_OF_TIME, Status.INTERRUPTED)  # of the whole profile, not only of one search


@dataclass(slots=True)
class Attempt:
    """One search for a goal."""

    planner: str
    status: Status
    generated: int
    seconds: float
    error: str = ""  # of a search that ended with an error


@dataclass(slots=True)
class GoalProfile:
    """What it takes to solve one goal."""

    goal: str
    attempts: list[Attempt] = field(default_factory=list)
    solved_by: str | None = None  # a name of the ladder, or "true at start"
    plan: list[str] | None = None

    @property
    def status(self) -> Status:
        """How the goal ended: that of its last search."""
        return self.attempts[-1].status

    @property
    def generated(self) -> int:
        """The nodes of the last search: the cost if the right planner is known."""
        return self.attempts[-1].generated

    @property
    def seconds(self) -> float:
        """The seconds of the last search."""
        return self.attempts[-1].seconds

    @property
    def width(self) -> str:
        """What is known of the width: `2`, `>1`, `<=2` if a smaller width was cut off by a limit, or `?`.

        A goal that is true at the start has width 0, as in the literature.
        """
        if self.solved_by == AT_START:
            return "0"
        least = 1  # the smallest width that is not excluded
        for attempt in self.attempts:
            if attempt.planner == f"IW({least})":
                if attempt.status is Status.EXHAUSTED:
                    least += 1
                elif attempt.status is Status.SOLVED:
                    return str(least)
        if self.solved_by is not None and self.solved_by.startswith("IW("):
            return f"<={self.solved_by[3:-1]}"
        return f">{least - 1}" if least > 1 else "?"

    def to_json(self) -> dict[str, Any]:
        """The profile as plain data."""
        return {
            "goal": self.goal,
            "status": str(self.status),
            "solved_by": self.solved_by,
            "width": self.width,
            "generated": self.generated,
            "seconds": round(self.seconds, 6),
            "plan": self.plan,
            "attempts": [
                {
                    "planner": attempt.planner,
                    "status": str(attempt.status),
                    "generated": attempt.generated,
                    "seconds": round(attempt.seconds, 6),
                    **({"error": attempt.error} if attempt.error else {}),
                }
                for attempt in self.attempts
            ],
        }


def profile(
    task: Task,
    goals: Sequence[Goal] | None = None,
    *,
    budget: Budget | None = None,
    seed: int | None = None,
    relevance: Relevance = "goal",
    novelty: Novelty = "values",
    meter: _native.Meter | None = None,
    watch: Watch | None = None,
    ladder: Sequence[tuple[str, Planner]] = LADDER,
    on_interrupt: OnInterrupt = "raise",
) -> Iterator[GoalProfile]:
    """Profile the goals of a task, all or some, one after another.

    The nodes of the budget are for each search, all else is for everything. `novelty` is as in `solve`. Ctrl-C ends the
    iteration: with a `KeyboardInterrupt` whose `result` is the profile of the goal in hand, or with
    `on_interrupt="return"` after it.
    """
    budget = budget or Budget(nodes=100_000)
    meter = meter or budget.start()
    whole = task.restricted(None, meter) if relevance == "task" else task
    try:
        for goal in whole.goals if goals is None else goals:
            # Cut once for all planners.
            small = whole.restricted(goal, meter) if relevance == "goal" and goal.reachable else whole
            wanted = goal if small is whole else small.renumbered(goal)
            profile = GoalProfile(goal.name)
            try:
                for name, planner in ladder:
                    result = solve_or_fail(
                        small,
                        planner,
                        wanted,
                        budget=budget,
                        seed=seed,
                        relevance="none",
                        novelty=novelty,
                        meter=meter,
                        watch=watch,
                    )
                    if _take(profile, name, result):
                        break
            except RunInterrupted as stopped:
                _take(profile, name, stopped.result)
                if on_interrupt == "raise":
                    raise RunInterrupted(profile) from None
            finally:
                if small is not whole:
                    meter.release(small.bytes)
            yield profile
            if profile.status in _ENDS:
                return
    finally:
        if whole is not task:
            meter.release(whole.bytes)


def profile_status(profiles: Sequence[GoalProfile]) -> Status:
    """The status of the whole profile: the first of these that any goal has."""
    order = (
        *(Status.INTERRUPTED, Status.OUT_OF_TIME, Status.FAILED, Status.UNSOLVABLE),
        *(Status.OUT_OF_MEMORY, Status.OUT_OF_NODES),
    )
    seen = {goal.status for goal in profiles}
    return next((status for status in order if status in seen), Status.SOLVED)


def _take(profile: GoalProfile, name: str, result: Result) -> bool:
    """Note what a search came to; true if there is nothing left to try."""
    status = result.status
    error = result.reason if status is Status.FAILED else ""
    profile.attempts.append(Attempt(name, status, result.generated, result.seconds["search"], error))
    if status is Status.SOLVED:
        profile.plan = result.plan
        profile.solved_by = AT_START if result.true_at_start else name
    return status in (Status.SOLVED, Status.UNSOLVABLE, *_ENDS)
