"""Errors that users may see, each with its exit code on the command line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Literal

#: What a run does when Ctrl-C ends it: raise `RunInterrupted`, or return its result so far.
OnInterrupt = Literal["raise", "return"]


_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


@contextlib.contextmanager
def command_line_advice() -> Iterator[None]:
    """Let errors give advice for the command line instead of for Python."""
    before = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(before)


def in_terms(*, python: str, command: str) -> str:
    """The text for Python or the text for the command line, depending on where it is shown."""
    return command if _on_command_line.get() else python


def install_line(extra: str) -> str:
    """The command that adds the packages of an extra to an installed Widthwise, from any folder."""
    return f"pip install 'widthwise[{extra}]'"


class WidthwiseError(Exception):
    """An error that the user can correct; the command line prints its message without a traceback.

    `python` and `command` are advice for Python and for the command line. The message ends with one of them, depending
    on where it is shown.
    """

    exit_code = 1

    def __init__(self, message: str = "", *, python: str = "", command: str = "") -> None:
        super().__init__(message)
        self.python, self.command = python, command

    def __str__(self) -> str:
        advice = in_terms(python=self.python, command=self.command)
        message = super().__str__()
        return f"{message}: {advice}" if advice else message


class UsageError(WidthwiseError):
    """The call is wrong: an unknown option, or a value out of range."""

    exit_code = 2


class InputError(WidthwiseError):
    """An input file cannot be read, or its contents are invalid."""

    exit_code = 31


class SimulatorError(InputError):
    """A simulator broke its contract: it raised an exception or returned an invalid value."""


class OutputError(WidthwiseError):
    """A file cannot be written, for example because the disk is full. An existing file is unchanged."""

    exit_code = 1

    @classmethod
    def of(cls, path: object, error: OSError) -> OutputError:
        """The error for a file that could not be written, with the reason."""
        return cls(f"{path}: cannot be written ({error.strerror or error})")


class UnsupportedError(WidthwiseError):
    """The input uses a part of the language that Widthwise does not support; the message names it."""

    exit_code = 34


class MissingExtraError(WidthwiseError):
    """An optional package is not installed; the message names the command that installs it."""

    exit_code = 34

    def __init__(self, what: str, extra: str, package: str = "an optional package") -> None:
        super().__init__(f"{what} needs {package}: {install_line(extra)}")


class OutOfBudget(WidthwiseError):
    """Reading or grounding reached a limit; searches report limits as a status instead."""

    status = "out-of-budget"


class OutOfTime(OutOfBudget):
    """The time limit was reached."""

    exit_code = 23
    status = "out-of-time"


class OutOfMemory(OutOfBudget):
    """The memory limit was reached."""

    exit_code = 22
    status = "out-of-memory"


class Interrupted(OutOfBudget):
    """The run was stopped by its meter (`meter.interrupt()`) during reading or grounding."""

    exit_code = 130
    status = "interrupted"


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. `result` is the result so far, or None if there is none yet.

    It is a `KeyboardInterrupt`, so a loop over tasks ends with it:

        try:
            results = [ww.solve(task) for task in tasks]
        except KeyboardInterrupt as error:
            print(getattr(error, "result", None))
    """

    def __init__(self, result: Any = None) -> None:
        super().__init__("interrupted")
        self.result = result
