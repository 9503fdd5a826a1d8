"""The status and the outcome of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from widthwise import _native

#: Why a native search stopped.
Stop = _native.Stop


class Status(StrEnum):
    """How a search ended. `exit_code` is the exit code of the command line, as Fast Downward numbers them.

    `exhausted` means that an incomplete search has no nodes left; a plan may exist.
    `unsolvable` is a proof. `failed` means that one goal of several ended with an error.

    Example:
        >>> ww.Status.EXHAUSTED.exit_code, str(ww.Status.EXHAUSTED)
        (12, 'exhausted')
    """

    SOLVED = "solved"
    EXHAUSTED = "exhausted"  # an incomplete search has no nodes left; a plan may exist
    UNSOLVABLE = "unsolvable"  # proved
    OUT_OF_NODES = "out-of-nodes"
    OUT_OF_TIME = "out-of-time"
    OUT_OF_MEMORY = "out-of-memory"
    INTERRUPTED = "interrupted"
    FAILED = "failed"  # one goal of several ended with an error

    @property
    def exit_code(self) -> int:
        """The exit code of the command line, as in Fast Downward."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Status.SOLVED: 0,
    Status.EXHAUSTED: 12,
    Status.UNSOLVABLE: 11,
    Status.OUT_OF_NODES: 12,
    Status.OUT_OF_TIME: 23,
    Status.OUT_OF_MEMORY: 22,
    Status.INTERRUPTED: 130,
    Status.FAILED: 1,
}

# The default reason for a status.
REASONS = {
    Status.OUT_OF_NODES: "the node limit was reached; a plan may exist",
    Status.OUT_OF_TIME: "the time limit was reached; a plan may exist",
    Status.OUT_OF_MEMORY: "the memory limit was reached; a plan may exist",
    Status.INTERRUPTED: "the run was interrupted; a plan may exist",
}

STATUS_OF_STOP = {
    Stop.SOLVED: Status.SOLVED,
    Stop.EXHAUSTED: Status.EXHAUSTED,
    Stop.OUT_OF_NODES: Status.OUT_OF_NODES,
    Stop.OUT_OF_TIME: Status.OUT_OF_TIME,
    Stop.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
    Stop.INTERRUPTED: Status.INTERRUPTED,
}


STOP_OF_HALT = {
    _native.Halt.TIME: Stop.OUT_OF_TIME,
    _native.Halt.MEMORY: Stop.OUT_OF_MEMORY,
    _native.Halt.INTERRUPTED: Stop.INTERRUPTED,
}


@dataclass(slots=True)
class Chapter:
    """One step of an incremental search: the feature that was added, the branch that proposed it, and the counts."""

    feature: int  # the atom, or ~atom for its falsehood
    pruned_node: int  # the pruned node whose branch proposed it
    candidates: list[int]  # everything the branch proposed
    regions: int  # high-level nodes after the tree was restructured
    generated: int  # nodes generated before the feature was added
    search: int = 0  # nodes generated with this feature


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a schedule: the planner that ran, the reason, its nodes and its status."""

    planner: str
    reason: str  # why it ran, and why it ended
    generated: int
    status: Status  # `out-of-nodes` if its share of the budget was used
    seconds: float = 0.0


@dataclass(slots=True)
class Outcome:
    """What a planner returns: how it ended, the path to the goal, and the statistics of the search.

    Plans are validated before they become part of a `Result`.

    Args:
        status: How the search ended. `unsolvable` claims a proof; a search that prunes returns `exhausted`.
        path: The numbers of the operators of the plan; None if there is none.
        generated: The generated nodes, including the root and the pruned nodes.
        expanded: The expanded nodes.
        pruned: The pruned nodes.
        high_level_nodes: The high-level nodes of a hierarchical search.
        depth: The depth of the deepest node.
        features: The discovered atoms in order; `~atom` for "the atom is false".
        story: The steps of an incremental search.
        reason: Why the search ended, in one sentence.
        stages: The searches that a portfolio ran, in order.
        search: The native search, with its tree.

    Example:
        >>> ww.Outcome(ww.Status.SOLVED, path=[3, 1], generated=20).path
        [3, 1]
    """

    status: Status
    path: list[int] | None = None  # operators
    generated: int = 0
    expanded: int = 0
    pruned: int = 0
    high_level_nodes: int = 0
    depth: int = 0
    features: list[int] = field(default_factory=list)  # discovered atoms in order, ~atom for falsehood
    story: list[Chapter] = field(default_factory=list)
    reason: str = ""  # one sentence for the user
    stages: list[Stage] = field(default_factory=list)  # of a schedule, in the order they ran
    search: _native.Search | _native.BestFirst | None = None  # the search itself, with its tree


def outcome_of(search: _native.Search | _native.BestFirst, stop: Stop, node: int | None, **more: Any) -> Outcome:
    """The outcome of a native search.

    Args:
        search: The search.
        stop: Why it returned.
        node: The node that it returned; with `Stop.SOLVED` the goal.
        more: Further fields of `Outcome`, such as `high_level_nodes` and `reason`.

    Returns:
        The outcome, with the statistics of the search.

    Raises:
        KeyError: The search has not ended (`Stop.PAUSED`, `Stop.ENTERED`).

    Example:
        >>> search = ww.solve(ww.example("corridor"), ww.IW(1)).search
        >>> ww.outcome_of(search, ww.Stop.EXHAUSTED, None).generated
        23
    """
    return Outcome(
        status=STATUS_OF_STOP[stop],
        path=search.path(node) if stop is Stop.SOLVED and node is not None else None,
        generated=search.generated,
        expanded=search.expanded,
        pruned=search.pruned + search.pruned_entries,
        depth=search.depth,
        search=search,
        **more,
    )
