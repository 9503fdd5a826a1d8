"""`widthwise validate`: run a plan on the PDDL as it was read and say whether it reaches the goal."""

from __future__ import annotations

import argparse
import sys

from widthwise.cli.common import add_task

_DESCRIPTION = """\
Execute a plan step by step on the PDDL files and check the goal. Prints `valid` with the
cost (exit code 0), or `not valid` with the step and the reason (exit code 1)."""

_EPILOG = """\
example:
  widthwise solve domain.pddl problem.pddl | widthwise validate domain.pddl problem.pddl -"""


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
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Validate, print the verdict, and return 0 for a valid plan and 1 for another."""
    from widthwise.classical.pddl.parser import parse_goal, read_domain, read_problem
    from widthwise.classical.pddl.syntax import And
    from widthwise.classical.plan import Plan, number_text
    from widthwise.classical.validate import validate

    domain = read_domain(args.domain)
    problem = read_problem(args.problem, domain)
    goal = And(tuple(parse_goal(text, domain, problem) for text in args.goal)) if args.goal else None
    if args.plan == "-":
        text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
        plan = Plan.parse(text, "<stdin>")
        stated = "cost" in text
    else:
        plan = Plan.read(args.plan)
        stated = True
    verdict = validate(domain, problem, plan, goal)
    if not verdict.valid:
        print(f"not valid: {verdict.reason}")
        return 1
    steps = len(plan.steps)
    print(f"valid: {steps} step{'' if steps == 1 else 's'}, cost {number_text(verdict.cost)}")
    # A plan without a cost line has its length as cost, which says nothing about the task's costs.
    if stated and plan.cost not in (verdict.cost, float(steps)):
        print(f"widthwise: note: the plan file says cost {number_text(plan.cost)}", file=sys.stderr)
    return 0
