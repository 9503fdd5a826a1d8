"""`widthwise explore`: search a task and write the search as a page for the browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from widthwise.cli.common import add_limits, add_task, budget_of, check_stdin, check_target, duration, stoppable
from widthwise.cli.planner_options import add_planner, add_search_options, planner_of
from widthwise.core.errors import OutOfBudget
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.classical.result import Result
    from widthwise.explorer.task_data import Stages

_DESCRIPTION = """\
Search a task and write the search as one HTML file, which opens in a browser without a server and
without a network. It shows the tree, coloured by high-level nodes; for each node its state and why it
was kept or pruned, with links to the nodes that showed its atoms first; the chapters of ihiw; the plan
and the goals along it. The search is the same as in `widthwise solve --first`, with the same planners.

Up to 50,000 nodes are shown. For a larger tree the page shows the plan, the entries of high-level nodes,
the nodes that were generated first and a random sample, and states what it leaves out."""

_EPILOG = """\
examples:
  widthwise explore corridor/domain.pddl corridor/problem.pddl --planner ihiw --out page.html
  widthwise explore domain.pddl problem.pddl --planner iw --width 2 --out page.html
  widthwise explore domain.pddl problem.pddl --stage all --out page.html

exit codes: the same as for `widthwise solve`; a page is also written if the search finds no plan"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "explore",
        help="write a page that shows a search in the browser",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the page to write, such as page.html")
    parser.add_argument(
        "--stage",
        type=_stage,
        default="plan",
        metavar="plan|all|N",
        help="for planners that run several searches (auto, siw): show the search trees that lead to the plan "
        "(default), all search trees, or that of the Nth search",
    )
    add_planner(parser)
    add_search_options(parser)
    add_limits(parser, nodes=True)
    parser.set_defaults(run=run)


def _stage(text: str) -> Stages:
    named: dict[str, Stages] = {"plan": "plan", "all": "all"}
    if text in named:
        return named[text]
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not plan, all, or the number of a search (1, 2, ...)")


def run(args: argparse.Namespace) -> int:
    """Search with a trace and write the page."""
    from widthwise.core.result import Status

    check_stdin(args.domain, args.problem)
    check_target(args.out)
    planner = planner_of(args)
    from widthwise.classical.load import load
    from widthwise.classical.solve import solve

    budget = budget_of(args)
    meter = budget.start()
    with stoppable(meter):
        try:
            task = load(args.domain, args.problem, goals=args.goal, meter=meter)
            result = solve(
                task,
                planner,
                budget=budget,
                seed=args.seed,
                relevance=args.relevance,
                novelty=args.novelty,
                meter=meter,
                on_interrupt="return",
                trace=True,
            )
        except (OutOfBudget, KeyboardInterrupt) as error:
            status = Status(error.status) if isinstance(error, OutOfBudget) else Status.INTERRUPTED
            reason = str(error) or "interrupted"
            ended = f"{status}: {reason}, after {duration(meter.seconds)}; no page is written"
            print(f"widthwise: {ended}", file=sys.stderr)
            return status.exit_code
    return _write(args, result)


def _write(args: argparse.Namespace, result: Result) -> int:
    from widthwise.explorer.explore import explore

    page = explore(result, stages=args.stage)
    page.save(args.out)
    plan = "no plan" if result.plan is None else f"a plan of {counted(len(result.plan), 'step')}"
    print(f"{result.status} by {result.planner}: {plan}, {counted(result.generated, 'node')} generated")
    print(f"{args.out}: open it in a browser", file=sys.stderr)
    return result.status.exit_code
