"""Single goals, each in the part of the task that matters for it: cut once, shared by planners and seeds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from widthwise.classical.goal import Goal
from widthwise.classical.solve import solve_or_fail
from widthwise.classical.task import Task
from widthwise.core.budget import Budget
from widthwise.core.model import Novelty
from widthwise.experiments.goal_lines import Fields, goal_fields
from widthwise.experiments.jobs import Outcome, Part, failure
from widthwise.portfolio.registry import Planner


@dataclass(slots=True)
class Cut:
    """What is left of a task for one goal, the goal in its numbers, and the seconds it took to cut."""

    task: Task
    goal: Goal
    seconds: float = 0.0
    novelty: Novelty = "values"
    _orders: dict[int, tuple[Task, float]] = field(default_factory=dict)

    def ordered(self, seed: int) -> tuple[Task, float]:
        """The task with its operators in the order of a seed, and the seconds it took to prepare them."""
        if seed not in self._orders:
            # A copy per seed, because a task remembers only the last order it was asked for.
            task = replace(self.task)
            start = time.perf_counter()
            task.ordered(seed, goal=self.goal, novelty=self.novelty)
            self._orders[seed] = (task, time.perf_counter() - start)
        return self._orders[seed]


def next_cut(task: Task, goal: Goal, last: Cut | None, novelty: Novelty = "values") -> Cut:
    """Cut a task down to a goal; where that leaves the same as the cut before, its prepared operators are kept."""
    if not goal.reachable:
        return Cut(task, goal, novelty=novelty)
    start = time.perf_counter()
    small = task.restricted(goal)
    seconds = time.perf_counter() - start
    wanted = small.renumbered(goal)
    if last is not None and last.goal.negative == wanted.negative and _same(last.task, small):
        return replace(last, goal=wanted, seconds=seconds)
    return Cut(small, wanted, seconds, novelty)


def _same(task: Task, other: Task) -> bool:
    first, second = task.cut, other.cut
    return (
        first is not None and second is not None and first.atoms == second.atoms and first.operators == second.operators
    )


@dataclass(slots=True)
class Tried:
    """What one part has come to: the fields of its goals, or a failure."""

    goals: list[Fields] = field(default_factory=list)
    failure: Outcome | None = None


def try_parts(
    task: Task, parts: Sequence[Part], planners: Sequence[Planner], budget: Budget, novelty: Novelty = "values"
) -> list[Tried]:
    """Solve every goal of a task in its own cut with the planner and the seed of every part.

    The seconds of cutting and of preparing operators are those that each part would have taken alone,
    although they are spent once.
    """
    tried = [Tried() for _ in parts]
    cut: Cut | None = None
    for goal in task.goals:
        cut = next_cut(task, goal, cut, novelty)
        for part, planner, attempt in zip(parts, planners, tried, strict=True):
            if attempt.failure is not None:
                continue
            try:
                small, ordered = cut.ordered(part["seed"]) if goal.reachable else (task, 0.0)
                seed = part["seed"]
                result = solve_or_fail(
                    small, planner, cut.goal, budget=budget, seed=seed, relevance="none", novelty=novelty
                )
            except Exception as error:
                attempt.failure = failure(error)
                continue
            attempt.goals.append(goal_fields(result, cut.seconds + ordered))
            del result  # gives the memory of its search back before the next attempt takes some
    return tried
