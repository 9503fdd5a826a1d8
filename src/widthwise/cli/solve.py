"""`widthwise solve`: find a plan for a PDDL task."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.common import (
    add_limits,
    add_task,
    budget_of,
    check_stdin,
    check_target,
    duration,
    stoppable,
)
from widthwise.cli.planner_options import add_planner, add_search_options, planner_of
from widthwise.cli.solve_vscode import add_editor_options, as_comments, check_editor_options, print_plan, show_search
from widthwise.core.errors import OutOfBudget, OutputError, UsageError
from widthwise.core.files import write_whole

if TYPE_CHECKING:
    from widthwise import _native
    from widthwise.classical.result import Result
    from widthwise.classical.task import Task
    from widthwise.cli.solve_text import SearchProgress
    from widthwise.core.budget import Budget
    from widthwise.core.result import Status
    from widthwise.portfolio.registry import Planner
    from widthwise.service.search_debugger import SearchDebugger

_DESCRIPTION = """\
Find a plan. The plan is printed to stdout, one action per line and the cost last; a summary
of the search is printed to stderr. Every plan is checked by an independent validator first.

planners:
  auto   the default: several searches take turns, cheap ones first, until one finds a
         plan; then the plan is improved until --max-time, or for about half a second
  bfs    breadth-first search: complete, shortest plans, needs a lot of memory
  iw     IW(w): breadth-first search that keeps a state only if it contains w atoms that
         no state before it contained together; --width 1 (default), 2, ...
  hiw    HIW: IW over high-level features that you give with --high, and IW inside each
         high-level state; --width 1,1 (default), high level first
  ihiw   IHIW: like hiw, but discovers the high-level features
  siw    SIW: achieves one more goal at a time with IW up to --width 2 (default), or with
         IHIW if --width is 1,1
  bfws   BFWS(f5): best-first by novelty, open goals and relaxed plans; complete
  gbfs   greedy best-first search by relaxed plans and landmarks; complete
  backward
         BFWS(f5) from the goal to the initial state; complete; for tasks without
         conditional effects and axioms"""

_EPILOG = """\
examples:
  widthwise solve domain.pddl problem.pddl
  widthwise solve domain.pddl problem.pddl --max-time 60 --plan-out plan.txt
  widthwise solve domain.pddl problem.pddl --certificate proof.json
  widthwise solve domain.pddl problem.pddl --planner iw --width 2 --max-time 60
  widthwise solve domain.pddl problem.pddl --planner hiw --width 1,1 --high "(have-key)"
  widthwise solve domain.pddl problem.pddl --planner ihiw --each-goal --max-nodes 10000

