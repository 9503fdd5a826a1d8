"""A watchdog for calls into simulators and feature functions that do not return.

A native thread measures how long a call has been running. First it sends a signal, whose handler raises an exception
inside the call: that ends loops and waits in Python. Native code that holds the interpreter lock cannot be interrupted;
a command then ends its process with exit code 23, after writing the prepared output.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from types import FrameType
from typing import Protocol

from widthwise import _native
from widthwise.core.errors import OutOfTime

#: Seconds between the signal and the end of the process.
GRACE = 1.0


class StepExpired(BaseException):
    """A call into a simulator took too long; not an `Exception`, so that the called code does not catch it."""


class CallWatch(Protocol):
    """Records which call into a simulator is running."""

    def enter(self, kind: int, step: int, action: int) -> None:
        """A call begins: 0 reset, 1 step, 2 save, 3 load, 4 a feature function, 5 creating the environment."""

    def leave(self) -> None:
        """The call has returned."""


_CURRENT: ContextVar[CallWatch | None] = ContextVar("watch", default=None)


def current_watch() -> CallWatch | None:
    """The watchdog for simulators created now, if there is one."""
    return _CURRENT.get()


_making: ContextVar[bool] = ContextVar("making", default=False)


@contextlib.contextmanager
def watched_making(name: str) -> Iterator[None]:
    """Watch the import and the constructor of an environment, including environments created inside it.

    Raises:
        OutOfTime: If it took too long.
    """
    watch = _CURRENT.get()
    if watch is None or _making.get():
        yield
        return
    token = _making.set(True)
    try:
        watch.enter(5, 0, -1)
        yield
    except StepExpired as error:
        raise OutOfTime(f"{name}: creating the environment {error}") from None
    finally:
        watch.leave()
        _making.reset(token)


@contextlib.contextmanager
def watching(
    step_timeout: float, *, max_time: float | None = None, slack: float = 0.0, exit_code: int = 0
) -> Iterator[_native.Watchdog | None]:
    """Limit the time of single calls of simulators and feature functions, for all agents made in a `with` block.

    Args:
        step_timeout: Seconds that one `reset`, `step`, `save` or `load`, one call of a feature function, or the making
            of an environment by its name may take.
        max_time: Seconds from now after which no call may be running.
        slack: Seconds beyond `max_time` for work that ends by itself after several calls.
        exit_code: Ends the process with this code if a call cannot be interrupted; 0 lets it continue.

    Yields:
        The watchdog; None outside the main thread, where nothing is watched.

    Raises:
        OutOfTime: From the agent, when a call took too long.

    Example:
        >>> with ww.watching(10):
        ...     ww.OnlinePlanner("corridor", ww.RolloutIW(1), max_steps=1).run(seed=0).steps
        1
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield None
        return
    limit = 1e8 if max_time is None else min(max_time + slack, 1e8)
    watch = _native.Watchdog(min(step_timeout, 1e8), limit, GRACE, signal.SIGALRM, exit_code)

    def handle(number: int, frame: FrameType | None) -> None:
        if watch.expired():
            limits = f"{step_timeout:g} s for a call" + ("" if max_time is None else f", {max_time:g} s in total")
            raise StepExpired(f"did not return in time ({limits})")

    before = signal.signal(signal.SIGALRM, handle)
    token = _CURRENT.set(watch)
    try:
        yield watch
    finally:
        _CURRENT.reset(token)
        watch.leave()
        watch.stop()
        signal.signal(signal.SIGALRM, before)
