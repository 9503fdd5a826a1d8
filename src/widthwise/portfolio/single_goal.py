"""The schedules for a task with one goal: which searches take turns, and why.

Where nodes are limited, they are what counts. Each search gets a share of a first round of 10,000 nodes, in the order
below. Then come rounds of four times as many. A search that is cut off goes on in the next round where it stopped;
IHIW, if it has turns, begins anew with another choice of features, since a shattered tree does not mend by going on.

Where they are not, time counts. A search that takes much of it for a node has fewer nodes in a turn, and those that
solve whole problems have turns, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome
from widthwise.portfolio.schedule import Schedule, Turn
from widthwise.portfolio.whole_problem import GROWTH as GROWTH_IN_TIME
from widthwise.portfolio.whole_problem import ROUND as ROUND_IN_TIME
from widthwise.task_search.backward import Backward
from widthwise.task_search.bfws import BFWS, GBFS
from widthwise.task_search.guided import Guided
from widthwise.task_search.iw import IW
from widthwise.task_search.walks import Walks

ROUND = 10_000  # nodes of the first round: the paper's budget
GROWTH = 4  # how much larger each round is than the one before

TURNS = (
    Turn(IW(1), 0.05, "many single goals have width 1, and no search is cheaper"),
    Turn(Guided(), 0.75, "relaxed plans lead to goals of larger width with few nodes"),
    Turn(IW(2), 0.2, "relaxed plans may lead astray, and width 2 does not follow them"),
)

TURNS_IN_TIME = (
    Turn(IW(1), 0.04, "many single goals have width 1, and no search is cheaper", rounds=1),
    Turn(Guided(), 0.4, "relaxed plans lead to a single goal with few nodes"),
    Turn(IW(2), 0.1, "relaxed plans may lead astray, and width 2 does not follow them"),
    Turn(Backward(BFWS("k2")), 0.05, "from the goal: ways into dead ends do not lead back from it", waits=1),
    Turn(Walks(), 0.1, "tries many ways and clings to none: quick, but its plans are long", waits=1, endless=True),
    Turn(BFWS(), 0.25, "the most novel states first, where relaxed plans are dear", waits=1),
    Turn(GBFS(), 0.1, "looks at more states than guided search, and less closely", waits=1),
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


def single_goal_in_time() -> Schedule:
    """Searches for a goal of one atom where time is what counts; complete when the budget allows."""
    return Schedule(TURNS_IN_TIME, ROUND_IN_TIME, GROWTH_IN_TIME, weighed=True)
