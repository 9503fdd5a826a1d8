"""SIW: serialised search, one more goal at a time from the state reached, keeping the goals it has."""

from __future__ import annotations

from dataclasses import dataclass, replace

from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status
from widthwise.core.showing import brief_call, counted
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW


@dataclass(frozen=True, slots=True)
class SIW:
    """Serialized search: from each state, planners of growing width search for a state with one more goal.

    `SIW(2)` runs IW(1), then IW(2), for every goal; `SIW(IHIW())` is the hierarchical form. Goals that are reached are
    kept: a search for the next goal accepts a state only if all goals so far still hold in it.

    Args:
        search: The largest width, or one planner for every goal.

    Example:
        >>> ww.solve(ww.example("gripper", balls=4), ww.SIW(2)).status
        <Status.SOLVED: 'solved'>
    """

    search: int | IW | IHIW = 2

    __repr__ = brief_call

    @property
    def planners(self) -> tuple[IW | IHIW, ...]:
        """The planners of one step, in the order they are tried."""
        if isinstance(self.search, int):
            return tuple(IW(width) for width in range(1, self.search + 1))
        return (self.search,)

    @property
    def name(self) -> str:
        """How the literature writes it."""
        return f"SIW({self.search if isinstance(self.search, int) else self.search.name})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of the last planner of a step."""
        return self.planners[-1].widths

    def run(self, model: Model) -> Outcome:
        """Search goal by goal until all hold, a limit, or no planner reaches another goal."""
        total = Outcome(Status.SOLVED)
        path: list[int] = []
        state = model.operators.first if model.first is None else model.first
        while True:
            missing = [2 * atom for atom in model.goal_pos if atom not in state]
            missing += [2 * atom + 1 for atom in model.goal_neg if atom in state]
            if not missing:
                total.path = path
                return total
            kept_pos = [atom for atom in model.goal_pos if atom in state]
            kept_neg = [atom for atom in model.goal_neg if atom not in state]
            step = replace(model, goal_pos=kept_pos, goal_neg=kept_neg, one_of=missing, first=state)
            way = self._one_more(step, total)
            if way is None:
                if total.status is Status.EXHAUSTED:
                    kept = len(kept_pos) + len(kept_neg)
                    goals = counted(kept + len(missing), "goal")
                    total.reason = (
                        f"{self.name} reached {kept} of {goals} and no way to one more. It keeps "
                        "what it has and never goes back, so this says nothing about whether a plan exists"
                    )
                return total
            path += way
            for op in way:
                state = model.operators.apply(state, op)

    def _one_more(self, step: Model, total: Outcome) -> list[int] | None:
        """The way to one more goal; the counts, and how it ended, go into `total`."""
        limit = step.max_nodes
        for planner in self.planners:
            total.search = None  # gives its memory back before the next search takes some
            step.max_nodes = None if limit is None else max(0, limit - total.generated)
            outcome = planner.run(step)
            total.status, total.search = outcome.status, outcome.search
            total.generated += outcome.generated
            total.expanded += outcome.expanded
            total.pruned += outcome.pruned
            total.high_level_nodes += outcome.high_level_nodes
            total.depth = max(total.depth, outcome.depth)
            if outcome.status is Status.UNSOLVABLE:  # from here, where it need not have come
                total.status = Status.EXHAUSTED
            if outcome.status is not Status.EXHAUSTED:
                return outcome.path
        return None
