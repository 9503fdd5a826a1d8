"""`widthwise serve`: answer planning requests over HTTP."""

from __future__ import annotations

import argparse
import sys

from widthwise.cli.common import amount, whole_number
from widthwise.cli.signals import stopping
from widthwise.core.errors import MissingExtraError

_DESCRIPTION = """\
Answer planning requests over HTTP, as JSON, on this machine only. The address is printed to
stderr; the page at this address describes all requests. Clients of solver.planning.domains and of
planning-as-a-service work with it. Every request runs in a worker process with limits of time
and memory. Ctrl-C or SIGTERM ends the service and all its processes; the exit code is 0."""

_EPILOG = """\
examples:
  widthwise serve
  widthwise serve --port 8080 --max-time 60 --max-memory 4000 --workers 8
  widthwise serve --allow-origin http://editor.planning.domains"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "serve",
        help="answer planning requests over HTTP",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=port_number, default=5001, help="the port (default 5001); 0 chooses a free port")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to listen on (default 127.0.0.1, this machine only). With another address everyone who can "
        "reach this machine can use the service: it has no passwords",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="URL",
        help="let web pages of this site send requests, such as http://editor.planning.domains; may be repeated",
    )
    add_service_limits(parser)
    parser.add_argument(
        "--max-queue",
        type=count_or_zero,
        metavar="N",
        default=256,
        help="queue at most N further requests (default 256)",
    )
    parser.add_argument(
        "--max-body", type=amount, metavar="MB", default=8.0, help="accept requests of at most MB megabytes (default 8)"
    )
    parser.set_defaults(run=run)


def add_service_limits(parser: argparse.ArgumentParser) -> None:
    """The limits of requests that all kinds of services have."""
    parser.add_argument(
        "--max-time",
        type=amount,
        metavar="S",
        default=20.0,
        help="spend at most S seconds on a request (default 20)",
    )
    parser.add_argument(
        "--max-memory",
        type=amount,
        metavar="MB",
        default=1000.0,
        help="use at most MB megabytes for a request (default 1000)",
    )
    parser.add_argument(
        "--workers",
        type=whole_number,
        metavar="N",
        help="process N requests at the same time (default: the number of processors, at most 4)",
    )


def port_number(text: str) -> int:
    """An option's value that is a port."""
    if not (text.isascii() and text.isdigit()) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a port is a whole number from 0 to 65535")
    return int(text)


def count_or_zero(text: str) -> int:
    """An option's value that is a whole number from 0 on."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal ends it."""
    try:
        from widthwise.service.app import Service
        from widthwise.service.server import ServerRun, is_loopback, open_socket
    except ModuleNotFoundError as error:
        raise MissingExtraError("widthwise serve", "serve", error.name or "an optional package") from None
    from widthwise.service.limits import ServiceLimits

    chosen = {} if args.workers is None else {"workers": args.workers}
    limits = ServiceLimits(
        seconds=args.max_time,
        megabytes=args.max_memory,
        body_bytes=max(1, int(args.max_body * 1_000_000)),
        queue=args.max_queue,
        **chosen,
    )
    local = is_loopback(args.host)
    service = Service(limits, hosts=[args.host], origins=args.allow_origin, any_host=not local)
    listener = open_socket(args.host, args.port)
    if not local:
        print(
            f"widthwise: warning: everyone who can reach {args.host} can use this service. It has no passwords and no "
            "encryption; put a server that has them in front of it.",
            file=sys.stderr,
        )

    def ready(url: str) -> None:
        print(f"widthwise: serving on {url} (Ctrl-C ends it)", file=sys.stderr, flush=True)

    server = ServerRun(service, listener, ready)
    with stopping(server.stop):
        server.run()
    return 0
