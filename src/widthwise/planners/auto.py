"""auto: cheap searches first, then dearer ones, under one budget; complete when the budget allows."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status
from widthwise.planners.bfs import BFS
from widthwise.planners.incremental import IHIW
from widthwise.planners.iw import IW, Width
from widthwise.planners.single_goal import SingleGoal


@dataclass(frozen=True, slots=True)
class Auto:
    """A single goal: the schedule of `SingleGoal`. Several: IW(1), IHIW(1,1), IW(2), then breadth-first search."""

    name: str = "auto"
    relevance: str = "goal"  # what cannot matter for the goal is left out before the planner sees the task

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: every stage has its own."""
        return ()

    def run(self, model: Model) -> Outcome:
        """Run the stages one after another; what one leaves of the budget, the next may use."""
        if len(model.goal_pos) + len(model.goal_neg) == 1:
            return SingleGoal().run(model)
        spent = [0, 0, 0]
        total = model.max_nodes
        outcome = Outcome(Status.EXHAUSTED)
        stages = (IW(1), IHIW(stuck="stop"), IW(2), BFS())
        for planner in stages:
            outcome.search = None  # gives its memory back before the next stage takes some
            model.max_nodes = None if total is None else total - spent[0]
            if model.max_nodes == 0:
                outcome.status = Status.OUT_OF_NODES
                break
            outcome = planner.run(model)
            spent = [
                spent[0] + outcome.generated,
                spent[1] + outcome.expanded,
                spent[2] + outcome.pruned,
            ]
            if outcome.status is not Status.EXHAUSTED:
                break
        outcome.generated, outcome.expanded, outcome.pruned = spent
        if outcome.status is Status.SOLVED:
            outcome.reason = f"solved by {planner.name}"
        return outcome
