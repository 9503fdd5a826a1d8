"""The signals that end a run: the only module of the command line that installs handlers.

SIGINT (Ctrl-C), SIGTERM and SIGHUP have the same effect. The first signal calls the function registered by `stopping`,
so that the work ends with its results so far, and raises `StoppedBySignal` if there is none. The second signal always
raises.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class StoppedBySignal(KeyboardInterrupt):
    """A signal asked the program to end; handlers of Ctrl-C handle it as well."""

    def __init__(self, number: int) -> None:
        super().__init__("interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}")


class Handlers:
    """The handlers while a command runs, and what they have received."""

    def __init__(self) -> None:
        self.received: int | None = None  # the first signal
        self.stop: Callable[[], object] | None = None  # ends the current work
        self._before: dict[int, Any] = {}

    def install(self) -> None:
        """Handle the signals; those that the caller ignores, as nohup does with SIGHUP, stay ignored."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in SIGNALS:
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN and before is not None:
                self._before[number] = signal.signal(number, self._handle)

    def restore(self) -> None:
        """Restore the previous handlers."""
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()

    @property
    def exit_code(self) -> int:
        """The code that a shell reports for a signal: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
        return 128 + (signal.SIGINT if self.received is None else self.received)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = number
        stop, self.stop = self.stop, None
        if stop is None:
            raise StoppedBySignal(number)
        stop()


_running: list[Handlers] = []  # of nested commands, the innermost last


@contextlib.contextmanager
def handled() -> Iterator[Handlers]:
    """Handle the signals while a command runs."""
    handlers = Handlers()
    handlers.install()
    _running.append(handlers)
    try:
        yield handlers
    finally:
        _running.pop()
        handlers.restore()


@contextlib.contextmanager
def stopping(stop: Callable[[], object]) -> Iterator[None]:
    """Let the first signal call `stop` instead of raising, so that the work can end with its results so far."""
    if not _running:
        yield
        return
    handlers = _running[-1]
    before, handlers.stop = handlers.stop, stop
    try:
        yield
    finally:
        handlers.stop = before
