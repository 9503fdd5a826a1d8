"""What `validate` and `verify-certificate` share: their options, limits and exit codes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from widthwise.cli.common import add_limits, add_task, budget_of, check_stdin, stoppable
from widthwise.core.errors import Interrupted, OutOfBudget

if TYPE_CHECKING:
    from widthwise import _native
    from widthwise.classical.pddl.syntax import Condition, DomainDefinition, ProblemDefinition
    from widthwise.core.guard import Guard


def add_check_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    *,
    summary: str,
    description: str,
    epilog: str,
    checked: tuple[str, str],
    goal: str,
) -> argparse.ArgumentParser:
    """Add a command that checks a file against a task; `checked` is the argument for the file, with its help."""
    parser = subparsers.add_parser(
        name,
        help=summary,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    parser.add_argument(checked[0], metavar=checked[0].upper(), help=checked[1])
    parser.add_argument("--goal", action="append", default=[], metavar="GOAL", help=f"{goal}; may be repeated")
    add_limits(parser, nodes=False, memory="reading and the check")
    return parser


def run_check(args: argparse.Namespace, checked: str, check: Callable[[argparse.Namespace, _native.Meter], int]) -> int:
    """Run a check within the limits; `checked` is the name of the file to check."""
    check_stdin(args.domain, args.problem, checked)
    meter = budget_of(args).start()
    with stoppable(meter):
        try:
            return check(args, meter)
        except OutOfBudget as ended:
            print(f"not checked: {ended}")
            return ended.exit_code
        except KeyboardInterrupt:
            print("not checked: interrupted")
            return Interrupted.exit_code


def read_task(args: argparse.Namespace, guard: Guard) -> tuple[DomainDefinition, ProblemDefinition, Condition | None]:
    """The domain, the problem and the goal given with --goal, as parsed from the files."""
    from widthwise.classical.pddl.parser import parse_goal, read_domain, read_problem
    from widthwise.classical.pddl.syntax import And

    domain = read_domain(args.domain, guard)
    problem = read_problem(args.problem, domain, guard)
    goal = And(tuple(parse_goal(text, domain, problem) for text in args.goal)) if args.goal else None
    return domain, problem, goal
