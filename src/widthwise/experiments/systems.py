"""The planners of the suite of whole problems: ours by name, others by their command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from widthwise.core.errors import UsageError
from widthwise.experiments.classical import planner_of
from widthwise.experiments.limited import Limits


@dataclass(frozen=True, slots=True)
class System:
    """A planner of the suite: its name, its widths, and its command with {domain}, {problem} and {plan} in it.

    {python} is the interpreter of the worker, {seed} the seed.
    """

    name: str
    width: str
    command: tuple[str, ...]


def label(name: str, width: str) -> str:
    """A planner as the command line writes it."""
    return f"{name}:{width}" if width else name


def own_system(text: str, limits: Limits, more: Sequence[str] = (), *, seeded: bool = False) -> System:
    """One of our planners, written `auto` or `ihiw:1,1`, as the command `widthwise solve`.

    Its limits are slightly lower, so that it can end on its own and report its result.
    """
    _, name, width = planner_of(text)
    command = ["{python}", "-m", "widthwise", "solve", "{domain}", "{problem}", "--planner", name]
    if ":" in text:
        command += ["--width", width]
    if seeded:
        command += ["--seed", "{seed}"]
    if limits.wall is not None:
        command += ["--max-time", f"{max(0.95 * limits.wall - 0.2, 0.5 * limits.wall):g}"]
    if limits.megabytes is not None:
        command += ["--max-memory", f"{max(limits.megabytes - 100, 0.5 * limits.megabytes):g}"]
    return System(name, width, (*command, "--json", "--plan-out", "{plan}", *more))


def other_system(text: str) -> System:
    """Another planner, given as `NAME=COMMAND` with {domain}, {problem} and {plan} in the command."""
    name, equals, command = text.partition("=")
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"the command of {name.strip()} cannot be read: {error}") from None
    missing = [hole for hole in ("{domain}", "{problem}", "{plan}") if not any(hole in word for word in words)]
    if not equals or not name.strip() or missing:
        raise UsageError(
            f"give another planner as NAME='COMMAND {{domain}} {{problem}} {{plan}}', not {text!r}"
            + (f": {', '.join(missing)} is missing" if equals and missing else "")
        )
    return System(name.strip(), "", words)


def filled(command: Sequence[str], holes: Mapping[str, object]) -> list[str]:
    """A command with values in its holes."""
    words = list(command)
    for name, value in holes.items():
        words = [word.replace(f"{{{name}}}", str(value)) for word in words]
    return words
