"""A schedule: searches that take turns under one budget, each turn longer than the one before.

Turns are counted in work, not in seconds: nodes, weighed by what a node of that kind costs. So the same task gives the
same plan on every machine, unless a time limit cuts it short.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Stage, Status, outcome_of
from widthwise.planners.bfws import BestFirstRun
from widthwise.planners.iw import IW, native_width

Stop = _native.Stop

#: The work of the first turn, in units of roughly a nanosecond, and how turns grow.
FIRST_TURN, GROWTH = 30_000_000, 2
#: How a search can end that ends the whole schedule.
FINAL = (Status.SOLVED, Status.UNSOLVABLE, Status.OUT_OF_TIME, Status.INTERRUPTED)


class Resumable(Protocol):
    """A search under way."""

    def resume(self, nodes: int) -> Outcome | None:
        """Go on for at most so many more nodes; None if it may be resumed."""

    def outcome(self) -> Outcome:
        """What it has done so far."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A search of a schedule: how it is begun, why it is there, and what one of its nodes costs."""

    name: str
    reason: str
    begin: Callable[[Model], Resumable]
    node_work: int
    turns: int | None = None  # how many turns it gets; none: as many as it takes


@dataclass(slots=True)
class Lane:
    """A search of a running schedule."""

    entry: Entry
    search: Resumable | None = None
    so_far: Outcome = field(default_factory=lambda: Outcome(Status.OUT_OF_NODES))
    seconds: float = 0.0
    turns: int = 0
    over: bool = False

    def turn(self, model: Model, nodes: int) -> Outcome:
        """Let the search generate so many nodes."""
        begin = model.meter.seconds
        try:
            if self.search is None:
                self.search = self.entry.begin(replace(model, max_nodes=None))
            outcome = self.search.resume(nodes)
            self.over = outcome is not None
            self.so_far = outcome or self.search.outcome()
        except MemoryError:
            self.over = True
            self.so_far = replace(self.so_far, status=Status.OUT_OF_MEMORY)
        self.seconds += model.meter.seconds - begin
        self.turns += 1
        self.over = self.over or self.turns == self.entry.turns
        self.so_far.search = None
        if self.over:
            self.search = None  # gives its memory back to the others
        return self.so_far

    def stage(self) -> Stage:
        """What it was and what came of it."""
        return Stage(self.entry.name, self.entry.reason, self.so_far.generated, self.so_far.status, self.seconds)


class Schedule:
    """Searches that take turns until one solves the task, or proves that nothing does."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.lanes = [Lane(entry) for entry in entries]

    def run(self, model: Model) -> Outcome:
        """Give turns, each round longer ones, to all searches that are not over."""
        work = FIRST_TURN
        while waiting := [lane for lane in self.lanes if not lane.over]:
            for lane in waiting:
                nodes = max(100, work // lane.entry.node_work)
                if model.max_nodes is not None:
                    nodes = min(nodes, model.max_nodes - self.generated)
                if nodes == 0:
                    return self.report(Outcome(Status.OUT_OF_NODES))
                outcome = lane.turn(model, nodes)
                if outcome.status in FINAL:
                    outcome.reason = outcome.reason or f"solved by {lane.entry.name}"
                    return self.report(outcome)
            work *= GROWTH
        # Only what memory forbade could still have found something.
        short = any(lane.so_far.status is Status.OUT_OF_MEMORY for lane in self.lanes)
        return self.report(Outcome(Status.OUT_OF_MEMORY if short else Status.EXHAUSTED, reason="" if short else _DRY))

    @property
    def generated(self) -> int:
        """The nodes of all searches so far."""
        return sum(lane.so_far.generated for lane in self.lanes)

    def report(self, outcome: Outcome) -> Outcome:
        """The outcome of the whole schedule: the counts of all its searches."""
        ran = [lane for lane in self.lanes if lane.turns]
        for lane in ran:
            lane.search = None
        if outcome.status not in (Status.SOLVED, Status.UNSOLVABLE, Status.EXHAUSTED):
            outcome.reason = ""  # the limit says it all
        return Outcome(
            outcome.status,
            outcome.path,
            generated=self.generated,
            expanded=sum(lane.so_far.expanded for lane in ran),
            pruned=sum(lane.so_far.pruned for lane in ran),
            reason=outcome.reason,
            stages=[lane.stage() for lane in ran],
        )


_DRY = "every search of the schedule ran dry; they prune, so this says nothing about whether a plan exists"


class FlatRun:
    """IW(w) in turns."""

    def __init__(self, planner: IW, model: Model) -> None:
        self.search = model.search(native_width(planner.width))
        self.model = model
        self.stop = Stop.PAUSED

    def resume(self, nodes: int) -> Outcome | None:
        """Go on for at most so many more nodes."""
        goal = self.search.generated + nodes
        node: int | None = None
        if self.search.generated == 0:
            self.stop, node, _ = self.search.start()
        if self.stop is Stop.PAUSED and self.search.generated < goal:
            self.stop, node, _ = self.search.resume(0, pause_after=goal - self.search.generated)
            self.model.look(self.search)
        return None if self.stop is Stop.PAUSED else outcome_of(self.search, self.stop, node)

    def outcome(self) -> Outcome:
        """That its turn is over."""
        return outcome_of(self.search, Stop.OUT_OF_NODES, None)


class BestFirstTurns:
    """A best-first search in turns, whose root counts like any other node."""

    def __init__(self, run: BestFirstRun) -> None:
        self.run = run

    def resume(self, nodes: int) -> Outcome | None:
        """Go on for at most so many more nodes."""
        return self.run.resume(nodes if self.run.search.generated else nodes - 1)

    def outcome(self) -> Outcome:
        """What it has done so far."""
        return self.run.outcome()


class OneRun:
    """A planner that cannot be resumed: it has one turn."""

    def __init__(self, run: Callable[[Model], Outcome], model: Model) -> None:
        self.run, self.model = run, model
        self.ended = Outcome(Status.OUT_OF_NODES)

    def resume(self, nodes: int) -> Outcome:
        """Run once."""
        self.ended = self.run(replace(self.model, max_nodes=nodes))
        return self.ended

    def outcome(self) -> Outcome:
        """What the one run came to."""
        return self.ended
