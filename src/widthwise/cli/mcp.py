"""`widthwise mcp`: the tools of Widthwise for language models, over the Model Context Protocol."""

from __future__ import annotations

import argparse
import asyncio

from widthwise.cli.serve import add_service_limits
from widthwise.cli.signals import stopping
from widthwise.core.errors import MissingExtraError

_DESCRIPTION = """\
Serve the Model Context Protocol over stdin and stdout, for programs that let language models
use tools. The tools solve a PDDL task, validate a plan, profile the widths of the goals, and
explain why a task or a plan fails. The client starts this command; it ends when the client
closes stdin, or by Ctrl-C or SIGTERM, with exit code 0."""

_EPILOG = """\
in the configuration of a client:
  {"mcpServers": {"widthwise": {"command": "widthwise", "args": ["mcp"]}}}"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "mcp",
        help="planning tools for language models, over the Model Context Protocol",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_service_limits(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until the client closes the connection."""
    try:
        from widthwise.service.mcp_server import ProtocolServer
    except ModuleNotFoundError as error:
        raise MissingExtraError("widthwise mcp", "mcp", error.name or "an optional package") from None
    from widthwise.service.limits import ServiceLimits

    chosen = {} if args.workers is None else {"workers": args.workers}
    server = ProtocolServer(ServiceLimits(seconds=args.max_time, megabytes=args.max_memory, **chosen))
    with stopping(server.stop):
        asyncio.run(server.run())
    return 0
