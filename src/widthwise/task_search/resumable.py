"""Searches that run in slices, so that several searches can take turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status, outcome_of

Stop = _native.Stop
#: The distance between the seeds of successive runs, so that they differ from seeds that users choose.
SEED_STEP = 1_000_003


class Resumable(Protocol):
    """A search that can be resumed."""

    def resume(self, nodes: int) -> Outcome | None:
        """Continue for at most this many nodes; None if it may be resumed."""

    def outcome(self) -> Outcome:
        """The outcome so far; `out-of-nodes` if it may be resumed."""

    @property
    def node_work(self) -> float:
        """An estimate of the work of one node in units of a usual node; the same on every machine."""


@dataclass(slots=True)
class SearchRun:
    """A native search in slices; `judge` sets the final status and the reason."""

    model: Model
    search: _native.Search | _native.BestFirst
    judge: Callable[[Outcome], Outcome]
    name: str = ""  # of the planner, for a trace
    _stop: Stop = Stop.PAUSED
    _node: int | None = None

    def __post_init__(self) -> None:
        """Add the search to the trace of the run."""
        if self.name:
            self.model.traced(self.search, self.name)

    def resume(self, nodes: int | None = None) -> Outcome | None:
        """Continue for at most this many nodes, including the root; None if it may be resumed."""
        end = None if nodes is None else self.search.generated + nodes
        if self.search.generated == 0 and self._stop is Stop.PAUSED:
            self._stop, self._node = self.search.start()[:2]
        while self._stop is Stop.PAUSED and (end is None or self.search.generated < end):
            left = None if end is None else end - self.search.generated
            if isinstance(self.search, _native.Search):
                steps = [step for step in (left, self.model.pause_after) if step is not None]
                self._stop, self._node, _ = self.search.resume(0, pause_after=min(steps, default=None))
            else:
                self._stop, self._node = self.search.resume(left, self.model.pause_seconds)
            self.model.look(self.search)
        return None if self._stop is Stop.PAUSED else self.outcome()

    def finish(self) -> Outcome:
        """Continue to the end."""
        outcome = self.resume()
        assert outcome is not None
        return outcome

    def outcome(self) -> Outcome:
        """The outcome; `out-of-nodes` if the search has not ended."""
        stop = Stop.OUT_OF_NODES if self._stop is Stop.PAUSED else self._stop
        return self.judge(outcome_of(self.search, stop, self._node))

    @property
    def node_work(self) -> float:
        """The work of one node, in approximate microseconds, measured on many tasks."""
        search, operators = self.search, self.model.operators
        usual = 0.6 + operators.atom_count / 2_000
        if isinstance(search, _native.Search):
            return usual
        # Relaxed plans take most of the time of these searches, and a lazy search only queues most of its nodes.
        led = {_native.Greedy: 0.1, _native.Guided: 0.5, _native.Walks: 0.5}
        base = led.get(type(search), usual)
        if search.generated > 1:
            return base + 0.0025 * search.work / search.generated
        # An estimate: a relaxed plan considers most operators; lazy search has one per ten nodes, walks one per three.
        share = {_native.Guided: 1.0, _native.Walks: 0.36, _native.Greedy: 0.1}.get(type(search), 0.0)
        return base + share * operators.bytes / 9_000


def complete(reason: str) -> Callable[[Outcome], Outcome]:
    """The judge of a search that proves the task unsolvable when it has no nodes left, for this reason."""

    def judge(outcome: Outcome) -> Outcome:
        if outcome.status is Status.EXHAUSTED:
            outcome.status, outcome.reason = Status.UNSOLVABLE, f"the task is unsolvable: {reason}"
        return outcome

    return judge


@dataclass(slots=True)
class Restarts:
    """A planner that cannot be resumed: every turn is a new run with another seed."""

    model: Model
    run: Callable[[Model], Outcome]
    _total: Outcome = field(default_factory=lambda: Outcome(Status.OUT_OF_NODES))
    _runs: int = 0

    def resume(self, nodes: int) -> Outcome | None:
        """Run once; None if the run reached its node limit."""
        seed = self.model.seed + self._runs * SEED_STEP
        outcome = self.run(replace(self.model, max_nodes=nodes, seed=seed))
        self._runs += 1
        outcome.generated += self._total.generated
        outcome.expanded += self._total.expanded
        outcome.pruned += self._total.pruned
        self._total = outcome
        return None if outcome.status is Status.OUT_OF_NODES else outcome

    def outcome(self) -> Outcome:
        """The outcome of the last run, with the counts of all runs."""
        return self._total

    @property
    def node_work(self) -> float:
        """Assumed to be that of a usual node."""
        return 1.0
