"""IHIW (Algorithm 2): a series of HIW searches that discovers its high-level features from pruned branches."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

from widthwise import _native
from widthwise.core.level import Width
from widthwise.core.logs import LazyLogger
from widthwise.core.model import Model
from widthwise.core.result import STOP_OF_HALT, Chapter, Outcome, Status, outcome_of
from widthwise.core.showing import brief, counted
from widthwise.task_search.hiw import Event
from widthwise.task_search.iw import IW, native_width

Stop = _native.Stop
_log = LazyLogger(__name__)


@dataclass(frozen=True, slots=True)
class IHIW:
    """Incremental HIW: it starts without high-level features and discovers them from pruned branches (Algorithm 2).

    Args:
        high: The planner of the high level.
        low: The planner inside high-level nodes.
        pick: Which pruned node proposes features next: the "last" one, or one at "random".
        rebuild: Which novelty tables are rebuilt after the tree was restructured: all "changed" tables, or only "new"
            ones.
        entry_in_table: Whether the tuples of a state that enters another region also count as seen in the region it was
            generated from.
        negated: Whether "the atom is false" is a feature value as well.
        stuck: If no branch proposes a feature: "wake" high-level nodes without novelty, or "stop".

    Example:
        >>> ww.solve(ww.example("corridor"), ww.IHIW()).features
        ['(have-key)']
    """

    high: IW = field(default_factory=IW)
    low: IW = field(default_factory=IW)
    pick: Literal["last", "random"] = "last"  # which pruned node proposes features next
    rebuild: Literal["changed", "new"] = "changed"  # which novelty tables are rebuilt after restructuring
    entry_in_table: bool = True  # an entry's tuples also count as seen in the region it was generated from
    negated: bool = False  # false atoms are features as well
    stuck: Literal["wake", "stop"] = "wake"  # if no branch proposes a feature: resume pruned high-level nodes, or stop

    __repr__ = brief

    @property
    def name(self) -> str:
        """The name used in the paper."""
        return f"IHIW({self.high.width},{self.low.width})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of its two levels, high level first."""
        return (self.high.width, self.low.width)

    def run(self, model: Model) -> Outcome:
        """Search, discover a feature, restructure and repeat, until the goal, a limit, or no feature is proposed."""
        return IncrementalSearch(self, model).run()


