"""`widthwise validate`: execute a plan on the parsed PDDL files and report whether it reaches the goal."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from widthwise.cli.checking import add_check_parser, read_task, run_check
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
    parser = add_check_parser(
        subparsers,
        "validate",
        summary="check a plan",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        checked=("plan", "the plan file, one (action ...) per line, or - for stdin"),
        goal="check this goal instead",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Validate, print the verdict, and return 0 if the plan is valid, 1 if not, or the code of the limit reached."""
    return run_check(args, args.plan, _validate)


def _validate(args: argparse.Namespace, meter: _native.Meter) -> int:
    from widthwise.classical.plan import Plan, number_text
    from widthwise.classical.validate import check_plan
    from widthwise.core.guard import PLAN, Guard

    guard = Guard(meter, PLAN)
    domain, problem, goal = read_task(args, guard)
    plan = Plan.read(args.plan, guard)
    verdict = check_plan(domain, problem, plan, goal, poll=guard)
    if not verdict.valid:
        print(f"not valid: {verdict.reason}")
        return 1
    steps = len(plan)
    print(f"valid: {counted(steps, 'step')}, cost {number_text(verdict.cost)}")
    # The cost of a plan without a cost line is its length, which need not be the cost in the task.
    if plan.cost not in (verdict.cost, steps):
        print(f"widthwise: note: the cost line of the plan file says {number_text(plan.cost)}", file=sys.stderr)
    return 0
