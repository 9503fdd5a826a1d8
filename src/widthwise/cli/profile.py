"""`widthwise profile`: how wide the goals of a task are."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.common import (
    add_limits,
    add_novelty,
    add_task,
    budget_of,
    check_stdin,
    check_target,
    duration,
    seed,
    stoppable,
)
from widthwise.core.errors import OutOfBudget
from widthwise.core.files import write_whole
from widthwise.core.showing import counted as count

if TYPE_CHECKING:
    from widthwise import _native
    from widthwise.classical.profile import GoalProfile
    from widthwise.classical.task import Task
    from widthwise.core.result import Status

_DESCRIPTION = """\
For every goal atom of a task, find the smallest width or the first planner that solves it from
the start: IW(1), IHIW(1,1), IW(2), IW(3), then breadth-first search. One line per goal goes to
stdout: what solved it, what is known of its width, the nodes and seconds of that search, and
the length of the plan.

The width is `2` if IW(2) solves the goal and IW(1) ran dry, `<=2` if IW(1) was cut off by
a limit, `>1` if all that is known is that IW(1) ran dry."""

_EPILOG = """\
examples:
  widthwise profile domain.pddl problem.pddl
  widthwise profile domain.pddl problem.pddl --max-nodes 1e6 --max-time 60 --plot profile.png

exit codes:
  0 all goals solved, 11 a goal is proved unsolvable, 12 a goal is not solved, 22 out of
  memory, 23 out of time, 31 bad input, 34 unsupported input or a missing extra, 2 wrong
  usage, 130 interrupted"""

_NODES = 100_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "profile",
        help="how wide the goals of a PDDL task are",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    parser.add_argument(
        "--seed", type=seed, metavar="N", help="permute the order of operators (default: as in the files)"
    )
    parser.add_argument(
        "--relevance",
        default="goal",
        choices=("none", "task", "goal"),
        help="first drop what cannot matter for the goal being solved (goal, default), for the whole goal (task), "
        "or nothing",
    )
    add_novelty(parser)
    add_limits(parser, nodes=True, each=_NODES)
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="also draw the profile (.png, .svg or .pdf)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Profile and report; --max-nodes is for each search, the other limits are for everything."""
    from widthwise.classical.load import load
    from widthwise.classical.profile import profile
    from widthwise.cli.solve_text import SearchProgress
    from widthwise.core.result import Status

    check_stdin(args.domain, args.problem)
    if args.plot is not None:
        from widthwise.reports.profile_plot import check_plot

        check_target(args.plot)
        check_plot(args.plot)
    budget = budget_of(args)
    meter = budget.start()
    progress = SearchProgress(meter) if sys.stderr.isatty() else None
    found: list[GoalProfile] = []
    goals, ended = 0, None
    with stoppable(meter):
        try:
            task = load(args.domain, args.problem, meter=meter)
            goals = len(task.goals)
            table = None if args.json else _Table(task)
            for one in profile(
                task,
                budget=budget,
                seed=args.seed,
                relevance=args.relevance,
                novelty=args.novelty,
                meter=meter,
                watch=progress,
                on_interrupt="return",
            ):
                found.append(one)
                if progress is not None:
                    progress.clear()
                if table is not None:
                    table.show(one)
        except (OutOfBudget, KeyboardInterrupt) as error:
            ended = Status(error.status) if isinstance(error, OutOfBudget) else Status.INTERRUPTED
            print(f"widthwise: {ended}: {error or 'interrupted'}, after {duration(meter.seconds)}", file=sys.stderr)
    status = ended or _status(found)
    if args.json:
        json.dump(_data(args, status, goals, found, meter), sys.stdout, indent=1)
        print(flush=True)
    elif goals:
        _summarize(found, goals, meter)
    if args.plot is not None and found:
        _plot(args.plot, task.name, found)
    return status.exit_code


def _status(found: Sequence[GoalProfile]) -> Status:
    """How the whole profile ended: the first of these that any goal has."""
    from widthwise.core.result import Status

    order = (
        *(Status.INTERRUPTED, Status.OUT_OF_TIME, Status.FAILED, Status.UNSOLVABLE),
        *(Status.OUT_OF_MEMORY, Status.OUT_OF_NODES),
    )
    seen = {one.status for one in found}
    return next((status for status in order if status in seen), Status.SOLVED)


class _Table:
    """The table, a line as soon as its goal is done."""

    def __init__(self, task: Task) -> None:
        self.wide = min(max([len(goal.name) for goal in task.goals] + [4]), 50)
        print(f"{'goal':<{self.wide}}  {'solved by':<13}  width {'nodes':>10} {'plan':>5} {'seconds':>9}", flush=True)

    def show(self, one: GoalProfile) -> None:
        """Print the line of one goal."""
        length = "-" if one.plan is None else str(len(one.plan))
        by = one.solved_by or f"{one.status}"
        print(
            f"{one.goal:<{self.wide}}  {by:<13}  {one.width:>5} {one.generated:>10,} {length:>5} {one.seconds:>9.4f}",
            flush=True,
        )


def _summarize(found: Sequence[GoalProfile], goals: int, meter: _native.Meter) -> None:
    """Say how many goals each rung of the ladder solves."""
    from widthwise.classical.profile import AT_START, LADDER
    from widthwise.cli.solve_text import tell

    by = Counter(one.solved_by for one in found)
    parts = [f"{name} {by[name]}" for name in (AT_START, *(name for name, _ in LADDER)) if by[name]]
    solved = sum(one.solved_by is not None for one in found)
    text = f"{solved} of {count(goals, 'goal')} solved"
    text += f": {', '.join(parts)}" if parts else ""
    text += f"; {duration(meter.seconds)} in all."
    if len(found) < goals:
        text += f" {count(goals - len(found), 'goal')} not tried."
    tell(text)
    for one in found:
        for attempt in one.attempts:
            if attempt.error:
                tell(f"{one.goal}: {attempt.planner} failed: {attempt.error}")


def _data(
    args: argparse.Namespace, status: Status, goals: int, found: Sequence[GoalProfile], meter: _native.Meter
) -> dict[str, Any]:
    return {
        "status": str(status),
        "seed": args.seed,
        "relevance": args.relevance,
        "novelty": args.novelty,
        "budget": budget_of(args).describe(),
        "goal_count": goals,
        "goals": [one.to_json() for one in found],
        "seconds": round(meter.seconds, 6),
    }


def _plot(path: Path, title: str, found: Sequence[GoalProfile]) -> None:
    from widthwise.classical.profile import AT_START, LADDER
    from widthwise.reports.profile_plot import draw_profile

    order = [AT_START, *(name for name, _ in LADDER)]
    write_whole(path, draw_profile(title, [one.to_json() for one in found], order, path.suffix[1:]))
