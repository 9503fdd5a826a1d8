"""Greedy search along relaxed plans: of each state first what its relaxed plan begins with, novelty among equals."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise import _native
from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status
from widthwise.task_search.resumable import SearchRun


@dataclass(frozen=True, slots=True)
class Guided:
    """Best-first search by the length of relaxed plans that generates helpful successors first; complete."""

    patience: int = 200  # nodes without a shorter relaxed plan before other successors get every second turn
    novelty: bool = True  # among equals, first what shows an atom no state with as long a relaxed plan has shown

    @property
    def name(self) -> str:
        """What it does, in two words."""
        return "guided search"

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: nothing is pruned."""
        return ()

    def begin(self, model: Model) -> SearchRun:
        """A search that waits to be resumed."""
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
        return SearchRun(model, search, _judged)

    def run(self, model: Model) -> Outcome:
        """Search until the goal, a limit, or every state that is no dead end was expanded."""
        return self.begin(model).finish()


def _judged(outcome: Outcome) -> Outcome:
    """What a complete search that ran dry has shown."""
    if outcome.status is Status.EXHAUSTED:
        outcome.status = Status.UNSOLVABLE
        outcome.reason = "every reachable state that is no dead end was visited and none is a goal: there is no plan"
    return outcome
