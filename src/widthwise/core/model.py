"""What a planner sees of a problem: operators, a goal, limits, a seed, and names for features.

Planners know nothing of PDDL. They ask a model for a resumable search and for the numbers behind a feature.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from widthwise import _native
from widthwise.core.budget import MOST
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.core.result import Status

#: A state of a task: what planners and feature functions look at.
State = _native.State
#: What novelty looks at: the values of atoms, where falsehood counts as well if some condition wants the atom false, or
#: only which atoms are true.
Novelty = Literal["values", "true-atoms"]
#: An abstract feature: an atom's number, a pattern over atoms, or a function of the state.
Feature = int | str
#: The features of one level above the lowest: some features, or one function of the state with hashable values.
LevelFeatures = Sequence[Feature] | Callable[[State], object]


class Watch(Protocol):
    """Somebody who wants to hear how a search goes, now and then."""

    def __call__(self, search: _native.Search | _native.BestFirst) -> None:
        """Hear of a search that is still going."""


@dataclass(slots=True)
class Progress:
    """How far the search at work had come when it last paused: what a run interrupted between two pauses reports."""

    generated: int = 0
    expanded: int = 0
    pruned: int = 0


@dataclass(slots=True)
class Model:
    """One problem for one planner run: what `Planner.run` is given.

    A planner in Python needs `init`, `successors`, `is_goal`, `novelty_table`, `random()` and `limit`. A planner on top
    of the native width search takes `search`. States are `widthwise.State`: `atom in state`, iteration over the
    numbers of atoms, equality and hashing.

    Example:
        `examples/own_task_planner.py` is a search in Python, `examples/own_planner.py` one on top of native levels.
    """

    operators: _native.Operators
    goal_pos: list[int]
    goal_neg: list[int]
    meter: _native.Meter
    max_nodes: int | None = None
    seed: int = 0
    costs: list[float] | None = None  # per operator; none where every operator costs 1
    find_atoms: Callable[[str], list[int]] | None = None  # the atoms a pattern stands for
    watch: Watch | None = None
    first: State | None = None  # where to begin, if not at the task's first state
    progress: Progress = field(default_factory=Progress)  # models made from this one share it
    one_of: list[int] = field(default_factory=list)  # literals (2 * atom, 2 * atom + 1: not it): one is wanted besides

    @property
    def init(self) -> State:
        """The state to begin in."""
        return self.operators.first if self.first is None else self.first

    def successors(self, state: State) -> list[tuple[int, State]]:
        """Expand a state.

        Args:
            state: A state of this model.

        Returns:
            Every operator that applies, by number, with the state after it, in the order operators are tried.
        """
        return self.operators.successors(state)

    def is_goal(self, state: State) -> bool:
        """Whether the goal holds in a state."""
        return (
            all(atom in state for atom in self.goal_pos)
            and not any(atom in state for atom in self.goal_neg)
            and (not self.one_of or any((literal // 2 in state) != literal % 2 for literal in self.one_of))
        )

    def random(self) -> random.Random:
        """Random numbers that depend on the seed of the run only; a new generator at every call."""
        return random.Random(self.seed)

    def limit(self, generated: int) -> Status | None:
        """Whether the search has to stop, and with which status; to be asked before every expansion.

        Args:
            generated: The nodes generated so far, which the budget of nodes is compared with.

        Returns:
            `out-of-nodes`, `out-of-time`, `out-of-memory` or `interrupted`; None to go on.
        """
        from widthwise.core.result import STATUS_OF_STOP, STOP_OF_HALT, Status

        if self.max_nodes is not None and generated >= self.max_nodes:
            return Status.OUT_OF_NODES
        halt = self.meter.poll()
        return None if halt is _native.Halt.NONE else STATUS_OF_STOP[STOP_OF_HALT[halt]]

    def novelty_table(self, width: int) -> _native.NoveltyTable:
        """An empty novelty table over the features of states.

        Args:
            width: The size of the tuples that count, from 1 on.

        Returns:
            A table: `take(state)` says whether a state shows a tuple not seen before, and remembers it.

        Raises:
            UsageError: If the width is too large for the number of features.
        """
        _check_width(self.operators.feature_bits, width)
        return _native.NoveltyTable(self.meter, self.operators, width)

    @property
    def atom_count(self) -> int:
        """How many atoms a state is made of."""
        return self.operators.atom_count

    @property
    def operator_count(self) -> int:
        """How many operators there are."""
        return self.operators.count

    def search(
        self,
        width: int,
        levels: Sequence[list[int] | Callable[[State], int]] = (),
        *,
        depth_first: bool = False,
        record_pruned: bool = False,
        entry_in_table: bool = True,
    ) -> _native.Search:
        """A resumable native search over this problem.

        Args:
            width: The width of its lowest level, from 1 on.
            levels: The features of the levels above, highest first: literals (2 * atom, or 2 * atom + 1 for its
                falsehood), or a function that gives each state a number.
            depth_first: Expand the newest node first.
            record_pruned: Keep pruned nodes in the tree.
            entry_in_table: Whether an entry of a region counts as seen in the region it was generated from.

        Returns:
            The search: `start()`, then `resume(region, tables)`, both with why they came back (`widthwise.Stop`).

        Raises:
            UsageError: If the width is too large for the number of features.
        """
        _check_width(self.operators.feature_bits, width)
        return _native.Search(
            self.operators,
            self.meter,
            list(levels),
            self.goal_pos,
            self.goal_neg,
            width=width,
            depth_first=depth_first,
            record_pruned=record_pruned,
            entry_in_table=entry_in_table,
            max_nodes=None if self.max_nodes is None else min(self.max_nodes, MOST),
            seed=self.seed,
            one_of=self.one_of,
            first=self.first,
        )

    def table(self, feature_count: int, width: int) -> _native.NoveltyTable:
        """An empty novelty table over that many features."""
        _check_width(feature_count, width)
        return _native.NoveltyTable(self.meter, feature_count, width)

    def atoms(self, features: Sequence[Feature]) -> list[int]:
        """The atoms behind features, in order and without repetition."""
        found: list[int] = []
        for feature in features:
            if isinstance(feature, int):
                found.append(feature)
            elif self.find_atoms is not None:
                found.extend(self.find_atoms(feature))
            else:
                raise ValueError(f"this model has no names, so it cannot look up {feature!r}")
        return list(dict.fromkeys(found))

    @property
    def pause_after(self) -> int | None:
        """How many nodes a search may generate before somebody wants to look at it."""
        return None if self.watch is None else 200_000

    @property
    def pause_seconds(self) -> float | None:
        """How long a search whose nodes may take long goes on before somebody wants to look at it."""
        return None if self.watch is None else 0.1

    def at_work(self, name: str) -> None:
        """Say which search works now, to a watch that has a method `at_work`."""
        hear = getattr(self.watch, "at_work", None)
        if hear is not None:
            hear(name)

    def look(self, search: _native.Search | _native.BestFirst) -> None:
        """Show a paused search to whoever watches."""
        progress = self.progress
        progress.generated, progress.expanded, progress.pruned = search.generated, search.expanded, search.pruned
        if self.watch is not None:
            self.watch(search)


def _check_width(feature_count: int, width: int) -> None:
    """Refuse a width whose tuples are too long for the kernels, which pack a tuple into 128 bits."""
    if width in (1, 2, _native.ALL_FEATURES):
        return
    bits = feature_count.bit_length()
    if bits * min(width, feature_count) > 128:
        raise UsageError(
            f"the width is too large for {counted(feature_count, 'feature')}: at most {128 // bits} is possible here, "
            "or n for all features"
        )
