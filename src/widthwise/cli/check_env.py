"""`widthwise check-env`: whether an environment can be used for planning, and what its calls cost."""

from __future__ import annotations

import argparse
import ast
import json
from typing import Any

from widthwise.cli.chance import add_step_timeout
from widthwise.cli.common import amount, seed
from widthwise.core.errors import UsageError

_DESCRIPTION = """\
Check whether an environment can be used for planning: it must restore a saved state exactly,
also after other actions and in another process, and the same action in the same state must
have the same result. Prints the verdict of each check with the first difference found, and
the time of a step, a save and a load. Exit code 0 if no check failed, 12 otherwise."""

_EPILOG = """\
ENV is maze-small, maze-large, corridor, maze:FILE (your own maze), atari:GAME, the id of
a Gymnasium environment, or module:attribute (a simulator, an environment, or a function that
returns one).

examples:
  widthwise check-env maze-small
  widthwise check-env atari:montezuma_revenge --option frame_skip=4
  widthwise check-env CartPole-v1 --option copy=pickle
  widthwise check-env Pendulum-v1 --actions grid:5"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "check-env",
        help="check whether an environment can be used for planning",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("env", metavar="ENV", help="the environment")
    add_options(parser)
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of the episodes (default 0)")
    parser.add_argument(
        "--max-time", type=amount, default=2.0, metavar="S", help="approximate seconds per check (default 2)"
    )
    add_step_timeout(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(run=run)


def add_options(parser: Any) -> None:
    """The options of environments, for every command that makes one."""
    parser.add_argument(
        "--option",
        type=option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the environment; may be repeated",
    )
    parser.add_argument(
        "--actions",
        metavar="GRID",
        help="for continuous actions of Gymnasium environments: grid:N takes N values of each number, grid:NxM N of "
        "the first and M of the second",
    )


def options_of(args: argparse.Namespace) -> dict[str, Any]:
    """The options of the environment that were given."""
    options = dict(args.option)
    if args.actions is not None:
        if "actions" in options:
            raise UsageError("--actions GRID and --option actions=GRID are the same: give only one of them")
        options["actions"] = args.actions
    return options


def option(text: str) -> tuple[str, Any]:
    """A name and a value: true, false, none, a number, another value of JSON or Python, or else plain text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form NAME=VALUE")
    words = {"true": True, "false": False, "none": None, "null": None}
    if value.lower() in words:
        return name, words[value.lower()]
    for read in (json.loads, ast.literal_eval):
        try:
            return name, read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return name, value


def option_text(name: str, value: Any) -> str:
    """An option as it is written on the command line, so that `option` reads the same value."""
    plain = isinstance(value, str) and option(f"{name}={value}") == (name, value)
    return f"{name}={value if plain else json.dumps(value, default=repr)}"


def run(args: argparse.Namespace) -> int:
    """Check, print the report, and return 0 if no check failed and 12 otherwise."""
    from widthwise.core.watchdog import watching
    from widthwise.simulators.checker import check_simulator

    with watching(args.step_timeout, exit_code=23) as watch:
        if watch is not None:
            watch.prepare(args.env, "", "", "", "")
        report = check_simulator(args.env, seed=args.seed, seconds=args.max_time, **options_of(args))
    print(json.dumps(report.to_json(), ensure_ascii=False) if args.json else report)
    return 0 if report.ok else 12
