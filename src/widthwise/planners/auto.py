"""auto: the planner for those who want a plan, not a choice of algorithms; complete when the budget allows."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise.core.model import Model
from widthwise.core.result import Outcome, Stage, Status
from widthwise.planners.bfs import BFS
from widthwise.planners.incremental import IHIW
from widthwise.planners.iw import IW, Width
from widthwise.planners.whole import whole_problem


@dataclass(frozen=True, slots=True)
class Auto:
    """Width searches one after another for a single goal; a schedule of searches in turns for many goals."""

    name: str = "auto"

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: every stage has its own."""
        return ()

    def run(self, model: Model) -> Outcome:
        """Search as the number of goals suggests."""
        if len(model.goal_pos) + len(model.goal_neg) > 1:
            return whole_problem().run(model)
        return _single_goal(model)


def _single_goal(model: Model) -> Outcome:
    """IW(1), then IHIW(1,1), then IW(2), then breadth-first search: the first that solves wins."""
    spent = [0, 0, 0]
    total = model.max_nodes
    outcome = Outcome(Status.EXHAUSTED)
    stages: list[Stage] = []
    for planner in (IW(1), IHIW(stuck="stop"), IW(2), BFS()):
        outcome.search = None  # gives its memory back before the next stage takes some
        model.max_nodes = None if total is None else total - spent[0]
        if model.max_nodes == 0:
            outcome.status = Status.OUT_OF_NODES
            break
        begin = model.meter.seconds
        outcome = planner.run(model)
        spent = [
            spent[0] + outcome.generated,
            spent[1] + outcome.expanded,
            spent[2] + outcome.pruned,
        ]
        seconds = model.meter.seconds - begin
        stages.append(Stage(planner.name, "one goal: small widths first", outcome.generated, outcome.status, seconds))
        if outcome.status is not Status.EXHAUSTED:
            break
    outcome.generated, outcome.expanded, outcome.pruned = spent
    outcome.stages = stages
    if outcome.status is Status.SOLVED:
        outcome.reason = f"solved by {planner.name}"
    return outcome
