"""A watchdog for calls into simulators that do not return."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol


class StepExpired(BaseException):
    """A call into a simulator took too long; raised inside of it, so it is no `Exception` that code may swallow."""


class Watch(Protocol):
    """Knows which call into a simulator is under way."""

    def enter(self, kind: int, step: int, action: int) -> None:
        """A call begins: 0 reset, 1 step, 2 save, 3 load."""

    def leave(self) -> None:
        """The call has returned."""


_CURRENT: ContextVar[Watch | None] = ContextVar("watch", default=None)


def current_watch() -> Watch | None:
    """The watchdog that simulators made now report to, if there is one."""
    return _CURRENT.get()
