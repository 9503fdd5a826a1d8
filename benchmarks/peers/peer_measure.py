"""What every runner script shares: a clock, a memory gauge, a quiet standard output and one line of JSON.

A runner is a process of its own that measures one system on one task, once. It imports nothing
but the standard library and the system it measures, so that the second environment needs nothing else.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SHORT_SECONDS = 0.05
FILL_SECONDS = 0.2
FILL_DEADLINE = 2.0


@dataclass(frozen=True)
class Search:
    """The counts of one search: all generated nodes, expanded nodes, seconds and how it ended."""

    generated: int
    expanded: int
    seconds: float
    status: str


class Quiet:
    """Standard output, redirected to a file, also for native code."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._out = os.dup(1)
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        os.dup2(self._file.fileno(), 1)
        self._read = 0

    def printed(self) -> str:
        """Return what was printed since the last call."""
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)
        size = self._file.seek(0, os.SEEK_END)
        # pread leaves the offset, which the writing side shares, where it is.
        text = os.pread(self._file.fileno(), size - self._read, self._read)
        self._read = size
        return text.decode("utf-8", "replace")

    def report(self, **fields: object) -> None:
        """Print the one line of JSON on the real standard output."""
        os.write(self._out, (json.dumps(fields) + "\n").encode())


def arguments() -> argparse.Namespace:
    """Read the command line that all runners have in common."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["ground", "search", "growth"])
    parser.add_argument("domain")
    parser.add_argument("problem")
    parser.add_argument("--width", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--sizes", type=json.loads, default={})
    return parser.parse_args()


def cpu_seconds() -> float:
    """Return the processor time of this process and of the processes it has waited for."""
    whom = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, whom))


def peak_mb() -> float:
    """Return the largest resident memory so far, of this process or of one it has waited for."""
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # The kernel carries ru_maxrss over from the parent through exec; the high-water mark is ours alone.
    for line in _status_lines():
        if line.startswith("VmHWM:"):
            own = int(line.split()[1])
    return max(peak, own) / 1024


def reset_peak() -> None:
    """Make the high-water mark of this process start again from what it holds now (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def limit_seconds(seconds: float) -> None:
    """End this process by a signal after that time: native code that ignores handlers dies of it too."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def filled(run: Callable[[], Search]) -> dict[str, object]:
    """Run a search, repeat it while it is too short for the clock, and return its mean counts.

    The memory is that of the first run: repetitions are for the clock alone.
    """
    # A search of microseconds costs more to call than to run: the deadline keeps the filling short.
    deadline = time.perf_counter() + FILL_DEADLINE
    first = run()
    peak = peak_mb()
    done = [first]
    total = first.seconds
    while first.seconds < SHORT_SECONDS and total < FILL_SECONDS and time.perf_counter() < deadline:
        done.append(run())
        total += done[-1].seconds
    runs = len(done)
    return {
        "generated": sum(search.generated for search in done) / runs,
        "expanded": sum(search.expanded for search in done) / runs,
        "seconds": total / runs,
        "runs": runs,
        "status": first.status,
        "peak_mb": peak,
    }


def _status_lines() -> list[str]:
    try:
        return Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return []
