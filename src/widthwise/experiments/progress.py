"""Where a suite is: a bar with the time left on a terminal, a line per finished row in a pipe."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import TextIO

from widthwise.core.showing import counted
from widthwise.core.terminal import StatusLine
from widthwise.experiments.jobs import Done, Job
from widthwise.experiments.runner import Listener

_WIDTH = 30


class RowProgress(Listener):
    """RowProgress of a suite whose lines belong to rows, written to a stream (stderr)."""

    def __init__(self, stream: TextIO) -> None:
        self.line = StatusLine(stream)
        self.total = 0.0
        self.finished = 0.0
        self.lines = 0
        self.count = 0
        self.failures = 0
        self.left: Counter[str] = Counter()
        self.started = self.shown = 0.0

    def begin(self, jobs: Sequence[Job], done_before: int) -> None:
        """Count what there is to do."""
        self.total = sum(job.weight for job in jobs)
        self.count = sum(len(job.parts) for job in jobs)
        for job in jobs:
            for part in job.parts:
                self.left[part["row"]] += 1
        self.started = time.monotonic()
        if done_before:
            self.line.print(f"{counted(done_before, 'line is', 'lines are')} already written, {self.count} to go")

    def received(self, done: Done) -> None:
        """Count a line and show it."""
        self.finished += done.weight
        self.lines += 1
        row = done.line["row"]
        self.left[row] -= 1
        if done.line["failure"] is not None:
            self.failures += 1
            reason = done.line["failure"]["reason"].splitlines()[0]
            self.line.print(f"failed: {row} {done.line['instance']} {done.line['planner']}: {reason}")
        if not self.line.live:
            if not self.left[row]:
                rows = sum(1 for count in self.left.values() if count)
                self.line.print(f"{row} done, {rows} rows left, {self._elapsed():.0f} s")
        elif time.monotonic() - self.shown > 0.1:
            self._draw()

    def end(self) -> None:
        """Leave the terminal as it was found."""
        self.line.clear()

    def _elapsed(self) -> float:
        return time.monotonic() - self.started

    def _draw(self) -> None:
        self.shown = time.monotonic()
        share = self.finished / self.total if self.total else 1.0
        full = int(share * _WIDTH)
        left = self._elapsed() * (1 - share) / share if share else 0.0
        failed = f", {self.failures} failed" if self.failures else ""
        bar = "#" * full + "." * (_WIDTH - full)
        self.line.show(f"[{bar}] {self.lines}/{counted(self.count, 'line')}{failed}, {duration(left)} left")


def duration(seconds: float) -> str:
    """A time for people: 45 s, 3:20, 1:02:03."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
