"""What `widthwise search` shows: its progress on stderr, and the result on stdout."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING

from widthwise.cli.chance import described, note
from widthwise.cli.common import duration
from widthwise.core.showing import counted
from widthwise.core.terminal import StatusLine

if TYPE_CHECKING:
    from widthwise.exploration.search_run import ExplorationRun, SearchResult

_PIPE_SECONDS = 10.0
_TERMINAL_SECONDS = 0.2


def shown(args: argparse.Namespace, result: SearchResult) -> str:
    """The result in the form that the options choose."""
    return json.dumps(result.describe(), ensure_ascii=False) if args.json else text(args.env, result)


def text(environment: str, result: SearchResult) -> str:
    """The result for people."""
    states = ", ".join(f"{count:,}" for count in result.high_level_states)
    took = (
        f"{counted(result.interactions, 'interaction')}, {duration(result.seconds)}; high-level states: {states} "
        f"({result.features})"
    )
    if result.chance.get("stochastic"):
        took += f"\nchance: {described(result.chance['mode'])}"
    if result.score is None:
        return f"{environment}: no trajectory was found that has a positive score or ends an episode of costs\n{took}"
    end = ", the episode ends there" if result.ended else ""
    return (
        f"{environment}: score {result.score:g} in {counted(result.steps, 'step')}{end}; found after "
        f"{counted(result.found_at, 'interaction')}, replayed from a reset\n{took}"
    )


class SearchView:
    """Shows a search on stderr: a status line on a terminal, a line now and then in a pipe."""

    def __init__(self, *, quiet: bool) -> None:
        self.status, self.quiet = StatusLine(sys.stderr), quiet
        self.pause = _TERMINAL_SECONDS if self.status.live else _PIPE_SECONDS
        self.shown = time.monotonic()

    def begin(self, run: ExplorationRun) -> None:
        """Show what the archive distinguishes states by, and what is known about chance."""
        if self.quiet:
            return
        if (chance := note(run.finding, run.mode)) is not None:
            self.say(chance)
        self.say(f"features: {run.features}")

    def improved(self, run: ExplorationRun) -> None:
        """Show a better trajectory; the line stays."""
        best = run.search.best
        if not self.quiet and best is not None:
            self.say(f"{run.interactions:>9,} interactions: score {best.score:g} in {counted(best.steps, 'step')}")

    def moved(self, run: ExplorationRun) -> None:
        """Show where the search is, if it was not shown just now."""
        now = time.monotonic()
        if self.quiet or now - self.shown < self.pause:
            return
        self.shown = now
        best = "none" if run.search.best is None else f"{run.search.best.score:g}"
        states = "+".join(f"{count:,}" for count in run.search.archive.regions)
        line = f"{run.interactions:,} of {run.limit:,} interactions, best score {best}, high-level states {states}"
        if self.status.live:
            self.status.show(line)
        else:
            self.say(line)

    def say(self, text: str) -> None:
        """A line that stays."""
        self.status.print(text)
