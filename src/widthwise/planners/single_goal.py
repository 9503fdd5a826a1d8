"""The schedule for a task with one goal: searches that share one budget, take turns and are resumed, not restarted.

Each search gets a share of a first round of 10,000 nodes, in the order below; what one leaves over, the later ones may
use. Then come rounds of four times as many. A search that is cut off goes on in the next round where it stopped; IHIW,
if it has turns, begins anew with another choice of features, since a shattered tree does not mend by going on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Stage, Status, outcome_of
from widthwise.planners.guided import Guided, proved
from widthwise.planners.incremental import IHIW
from widthwise.planners.iw import IW, Width, native_width

ROUND = 10_000  # nodes of the first round: the paper's budget
GROWTH = 4  # how much larger each round is than the one before
# What ends the whole schedule, and not only one search of it.
_FINAL = (Status.SOLVED, Status.UNSOLVABLE, Status.OUT_OF_TIME, Status.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Turn:
    """A search of the schedule: its share of a round, and why it is there."""

    planner: IW | IHIW | Guided
    share: float
    reason: str


TURNS = (
    Turn(IW(1), 0.05, "many single goals have width 1, and no search is cheaper"),
    Turn(Guided(), 0.75, "relaxed plans lead to goals of larger width with few nodes"),
    Turn(IW(2), 0.2, "relaxed plans may lead astray, and width 2 does not follow them"),
)


@dataclass(frozen=True, slots=True)
class SingleGoal:
    """IW(1), guided search and IW(2) by turns under one budget, or other turns; complete when the budget allows."""

    turns: Sequence[Turn] = TURNS
    name: str = "auto"
    relevance: str = "goal"  # what cannot matter for the goal is left out before the planner sees the task

    @property
    def widths(self) -> tuple[Width, ...]:
        """None: every search has its own."""
        return ()

    def run(self, model: Model) -> Outcome:
        """Give every search its turns until one solves, proves that there is no plan, or the budget ends."""
        return Schedule(self, model).run()


@dataclass(slots=True)
class Lane:
    """One search of a running schedule."""

    turn: Turn
    search: _native.Search | _native.Guided | None = None  # cut off, to be gone on with
    runs: int = 0  # how often it was given a share
    expanded: int = 0
    pruned: int = 0
    over: bool = False  # it has nothing left to do

    @property
    def reason(self) -> str:
        """Why it gets a turn now."""
        if self.runs == 0:
            return self.turn.reason
        if isinstance(self.turn.planner, IHIW):
            return "its tree was shattered: another choice of features"
        return "goes on where it was cut off"


class Schedule:
    """A running schedule: the searches, and what they have spent."""

    def __init__(self, planner: SingleGoal, model: Model) -> None:
        self.model = model
        self.lanes = [Lane(turn) for turn in planner.turns]
        self.stages: list[Stage] = []
        self.generated = 0

    def run(self) -> Outcome:
        """Round after round, until something is known, the budget ends, or no search has anything left to do."""
        total = self.model.max_nodes
        size = ROUND if total is None else min(ROUND, total)
        outcome = Outcome(Status.EXHAUSTED)
        short_of_memory = False
        while outcome.status not in _FINAL and (going := [lane for lane in self.lanes if not lane.over]):
            for lane in going:
                room = size if total is None else total - self.generated
                if room == 0:
                    outcome = Outcome(Status.OUT_OF_NODES)
                    break
                outcome = self.turn(lane, min(room, max(1, int(lane.turn.share * size))))
                short_of_memory = short_of_memory or outcome.status is Status.OUT_OF_MEMORY
                if outcome.status in _FINAL:
                    break
            if total is not None and self.generated >= total and outcome.status not in _FINAL:
                outcome = Outcome(Status.OUT_OF_NODES)
                break
            size *= GROWTH
        if outcome.status not in (*_FINAL, Status.OUT_OF_NODES):
            outcome = Outcome(Status.OUT_OF_MEMORY if short_of_memory else Status.EXHAUSTED)
        return self.report(outcome)

    def turn(self, lane: Lane, nodes: int) -> Outcome:
        """Let a search generate so many nodes."""
        reason, planner = lane.reason, lane.turn.planner
        begin = self.model.meter.seconds
        if isinstance(planner, IHIW):
            # Seeds of later runs are far from those that a user would count through.
            seed = self.model.seed + lane.runs * 1_000_003
            outcome = planner.run(replace(self.model, max_nodes=nodes, seed=seed))
            spent = outcome.generated
            lane.expanded, lane.pruned = lane.expanded + outcome.expanded, lane.pruned + outcome.pruned
        else:
            before = lane.search.generated if lane.search is not None else 0
            outcome = self.go_on(lane, planner, nodes)
            spent = outcome.generated - before
            lane.expanded, lane.pruned = outcome.expanded, outcome.pruned
        lane.runs += 1
        if outcome.status is not Status.OUT_OF_NODES:
            lane.over, lane.search = True, None
        if outcome.status is not Status.SOLVED:
            outcome.search = None  # a search that is over gives its memory back to the others
        self.generated += spent
        seconds = self.model.meter.seconds - begin
        self.stages.append(Stage(planner.name, reason, spent, outcome.status, seconds))
        return outcome

    def go_on(self, lane: Lane, planner: IW | Guided, nodes: int) -> Outcome:
        """Begin or resume a search that can be resumed; `out-of-nodes` if it used up what it was given."""
        free = replace(self.model, max_nodes=None)
        stop, node = _native.Stop.PAUSED, None
        search = lane.search
        if search is None:
            search = free.search(native_width(planner.width)) if isinstance(planner, IW) else planner.search(free)
            lane.search = search
            stop, node = search.start()[:2]
            nodes -= search.generated
        while stop is _native.Stop.PAUSED and nodes > 0:
            before, step = search.generated, min(nodes, self.model.pause_after or nodes)
            if isinstance(search, _native.Search):
                stop, node, _ = search.resume(0, pause_after=step)
            else:
                stop, node = search.resume(step)
            nodes -= search.generated - before
            self.model.look(cast(_native.Search, search))  # has what a watcher reads
        if stop is _native.Stop.PAUSED:
            stop = _native.Stop.OUT_OF_NODES
        outcome = outcome_of(cast(_native.Search, search), stop, node)
        return proved(outcome) if isinstance(planner, Guided) else outcome

    def report(self, outcome: Outcome) -> Outcome:
        """The outcome of the whole schedule."""
        if outcome.status is Status.SOLVED:
            outcome.reason = f"solved by {self.stages[-1].planner}"
        elif outcome.status is Status.EXHAUSTED:
            outcome.reason = "all searches that prune ran dry; this says nothing about whether a plan exists"
        outcome.generated = self.generated
        outcome.expanded = sum(lane.expanded for lane in self.lanes)
        outcome.pruned = sum(lane.pruned for lane in self.lanes)
        outcome.stages = self.stages
        return outcome
