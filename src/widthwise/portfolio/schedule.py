"""A schedule: searches that share one budget, take turns and are resumed, not restarted.

In every round each search gets its share, and rounds grow. Turns are counted in nodes, or in nodes weighted by their
work. The clock has no influence, so the same task gives the same plan on every machine unless the time limit is
reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from widthwise.core.logs import LazyLogger
from widthwise.core.model import Model, Progress
from widthwise.core.result import Outcome, Stage, Status
from widthwise.task_search.resumable import Restarts, Resumable

_log = LazyLogger(__name__)
#: The statuses that end the whole schedule.
FINAL = (Status.SOLVED, Status.UNSOLVABLE, Status.OUT_OF_TIME, Status.INTERRUPTED)
_DRY = "all searches are exhausted; they are incomplete, so a plan may exist"


class Scheduled(Protocol):
    """A planner that may take turns; one that can be resumed also has `begin(model)`."""

    @property
    def name(self) -> str:
        """The name used in the paper."""

    def run(self, model: Model) -> Outcome:
        """Search."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A search of a schedule: its share of a round, and why it is there."""

    planner: Scheduled
    share: float
    reason: str
    rounds: int | None = None  # the number of rounds with a turn; None: all
    waits: int = 0  # rounds before its first turn
    endless: bool = False  # it never ends on its own: the schedule ends when all others have ended


@dataclass(frozen=True, slots=True)
class Schedule:
    """Searches that take turns until one solves the task or proves it unsolvable, or the budget ends."""

    turns: Sequence[Turn]
    first: int  # nodes of the first round
    growth: int  # the factor between the sizes of successive rounds
    weighed: bool = False  # nodes are weighted by their work

    def run(self, model: Model) -> Outcome:
        """Give every search its turns."""
        return _Running(self, model).run()


@dataclass(slots=True)
class _Lane:
    """One search of a running schedule."""

    turn: Turn
    search: Resumable | None = None  # begun and not ended
    so_far: Outcome = field(default_factory=lambda: Outcome(Status.OUT_OF_NODES))
    rounds: int = 0
    over: bool = False

    @property
    def reason(self) -> str:
        """Why it gets a turn now."""
        if self.rounds == 0:
            return self.turn.reason
        if isinstance(self.search, Restarts):
            return "restarts with another choice of features"
        return "continues from its previous turn"

    def resume(self, model: Model, size: float, room: int | None, weighed: bool) -> Outcome:
        """Run the search for its share of a round of this size, but not for more nodes than `room`."""
        try:
            if self.search is None:
                begin = getattr(self.turn.planner, "begin", None)
                self.search = Restarts(model, self.turn.planner.run) if begin is None else begin(model)
            weight = self.search.node_work if weighed else 1.0
            nodes = max(1, int(self.turn.share * size / weight))
            ended = self.search.resume(nodes if room is None else min(nodes, room))
            self.so_far = ended or self.search.outcome()
            self.over = ended is not None
        except MemoryError:  # of the machine, or of the budget before the search began
            self.so_far = replace(self.so_far, status=Status.OUT_OF_MEMORY)
            self.over = True
        self.rounds += 1
        self.over = self.over or self.rounds == self.turn.rounds
        if self.over:
            self.search = None  # frees its memory for the others
        if self.so_far.status is not Status.SOLVED:
            self.so_far.search = None
        return self.so_far


class _Running:
    """A running schedule: the searches and their counts."""

    def __init__(self, schedule: Schedule, model: Model) -> None:
        self.schedule, self.model = schedule, model
        self.lanes = [_Lane(turn) for turn in schedule.turns]
        self.stages: list[Stage] = []

    @property
    def generated(self) -> int:
        """The nodes of all searches so far."""
        return sum(lane.so_far.generated for lane in self.lanes)

    def run(self) -> Outcome:
        """Run rounds until the task is decided, the budget ends, or all searches have ended."""
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
        # A search that ran out of memory might have found a plan.
        short = any(lane.so_far.status is Status.OUT_OF_MEMORY for lane in self.lanes)
        return self.report(Outcome(Status.OUT_OF_MEMORY if short else Status.EXHAUSTED))

    def take(self, lane: _Lane, size: int, room: int | None) -> Outcome:
        """Run the turn of a search and record its result."""
        self.model.at_work(lane.turn.planner.name)
        reason, before, begin = lane.reason, lane.so_far.generated, self.model.meter.seconds
        self.count([lane], Progress())
        try:
            outcome = lane.resume(replace(self.model, max_nodes=None), size, room, self.schedule.weighed)
        except KeyboardInterrupt:  # between two kernels: the counts of the other searches belong to the result, too
            self.count([other for other in self.lanes if other is not lane], self.model.progress)
            raise
        seconds = self.model.meter.seconds - begin
        spent = outcome.generated - before
        self.stages.append(Stage(lane.turn.planner.name, reason, spent, outcome.status, seconds))
        _log.debug("%s: %s after %d nodes (%s)", lane.turn.planner.name, outcome.status, spent, reason)
        return outcome

    def count(self, lanes: Sequence[_Lane], before: Progress) -> None:
        """Set the progress of the model to `before` and the counts of these searches."""
        progress, counts = self.model.progress, [lane.so_far for lane in lanes]
        progress.generated = before.generated + sum(outcome.generated for outcome in counts)
        progress.expanded = before.expanded + sum(outcome.expanded for outcome in counts)
        progress.pruned = before.pruned + sum(outcome.pruned for outcome in counts)

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
