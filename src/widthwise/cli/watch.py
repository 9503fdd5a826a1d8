"""`widthwise watch`: the page of runs in progress, served on this machine and kept up to date."""

from __future__ import annotations

import argparse
import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from widthwise.cli.signals import stopping

_DESCRIPTION = """\
Serve a page for one or more run folders on the loopback address 127.0.0.1: training runs, searches
or suites, while another process is writing them or after they have ended. The page updates
automatically and keeps its scroll position and filters. Only files are read; nothing in a folder is
executed. Ctrl-C ends the command."""

_EPILOG = """\
examples:
  widthwise watch runs/small
  widthwise watch runs --port 8000

exit codes: 130 ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP; 31 a folder does not exist; 2 wrong usage"""


def port_number(text: str) -> int:
    """The number of a port: 0 for any free one."""
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"a port is a number from 0 (any free port) to 65535, not {text!r}")
    return int(text)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "watch",
        help="show runs in the browser while they are running",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a run folder, or a folder of run folders")
    parser.add_argument("--port", type=port_number, default=0, metavar="N", help="the port (default: any free port)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.set_defaults(run=run)


@contextlib.contextmanager
def live_page(folder: Path, port: int, say: Callable[[str], object]) -> Iterator[None]:
    """Serve the page of a run while it runs in this process; `say` receives the address."""
    from widthwise.reports.live import LiveServer

    server = LiveServer([folder], port)
    server.start()
    say(f"{server.address} shows this run")
    try:
        yield
    finally:
        server.close()
        say(f"the page has ended; `widthwise watch {folder}` shows it again")


def run(args: argparse.Namespace) -> int:
    """Serve until a signal ends the command."""
    from widthwise.cli.main import INTERRUPTED
    from widthwise.core.errors import InputError
    from widthwise.reports.live import LiveServer

    for folder in args.folders:
        if not folder.is_dir():
            what = "this is a file, not a run folder" if folder.exists() else "the folder does not exist"
            raise InputError(f"{folder}: {what}")
    server = LiveServer(args.folders, args.port)
    ended = threading.Event()
    try:
        with stopping(ended.set):
            server.start()
            print(f"{server.address} shows {', '.join(map(str, args.folders))}; Ctrl-C ends", flush=True)
            if args.open:
                import webbrowser

                webbrowser.open(server.address)
            while not ended.wait(0.5):  # a wait without an end would keep signals from being handled
                pass
    finally:
        server.close()
    return INTERRUPTED
