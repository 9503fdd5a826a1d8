"""What `widthwise solve` prints for the PDDL extension of Visual Studio Code, and the search debugger of it.

The extension reads stdout line by line. It takes the number at the end of a line with `metric` for the cost of the plan
that follows, so the cost stands before each plan. It shows everything on stderr as an error, so the summary is printed
to stdout as comments.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from widthwise.cli.common import duration
from widthwise.cli.signals import stopping
from widthwise.core.errors import OutputError, UsageError

if TYPE_CHECKING:
    from widthwise.classical.result import Result
    from widthwise.classical.task import Task
    from widthwise.service.search_debugger import SearchDebugger

#: The planners that are one search with one tree, which the search debugger can show.
PLANNERS = ("bfs", "iw", "hiw", "ihiw", "bfws", "gbfs")


def add_editor_options(parser: argparse.ArgumentParser) -> None:
    """The options for Visual Studio Code."""
    group = parser.add_argument_group("for Visual Studio Code (docs/guide/vscode.md)")
    group.add_argument(
        "--vscode",
        action="store_true",
        help="print every plan as soon as it is found, with its cost before it, and all messages as comments on "
        "stdout, as the PDDL extension reads them",
    )
    group.add_argument(
        "--search-debugger",
        "--search-tree-dump",
        dest="search_debugger",
        metavar="PORT",
        help="send every node of the search to the search debugger of the PDDL extension: a port of this machine, or a "
        "URL; for the planners bfs, iw, hiw, ihiw, bfws and gbfs",
    )


def check_editor_options(args: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    for name in ("json", "each_goal"):
        if args.vscode and getattr(args, name):
            raise UsageError(f"--vscode and --{name.replace('_', '-')} print different things: give only one of them")
    if args.search_debugger is None:
        return
    if args.each_goal or args.planner not in PLANNERS or args.relevance not in (None, "none"):
        raise UsageError(
            f"the search debugger shows one search for the whole goal: give --planner {', '.join(PLANNERS[:-1])} or "
            f"{PLANNERS[-1]}, without --each-goal and --relevance"
        )


def print_plan(result: Result) -> None:
    """Print a plan as soon as it is found."""
    from widthwise.classical.plan import number_text

    latest = result.plans[-1]
    print(f"; Plan {len(result.plans)}, after {duration(latest.seconds)} ({latest.how}).")
    print(f"; States evaluated: {result.generated}")
    print(f"; Metric: {number_text(result.cost or 0)}")
    for step in result.plan or ():
        print(step)
    print(flush=True)


@contextlib.contextmanager
def as_comments() -> Iterator[None]:
    """Print what is written to stderr to stdout instead, as comments."""
    caught = io.StringIO()
    try:
        with contextlib.redirect_stderr(caught):
            yield
    finally:
        for line in caught.getvalue().splitlines():
            print(f"; {line}")
        sys.stdout.flush()


def show_search(debugger: SearchDebugger, result: Result, task: Task) -> None:
    """Send the search of a result to the search debugger; if that fails, the result stands."""
    if result.search is None:
        print("The search debugger received nothing: there is no search tree.", file=sys.stderr)
        return
    try:
        with stopping(debugger.stop):
            debugger.send_nodes(result.search, task)
            debugger.send_plan(result.search, task)
    except OutputError as error:
        print(f"widthwise: warning: {error}", file=sys.stderr)
    else:
        print(f"The search debugger at {debugger.url} received {debugger.sent:,} nodes.", file=sys.stderr)
