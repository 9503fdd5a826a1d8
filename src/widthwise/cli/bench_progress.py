"""How a suite of training runs goes: read now and then from the folders its workers write."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from widthwise.core.showing import counted
from widthwise.core.terminal import StatusLine
from widthwise.experiments.jobs import Done, Job
from widthwise.experiments.learning_suites import RUNS, folder_of
from widthwise.experiments.progress import duration
from widthwise.experiments.runner import Listener
from widthwise.training.run_settings import RunSettings

_TAIL = 4096


class SuiteProgress(Listener):
    """Interactions of all runs together, their rate and the time left; a line for every run that ends."""

    def __init__(self, stream: TextIO, out: Path, runs: Sequence[RunSettings]) -> None:
        self.line = StatusLine(stream)
        self.goals = {out / RUNS / folder_of(one): one.interactions for one in runs}
        self.finished = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def begin(self, jobs: Sequence[Job], kept: int) -> None:
        """Say what there is to do, and begin to watch."""
        self.finished = len(self.goals) - len(jobs)
        self.line.print(f"{len(jobs)} of {counted(len(self.goals), 'run')} to go")
        self.thread.start()

    def hear(self, one: Done) -> None:
        """A run has ended."""
        self.finished += 1
        line, failure = one.line, one.line["failure"]
        name = " ".join(str(line[key]) for key in ("environment", "algorithm", "parts") if line[key])
        if failure is not None:
            told = f"failed: {failure['reason'].splitlines()[0]}"
        else:
            best = line["best"]
            told = f"score {line['recent_score']:.2f}, " if line["recent_score"] is not None else ""
            told += f"best network alone {best['network_score']:.2f}, {duration(line['seconds'])}"
        self.line.print(f"{name} seed {line['seed']}: {told}")

    def end(self) -> None:
        """Stop watching."""
        self.over.set()
        self.line.clear()

    def _watch(self) -> None:
        began, first = time.monotonic(), self._reached()
        while not self.over.wait(2.0 if self.line.live else 60.0):
            reached, goal = self._reached(), sum(self.goals.values())
            rate = (reached - first) / (time.monotonic() - began)
            left = f", {duration((goal - reached) / rate)} left" if rate > 0 else ""
            text = f"{self.finished} of {counted(len(self.goals), 'run')} done, {reached:,} of {goal:,} interactions"
            text += f", {rate:,.0f}/s{left}"
            if self.line.live:
                self.line.show(text)
            else:
                self.line.print(text)

    def _reached(self) -> int:
        return sum(min(goal, reached(folder)) for folder, goal in self.goals.items())


def reached(folder: Path) -> int:
    """The interactions of a run up to its last line; 0 where there is none yet."""
    found = 0
    for name in ("episodes.jsonl", "evaluations.jsonl"):
        try:
            with (folder / name).open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
                lines = file.read().split(b"\n")
            found = max(found, int(json.loads(lines[-2])["interactions"]))
        except (OSError, ValueError, LookupError, TypeError, OverflowError):
            continue  # not begun, just being written, or damaged
    return found
