"""Backward search: from the goal to the initial state, over sets of atoms that must hold.

Sets with a pair of atoms that exclude each other (h^2) are pruned. Backward search is fast where forward search runs
into dead ends that are detected late: it never reaches states from which there is no path to the goal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from widthwise import _native
from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import STATUS_OF_STOP, STOP_OF_HALT, Outcome, Status
from widthwise.core.showing import brief
from widthwise.task_search.bfws import BFWS, GBFS
from widthwise.task_search.resumable import SearchRun

_CONDITIONAL = "backward search does not support tasks with conditional effects or axioms"
_LARGE = "the task is too large for backward search"
_EXCLUDED = "the task is unsolvable: pairs of atoms show that no reachable state satisfies the goal"
_ALL_WAYS = "the task is unsolvable: a complete backward search did not reach the initial state"


@dataclass(frozen=True, slots=True)
class Backward:
    """Best-first search from the goal, for tasks without conditional effects and axioms.

    A node is a set of atoms that have to hold. Sets that contain a mutex pair (h^2) are pruned.

    Args:
        search: The search that runs backwards. By default BFWS with novelty over atoms; pairs take longer and help
            little.

    Example:
        >>> ww.solve(ww.example("corridor", length=4), ww.Backward()).cost
        9
    """

    search: BFWS | GBFS = field(default_factory=lambda: BFWS(width=1))

    __repr__ = brief

    @property
    def name(self) -> str:
        """The name of the search, with its direction."""
        return f"backward {self.search.name}"

    @property
    def widths(self) -> tuple[Width, ...]:
        """Empty: its search has no widths."""
        return ()

    @property
    def uses_novelty(self) -> bool:
        """False: it uses features of the inverse task, which has no negations, not of the task."""
        return False

    def begin(self, model: Model) -> _Inverted | _Over:
        """A search to resume; it has already ended if the task is not supported."""
        if not model.operators.plain:
            return _Over(Outcome(Status.EXHAUSTED, reason=_CONDITIONAL))
        first = model.operators.first if model.first is None else model.first
        try:
            inverse = _native.invert(
                model.operators, model.meter, model.goal_pos, model.goal_neg, first, seed=model.seed or None
            )
        except InterruptedError:
            return _Over(Outcome(STATUS_OF_STOP[STOP_OF_HALT[model.meter.poll()]]))
        except MemoryError:
            return _Over(Outcome(Status.OUT_OF_MEMORY))
        if inverse.contradictory:
            return _Over(Outcome(Status.UNSOLVABLE, reason=_EXCLUDED))
        operators = inverse.operators
        if operators is None:
            return _Over(Outcome(Status.EXHAUSTED, reason=_LARGE))
        wanted = replace(model, operators=operators, goal_pos=[], goal_neg=inverse.unwanted, first=None, trace=None)
        return _Inverted(inverse, self.search.begin(wanted))

    def run(self, model: Model) -> Outcome:
        """Search until the initial state or a limit is reached, or no node is left."""
        run = self.begin(model)
        outcome = run.resume(None)
        assert outcome is not None
        return outcome


@dataclass(slots=True)
class _Inverted:
    """A search of an inverse task, with results in operators of the task."""

    inverse: _native.Inverse  # holds the memory of the operators
    run: SearchRun

    def resume(self, nodes: int | None) -> Outcome | None:
        """Continue for at most this many nodes; None if it may be resumed."""
        return None if self.run.resume(nodes) is None else self.outcome()

    def outcome(self) -> Outcome:
        """The outcome so far, with the path from the initial state to the goal."""
        outcome = self.run.outcome()
        outcome.search = None  # its tree belongs to the inverse task
        if outcome.path is not None:
            outcome.path = [self.inverse.operator_of[op] for op in reversed(outcome.path)]
        if outcome.status is Status.UNSOLVABLE:
            outcome.reason = _ALL_WAYS
        return outcome

    @property
    def node_work(self) -> float:
        """The work of one node; at first an estimate, because most operators that seem applicable are excluded."""
        return self.run.node_work if self.run.search.generated > 1 else 3 * self.run.node_work


@dataclass(slots=True)
class _Over:
    """A search that ended before its first node."""

    end: Outcome
    node_work: float = 1.0

    def resume(self, nodes: int | None) -> Outcome | None:
        """The outcome."""
        return self.end

    def outcome(self) -> Outcome:
        """The outcome."""
        return self.end
