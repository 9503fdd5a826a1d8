"""The model of a problem that planners work on: operators, a goal, limits, a seed, and names of features.

Planners are independent of PDDL. A model provides a resumable search, and the atoms that a feature stands for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from widthwise import _native
from widthwise.core.budget import MOST
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted
from widthwise.core.trace import Trace, TracedSearch

if TYPE_CHECKING:
    from widthwise.core.result import Status

#: A state of a task, as planners and feature functions receive it.
State = _native.State
#: The features of novelty: true atoms and the false atoms that a condition or goal requires to be false, or true atoms
#: only.
Novelty = Literal["values", "true-atoms"]
#: An abstract feature: an atom's number, a pattern over atoms, or a function of the state.
Feature = int | str
#: The features of one level above the lowest: some features, or one function of the state with hashable values.
LevelFeatures = Sequence[Feature] | Callable[[State], object]


class Watch(Protocol):
    """A callback that receives a running search at intervals."""

    def __call__(self, search: _native.Search | _native.BestFirst, /) -> None:
        """Handle a search that is running."""


@dataclass(slots=True)
class Progress:
    """The counts of the running search at its last pause, for the report of a run that is interrupted later."""

    generated: int = 0
    expanded: int = 0
    pruned: int = 0


@dataclass(slots=True)
class Model:
    """One problem for one run of a planner: the argument of `Planner.run`.

    A planner in Python uses `init`, `successors`, `is_goal`, `novelty_table`, `random()` and `limit`. A planner on top
    of the native width search uses `search`. States are `widthwise.State`: `atom in state`, iteration over the numbers
    of atoms, equality and hashing. `solve` makes models; `examples/own_task_planner.py` is a planner in Python.

    Args:
        operators: The operators in the order in which they are tried.
        goal_pos: The atoms that have to be true in a goal.
        goal_neg: The atoms that have to be false in a goal.
        meter: The meter of the run, which holds its limits.
        max_nodes: The maximum number of nodes to generate.
        seed: The seed of the run.
        costs: The cost of each operator; None if every operator costs 1.
        find_atoms: Returns the numbers of the atoms that match a pattern.
        watch: Called with the search from time to time.
        first: The state to begin in, if it is not the initial state.
        progress: The counts at the last pause. Models made from this one share it.
        one_of: Literals (`2 * atom`, or `2 * atom + 1` for its falsehood) of which one has to hold as well.
        trace: Keeps all searches with their pruned nodes, for `explore`.

    Example:
        >>> class First:
        ...     name, widths = "first successor", ()
        ...     def run(self, model: ww.Model) -> ww.Outcome:
        ...         operator, state = model.successors(model.init)[0]
        ...         status = ww.Status.SOLVED if model.is_goal(state) else ww.Status.EXHAUSTED
        ...         return ww.Outcome(status, [operator])
        >>> ww.solve(ww.example("corridor", length=2), First(), goal="(at p1)").plan.steps
        ('(walk p0 p1)',)
    """

    operators: _native.Operators
    goal_pos: list[int]
    goal_neg: list[int]
    meter: _native.Meter
    max_nodes: int | None = None
    seed: int = 0
    costs: list[float] | None = None  # per operator; None if every operator costs 1
    find_atoms: Callable[[str], list[int]] | None = None  # the atoms a pattern stands for
    watch: Watch | None = None
    first: State | None = None  # where to begin, if not at the initial state of the task
    progress: Progress = field(default_factory=Progress)  # shared by models derived from this one
    one_of: list[int] = field(
        default_factory=list
    )  # literals (2 * atom, or 2 * atom + 1 for its negation): the goal also needs one of them
    trace: Trace | None = None  # keeps all searches with their pruned nodes

    @property
    def init(self) -> State:
        """The initial state."""
        return self.operators.first if self.first is None else self.first

    def successors(self, state: State) -> list[tuple[int, State]]:
        """Expand a state.

        Args:
            state: A state of this model.

        Returns:
            Every applicable operator with the state after it, in the order in which operators are tried.
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
        """A new generator of random numbers, seeded with the seed of the run."""
        return random.Random(self.seed)

    def limit(self, generated: int) -> Status | None:
        """The status with which the search has to stop, if any; call it before every expansion.

        Args:
            generated: The nodes generated so far, for the node limit.

        Returns:
            `out-of-nodes`, `out-of-time`, `out-of-memory` or `interrupted`; None to continue.
        """
        from widthwise.core.result import STATUS_OF_STOP, STOP_OF_HALT, Status

        if self.max_nodes is not None and generated >= self.max_nodes:
            return Status.OUT_OF_NODES
        halt = self.meter.poll()
        return None if halt is _native.Halt.NONE else STATUS_OF_STOP[STOP_OF_HALT[halt]]

    def novelty_table(self, width: int) -> _native.NoveltyTable:
        """An empty novelty table over the features of states.

        Args:
            width: The size of the tuples, at least 1.

        Returns:
            A table: `take(state)` returns whether a state contains a tuple not seen before, and stores its tuples.

        Raises:
            UsageError: If the width is too large for the number of features.
        """
        _check_width(self.operators.feature_bits, width)
        return _native.NoveltyTable(self.meter, self.operators, width)

    @property
    def atom_count(self) -> int:
        """The number of atoms."""
        return self.operators.atom_count

    @property
    def operator_count(self) -> int:
        """The number of operators."""
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
            width: The width of its lowest level, at least 1.
            levels: The features of the levels above, highest first: literals (2 * atom, or 2 * atom + 1 for its
                negation), or a function that maps each state to a number.
            depth_first: Expand the newest node first.
            record_pruned: Keep pruned nodes in the tree.
            entry_in_table: Whether an entry of a region also counts as seen in the region it was generated from.

        Returns:
            The search: call `start()`, then `resume(region, tables)`; both return why they stopped (`widthwise.Stop`).

        Raises:
            UsageError: If the width is too large for the number of features.
        """
        _check_width(self.operators.feature_bits, width)
        search = _native.Search(
            self.operators,
            self.meter,
            list(levels),
            self.goal_pos,
            self.goal_neg,
            width=width,
            depth_first=depth_first,
            record_pruned=record_pruned or self.trace is not None,
            entry_in_table=entry_in_table,
            max_nodes=None if self.max_nodes is None else min(self.max_nodes, MOST),
            seed=self.seed,
            one_of=self.one_of,
            first=self.first,
        )
        name = "BFS" if width == _native.ALL_FEATURES else f"IW({width})"
        self.traced(search, name, widths=(width,), entry_in_table=entry_in_table)
        return search

    def traced(self, search: _native.Search | _native.BestFirst, planner: str, **more: Any) -> None:
        """Add a search to the trace of the run, or complete what the trace has of it."""
        if self.trace is None:
            return
        for known in self.trace.searches:
            if known.search is search:
                known.planner = planner
                for name, value in more.items():
                    setattr(known, name, value)
                return
        goal = (self.goal_pos, self.goal_neg, self.one_of)
        self.trace.searches.append(TracedSearch(planner, self.trace.stage, search, self.operators, *goal, **more))

    def table(self, feature_count: int, width: int) -> _native.NoveltyTable:
        """An empty novelty table over this number of features."""
        _check_width(feature_count, width)
        return _native.NoveltyTable(self.meter, feature_count, width)

    def atoms(self, features: Sequence[Feature]) -> list[int]:
        """The atoms that features stand for, in order and without repetition."""
        atoms: list[int] = []
        for feature in features:
            if isinstance(feature, int):
                atoms.append(feature)
            elif self.find_atoms is not None:
                atoms.extend(self.find_atoms(feature))
            else:
                raise ValueError(f"the model has no names of atoms, so {feature!r} cannot be looked up")
        return list(dict.fromkeys(atoms))

    @property
    def pause_after(self) -> int | None:
        """The number of generated nodes after which a search pauses for the watch."""
        return None if self.watch is None else 200_000

    @property
    def pause_seconds(self) -> float | None:
        """The seconds after which a search with expensive nodes pauses for the watch."""
        return None if self.watch is None else 0.1

    def at_work(self, name: str) -> None:
        """Pass the name of the running search to the trace, and to a watch that has a method `at_work`."""
        if self.trace is not None:
            self.trace.stage = name
        notify = getattr(self.watch, "at_work", None)
        if notify is not None:
            notify(name)

    def look(self, search: _native.Search | _native.BestFirst) -> None:
        """Pass a paused search to the watch."""
        progress = self.progress
        progress.generated, progress.expanded, progress.pruned = search.generated, search.expanded, search.pruned
        if self.watch is not None:
            self.watch(search)


def _check_width(feature_count: int, width: int) -> None:
    """Refuse a width whose tuples do not fit into the 128 bits that kernels use for a tuple."""
    if width in (1, 2, _native.ALL_FEATURES):
        return
    bits = feature_count.bit_length()
    if bits * min(width, feature_count) > 128:
        raise UsageError(
            f"the width {width} is too large for {counted(feature_count, 'feature')}: use at most {128 // bits}, or n "
            "for all features"
        )
