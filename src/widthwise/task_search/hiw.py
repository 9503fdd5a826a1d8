"""HIW: width search on several levels, each the successor function of the one above.

A high-level node is a region of the one search tree: a connected part whose states share their abstract features.
Its successor function resumes the search inside it until the abstract features change (the paper's high-level successor
function and low-level stopping condition). A node whose search is exhausted is expanded and not resumed again. The
search inside a region may itself be a hierarchy, which gives more levels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.level import LevelAlgorithm, Width
from widthwise.core.model import LevelFeatures, Model
from widthwise.core.novelty import ValueTable
from widthwise.core.result import Outcome, Status, outcome_of
from widthwise.core.showing import brief_call
from widthwise.core.simulator import Step
from widthwise.task_search.iw import IW, native_width

#: The features of a level on a simulator: a function of a step.
StepFeatures = Callable[[Step], Any]
Event = tuple[_native.Stop, int | None, int]
Tables = Sequence[_native.NoveltyTable | None]


@dataclass(frozen=True, slots=True)
class HIW:
    """Hierarchical IW: a width search over high-level features, with a search inside each high-level node.

    On a PDDL task the levels are IW. On a simulator they are IW, RolloutIW, CountRolloutIW or your own algorithm
    (`LevelPlanner`).

    Args:
        features: The high-level features. On a task: atoms, patterns over atoms such as `(have *)`, or a function of
            the state. On a simulator: a function of a step; without it, the features that the environment declares.
        high: The planner of the high level.
        low: The planner inside high-level nodes; it may be a hierarchy again.
        entry_in_table: Whether the tuples of a state that enters another region also count as seen in the region it was
            generated from.
        record: Keep pruned nodes in the tree.

    Example:
        >>> result = ww.solve(ww.example("corridor"), ww.HIW(["(have-key)"], high=ww.IW(1), low=ww.IW(1)))
        >>> result.planner, result.high_level_nodes
        ('HIW(1,1)', 2)
    """

    features: LevelFeatures | StepFeatures | None = None
    high: LevelAlgorithm = field(default_factory=IW)
    low: LevelAlgorithm | HIW = field(default_factory=IW)
    entry_in_table: bool = True  # an entry's tuples also count as seen in the region it was generated from
    record: bool = False

    __repr__ = brief_call

    @property
    def name(self) -> str:
        """The name used in the paper."""
        return f"HIW({','.join(map(str, self.widths))})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of its levels, highest first."""
        below = self.low.widths if isinstance(self.low, HIW) else (self.low.width,)
        return (self.high.width, *below)

    def levels(self) -> tuple[list[IW], list[LevelFeatures], IW]:
        """On a task: the planners and features of the levels above the lowest, and the lowest planner."""
        if self.features is None:
            raise UsageError("HIW on a task needs features: atoms, patterns over atoms, or a function of the state")
        if not isinstance(self.high, IW) or not isinstance(self.low, IW | HIW):
            raise UsageError(f"{self.name} has a level for simulators: on a task all levels must be IW")
        features = cast(LevelFeatures, self.features)
        if isinstance(self.low, IW):
            return [self.high], [features], self.low
        planners, below, lowest = self.low.levels()
        return [self.high, *planners], [features, *below], lowest

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit is reached, or no node is left on any level."""
        hierarchy = TaskHierarchy(self, model)
        try:
            stop, node, _ = hierarchy.start()
            if stop is _native.Stop.PAUSED:
                stop, node, _ = hierarchy.top.resume(())
        except MemoryError:  # a new region or table did not fit
            stop, node = _native.Stop.OUT_OF_MEMORY, None
        outcome = outcome_of(hierarchy.search, stop, node, high_level_nodes=hierarchy.search.region_count)
        if outcome.status is Status.EXHAUSTED:
            outcome.reason = (
                f"{self.name} expanded every state that it did not prune. It is incomplete, so a plan may exist; try "
                "other features, a larger width, or ihiw"
            )
        return outcome


class TaskHierarchy:
    """A running HIW on a task: the search tree, and the searches of its levels.

    Its twin on simulators is `simulator_search.hiw.SimulatorHierarchy`.
    """

    def __init__(self, planner: HIW, model: Model) -> None:
        self.model = model
        self.planners, features, lowest = planner.levels()
        self.features = [_level_features(model, level) for level in features]
        self.search = model.search(
            native_width(lowest.width),
            [level_features.native for level_features in self.features],
            depth_first=lowest.depth_first,
            record_pruned=planner.record,
            entry_in_table=planner.entry_in_table,
        )
        widths = tuple(native_width(level.width) for level in (*self.planners, lowest))
        model.traced(self.search, planner.name, widths=widths, features=self.features)

    def start(self) -> Event:
        """Generate the root, with one node on every level."""
        event = self.search.start()
        if event[0] is _native.Stop.PAUSED:
            self.top = Level(self, 0, Region(self, 0))
        return event

    def enter(self, level: int, node: int) -> InnerSearch:
        """The search inside a new node of `level` that begins at a tree node."""
        region = Region(self, self.search.open_region(node))
        return self.inside(level, region)

    def inside(self, level: int, region: Region) -> InnerSearch:
        """The search inside a node of `level`: the next level, or the region itself."""
        return region if level + 1 == len(self.planners) else Level(self, level + 1, region)


class InnerSearch(Protocol):
    """A search that can be resumed until something happens."""

    def resume(self, tables: Tables) -> Event:
        """Continue; `tables` are the novelty tables of the levels above."""


class Region:
    """The lowest level: the native search inside one region."""

    def __init__(self, hierarchy: TaskHierarchy, index: int) -> None:
        self.hierarchy = hierarchy
        self.index = index

    def resume(self, tables: Tables) -> Event:
        """Expand nodes of the region until an abstract feature changes, or the search ends."""
        model, search = self.hierarchy.model, self.hierarchy.search
        while True:
            event = search.resume(self.index, tables, model.pause_after)
            if event[0] is not _native.Stop.PAUSED:
                return event
            model.look(search)


class Level:
    """One level inside one node of the level above: a width search whose successors come from the level below."""

    def __init__(self, hierarchy: TaskHierarchy, level: int, first: Region) -> None:
        self.hierarchy = hierarchy
        self.level = level
        self.planner = hierarchy.planners[level]
        self.features = hierarchy.features[level]
        self.table = self.features.table(hierarchy.model, self.planner)
        self.features.take(self.table, hierarchy.search, first.index, level)
        self.open: deque[InnerSearch] = deque([hierarchy.inside(level, first)])

    def resume(self, tables: Tables) -> Event:
        """Continue until the goal or a limit is reached, a level above changes, or no node is left."""
        # The kernel checks native tables itself and returns novel successors only.
        tables = (*tables, self.table if isinstance(self.table, _native.NoveltyTable) else None)
        while self.open:
            current = self.open[-1 if self.planner.depth_first else 0]
            stop, node, level = event = current.resume(tables)
            if stop is _native.Stop.ENTERED and level == self.level:
                assert node is not None
                if self.features.admits(self.table, self.hierarchy.search, node):
                    self.open.append(self.hierarchy.enter(level, node))
                else:
                    self.hierarchy.search.reject(node)
            elif stop is _native.Stop.EXHAUSTED:
                # Expanded: there are no more successors.
                if self.planner.depth_first:
                    self.open.pop()
                else:
                    self.open.popleft()
            else:
                return event
        return (_native.Stop.EXHAUSTED, None, 0)


class TaskFeatures(Protocol):
    """The features of one level above the lowest, on a task."""

    @property
    def native(self) -> list[int] | Callable[[_native.State], int]:
        """What the kernel compares to distinguish regions: literals, or a function that numbers abstract states."""

    def table(self, model: Model, planner: IW) -> _native.NoveltyTable | ValueTable:
        """An empty novelty table for this level."""

    def take(self, table: _native.NoveltyTable | ValueTable, search: _native.Search, region: int, level: int) -> None:
        """Add the abstract state of the level's first region to the table."""

    def admits(self, table: _native.NoveltyTable | ValueTable, search: _native.Search, node: int) -> bool:
        """Whether a node that enters a region begins a new high-level node; adds its abstract state to the table."""


