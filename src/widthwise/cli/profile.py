"""`widthwise profile`: the widths of the goals of a task."""

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
For every goal atom of a task, find the first planner that solves it from the initial state:
IW(1), IHIW(1,1), IW(2), IW(3), then breadth-first search. Prints one line per goal: the planner
that solved it, the width as far as it is known, the nodes and seconds of that search, and the
length of the plan.

The width is `2` if IW(2) solves the goal and IW(1) is exhausted, `<=2` if IW(1) reached a limit
first, and `>1` if only IW(1) is known to be exhausted."""

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
        help="find the widths of the goals of a PDDL task",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    parser.add_argument(
        "--seed", type=seed, metavar="N", help="permute the order of operators (default: the order of the files)"
    )
    parser.add_argument(
        "--relevance",
        default="goal",
        choices=("none", "task", "goal"),
        help="drop what is irrelevant to the goal being solved (goal, default) or to the whole goal (task), or drop "
        "nothing (none)",
    )
    add_novelty(parser)
    add_limits(parser, nodes=True, each=_NODES)
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="also plot the profile (.png, .svg or .pdf)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Profile and report; --max-nodes is for each search, the other limits are for the whole command."""
    from widthwise.classical.load import load
    from widthwise.classical.profile import profile, profile_status
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
    profiles: list[GoalProfile] = []
    goals, ended = 0, None
    with stoppable(meter):
        try:
            task = load(args.domain, args.problem, meter=meter)
            goals = len(task.goals)
            table = None if args.json else _Table(task)
            for goal_profile in profile(
                task,
                budget=budget,
                seed=args.seed,
                relevance=args.relevance,
                novelty=args.novelty,
                meter=meter,
                watch=progress,
                on_interrupt="return",
            ):
                profiles.append(goal_profile)
                if progress is not None:
                    progress.clear()
                if table is not None:
                    table.show(goal_profile)
        except (OutOfBudget, KeyboardInterrupt) as error:
            ended = Status(error.status) if isinstance(error, OutOfBudget) else Status.INTERRUPTED
            print(f"widthwise: {ended}: {error or 'interrupted'}, after {duration(meter.seconds)}", file=sys.stderr)
    status = ended or profile_status(profiles)
    if args.json:
        json.dump(_data(args, status, goals, profiles, meter), sys.stdout, indent=1)
        print(flush=True)
    elif goals:
        _summarize(profiles, goals, meter)
    if args.plot is not None and profiles:
        _plot(args.plot, task.name, profiles)
    return status.exit_code


class _Table:
    """The table; a line is printed as soon as its goal is done."""

    def __init__(self, task: Task) -> None:
        self.wide = min(max([len(goal.name) for goal in task.goals] + [4]), 50)
        print(f"{'goal':<{self.wide}}  {'solved by':<13}  width {'nodes':>10} {'plan':>5} {'seconds':>9}", flush=True)

    def show(self, goal: GoalProfile) -> None:
        """Print the line of one goal."""
        length = "-" if goal.plan is None else str(len(goal.plan))
        by = goal.solved_by or f"{goal.status}"
        figures = f"{goal.width:>5} {goal.generated:>10,} {length:>5} {goal.seconds:>9.4f}"
        print(
            f"{goal.goal:<{self.wide}}  {by:<13}  {figures}",
            flush=True,
        )


def _summarize(profiles: Sequence[GoalProfile], goals: int, meter: _native.Meter) -> None:
    """Print how many goals each planner solves."""
    from widthwise.classical.profile import AT_START, LADDER
    from widthwise.cli.solve_text import print_wrapped

    by = Counter(goal.solved_by for goal in profiles)
    parts = [f"{name} {by[name]}" for name in (AT_START, *(name for name, _ in LADDER)) if by[name]]
    solved = sum(goal.solved_by is not None for goal in profiles)
    text = f"{solved} of {count(goals, 'goal')} solved"
    text += f": {', '.join(parts)}" if parts else ""
    text += f"; {duration(meter.seconds)} in all."
    if len(profiles) < goals:
        text += f" {count(goals - len(profiles), 'goal')} not tried."
    print_wrapped(text)
    for goal in profiles:
        for attempt in goal.attempts:
            if attempt.error:
                print_wrapped(f"{goal.goal}: {attempt.planner} failed: {attempt.error}")


def _data(
    args: argparse.Namespace, status: Status, goals: int, profiles: Sequence[GoalProfile], meter: _native.Meter
) -> dict[str, Any]:
    return {
        "status": str(status),
        "seed": args.seed,
        "relevance": args.relevance,
        "novelty": args.novelty,
        "budget": budget_of(args).describe(),
        "goal_count": goals,
        "goals": [goal.to_json() for goal in profiles],
        "seconds": round(meter.seconds, 6),
    }


def _plot(path: Path, title: str, profiles: Sequence[GoalProfile]) -> None:
    from widthwise.classical.profile import AT_START, LADDER
    from widthwise.reports.profile_plot import draw_profile

    order = [AT_START, *(name for name, _ in LADDER)]
    write_whole(path, draw_profile(title, [goal.to_json() for goal in profiles], order, path.suffix[1:]))
