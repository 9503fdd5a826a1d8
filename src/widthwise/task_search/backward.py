"""Backward search: from the goal towards the first state, over sets of atoms that have to hold.

What cannot hold together is left out, as far as pairs of atoms can tell (h^2). That makes backward search quick where
forward search meets dead ends that show late: what leads to no goal is never met on the way back from one.
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

_CONDITIONAL = "a task with conditional effects or axioms is not searched backwards"
_LARGE = "the task is too large to be searched backwards"
_EXCLUDED = "no state that can be reached has all goals, as pairs of atoms show: there is no plan"
_ALL_WAYS = "no way back from the goal begins at the first state, and none was left out: there is no plan"


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
        """What is run, and which way."""
        return f"backward {self.search.name}"

    @property
    def widths(self) -> tuple[Width, ...]:
        """None, as its search has none."""
        return ()

    @property
    def uses_novelty(self) -> bool:
        """Whether it looks at features of the task: not of this one but of its inverse, which has no negations."""
        return False

    def begin(self, model: Model) -> _Inverted | _Over:
        """A search that waits to be resumed; it is over at once if the task cannot be read backwards."""
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
        wanted = replace(model, operators=operators, goal_pos=[], goal_neg=inverse.unwanted, first=None)
        return _Inverted(inverse, self.search.begin(wanted))

    def run(self, model: Model) -> Outcome:
        """Search until the first state, a limit, or nothing is left."""
        run = self.begin(model)
        outcome = run.resume(None)
        assert outcome is not None
        return outcome


@dataclass(slots=True)
class _Inverted:
    """A search of an inverse task, told in operators of the task."""

    inverse: _native.Inverse  # holds the memory of the operators
    run: SearchRun

    def resume(self, nodes: int | None) -> Outcome | None:
        """Go on for at most so many more nodes; None if it may be resumed."""
        return None if self.run.resume(nodes) is None else self.outcome()

    def outcome(self) -> Outcome:
        """What was done so far, with the way to the goal the right way round."""
        outcome = self.run.outcome()
        outcome.search = None  # its tree would tell of another task
        if outcome.path is not None:
            outcome.path = [self.inverse.operator_of[op] for op in reversed(outcome.path)]
        if outcome.status is Status.UNSOLVABLE:
            outcome.reason = _ALL_WAYS
        return outcome

    @property
    def node_work(self) -> float:
        """What one of its nodes takes; at first a guess, because most operators that seem to apply are forbidden."""
        return self.run.node_work if self.run.search.generated > 1 else 3 * self.run.node_work


@dataclass(slots=True)
class _Over:
    """A search that ended before it began."""

    end: Outcome
    node_work: float = 1.0

    def resume(self, nodes: int | None) -> Outcome | None:
        """Say how it ended."""
        return self.end

    def outcome(self) -> Outcome:
        """How it ended."""
        return self.end
