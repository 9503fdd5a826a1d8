"""Work that another thread may do, if it comes to it in time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, wait
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Errand(Generic[Value]):
    """A call that another thread makes, or this one if the other has not begun when the result is needed.

    Where all cores are busy, another thread may begin late; waiting for it would cost more than it saves.
    """

    def __init__(self, executor: Executor, call: Callable[[], Value]) -> None:
        self._call, self._future = call, executor.submit(call)

    def result(self) -> Value:
        """What the call returns; raises what it raises."""
        return self._call() if self._future.cancel() else self._future.result()

    def drop(self) -> None:
        """See to it that the call is not made, or wait for its end."""
        if not self._future.cancel():
            wait([self._future])
