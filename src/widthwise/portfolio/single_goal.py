"""The schedules for a task with one goal: which searches take turns, and why.

With a node limit, turns are counted in nodes. Each search gets a share of a first round of 10,000 nodes, in the order
below. Each later round is four times as large. A search that is interrupted continues in the next round; IHIW, if it
has turns, restarts with another choice of features.

Without a node limit, turns are counted in work. A search with expensive nodes gets fewer nodes in a turn, and the
searches for whole problems get turns, too.
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
GROWTH = 4  # the factor between the sizes of successive rounds

TURNS = (
    Turn(IW(1), 0.05, "many single goals have width 1, and IW(1) is the cheapest search"),
    Turn(Guided(), 0.75, "relaxed plans reach goals of larger width with few nodes"),
    Turn(IW(2), 0.2, "does not depend on relaxed plans, which may be misleading"),
)

TURNS_IN_TIME = (
    Turn(IW(1), 0.04, "many single goals have width 1, and IW(1) is the cheapest search", rounds=1),
    Turn(Guided(), 0.4, "relaxed plans reach a single goal with few nodes"),
    Turn(IW(2), 0.1, "does not depend on relaxed plans, which may be misleading"),
    Turn(Backward(BFWS("k2")), 0.05, "searches from the goal and so avoids dead ends", waits=1),
    Turn(Walks(), 0.1, "random walks: fast, but the plans are long", waits=1, endless=True),
    Turn(BFWS(), 0.25, "expands the most novel states first, for tasks with expensive relaxed plans", waits=1),
    Turn(GBFS(), 0.1, "expands more states than guided search, at less cost per state", waits=1),
)


@dataclass(frozen=True, slots=True)
class SingleGoal:
    """IW(1), guided search and IW(2) in turns under one budget; complete if the budget allows."""

    turns: Sequence[Turn] = TURNS
    name: str = "auto"
    relevance: str = "goal"  # what is irrelevant to the goal is dropped before the search

    @property
    def widths(self) -> tuple[Width, ...]:
        """Empty: every search has its own."""
        return ()

    def run(self, model: Model) -> Outcome:
        """Run all searches in turns until one solves the task or proves it unsolvable, or the budget ends."""
        first = ROUND if model.max_nodes is None else min(ROUND, model.max_nodes)
        return Schedule(self.turns, first, GROWTH).run(model)


def single_goal_in_time() -> Schedule:
    """Searches for a goal of one atom without a node limit; complete if the budget allows."""
    return Schedule(TURNS_IN_TIME, ROUND_IN_TIME, GROWTH_IN_TIME, weighed=True)
