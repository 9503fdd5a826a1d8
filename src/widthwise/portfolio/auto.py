"""auto, the default planner: several searches take turns; complete if the budget allows."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome
from widthwise.core.showing import brief
from widthwise.portfolio.single_goal import SingleGoal, single_goal_in_time
from widthwise.portfolio.whole_problem import whole_problem


@dataclass(frozen=True, slots=True)
class Auto:
    """The default planner: a portfolio of searches that take turns until one of them solves the task.

    For one goal it runs IW(1), guided search and IW(2); for several goals, BFWS, greedy search, backward search and
    others.

    Args:
        name: The name in results.
        relevance: What is dropped before a single goal is searched, as in `solve`.

    Example:
        >>> ww.solve(ww.example("logistics"), ww.Auto()).status
        <Status.SOLVED: 'solved'>
    """

    name: str = "auto"
    relevance: str = "goal"  # what is irrelevant to a single goal is dropped before the search

    __repr__ = brief

    @property
    def widths(self) -> tuple[Width, ...]:
        """Empty: every stage has its own."""
        return ()

    def run(self, model: Model) -> Outcome:
        """Run the schedule for the number of goals."""
        if len(model.goal_pos) + len(model.goal_neg) > 1:
            return whole_problem().run(model)
        if model.max_nodes is not None:
            return SingleGoal().run(model)
        return single_goal_in_time().run(model)
