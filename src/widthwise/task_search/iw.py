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
    """A width as the kernels number it."""
    if width == "n":
        return _native.ALL_FEATURES
    if not isinstance(width, int) or isinstance(width, bool) or width < 1:
        raise UsageError(f"a width is a whole number from 1 on, or n for all features; not {width!r}")
    # A width above the number of features is as good as that number, so a very large one may be cut.
    return min(width, _native.ALL_FEATURES - 1)


@dataclass(frozen=True, slots=True)
class IW:
    """IW(w), iterated width of one width: breadth-first search that prunes every state without a new tuple of w atoms.

    Args:
        width: The size of the tuples, from 1 on; "n" prunes repeated states only.
        depth_first: Expand the newest node first.
        record: Keep pruned nodes in the tree.

    Raises:
        UsageError: The width is not a whole number from 1 on, or "n".

    Example:
        >>> ww.solve(ww.example("corridor"), ww.IW(1)).status, ww.solve(ww.example("corridor"), ww.IW(2)).cost
        (<Status.EXHAUSTED: 'exhausted'>, 21)
    """

    width: Width = 1
    depth_first: bool = False
    record: bool = False  # keep pruned nodes in the tree, to look at them afterwards

    __repr__ = brief_call

    def __post_init__(self) -> None:
        """Refuse widths that mean nothing."""
        native_width(self.width)

    @property
    def name(self) -> str:
        """How the paper writes it."""
        return f"IW({self.width})"

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of its levels, here one."""
        return (self.width,)

    @property
    def uses_novelty(self) -> bool:
        """Whether it looks at features: a search that prunes only repeated states does not."""
        return self.width != "n"

    @property
    def complete(self) -> bool:
        """Whether running dry proves that there is no plan."""
        return self.width == "n"

    def begin(self, model: Model) -> SearchRun:
        """A search that waits to be resumed."""
        search = model.search(native_width(self.width), depth_first=self.depth_first, record_pruned=self.record)
        return SearchRun(model, search, self._judged)

    def run(self, model: Model) -> Outcome:
        """Search until the goal, a limit, or nothing novel is left."""
        return self.begin(model).finish()

    def _judged(self, outcome: Outcome) -> Outcome:
        if outcome.status is not Status.EXHAUSTED:
            return outcome
        if self.complete:
            outcome.status = Status.UNSOLVABLE
            outcome.reason = "every reachable state was visited and none is a goal: there is no plan"
        else:
            outcome.reason = (
                f"{self.name} ran dry: every state it had not pruned was expanded. "
                "It prunes, so this says nothing about whether a plan exists; try a larger width"
            )
        return outcome
