"""Random walks along relaxed plans, for tasks with many dead ends."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise import _native
from widthwise.core.budget import MOST
from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome
from widthwise.task_search.resumable import SearchRun, complete


@dataclass(frozen=True, slots=True)
class Walks:
    """Short random walks, kept if they end in a state with a shorter relaxed plan; incomplete."""

    walks: int = 10  # from one state, before the search returns to an earlier one
    longest: int = 8  # the maximum length; walks start with one step

    @property
    def name(self) -> str:
        """The name in results."""
        return "random walks"

    @property
    def widths(self) -> tuple[Width, ...]:
        """Empty: it does not use novelty."""
        return ()

    def begin(self, model: Model) -> SearchRun:
        """A search to resume."""
        search = _native.Walks(
            model.operators,
            model.meter,
            model.goal_pos,
            model.goal_neg,
            seed=model.seed,
            walks=self.walks,
            longest=self.longest,
            max_nodes=None if model.max_nodes is None else min(model.max_nodes, MOST),
            first=model.first,
        )
        judge = complete("no operator leads from the initial state towards the goal")
        return SearchRun(model, search, judge, self.name)

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit is reached; without a limit it may not end."""
        return self.begin(model).finish()
