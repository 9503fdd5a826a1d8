"""IW(w): breadth-first search that prunes every state without a new tuple of at most w atoms."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.level import Width
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status
from widthwise.core.showing import brief_call
from widthwise.task_search.resumable import SearchRun


def native_width(width: Width) -> int:
    """A width as the kernels represent it."""
    if width == "n":
        return _native.ALL_FEATURES
    if not isinstance(width, int) or isinstance(width, bool) or width < 1:
        raise UsageError(f"a width must be a whole number above 0, or n for all features, not {width!r}")
    # A width above the number of features is equivalent to that number, so a very large width may be reduced.
    return min(width, _native.ALL_FEATURES - 1)


@dataclass(frozen=True, slots=True)
class IW:
    """IW(w), iterated width of one width: breadth-first search that prunes every state without a new tuple of w atoms.

    Args:
        width: The size of the tuples, at least 1; "n" prunes repeated states only.
        depth_first: Expand the newest node first.
        record: Keep pruned nodes in the tree.

    Raises:
        UsageError: The width is neither a whole number of at least 1 nor "n".

    Example:
        >>> ww.solve(ww.example("corridor"), ww.IW(1)).status, ww.solve(ww.example("corridor"), ww.IW(2)).cost
        (<Status.EXHAUSTED: 'exhausted'>, 21)
    """

    width: Width = 1
    depth_first: bool = False
    record: bool = False  # keep pruned nodes in the tree

    __repr__ = brief_call

    def __post_init__(self) -> None:
        """Check the width."""
        native_width(self.width)

    @property
    def name(self) -> str:
        """The name used in the paper."""
        return f"IW({self.width})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of its levels, here one."""
        return (self.width,)

    @property
    def uses_novelty(self) -> bool:
        """Whether it uses novelty; width n prunes duplicates only."""
        return self.width != "n"

    @property
    def complete(self) -> bool:
        """Whether a search without nodes left proves that the task is unsolvable."""
        return self.width == "n"

    def begin(self, model: Model) -> SearchRun:
        """A search to resume."""
        search = model.search(native_width(self.width), depth_first=self.depth_first, record_pruned=self.record)
        return SearchRun(model, search, self._judged, self.name)

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit is reached, or no novel node is left."""
        return self.begin(model).finish()

    def _judged(self, outcome: Outcome) -> Outcome:
        if outcome.status is not Status.EXHAUSTED:
            return outcome
        if self.complete:
            outcome.status = Status.UNSOLVABLE
            outcome.reason = "the task is unsolvable: all reachable states were visited"
        else:
            outcome.reason = (
                f"{self.name} expanded every state that it did not prune. It is incomplete, so a plan may exist; try a "
                "larger width"
            )
        return outcome
