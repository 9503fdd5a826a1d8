"""`widthwise validate`: run a plan on the PDDL as it was read and say whether it reaches the goal."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from widthwise.cli.common import add_limits, add_task, budget_of, check_stdin, stoppable
from widthwise.core.errors import Interrupted, OutOfBudget
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise import _native

_DESCRIPTION = """\
Execute a plan step by step on the PDDL files and check the goal. Prints `valid` with the
cost (exit code 0), or `not valid` with the step and the reason (exit code 1). If a limit
is reached or Ctrl-C is pressed first, it prints `not checked` (exit code 22, 23 or 130)."""

_EPILOG = """\
examples:
  widthwise solve domain.pddl problem.pddl | widthwise validate domain.pddl problem.pddl -
  widthwise validate domain.pddl problem.pddl plan.txt --max-time 60 --max-memory 2000"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "validate",
        help="check a plan",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    parser.add_argument("plan", metavar="PLAN", help="the plan file, one (action ...) per line; - for stdin")
    parser.add_argument(
        "--goal", action="append", default=[], metavar="GOAL", help="check this goal instead; may be repeated"
    )
    add_limits(parser, nodes=False, memory="reading and the check")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Validate, print the verdict, and return 0 for a valid plan, 1 for another, and the limit's code for neither."""
    check_stdin(args.domain, args.problem, args.plan)
    meter = budget_of(args).start()
    with stoppable(meter):
        try:
            return _validate(args, meter)
        except OutOfBudget as ended:
            print(f"not checked: {ended}")
            return ended.exit_code
        except KeyboardInterrupt:
            print("not checked: interrupted")
            return Interrupted.exit_code


def _validate(args: argparse.Namespace, meter: _native.Meter) -> int:
    from widthwise.classical.pddl.parser import parse_goal, read_domain, read_problem
    from widthwise.classical.pddl.syntax import And
    from widthwise.classical.plan import Plan, number_text
    from widthwise.classical.validate import check_plan
    from widthwise.core.guard import PLAN, Guard

    guard = Guard(meter, PLAN)
    domain = read_domain(args.domain, guard)
    problem = read_problem(args.problem, domain, guard)
    goal = And(tuple(parse_goal(text, domain, problem) for text in args.goal)) if args.goal else None
    plan = Plan.read(args.plan, guard)
    verdict = check_plan(domain, problem, plan, goal, poll=guard)
    if not verdict.valid:
        print(f"not valid: {verdict.reason}")
        return 1
    steps = len(plan)
    print(f"valid: {counted(steps, 'step')}, cost {number_text(verdict.cost)}")
    # A plan without a cost line has its length as cost, which says nothing about the task's costs.
    if plan.cost not in (verdict.cost, steps):
        print(f"widthwise: note: the plan file says cost {number_text(plan.cost)}", file=sys.stderr)
    return 0
