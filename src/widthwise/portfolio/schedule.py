"""A schedule: searches that share one budget, take turns and are resumed, not restarted.

In every round each search gets its share, and rounds grow. Turns are counted in nodes, or in nodes weighed by the work
they are; no clock decides, so the same task gives the same plan on every machine, unless a time limit cuts it
short.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from widthwise.core.model import Model
from widthwise.core.result import Outcome, Stage, Status
from widthwise.task_search.resumable import Restarts, Resumable

_log = logging.getLogger(__name__)
#: What ends the whole schedule, and not only one search of it.
FINAL = (Status.SOLVED, Status.UNSOLVABLE, Status.OUT_OF_TIME, Status.INTERRUPTED)
_DRY = "all searches that prune ran dry; this says nothing about whether a plan exists"


class Scheduled(Protocol):
    """A planner that may take turns; one that can be resumed has `begin(model)`, too."""

    @property
    def name(self) -> str:
        """How the paper writes it."""

    def run(self, model: Model) -> Outcome:
        """Search."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A search of a schedule: its share of a round, and why it is there."""

    planner: Scheduled
    share: float
    reason: str
    rounds: int | None = None  # in how many it has a turn; none: in all
    waits: int = 0  # rounds before its first turn
    endless: bool = False  # it never ends by itself: when all others have ended, the schedule has


@dataclass(frozen=True, slots=True)
class Schedule:
    """Searches that take turns until one solves the task, or proves that nothing does, or the budget ends."""

    turns: Sequence[Turn]
    first: int  # nodes of the first round
    growth: int  # how much larger each round is than the one before
    weighed: bool = False  # nodes that take more work count more

    def run(self, model: Model) -> Outcome:
        """Give every search its turns."""
        return _Running(self, model).run()


@dataclass(slots=True)
class _Lane:
    """One search of a running schedule."""

    turn: Turn
    search: Resumable | None = None  # begun, and not over
    so_far: Outcome = field(default_factory=lambda: Outcome(Status.OUT_OF_NODES))
    rounds: int = 0
    over: bool = False

    @property
    def reason(self) -> str:
        """Why it gets a turn now."""
        if self.rounds == 0:
            return self.turn.reason
        if isinstance(self.search, Restarts):
            return "its tree was shattered: another choice of features"
        return "goes on where it was cut off"

    def resume(self, model: Model, size: float, room: int | None, weighed: bool) -> Outcome:
        """Let the search have its share of a round of that size, but not more nodes than there is room for."""
        try:
            if self.search is None:
                begin = getattr(self.turn.planner, "begin", None)
                self.search = Restarts(model, self.turn.planner.run) if begin is None else begin(model)
            weight = self.search.node_work if weighed else 1.0
            nodes = max(1, int(self.turn.share * size / weight))
            ended = self.search.resume(nodes if room is None else min(nodes, room))
            self.so_far = ended or self.search.outcome()
            self.over = ended is not None
        except MemoryError:  # of the machine, or of the budget where a search had not begun
            self.so_far = replace(self.so_far, status=Status.OUT_OF_MEMORY)
            self.over = True
        self.rounds += 1
        self.over = self.over or self.rounds == self.turn.rounds
        if self.over:
            self.search = None  # gives its memory back to the others
        if self.so_far.status is not Status.SOLVED:
            self.so_far.search = None
        return self.so_far


class _Running:
    """A running schedule: the searches, and what they have spent."""

    def __init__(self, schedule: Schedule, model: Model) -> None:
        self.schedule, self.model = schedule, model
        self.lanes = [_Lane(turn) for turn in schedule.turns]
        self.stages: list[Stage] = []

    @property
    def generated(self) -> int:
        """The nodes of all searches so far."""
        return sum(lane.so_far.generated for lane in self.lanes)

    def run(self) -> Outcome:
        """Round after round, until something is known, the budget ends, or no search has anything left to do."""
        total = self.model.max_nodes
        size, rounds = self.schedule.first, 0
        while not all(lane.over or lane.turn.endless for lane in self.lanes):
            for lane in [lane for lane in self.lanes if not lane.over]:
                if lane.turn.waits > rounds:
                    continue
                room = None if total is None else total - self.generated
                if room == 0:
                    return self.report(Outcome(Status.OUT_OF_NODES))
                outcome = self.take(lane, size, room)
                if outcome.status in FINAL:
                    return self.report(outcome)
            size *= self.schedule.growth
            rounds += 1
        if self.generated == total:
            return self.report(Outcome(Status.OUT_OF_NODES))
        # Only what memory forbade could still have found something.
        short = any(lane.so_far.status is Status.OUT_OF_MEMORY for lane in self.lanes)
        return self.report(Outcome(Status.OUT_OF_MEMORY if short else Status.EXHAUSTED))

    def take(self, lane: _Lane, size: int, room: int | None) -> Outcome:
        """Let a search have its turn, and write down what came of it."""
        self.model.at_work(lane.turn.planner.name)
        reason, before, begin = lane.reason, lane.so_far.generated, self.model.meter.seconds
        outcome = lane.resume(replace(self.model, max_nodes=None), size, room, self.schedule.weighed)
        seconds = self.model.meter.seconds - begin
        spent = outcome.generated - before
        self.stages.append(Stage(lane.turn.planner.name, reason, spent, outcome.status, seconds))
        _log.debug("%s: %s after %d nodes (%s)", lane.turn.planner.name, outcome.status, spent, reason)
        return outcome

    def report(self, outcome: Outcome) -> Outcome:
        """The outcome of the whole schedule."""
        for lane in self.lanes:
            lane.search = None
        if outcome.status is Status.SOLVED:
            outcome.reason = f"solved by {self.stages[-1].planner}"
        elif outcome.status is Status.EXHAUSTED:
            outcome.reason = _DRY
        outcome.generated = self.generated
        outcome.expanded = sum(lane.so_far.expanded for lane in self.lanes)
        outcome.pruned = sum(lane.so_far.pruned for lane in self.lanes)
        outcome.stages = self.stages
        return outcome
