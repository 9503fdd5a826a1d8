"""`widthwise verify-certificate`: check a certificate that a task has no plan."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from widthwise.cli.checking import add_check_parser, read_task, run_check

if TYPE_CHECKING:
    from widthwise import _native

_DESCRIPTION = """\
Check a certificate written by `widthwise solve --certificate` on the PDDL files: the initial
state is in its set of states, no action leads out of the set, and no state of the set
satisfies the goal. Prints `valid` (exit code 0) or `not valid` with the reason (exit code 1).
If a limit is reached or Ctrl-C is pressed first, it prints `not checked` (exit code 22, 23
or 130). The check shares no code with grounding and search."""

_EPILOG = """\
example:
  widthwise solve domain.pddl problem.pddl --certificate proof.json
  widthwise verify-certificate domain.pddl problem.pddl proof.json"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = add_check_parser(
        subparsers,
        "verify-certificate",
        summary="check a certificate that a task has no plan",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        checked=("certificate", "the certificate file, or - for stdin"),
        goal="the goal that was given to `solve --goal`",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Verify, print the verdict, and return 0 for a valid certificate, 1 for another, or the code of the limit."""
    return run_check(args, args.certificate, _verify)


def _verify(args: argparse.Namespace, meter: _native.Meter) -> int:
    from widthwise.classical.certificate import Certificate
    from widthwise.classical.verify import CERTIFICATE, check_certificate
    from widthwise.core.guard import Guard

    guard = Guard(meter, CERTIFICATE)
    domain, problem, goal = read_task(args, guard)
    certificate = Certificate.read(args.certificate, guard)
    verdict = check_certificate(domain, problem, certificate, goal, poll=guard)
    print(f"{'valid' if verdict.valid else 'not valid'}: {verdict.reason}")
    return 0 if verdict.valid else 1
