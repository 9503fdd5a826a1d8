"""Errors a user can cause or meet, each with the exit code the command line gives it."""

from __future__ import annotations


class WidthwiseError(Exception):
    """Something the user can understand and mend; the command line prints it without a traceback."""

    exit_code = 1


class UsageError(WidthwiseError):
    """The call itself is wrong: an unknown option, a value out of range."""

    exit_code = 2


class InputError(WidthwiseError):
    """A file cannot be read or says something that makes no sense."""

    exit_code = 31


class SimulatorError(InputError):
    """A simulator broke its contract: it raised, or returned something that no planner can work with."""


class UnsupportedError(WidthwiseError):
    """The input uses a part of the language that Widthwise does not support; it is named, never ignored."""

    exit_code = 34


class MissingExtraError(WidthwiseError):
    """An optional package is not installed; the message names the command that installs it."""

    exit_code = 34

    def __init__(self, what: str, extra: str, package: str = "an optional package") -> None:
        super().__init__(f"{what} needs {package}: pip install 'widthwise[{extra}]'")


class OutOfBudget(WidthwiseError):
    """Reading or grounding used up the budget; searches report the same as a status instead."""

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
    """Somebody pressed Ctrl-C during reading or grounding."""

    exit_code = 130
    status = "interrupted"
