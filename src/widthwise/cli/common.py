"""What several commands share: types of options, limits, Ctrl-C, durations, checks of output files."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from widthwise.cli.signals import stopping
from widthwise.core.errors import UsageError

if TYPE_CHECKING:
    from widthwise import _native
    from widthwise.core.budget import Budget


def whole_number(text: str) -> int:
    """An option's value that is a whole number above 0; `10_000` and `1e6` are numbers too."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number >= 1 or not number.is_integer():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text) if text.isdecimal() else int(number)


def amount(text: str) -> float:
    """An option's value that is a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def seed(text: str) -> int:
    """An option's value that is a seed."""
    if not (text.isascii() and text.isdigit()) or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: a seed is a whole number from 0 to 2**63 - 1")
    return int(text)


def add_task(parser: argparse.ArgumentParser) -> None:
    """The two files of a task."""
    parser.add_argument("domain", type=Path, metavar="DOMAIN", help="the PDDL domain file, or - for stdin")
    parser.add_argument("problem", type=Path, metavar="PROBLEM", help="the PDDL problem file, or - for stdin")


def add_novelty(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses the features of novelty."""
    parser.add_argument(
        "--novelty",
        choices=("values", "true-atoms"),
        default="values",
        help="the features of novelty: `values` (default) for true atoms, and for false atoms that a condition or goal "
        "requires to be false; `true-atoms` for true atoms only",
    )


def check_stdin(*files: Path | str) -> None:
    """Refuse to read more than one file from stdin."""
    if sum(str(file) == "-" for file in files) > 1:
        raise UsageError("only one file can be read from stdin: give - once, and name the other files")


def add_limits(
    parser: argparse.ArgumentParser,
    *,
    nodes: bool,
    each: int | None = None,
    memory: str = "reading, the grounded task and the search",
) -> None:
    """The limits of a run; with `each`, the node limit is for each search, and this is its default.

    `memory` names what the memory limit is for.
    """
    group = parser.add_argument_group("limits (none by default)" if each is None else "limits")
    if nodes:
        default = "" if each is None else f" in each search (default {each:,})"
        group.add_argument(
            "--max-nodes",
            type=whole_number,
            metavar="N",
            default=each,
            help=f"generate at most N nodes{default}, including pruned nodes and the root",
        )
    group.add_argument(
        "--max-time", type=amount, metavar="S", help="stop after S seconds, including the time to read the files"
    )
    group.add_argument(
        "--max-memory",
        type=amount,
        metavar="MB",
        help=f"use at most MB megabytes for {memory}",
    )


def budget_of(args: argparse.Namespace) -> Budget:
    """The limits that were given."""
    from widthwise.core.budget import Budget

    memory = args.max_memory
    return Budget(
        nodes=getattr(args, "max_nodes", None),
        seconds=args.max_time,
        bytes=None if memory is None else max(1, int(memory * 1_000_000)),
    )


@contextlib.contextmanager
def stoppable(meter: _native.Meter) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP stop the work that uses this meter without losing its counts.

    The kernels and the reader poll the meter often. A second signal does not wait for them.
    """
    with stopping(meter.interrupt):
        yield


def duration(seconds: float) -> str:
    """Seconds with three or more significant digits."""
    if seconds >= 100:
        return f"{seconds:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.3f} s"


def check_target(path: Path) -> None:
    """Raise an error before the work starts if a file cannot be written."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; give the name of a file")
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {path.name}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"the folder {folder} is not writable")


def check_video_names(args: argparse.Namespace) -> None:
    """Refuse names that are not those of videos, and places that cannot be written to."""
    for path, ending in ((args.gif, ".gif"), (args.mp4, ".mp4")):
        if path is None:
            continue
        check_target(path)
        if path.suffix.lower() != ending:
            raise UsageError(f"--{ending[1:]} needs a file name that ends in {ending}, not {path}")
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is not a regular file; give the name of a file for --{ending[1:]}")
