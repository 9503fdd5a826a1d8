"""Searches for whole problems: BFWS(f5), its polynomial forms, and greedy best-first search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from widthwise import _native
from widthwise.core.budget import MOST
from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status
from widthwise.core.showing import brief
from widthwise.task_search.resumable import SearchRun

_NO_RELAXED_PLAN = "the task is unsolvable: the goal is unreachable even if delete effects are ignored"
_ALL_VISITED = "the task is unsolvable: all reachable states other than dead ends were visited"


def _judged(outcome: Outcome, search: _native.BestFirst, planner: BFWS | GBFS) -> Outcome:
    """The status and the reason of a search without nodes left."""
    if outcome.status is not Status.EXHAUSTED:
        return outcome
    if search.dead_ends > 0 and search.expanded == 0:
        outcome.status, outcome.reason = Status.UNSOLVABLE, _NO_RELAXED_PLAN
    elif planner.complete:
        outcome.status, outcome.reason = Status.UNSOLVABLE, _ALL_VISITED
    else:
        outcome.reason = (
            f"{planner.name} expanded every state that it did not prune. It is incomplete, so a plan may exist; bfws "
            "is complete"
        )
    return outcome


@dataclass(frozen=True, slots=True)
class BFWS:
    """Best-first width search, for whole problems: novelty first.

    Novelty is computed among states with the same number of open goals and the same progress along a relaxed plan.

    Args:
        variant: "f5", which is complete, or "k1" or "k2", which prune every state without a new atom or pair and are
            polynomial.
        width: The size of the tuples that "f5" uses, 1 or 2.

    Example:
        >>> ww.solve(ww.example("blocks", blocks=8), ww.BFWS()).status
        <Status.SOLVED: 'solved'>
    """

    variant: Literal["f5", "k1", "k2"] = "f5"
    width: Literal[1, 2] = 2

    __repr__ = brief

    @property
    def name(self) -> str:
        """The name used in the literature."""
        return "BFWS(f5)" if self.variant == "f5" else f"{self.variant[1]}-BFWS(f5)"

    @property
    def widths(self) -> tuple[Width, ...]:
        """Empty: novelty orders states and does not bound the search."""
        return ()

    @property
    def complete(self) -> bool:
        """Whether a search without nodes left proves that the task is unsolvable."""
        return self.variant == "f5"

    def begin(self, model: Model) -> SearchRun:
        """A search to resume."""
        prune = self.variant != "f5"
        search = _native.Bfws(
            model.operators,
            model.meter,
            model.goal_pos,
            model.goal_neg,
            width=int(self.variant[1]) if prune else self.width,
            prune=prune,
            max_nodes=None if model.max_nodes is None else min(model.max_nodes, MOST),
            first=model.first,
        )
        return SearchRun(model, search, lambda outcome: _judged(outcome, search, self), self.name)

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit is reached, or no node is left."""
        return self.begin(model).finish()


@dataclass(frozen=True, slots=True)
class GBFS:
    """Lazy greedy best-first search by relaxed plans, landmarks and open goals, with preferred operators.

    Args:
        landmarks: Whether to use landmarks.
        name: The name in results.
        complete: Whether exhausting the search proves that there is no plan.

    Example:
        >>> ww.solve(ww.example("blocks", blocks=8), ww.GBFS()).status
        <Status.SOLVED: 'solved'>
    """

    landmarks: bool = True
    name: str = "GBFS"
    complete: bool = True

    __repr__ = brief

    @property
    def widths(self) -> tuple[Width, ...]:
        """Empty: it does not use novelty."""
        return ()

    @property
    def uses_novelty(self) -> bool:
        """False: it does not use novelty."""
        return False

    def begin(self, model: Model) -> SearchRun:
        """A search to resume."""
        search = _native.Greedy(
            model.operators,
            model.meter,
            model.goal_pos,
            model.goal_neg,
            landmarks=self.landmarks,
            max_nodes=None if model.max_nodes is None else min(model.max_nodes, MOST),
            first=model.first,
        )
        return SearchRun(model, search, lambda outcome: _judged(outcome, search, self), self.name)

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit is reached, or no node is left."""
        return self.begin(model).finish()
