"""Searches under way: gone on with in slices, so that others may have their turn in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status, outcome_of

Stop = _native.Stop
#: Seeds of later runs are this far apart, away from those that a user would count through.
SEED_STEP = 1_000_003


class Resumable(Protocol):
    """A search that can be gone on with."""

    def resume(self, nodes: int) -> Outcome | None:
        """Go on for at most so many more nodes; None if it may be resumed."""

    def outcome(self) -> Outcome:
        """What it has done so far; `out-of-nodes` if it may be resumed."""

    @property
    def node_work(self) -> float:
        """What one of its nodes takes, in nodes of the usual kind: an estimate that is the same on every machine."""


@dataclass(slots=True)
class SearchRun:
    """A native search in slices. `judge` knows what its end means and puts it into words."""

    model: Model
    search: _native.Search | _native.BestFirst
    judge: Callable[[Outcome], Outcome]
    _stop: Stop = Stop.PAUSED
    _node: int | None = None

    def resume(self, nodes: int | None = None) -> Outcome | None:
        """Go on for at most so many more nodes, the root included; None if it may be resumed."""
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
        """Go on to the end."""
        outcome = self.resume()
        assert outcome is not None
        return outcome

    def outcome(self) -> Outcome:
        """How it ended; of a search that is still going, that its share of nodes is used up."""
        stop = Stop.OUT_OF_NODES if self._stop is Stop.PAUSED else self._stop
        return self.judge(outcome_of(self.search, stop, self._node))

    @property
    def node_work(self) -> float:
        """What one of its nodes takes: in microseconds, roughly, as measured once on many tasks."""
        search, operators = self.search, self.model.operators
        usual = 0.6 + operators.atom_count / 2_000
        if isinstance(search, _native.Search):
            return usual
        # Those led by relaxed plans do little else, and a lazy search only queues most of its nodes.
        led = {_native.Greedy: 0.1, _native.Guided: 0.5, _native.Walks: 0.5}
        base = led.get(type(search), usual)
        if search.generated > 1:
            return base + 0.0025 * search.work / search.generated
        # A guess: a relaxed plan looks at most operators. A lazy search has one per ten nodes, walks one per three.
        share = {_native.Guided: 1.0, _native.Walks: 0.36, _native.Greedy: 0.1}.get(type(search), 0.0)
        return base + share * operators.bytes / 9_000


@dataclass(slots=True)
class Restarts:
    """A planner that cannot be resumed: every turn is a run of its own, each with another seed."""

    model: Model
    run: Callable[[Model], Outcome]
    _total: Outcome = field(default_factory=lambda: Outcome(Status.OUT_OF_NODES))
    _runs: int = 0

    def resume(self, nodes: int) -> Outcome | None:
        """Run once; None if that was cut off."""
        seed = self.model.seed + self._runs * SEED_STEP
        outcome = self.run(replace(self.model, max_nodes=nodes, seed=seed))
        self._runs += 1
        outcome.generated += self._total.generated
        outcome.expanded += self._total.expanded
        outcome.pruned += self._total.pruned
        self._total = outcome
        return None if outcome.status is Status.OUT_OF_NODES else outcome

    def outcome(self) -> Outcome:
        """How the last run ended, with the counts of all."""
        return self._total

    @property
    def node_work(self) -> float:
        """Taken to be that of the usual kind."""
        return 1.0
