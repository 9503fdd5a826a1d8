"""SIW: serialised search, which achieves one more goal at a time and keeps the goals achieved."""

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
        """The name used in the literature."""
        return f"SIW({self.search if isinstance(self.search, int) else self.search.name})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of the last planner of a step."""
        return self.planners[-1].widths

    def run(self, model: Model) -> Outcome:
        """Search goal by goal until all goals hold, a limit is reached, or no planner achieves another goal."""
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
            steps = self._one_more(step, total)
            if steps is None:
                if total.status is Status.EXHAUSTED:
                    achieved = len(kept_pos) + len(kept_neg)
                    goals = counted(achieved + len(missing), "goal")
                    total.reason = (
                        f"{self.name} achieved {achieved} of {goals} and found no path to another one. It does not "
                        "backtrack, so a plan may exist"
                    )
                return total
            path += steps
            for op in steps:
                state = model.operators.apply(state, op)

    def _one_more(self, step: Model, total: Outcome) -> list[int] | None:
        """The path to one more goal; adds the counts and the status to `total`."""
        limit = step.max_nodes
        for planner in self.planners:
            total.search = None  # frees its memory for the next search
            step.max_nodes = None if limit is None else max(0, limit - total.generated)
            outcome = planner.run(step)
            total.status, total.search = outcome.status, outcome.search
            total.generated += outcome.generated
            total.expanded += outcome.expanded
            total.pruned += outcome.pruned
            total.high_level_nodes += outcome.high_level_nodes
            total.depth = max(total.depth, outcome.depth)
            if outcome.status is Status.UNSOLVABLE:  # from this state only
                total.status = Status.EXHAUSTED
            if outcome.status is not Status.EXHAUSTED:
                return outcome.path
        return None