class AtomFeatures:
    """A level whose features are atoms: the kernel looks up their values.

    False atoms are features as at the lowest level: for atoms with a complementary feature.
    """

    def __init__(self, atoms: list[int], complements: Collection[int] = ()) -> None:
        literals = [2 * atom for atom in atoms] + [2 * atom + 1 for atom in atoms if atom in complements]
        self.native = literals
        self.count = len(literals)

    def table(self, model: Model, planner: IW) -> _native.NoveltyTable | ValueTable:
        """An empty table for this level."""
        return model.table(self.count, native_width(planner.width))

    def take(self, table: _native.NoveltyTable | ValueTable, search: _native.Search, region: int, level: int) -> None:
        """Add the abstract state of the first region to the table."""
        assert isinstance(table, _native.NoveltyTable)
        table.insert(search.abstract(region, level))

    def admits(self, table: _native.NoveltyTable | ValueTable, search: _native.Search, node: int) -> bool:
        """True: the kernel has checked the novelty of the node with this table and returns novel nodes only."""
        return True


class FunctionFeatures:
    """A level whose abstract state is any function of the state: a hashable value, or a tuple of features."""

    def __init__(self, function: Callable[[_native.State], object]) -> None:
        self.function = function
        self.values: dict[Hashable, int] = {}
        self.native = self._number

    def _number(self, state: _native.State) -> int:
        value = self.function(state)
        if isinstance(value, list):
            value = tuple(value)
        if not isinstance(value, Hashable):
            raise UsageError(f"a feature function must return a number, a string or a tuple of them, not {value!r}")
        return self.values.setdefault(value, len(self.values))

    def table(self, model: Model, planner: IW) -> _native.NoveltyTable | ValueTable:
        """An empty table for this level, over feature values."""
        return ValueTable(planner.width)

    def take(self, table: _native.NoveltyTable | ValueTable, search: _native.Search, region: int, level: int) -> None:
        """Add the abstract state of the first region to the table."""
        assert isinstance(table, ValueTable)
        table.take(self.vector(search.state(search.region_root(region))))

    def admits(self, table: _native.NoveltyTable | ValueTable, search: _native.Search, node: int) -> bool:
        """Whether the abstract state of a node is novel at this level; adds it to the table."""
        assert isinstance(table, ValueTable)
        return table.take(self.vector(search.state(node)))

    def vector(self, state: _native.State) -> tuple[Hashable, ...]:
        """The features of a state: the items of the function's value, or the value alone."""
        value = self.function(state)
        return tuple(value) if isinstance(value, list | tuple) else (value,)


def _level_features(model: Model, features: LevelFeatures) -> TaskFeatures:
    if callable(features):
        return FunctionFeatures(features)
    return AtomFeatures(model.atoms(features), frozenset(model.operators.complements))
