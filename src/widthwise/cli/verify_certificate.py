"""`widthwise verify-certificate`: check a certificate that a task has no plan."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from widthwise.cli.common import add_limits, add_task, budget_of, check_stdin, stoppable
from widthwise.core.errors import Interrupted, OutOfBudget

if TYPE_CHECKING:
    from widthwise import _native

_DESCRIPTION = """\
Check a certificate of `widthwise solve --certificate` on the PDDL files: the initial state
is in its set of states, no action leads out of the set, and the goal holds nowhere in it.
Prints `valid` (exit code 0) or `not valid` with the reason (exit code 1). If a limit is
reached or Ctrl-C is pressed first, it prints `not checked` (exit code 22, 23 or 130).
The check shares no code with grounding and search."""

_EPILOG = """\
example:
  widthwise solve domain.pddl problem.pddl --certificate proof.json
  widthwise verify-certificate domain.pddl problem.pddl proof.json"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "verify-certificate",
        help="check a certificate that a task has no plan",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    parser.add_argument("certificate", metavar="CERTIFICATE", help="the certificate file, or - for stdin")
    parser.add_argument(
        "--goal", action="append", default=[], metavar="GOAL", help="the goal that `solve --goal` had; may be repeated"
    )
    add_limits(parser, nodes=False, memory="reading and the check")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Verify, print the verdict, and return 0 for a valid certificate and 1 for another."""
    check_stdin(args.domain, args.problem, args.certificate)
    meter = budget_of(args).start()
    with stoppable(meter):
        try:
            return _verify(args, meter)
        except OutOfBudget as ended:
            print(f"not checked: {ended}")
            return ended.exit_code
        except KeyboardInterrupt:
            print("not checked: interrupted")
            return Interrupted.exit_code


def _verify(args: argparse.Namespace, meter: _native.Meter) -> int:
    from widthwise.classical.certificate import Certificate
    from widthwise.classical.pddl.parser import parse_goal, read_domain, read_problem
    from widthwise.classical.pddl.syntax import And
    from widthwise.classical.verify import CERTIFICATE, check_certificate
    from widthwise.core.guard import Guard

    guard = Guard(meter, CERTIFICATE)
    domain = read_domain(args.domain, guard)
    problem = read_problem(args.problem, domain, guard)
    goal = And(tuple(parse_goal(text, domain, problem) for text in args.goal)) if args.goal else None
    certificate = Certificate.read(args.certificate, guard)
    verdict = check_certificate(domain, problem, certificate, goal, poll=guard)
    print(f"{'valid' if verdict.valid else 'not valid'}: {verdict.reason}")
    return 0 if verdict.valid else 1
