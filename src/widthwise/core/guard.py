"""The limits of a run for the reader and the validator: a check to call often, and memory to charge."""

from __future__ import annotations

from widthwise import _native
from widthwise.core.budget import check
from widthwise.core.errors import OutOfMemory

TASK = "the task was read and grounded"
PLAN = "the plan was checked"


class Guard:
    """A call raises an error if a limit is reached; `charge` accounts for memory before it is allocated."""

    __slots__ = ("before", "meter")

    def __init__(self, meter: _native.Meter, before: str = TASK) -> None:
        """`before` names the unfinished work in messages."""
        self.meter = meter
        self.before = before

    def __call__(self) -> None:
        """Raise `OutOfTime` or `Interrupted` if the work has to stop."""
        check(self.meter, self.before)

    def charge(self, amount: int) -> None:
        """Charge this many bytes; raises `OutOfMemory` if the limit is exceeded."""
        if not self.meter.charge(amount):
            raise OutOfMemory(f"the memory limit was reached before {self.before}")

    def release(self, amount: int) -> None:
        """Release this many bytes."""
        self.meter.release(amount)
