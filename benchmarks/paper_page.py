"""What the benchmarks that write a page about the paper's algorithms share: their arguments, and what made a page."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys


def parser(about: str | None, out: str) -> argparse.ArgumentParser:
    """Arguments that say where the tasks are and where the page goes; `about` is the benchmark's own description."""
    made = argparse.ArgumentParser(description=about.splitlines()[0] if about else None)
    made.add_argument("--benchmarks", default=os.environ.get("WIDTHWISE_BENCHMARKS"))
    made.add_argument("--out", default=out)
    return made


def parsed(made: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments as they were given; without any tasks the benchmark ends here."""
    args = made.parse_args()
    if not args.benchmarks:
        sys.exit("give --benchmarks DIR or set WIDTHWISE_BENCHMARKS")
    return args


def made_by() -> str:
    """The version of the program, and of Python, as a page tells them."""
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return f"commit {head.stdout.strip()}, Python {platform.python_version()}"
