"""A schedule: searches that take turns under one budget, each turn longer than the one before.

Turns are counted in work, not in seconds: nodes, weighed by what a node of that kind costs in this task. So the same
task gives the same plan on every machine, unless a time limit cuts it short.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import STATUS_OF_STOP, Outcome, Stage, Status

Stop = _native.Stop

#: The work of the first turn, in units of roughly a nanosecond, and how turns grow.
FIRST_TURN, GROWTH = 30_000_000, 2
#: Limits that end the whole schedule, not only the search that met them.
ENDS = (Stop.OUT_OF_TIME, Stop.INTERRUPTED)


class Resumable(Protocol):
    """A search that goes on for so many nodes and then comes back."""

    def start(self) -> tuple[Stop, list[int] | None]:
        """Generate the root."""

    def go_on(self, nodes: int) -> tuple[Stop, list[int] | None]:
        """Generate at most so many nodes more; why it came back, and the plan if there is one."""

    @property
    def search(self) -> _native.Search | _native.BestFirst:
        """The search itself, with its counts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A search of a schedule: how it is made, why it is there, and what its nodes cost."""

    name: str
    reason: str
    make: Callable[[Model], Resumable]
    node_work: Callable[[Model], int]
    complete: bool = False  # running dry proves that there is no plan
    turns: int | None = None  # how many turns it gets; none: as many as it takes


@dataclass(slots=True)
class _Running:
    """An entry that is being searched."""

    entry: Entry
    search: Resumable | None = None
    generated: int = 0
    expanded: int = 0
    pruned: int = 0
    seconds: float = 0.0
    status: Status = Status.OUT_OF_NODES
    turns: int = 0
    over: bool = False

    def stage(self) -> Stage:
        return Stage(self.entry.name, self.entry.reason, self.generated, self.status, self.seconds)


@dataclass(slots=True)
class Schedule:
    """Searches that take turns until one solves the task, or proves that nothing does."""

    entries: Sequence[Entry]
    running: list[_Running] = field(default_factory=list)

    def run(self, model: Model) -> Outcome:
        """Give turns, each round longer ones, to all searches that are not over."""
        self.running = [_Running(entry) for entry in self.entries]
        work = FIRST_TURN
        while waiting := [one for one in self.running if not one.over]:
            for one in waiting:
                left = None if model.max_nodes is None else model.max_nodes - self.generated
                if left == 0:
                    return self.outcome(Status.OUT_OF_NODES)
                nodes = max(100, work // one.entry.node_work(model))
                stop, path = self.turn(model, one, nodes if left is None else min(nodes, left))
                if path is not None:
                    return self.outcome(Status.SOLVED, path, f"solved by {one.entry.name}")
                if stop in ENDS:
                    return self.outcome(STATUS_OF_STOP[stop])
                if stop is Stop.EXHAUSTED and one.entry.complete:
                    return self.outcome(Status.UNSOLVABLE, reason=_DRY.format(one.entry.name))
            work *= GROWTH
        # Only what memory forbade could still have found something.
        short = any(one.status is Status.OUT_OF_MEMORY for one in self.running)
        return self.outcome(Status.OUT_OF_MEMORY if short else Status.EXHAUSTED)

    @property
    def generated(self) -> int:
        """The nodes of all searches so far."""
        return sum(one.generated for one in self.running)

    def turn(self, model: Model, one: _Running, nodes: int) -> tuple[Stop, list[int] | None]:
        """One turn of one search."""
        begin = model.meter.seconds
        stop, path = Stop.PAUSED, None
        goal = one.generated + nodes
        try:
            if one.search is None:
                one.search = one.entry.make(model)
                stop, path = one.search.start()
            while stop is Stop.PAUSED and (left := goal - one.search.search.generated) > 0:
                stop, path = one.search.go_on(left if model.watch is None else min(left, 20_000))
                if model.watch is not None:
                    model.watch(one.search.search)
        except MemoryError:
            stop = Stop.OUT_OF_MEMORY
        one.seconds += model.meter.seconds - begin
        one.turns += 1
        if one.search is not None:
            search = one.search.search
            one.generated, one.expanded = search.generated, search.expanded
            one.pruned = search.pruned + search.pruned_entries
        one.status = Status.OUT_OF_NODES if stop is Stop.PAUSED else STATUS_OF_STOP[stop]
        one.over = stop is not Stop.PAUSED or one.turns == one.entry.turns
        if one.over:
            one.search = None  # gives its memory back to the others
        return stop, path

    def outcome(self, status: Status, path: list[int] | None = None, reason: str = "") -> Outcome:
        """What the schedule hands back: the counts of all its searches."""
        if status is Status.EXHAUSTED:
            reason = "every search of the schedule ran dry or has had its turns; this says nothing about solvability"
        ran = [one for one in self.running if one.turns]
        for one in ran:
            one.search = None
        return Outcome(
            status,
            path,
            generated=self.generated,
            expanded=sum(one.expanded for one in ran),
            pruned=sum(one.pruned for one in ran),
            reason=reason,
            stages=[one.stage() for one in ran],
        )


_DRY = "{} visited every reachable state that is no plain dead end, and none is a goal: there is no plan"


@dataclass(slots=True)
class FlatTurns:
    """IW(w) or breadth-first search in turns."""

    search: _native.Search

    def start(self) -> tuple[Stop, list[int] | None]:
        """Generate the root."""
        stop, _, _ = self.search.start()
        return stop, [] if stop is Stop.SOLVED else None

    def go_on(self, nodes: int) -> tuple[Stop, list[int] | None]:
        """Generate more nodes."""
        stop, node, _ = self.search.resume(0, pause_after=nodes)
        return stop, self.search.path(node) if stop is Stop.SOLVED and node is not None else None


@dataclass(slots=True)
class BestFirstTurns:
    """A best-first search in turns."""

    search: _native.BestFirst

    def start(self) -> tuple[Stop, list[int] | None]:
        """Generate the root."""
        stop, _ = self.search.start()
        return stop, [] if stop is Stop.SOLVED else None

    def go_on(self, nodes: int) -> tuple[Stop, list[int] | None]:
        """Generate more nodes."""
        stop, node = self.search.resume(pause_after=nodes)
        return stop, self.search.path(node) if stop is Stop.SOLVED and node is not None else None
