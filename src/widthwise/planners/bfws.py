"""Searches for whole problems: BFWS(f5), its polynomial forms, and greedy best-first search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from widthwise import _native
from widthwise.core.budget import MOST
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status, outcome_of
from widthwise.planners.iw import Width

Stop = _native.Stop

_NO_RELAXED_PLAN = "the goal cannot be reached even if nothing were ever deleted: there is no plan"
_ALL_VISITED = "every reachable state that is no dead end was visited and none is a goal: there is no plan"


class BestFirstRun:
    """A search under way, to be resumed in slices: others may have their turn in between."""

    def __init__(self, planner: BFWS | GBFS, model: Model, search: _native.BestFirst) -> None:
        self.planner = planner
        self.search = search
        self._model = model
        self._stop: Stop = Stop.PAUSED
        self._node: int | None = None
        self._started = False

    def resume(self, nodes: int | None = None, seconds: float | None = None) -> Outcome | None:
        """Go on for at most so many more nodes and about so many seconds; None if it may be resumed."""
        if not self._started:
            self._started = True
            self._stop, self._node = self.search.start()
        if self._stop is Stop.PAUSED:
            self._stop, self._node = self.search.resume(nodes, seconds)
            self._model.look(self.search)
        return None if self._stop is Stop.PAUSED else self.outcome()

    def outcome(self) -> Outcome:
        """How it ended; of a search that is still going, that its share of nodes is used up."""
        stop = Stop.OUT_OF_NODES if self._stop is Stop.PAUSED else self._stop
        outcome = outcome_of(self.search, stop, self._node)
        if outcome.status is not Status.EXHAUSTED:
            return outcome
        if self.search.dead_ends > 0 and self.search.expanded == 0:
            outcome.status, outcome.reason = Status.UNSOLVABLE, _NO_RELAXED_PLAN
        elif self.planner.complete:
            outcome.status, outcome.reason = Status.UNSOLVABLE, _ALL_VISITED
        else:
            outcome.reason = (
                f"{self.planner.name} ran dry: every state it had not pruned was expanded. "
                "It prunes, so this says nothing about whether a plan exists; bfws prunes nothing"
            )
        return outcome


@dataclass(frozen=True, slots=True)
class BFWS:
    """Best-first width search: novelty first, among states that agree on open goals and relaxed-plan progress.

    `variant` is "f5", which is complete, or "k1" or "k2", which drop every state without a new atom or pair and are
    polynomial. `width` is the size of the tuples that "f5" looks at, 1 or 2.
    """

    variant: Literal["f5", "k1", "k2"] = "f5"
    width: Literal[1, 2] = 2

    @property
    def name(self) -> str:
        """How the literature writes it."""
        return "BFWS(f5)" if self.variant == "f5" else f"{self.variant[1]}-BFWS(f5)"

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: novelty is an order here, not a bound."""
        return ()

    @property
    def complete(self) -> bool:
        """Whether running dry proves that there is no plan."""
        return self.variant == "f5"

    def begin(self, model: Model) -> BestFirstRun:
        """A search that waits to be resumed."""
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
        return BestFirstRun(self, model, search)

    def run(self, model: Model) -> Outcome:
        """Search until the goal, a limit, or nothing is left."""
        return _run(self.begin(model), model)


@dataclass(frozen=True, slots=True)
class GBFS:
    """Lazy greedy best-first search by relaxed plans and open goals, with preferred operators."""

    name: str = "GBFS"
    complete: bool = True

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: it knows no novelty."""
        return ()

    def begin(self, model: Model) -> BestFirstRun:
        """A search that waits to be resumed."""
        search = _native.Greedy(
            model.operators,
            model.meter,
            model.goal_pos,
            model.goal_neg,
            max_nodes=None if model.max_nodes is None else min(model.max_nodes, MOST),
            first=model.first,
        )
        return BestFirstRun(self, model, search)

    def run(self, model: Model) -> Outcome:
        """Search until the goal, a limit, or nothing is left."""
        return _run(self.begin(model), model)


def _run(run: BestFirstRun, model: Model) -> Outcome:
    while True:
        outcome = run.resume(model.pause_after)
        if outcome is not None:
            return outcome
