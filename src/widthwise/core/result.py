"""The status and the outcome of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from widthwise import _native

#: Why a native search stopped.
Stop = _native.Stop


class Status(StrEnum):
    """How a search ended."""

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
    """What a planner returns: its status, the path to the goal, and its counts.

    `status` is `solved` with a `path` (numbers of operators), or the reason why there is none. `unsolvable` is a proof;
    a search that prunes returns `exhausted` instead. Plans are validated before they are returned to the user.

    Example:
        `Outcome(Status.SOLVED, path=[3, 1], generated=20)`
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
        stop: Why it stopped.
        node: The node it stopped at; with `Stop.SOLVED` a goal node.
        more: Further fields of `Outcome`, such as `high_level_nodes` and `reason`.

    Returns:
        The outcome, with the counts of the search.

    Raises:
        KeyError: If the search has not ended (`Stop.PAUSED`, `Stop.ENTERED`).
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
