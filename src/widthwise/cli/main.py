"""The main program: runs a command and turns every error into one message and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from widthwise.cli.parser import Parser
from widthwise.cli.signals import handled
from widthwise.core.errors import WidthwiseError, command_line_advice
from widthwise.version import __version__

#: The commands in the order of the help. Each is a module here with add_parser(subparsers) and
#: run(args) -> int; heavy imports are inside run, so that the help is fast.
COMMANDS = (
    "solve",
    "explore",
    "profile",
    "validate",
    "verify_certificate",
    "ground",
    "bounds",
    "play",
    "train",
    "search",
    "check_env",
    "bench",
    "report",
    "watch",
    "serve",
    "mcp",
    "examples",
    "demo",
)

#: What commands return when they were interrupted; `main` replaces it with the code of the signal.
INTERRUPTED = 130

_DESCRIPTION = """\
Width-based planning for PDDL tasks and simulators: keep a state only if it shows something new.

A first task:
  widthwise examples corridor --out corridor
  widthwise solve corridor/domain.pddl corridor/problem.pddl

A first simulator:
  widthwise play maze-small"""

_EPILOG = """\
exit codes:
  0 solved, 11 proved unsolvable, 12 not solved (exhausted or out of nodes),
  22 out of memory, 23 out of time, 31 bad input, 34 unsupported input,
  2 wrong usage, 130 interrupted (143 by SIGTERM, 129 by SIGHUP); validate and
  verify-certificate: 0 valid, 1 not valid; play: 0 played to the end, 12 below
  --goal-score; check-env: 0 no check failed, 12 otherwise; train: 0 completed,
  1 stopped by a full disk or by a loss that is not finite (the last checkpoint is kept)

Results go to stdout, messages to stderr. `widthwise COMMAND --help` describes a command."""


def make_parser(command: str | None = None) -> Parser:
    """The parser of the whole command line, or of one command only, which then alone is imported."""
    parser = Parser(
        prog="widthwise",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"widthwise {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    needed: dict[str, tuple[str, ...]] = {"--version": (), **{name.replace("_", "-"): (name,) for name in COMMANDS}}
    for name in needed.get(command or "", COMMANDS):
        module = f"widthwise.cli.{name}"
        if find_spec(module) is not None:
            import_module(module).add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with handled() as signals, command_line_advice():
        code = _run(argv)
        return signals.exit_code if code == INTERRUPTED else code


def _run(argv: Sequence[str] | None) -> int:
    args = argparse.Namespace()
    try:
        words = sys.argv[1:] if argv is None else argv
        args = make_parser(words[0] if words else None).parse_args(words)
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except WidthwiseError as error:
        return _say(str(error), error.exit_code)
    except KeyboardInterrupt as stopped:
        return _say(str(stopped) or "interrupted", INTERRUPTED)
    except MemoryError:
        advice = "; --max-memory sets a limit below it" if hasattr(args, "max_memory") else ""
        return _say(f"out of memory: no more memory is available{advice}", 22)
    except BrokenPipeError:
        # The reader of stdout has closed it, as `| head` does.
        _drop_stdout()
        return 141
    except OSError as error:
        _drop_stdout()
        place = error.filename or "the output cannot be written"
        return _say(f"{place}: {error.strerror or error}", 1)


def _say(message: str, code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        _drop_stdout()
    with contextlib.suppress(OSError):  # after SIGHUP the terminal may be gone
        print(f"widthwise: {message}", file=sys.stderr)
    return code


def _drop_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter does not fail when it flushes at exit."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
