"""The schedule for a task with one goal: which searches take turns, and why.

Each search gets a share of a first round of 10,000 nodes, in the order below. Then come rounds of four times as many. A
search that is cut off goes on in the next round where it stopped; IHIW, if it has turns, begins anew with another
choice of features, since a shattered tree does not mend by going on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from widthwise.core.model import Model
from widthwise.core.result import Outcome
from widthwise.planners.guided import Guided
from widthwise.planners.iw import IW, Width
from widthwise.planners.schedule import Schedule, Turn

ROUND = 10_000  # nodes of the first round: the paper's budget
GROWTH = 4  # how much larger each round is than the one before

TURNS = (
    Turn(IW(1), 0.05, "many single goals have width 1, and no search is cheaper"),
    Turn(Guided(), 0.75, "relaxed plans lead to goals of larger width with few nodes"),
    Turn(IW(2), 0.2, "relaxed plans may lead astray, and width 2 does not follow them"),
)


@dataclass(frozen=True, slots=True)
class SingleGoal:
    """IW(1), guided search and IW(2) by turns under one budget, or other turns; complete when the budget allows."""

    turns: Sequence[Turn] = TURNS
    name: str = "auto"
    relevance: str = "goal"  # what cannot matter for the goal is left out before the planner sees the task

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: every search has its own."""
        return ()

    def run(self, model: Model) -> Outcome:
        """Give every search its turns until one solves, proves that there is no plan, or the budget ends."""
        first = ROUND if model.max_nodes is None else min(ROUND, model.max_nodes)
        return Schedule(self.turns, first, GROWTH).run(model)