exit codes:
  0 solved, 11 proved unsolvable, 12 not solved (exhausted or out of nodes), 22 out of
  memory, 23 out of time, 31 bad input, 34 unsupported input, 2 wrong usage,
  130 interrupted. With --each-goal: 0 if all goals are solved, 12 if not, 22, 23 or 130 if a
  limit or Ctrl-C ended the run, 1 if a goal ended with an error."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "solve",
        help="find a plan for a PDDL task",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    add_planner(parser)
    parser.add_argument(
        "--each-goal",
        action="store_true",
        help="solve each goal separately from the initial state; goals are atoms and negated atoms, with forall "
        "expanded over the objects, and disjunctions and existential conditions; --max-nodes is for each goal, the "
        "other limits are for all goals together",
    )
    add_search_options(parser)
    add_limits(parser, nodes=True)
    parser.add_argument(
        "--first", action="store_true", help="stop at the first plan; without this option auto improves the plan"
    )
    parser.add_argument(
        "--plan-out",
        type=Path,
        metavar="FILE",
        help="also write the plan to FILE as soon as it is found; a better plan replaces it",
    )
    parser.add_argument(
        "--certificate",
        type=Path,
        metavar="FILE",
        help="if the task is unsolvable, write a certificate to FILE for `widthwise verify-certificate`: its reachable "
        "states (at most 20,000), the atoms reachable if delete effects are ignored, or mutexes that exclude the goal",
    )
    parser.add_argument("--verbose", action="store_true", help="print which searches ran, why, and how each ended")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the plan")
    add_editor_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Solve and report; one budget covers reading, grounding and search."""
    # Loaded before the clock starts, so that the seconds of a run are those of its own work.
    from widthwise.classical.load import load
    from widthwise.classical.solve import solve, solve_each_goal
    from widthwise.cli import solve_text
    from widthwise.core.result import Status

    check_stdin(args.domain, args.problem)
    check_editor_options(args)
    planner = _planner(args)
    if args.plan_out is not None:
        if args.each_goal:
            raise UsageError("--plan-out writes one plan, but --each-goal finds several: give only one of them")
        check_target(args.plan_out)
    if args.certificate is not None:
        if args.each_goal:
            raise UsageError("--certificate is for the whole goal, not for --each-goal: give only one of them")
        check_target(args.certificate)
    debugger = _debugger(args)
    budget = budget_of(args)
    meter = budget.start()
    progress = solve_text.SearchProgress(meter) if sys.stderr.isatty() else None
    job = _Job(args, planner, budget, meter, progress)
    with stoppable(meter):
        try:
            task = load(args.domain, args.problem, goals=args.goal, meter=meter)
            if args.each_goal:
                return _each_goal(job, task, solve_each_goal(task, planner, **job.options))
            result = _solve(job, functools.partial(solve, task, planner))
        except (OutOfBudget, KeyboardInterrupt) as error:
            halt = error if isinstance(error, OutOfBudget) else None
            status = Status(halt.status) if halt else Status.INTERRUPTED
            if args.json:
                _print_json(_unfinished(job, status, str(error)))
            reason = str(error) or "interrupted"
            print(f"widthwise: {status}: {reason}, after {duration(meter.seconds)}", file=sys.stderr)
            return status.exit_code
    if result.status is Status.SOLVED and not args.json and not args.vscode:
        print(solve_text.plan_text(result), end="", flush=True)
    with as_comments() if args.vscode else contextlib.nullcontext():
        if args.json:
            _print_json(_data(args, result))
        else:
            solve_text.summarize(result, args.planner)
        if args.verbose:
            solve_text.stages(result)
        if not args.json and args.plan_out is not None and result.status is not Status.SOLVED:
            print(f"No plan was found: {args.plan_out} is unchanged.", file=sys.stderr)
        if args.certificate is not None:
            _write_certificate(args, result)
        if debugger is not None:
            show_search(debugger, result, task)
    if job.unsaved is not None:
        raise job.unsaved
    return result.status.exit_code


def _debugger(args: argparse.Namespace) -> SearchDebugger | None:
    """The search debugger, if one was named; it has to be there before the search begins."""
    if args.search_debugger is None:
        return None
    from widthwise.service.search_debugger import SearchDebugger

    debugger = SearchDebugger(args.search_debugger)
    debugger.connect()
    return debugger


def _write_certificate(args: argparse.Namespace, result: Result) -> None:
    from widthwise.core.result import Status

    if result.certificate is not None:
        write_whole(args.certificate, result.certificate.text())
        print(f"Certificate written to {args.certificate}: {result.certificate.summary}.", file=sys.stderr)
    elif result.status is Status.UNSOLVABLE:
        print(
            f"No certificate was written: the task has too many reachable states and no mutexes were found, or a limit "
            f"was reached first. {args.certificate} is unchanged.",
            file=sys.stderr,
        )
    else:
        print(
            f"No certificate was written: the task was not proved unsolvable. {args.certificate} is unchanged.",
            file=sys.stderr,
        )


def _planner(args: argparse.Namespace) -> Planner:
    planner = planner_of(args)
    if args.search_debugger is None:
        return planner
    from widthwise.service.search_debugger import recording

    return recording(planner)


@dataclass(slots=True)
class _Job:
    """The options, limits and outputs of one run."""

    args: argparse.Namespace
    planner: Planner
    budget: Budget
    meter: _native.Meter
    progress: SearchProgress | None
    unsaved: OutputError | None = None  # why the best plan is not in --plan-out

    def found(self, result: Result) -> None:
        """Save a plan as soon as it is found, and print its cost if a better one may follow.

        A plan that cannot be saved is still printed at the end, so the run continues.
        """
        from widthwise.cli import solve_text

        if self.args.plan_out is not None:
            try:
                write_whole(self.args.plan_out, solve_text.plan_text(result))
                self.unsaved = None
            except OutputError as error:
                self.unsaved = error
        if self.progress is not None:
            self.progress.clear()
        if self.args.vscode:
            print_plan(result)
        elif self.args.planner == "auto" and not self.args.first:
            solve_text.plan_found(result.plans[-1])

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of the solving functions."""
        return {
            "budget": self.budget,
            "seed": self.args.seed,
            "relevance": self.args.relevance if self.args.search_debugger is None else "none",
            "novelty": self.args.novelty,
            "meter": self.meter,
            "watch": self.progress,
            "on_interrupt": "return",
        }


