"""auto: the planner for those who want a plan, not a choice of algorithms; complete when the budget allows."""

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
    """A single goal: the schedule of `SingleGoal` or, without a limit of nodes, of `single_goal_in_time`.

    Several goals: the searches of `whole_problem` take turns.
    """

    name: str = "auto"
    relevance: str = "goal"  # what cannot matter for a single goal is left out before the planner sees the task

    __repr__ = brief

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: every stage has its own."""
        return ()

    def run(self, model: Model) -> Outcome:
        """Search as the number of goals suggests."""
        if len(model.goal_pos) + len(model.goal_neg) > 1:
            return whole_problem().run(model)
        if model.max_nodes is not None:
            return SingleGoal().run(model)
        return single_goal_in_time().run(model)
