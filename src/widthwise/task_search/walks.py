"""Random walks along relaxed plans, for tasks full of dead ends."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise import _native
from widthwise.core.budget import MOST
from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status
from widthwise.task_search.resumable import SearchRun


@dataclass(frozen=True, slots=True)
class Walks:
    """Short random walks, kept when they end in a state with a shorter relaxed plan; proves nothing."""

    walks: int = 10  # from one state, before the search goes back to an earlier one
    longest: int = 8  # walks grow from one step towards so many

    @property
    def name(self) -> str:
        """What it does, in two words."""
        return "random walks"

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: it knows no novelty."""
        return ()

    def begin(self, model: Model) -> SearchRun:
        """A search that waits to be resumed."""
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
        return SearchRun(model, search, _judged)

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit; without a limit, for ever if there is no plan."""
        return self.begin(model).finish()


def _judged(outcome: Outcome) -> Outcome:
    """What it means that there was nowhere to go."""
    if outcome.status is Status.EXHAUSTED:
        outcome.status = Status.UNSOLVABLE
        outcome.reason = "no operator leads from the first state towards the goal: there is no plan"
    return outcome
