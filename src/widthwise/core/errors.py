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
    """The base class of all errors with a message for the user. The command line prints them without a traceback.

    Args:
        message: What is wrong.
        python: What to do about it in Python.
        command: What to do about it on the command line. The message ends with the advice that fits.

    Example:
        >>> issubclass(ww.UsageError, ww.WidthwiseError), ww.UsageError.exit_code
        (True, 2)
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
    """A call is wrong: an unknown name, or a value out of range. Exit code 2.

    Example:
        >>> ww.IW(0)
        Traceback (most recent call last):
        widthwise.core.errors.UsageError: ...0...
    """

    exit_code = 2


class InputError(WidthwiseError):
    """A file cannot be read, or its contents are wrong. The message names the place. Exit code 31.

    Example:
        >>> ww.load("missing.pddl", "problem.pddl")
        Traceback (most recent call last):
        widthwise.core.errors.InputError: missing.pddl: ...
    """

    exit_code = 31


class SimulatorError(InputError):
    """A simulator broke its contract: it raised an exception, or returned something that no planner can use.

    Example:
        >>> issubclass(ww.SimulatorError, ww.InputError)
        True
    """


class OutputError(WidthwiseError):
    """A file cannot be written, for example because the disk is full. An existing file is unchanged."""

    exit_code = 1

    @classmethod
    def of(cls, path: object, error: OSError) -> OutputError:
        """The error for a file that could not be written, with the reason."""
        return cls(f"{path}: cannot be written ({error.strerror or error})")


class UnsupportedError(WidthwiseError):
    """The input uses a part of the language that Widthwise does not support. The message names it. Exit code 34.

    Example:
        >>> ww.UnsupportedError.exit_code
        34
    """

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
    """The time limit was reached while reading, grounding or checking. A search reports it as a status. Exit code 23.

    Example:
        >>> ww.load("corridor/domain.pddl", "corridor/problem.pddl", budget=ww.Budget(seconds=1e-9))
        Traceback (most recent call last):
        widthwise.core.errors.OutOfTime: the time limit was reached before the task was read and grounded
    """

    exit_code = 23
    status = "out-of-time"


class OutOfMemory(OutOfBudget):
    """The memory limit was reached while reading, grounding or checking. A search reports it as a status. Exit code 22.

    Example:
        >>> ww.load("corridor/domain.pddl", "corridor/problem.pddl", budget=ww.Budget(bytes=1))
        Traceback (most recent call last):
        widthwise.core.errors.OutOfMemory: ...the memory limit was reached ...
    """

    exit_code = 22
    status = "out-of-memory"


class Interrupted(OutOfBudget):
    """The run was stopped by its meter (`meter.interrupt()`) while reading or grounding. Exit code 130.

    Example:
        >>> ww.Interrupted.exit_code
        130
    """

    exit_code = 130
    status = "interrupted"


class RunInterrupted(KeyboardInterrupt):
    """A run ended by Ctrl-C. It is a `KeyboardInterrupt`, so it also ends a loop over tasks.

    Args:
        result: What the run had so far, for example a `Result` or an `Episode`; None if it had nothing yet.

    Example:
        >>> isinstance(ww.RunInterrupted("so far"), KeyboardInterrupt), ww.RunInterrupted("so far").result
        (True, 'so far')
    """

    def __init__(self, result: Any = None) -> None:
        super().__init__("interrupted")
        self.result = result
