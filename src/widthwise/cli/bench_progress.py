"""Progress of a suite of training runs, read at intervals from the folders that its workers write."""

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
from widthwise.experiments.learning_suites import folders_of
from widthwise.experiments.progress import duration
from widthwise.experiments.runner import Listener
from widthwise.training.run_settings import RunSettings

_TAIL = 4096


class SuiteProgress(Listener):
    """Interactions of all runs together, their rate and the time left; a line for every run that ends."""

    def __init__(self, stream: TextIO, out: Path, runs: Sequence[RunSettings]) -> None:
        self.line = StatusLine(stream)
        self.goals = {
            folder: settings.interactions for folder, settings in zip(folders_of(runs, out), runs, strict=True)
        }
        self.finished = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def begin(self, jobs: Sequence[Job], done_before: int) -> None:
        """Print how many runs are left, and start the thread that reports progress."""
        self.finished = len(self.goals) - len(jobs)
        self.line.print(f"{len(jobs)} of {counted(len(self.goals), 'run')} to go")
        self.thread.start()

    def received(self, done: Done) -> None:
        """A run has ended."""
        self.finished += 1
        line, failure = done.line, done.line["failure"]
        name = " ".join(str(line[key]) for key in ("environment", "algorithm", "overrides") if line[key])
        if failure is not None:
            text = f"failed: {failure['reason'].splitlines()[0]}"
        else:
            best = line["best"]
            text = f"score {line['recent_score']:.2f}, " if line["recent_score"] is not None else ""
            text += f"best score of the network alone {best['network_score']:.2f}, {duration(line['seconds'])}"
        self.line.print(f"{name} seed {line['seed']}: {text}")

    def end(self) -> None:
        """Stop the thread."""
        self.over.set()
        self.line.clear()

    def _watch(self) -> None:
        began, first = time.monotonic(), self._reached()
        while not self.over.wait(2.0 if self.line.live else 60.0):
            text = self.text(first, time.monotonic() - began)
            if self.line.live:
                self.line.show(text)
            else:
                self.line.print(text)

    def text(self, first: int, seconds: float) -> str:
        """One line: runs, interactions and rate since `first` interactions, so many seconds ago."""
        reached, goal = self._reached(), sum(self.goals.values())
        text = f"{self.finished} of {counted(len(self.goals), 'run')} done, {reached:,} of {goal:,} interactions"
        rate = (reached - first) / seconds
        if rate > 0:
            text += f", {rate:,.0f}/s, {duration((goal - reached) / rate)} left"
        if searches := sum(searching(folder) for folder in self.goals):
            text += f"; {counted(searches, 'run')} with a demonstration to find and learn, counted afterwards"
        return text

    def _reached(self) -> int:
        return sum(min(goal, reached(folder)) for folder, goal in self.goals.items())


def reached(folder: Path) -> int:
    """The interactions of a run up to its last line; 0 where there is none yet."""
    interactions = 0
    for name in ("episodes.jsonl", "evaluations.jsonl"):
        try:
            with (folder / name).open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
                lines = file.read().split(b"\n")
            interactions = max(interactions, int(json.loads(lines[-2])["interactions"]))
        except (OSError, ValueError, LookupError, TypeError, OverflowError):
            continue  # not started, being written, or damaged
    return interactions


def searching(folder: Path) -> bool:
    """Whether a run looks for a demonstration or learns it: it writes its first line afterwards."""
    try:
        configuration = json.loads((folder / "config.json").read_text(encoding="utf-8"))["configuration"]
        return configuration["learning"]["archive"] > 0 and not reached(folder)
    except (OSError, ValueError, LookupError, TypeError):
        return False  # not started, or being written
