"""Greedy search along relaxed plans: the helpful successors of a state first, novelty as tie-breaker."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise import _native
from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome
from widthwise.task_search.resumable import SearchRun, complete


@dataclass(frozen=True, slots=True)
class Guided:
    """Best-first search by the length of relaxed plans that generates helpful successors first; complete."""

    patience: int = 200  # nodes without a shorter relaxed plan before other successors alternate with helpful ones
    novelty: bool = True  # break ties by atoms that are new among states with relaxed plans of the same length

    @property
    def name(self) -> str:
        """The name in results."""
        return "guided search"

    @property
    def widths(self) -> tuple[Width, ...]:
        """Empty: nothing is pruned."""
        return ()

    def begin(self, model: Model) -> SearchRun:
        """A search to resume."""
        search = _native.Guided(
            model.operators,
            model.meter,
            model.goal_pos,
            model.goal_neg,
            patience=self.patience,
            novelty=self.novelty,
            max_nodes=model.max_nodes,
            first=model.first,
        )
        judge = complete("all reachable states other than dead ends were visited")
        return SearchRun(model, search, judge, self.name)

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit is reached, or all states other than dead ends are expanded."""
        return self.begin(model).finish()