class IncrementalSearch:
    """A running IHIW: one tree, the features so far, and the high-level nodes that are open."""

    def __init__(self, planner: IHIW, model: Model) -> None:
        self.planner = planner
        self.model = model
        self.random = random.Random(model.seed)
        self.search = model.search(
            native_width(planner.low.width),
            [[]],
            depth_first=planner.low.depth_first,
            record_pruned=True,
            entry_in_table=planner.entry_in_table,
        )
        widths = tuple(native_width(level.width) for level in (planner.high, planner.low))
        keeps_tables = planner.rebuild == "new"
        model.traced(self.search, planner.name, widths=widths, features=[[]], keeps_tables=keeps_tables)
        self.literals: list[int] = []
        self.features: list[int] = []
        self.story: list[Chapter] = []
        self.table: _native.NoveltyTable  # of the high level; created when the search begins
        self.open = [0]  # high-level nodes to resume, in order
        self.nodes = 1  # high-level nodes in the tree
        self.awake = False  # high-level nodes without novelty have been resumed
        self.woken_at = 0  # nodes generated then

    def new_table(self) -> _native.NoveltyTable:
        """An empty high-level table, with room for more features."""
        values = 2 if self.planner.negated else 1
        self.room = -(-max(1, values * len(self.features)) // 64) * 64
        return self.model.table(self.room, native_width(self.planner.high.width))

    def run(self) -> Outcome:
        """Search to the end and return the outcome."""
        try:
            stop, node, _ = self.search.start()
            self.table = self.new_table()
            if stop is Stop.PAUSED:
                stop, node = self.series()
        except MemoryError:  # a new region or table did not fit
            stop, node = Stop.OUT_OF_MEMORY, None
        except InterruptedError:  # the meter stopped the run while the tree was restructured
            stop, node = STOP_OF_HALT[self.model.meter.poll()], None
        outcome = outcome_of(self.search, stop, node, high_level_nodes=self.nodes)
        outcome.features, outcome.story = self.features, self.story
        if self.story:
            self.story[-1].search = self.search.generated - self.story[-1].generated
        if outcome.status is Status.EXHAUSTED:
            outcome.reason = (
                f"{self.planner.name} is exhausted after {counted(len(self.features), 'discovered feature')}: no "
                "pruned branch proposes another one. It is incomplete, so a plan may exist"
            )
        return outcome

    def series(self) -> tuple[Stop, int | None]:
        """Algorithm 2."""
        candidates: list[int] = []  # H in the paper
        pruned_node = 0
        proposed: list[int] = []
        while True:
            stop, node, _ = self.hiw()
            if stop is not Stop.EXHAUSTED:
                return stop, node
            halt = self.model.meter.poll()  # a search without open nodes does not poll
            if halt is not _native.Halt.NONE:
                return STOP_OF_HALT[halt], None
            if not candidates:
                proposal = self.search.discover(random=self.planner.pick == "random")  # Algorithm 1, pops pruned nodes
                if proposal is not None:
                    pruned_node, candidates = proposal
                    proposed = list(candidates)
                elif not self.wake():
                    return Stop.EXHAUSTED, None
            if candidates:
                feature = candidates.pop(self.random.randrange(len(candidates)))
                self.restructure([feature], pruned_node)
                self.record(feature, pruned_node, proposed)

    def wake(self) -> bool:
        """Resume high-level nodes without novelty, where the paper stops; False if that cannot help."""
        if self.planner.stuck == "stop" or (self.awake and self.search.generated == self.woken_at):
            return False
        self.awake = True
        self.woken_at = self.search.generated
        self.restructure([])
        return True

    def hiw(self) -> Event:
        """HIW with the features so far, on the tree so far."""
        position = 0
        depth_first, tables, pause_after = self.planner.high.depth_first, [self.table], self.model.pause_after
        while position < len(self.open):
            region = self.open[-1 if depth_first else position]
            stop, node, _ = event = self.search.resume(region, tables, pause_after)
            if stop is Stop.ENTERED:
                assert node is not None
                self.open.append(self.search.open_region(node))
                self.nodes += 1
            elif stop is Stop.PAUSED:
                self.model.look(self.search)
            elif stop is not Stop.EXHAUSTED:
                return event
            elif depth_first:
                self.open.pop()
            else:
                position += 1
        return (Stop.EXHAUSTED, None, 0)

    def restructure(self, features: list[int], pruned_node: int | None = None) -> None:
        """Create high-level nodes for new features by recolouring the tree."""
        self.features += features
        values = (0, 1) if self.planner.negated else (0,)
        own = [2 * feature if feature >= 0 else 2 * ~feature + 1 for feature in features]
        literals = [literal ^ value for literal in own for value in values]
        if self.model.trace is not None:
            traced = self.model.trace.of(self.search)
            traced.colour(self.literals, literals, pruned_node)
            traced.features = [[*self.literals, *literals]]
        self.literals += literals
        # The table is kept: what was novel stays novel. Only with width n do all tuples change with a feature.
        fresh = self.planner.high.width == "n" or len(values) * len(self.features) > self.room
        if fresh:
            self.table = self.new_table()
        self.open = self.search.restructure(literals, self.table, fresh, self.planner.rebuild == "changed", self.awake)
        self.nodes = self.search.alive_count

    def record(self, feature: int, pruned_node: int, proposed: list[int]) -> None:
        """Add a feature to the record of the run."""
        generated = self.search.generated
        if self.story:
            self.story[-1].search = generated - self.story[-1].generated
        _log.debug("%s: feature %d after %d nodes", self.planner.name, feature, generated)
        self.story.append(Chapter(feature, pruned_node, candidates=proposed, regions=self.nodes, generated=generated))