def _solve(job: _Job, solve: Callable[..., Result]) -> Result:
    improve = job.args.planner == "auto" and not job.args.first
    certificate = job.args.certificate is not None
    try:
        return solve(improve=improve, on_plan=job.found, certificate=certificate, **job.options)
    finally:
        if job.progress is not None:
            job.progress.clear()


def _each_goal(job: _Job, task: Task, goals: Iterator[Result]) -> int:
    from widthwise.cli import solve_text
    from widthwise.core.result import Status

    args, progress = job.args, job.progress
    results: list[Result] = []
    table = None if args.json else solve_text.GoalTable(task)
    ended: Status | None = None
    for result in goals:
        result.search = None  # frees its memory for the next goal
        results.append(result)
        if progress is not None:
            progress.clear()
        if table is not None:
            table.show(result)
        if result.status in (Status.OUT_OF_TIME, Status.OUT_OF_MEMORY, Status.INTERRUPTED):
            ended = result.status
            if ended is not Status.OUT_OF_MEMORY:
                break
    solved = all(result.status is Status.SOLVED for result in results)
    if ended is None and any(result.status is Status.FAILED for result in results):
        ended = Status.FAILED
    code = ended.exit_code if ended is not None else 0 if solved else Status.EXHAUSTED.exit_code
    if args.json:
        status = ended or (Status.SOLVED if solved else Status.EXHAUSTED)
        data = _unfinished(job, status, "")
        data |= {
            "plan": None,
            "generated": sum(result.generated for result in results),
            "expanded": sum(result.expanded for result in results),
            "pruned": sum(result.pruned for result in results),
            "seconds": {**task.seconds, "search": job.meter.seconds - sum(task.seconds.values())},
            "memory_mb": max((result.memory_mb for result in results), default=0.0),
            "goals": [_data(args, result) for result in results],
        }
        _print_json(data)
    else:
        solve_text.summarize_goals(results, len(task.goals), job.meter)
    return code


def _data(args: argparse.Namespace, result: Result) -> dict[str, Any]:
    return result.to_json() | {"planner": args.planner}


def _unfinished(job: _Job, status: Status, reason: str) -> dict[str, Any]:
    """The JSON object of a run that ended before the search."""
    from widthwise.classical.result import Result

    result = Result(
        status=status,
        planner=job.planner.name,
        width=",".join(map(str, job.planner.widths)),
        seed=job.args.seed,
        seconds={"parse": job.meter.seconds, "ground": 0.0, "search": 0.0},
        memory_mb=round(job.meter.peak_bytes / 1e6, 1),
        budget=job.budget.describe(),
        reason=reason,
    )
    return _data(job.args, result)


def _print_json(data: dict[str, Any]) -> None:
    json.dump(data, sys.stdout, indent=1)
    print(flush=True)
