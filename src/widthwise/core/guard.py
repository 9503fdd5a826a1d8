"""The budget of a run as the reader and the validator use it: a check to call often, and memory to ask for."""

from __future__ import annotations

from widthwise import _native
from widthwise.core.budget import check
from widthwise.core.errors import OutOfMemory

TASK = "the task was read and grounded"
PLAN = "the plan was checked"


class Guard:
    """Calling it raises what the meter says, if the work has to end; `charge` asks for memory before it is taken."""

    __slots__ = ("before", "meter")

    def __init__(self, meter: _native.Meter, before: str = TASK) -> None:
        """`before` says in messages what was not finished."""
        self.meter = meter
        self.before = before

    def __call__(self) -> None:
        """Raise `OutOfTime` or `Interrupted` if the work has to end."""
        check(self.meter, self.before)

    def charge(self, amount: int) -> None:
        """Take so many bytes from the budget; raises `OutOfMemory` if they are not left."""
        if not self.meter.charge(amount):
            raise OutOfMemory(f"the memory limit was reached before {self.before}")

    def release(self, amount: int) -> None:
        """Give bytes back."""
        self.meter.release(amount)
