"""One check within limits: what it raises, how long it computes and how much memory it takes decide the outcome.

The limit of time is one of processor time, so that a busy machine does not make a finding.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fuzzing.cases import Case
from widthwise.core.errors import WidthwiseError

#: Processor seconds and bytes that one input may take; the budgets of the targets are well below. A build with
#: sanitizers takes more of both: `make sanitize` says how many times as much.
SLACK = float(os.environ.get("WIDTHWISE_FUZZ_SLACK", "1"))
SECONDS, MEMORY = 20.0 * SLACK, int(600_000_000 * SLACK)


class Hang(BaseException):
    """An input takes too long; no handler of the code under test may catch this."""


@dataclass(frozen=True)
class Verdict:
    """How a check ended: the outcome, for a finding the traceback, and the most memory so far where it was measured."""

    outcome: str
    finding: str | None = None
    peak: int | None = None


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `Hang` after so many seconds of processor time."""

    def stop(number: int, frame: object) -> None:
        raise Hang(f"more than {seconds} seconds of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _peak_bytes() -> int:
    """The most memory the process has had; `getrusage` would count that of the process it was forked from."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def run(
    check: Callable[[Case], str],
    case: Case,
    seconds: float = SECONDS,
    memory: int = MEMORY,
    before: int | None = None,
) -> Verdict:
    """Check one input and say how it ended; `before` is the peak of memory before it, where it is known."""
    before = _peak_bytes() if before is None else before
    try:
        with time_limit(seconds):
            outcome = check(case)
    except WidthwiseError as error:
        if not str(error).strip():
            return Verdict("no message", traceback.format_exc())
        outcome = f"refused ({error.exit_code})"
    except KeyboardInterrupt:
        raise
    except Hang:
        return Verdict("hang", traceback.format_exc())
    except BaseException:
        return Verdict("exception", traceback.format_exc())
    peak = _peak_bytes()
    if peak - before > memory:
        return Verdict("memory", f"the input took {(peak - before) / 1e6:.0f} MB", peak)
    return Verdict(outcome, peak=peak)
