"""How a training run goes, for people: one line that renews itself on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, TextIO

from widthwise.core.showing import counted
from widthwise.core.terminal import StatusLine
from widthwise.experiments.progress import duration
from widthwise.training.run import TrainingListener, TrainingRun
from widthwise.training.run_trainer import Record

_PIPE_SECONDS = 10.0
_TERMINAL_SECONDS = 0.2


class TrainView(TrainingListener):
    """Shows a run on a stream (stderr)."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        self.status, self.quiet = StatusLine(stream), quiet
        self.pause = _TERMINAL_SECONDS if self.status.live else _PIPE_SECONDS
        self.shown = time.monotonic()

    def begin(self, run: TrainingRun) -> None:
        """Print where the run continues."""
        if run.resumed:
            before = counted(run.episodes, "episode")
            self.say(f"continuing at {counted(run.trainer.interactions, 'interaction')}, after {before}")

    def moved(self, run: TrainingRun) -> None:
        """Show where the run is, if it was not shown just now."""
        now = time.monotonic()
        if self.quiet or now - self.shown < self.pause:
            return
        self.shown = now
        if self.status.live:
            self.status.show(line(run))
        else:
            self.status.print(line(run))

    def evaluated(self, run: TrainingRun, record: Record) -> None:
        """Show an evaluation; on a terminal it stays."""
        if not self.quiet:
            self.say(evaluation(record))

    def demonstrated(self, run: TrainingRun) -> None:
        """Show what the search for a demonstration has found."""
        found = demonstration(run.trainer.summary())
        if not self.quiet and found is not None:
            self.say(found)

    def chosen(self, text: str) -> None:
        """What was chosen because nothing was said."""
        if not self.quiet:
            self.say(text)

    def say(self, text: str) -> None:
        """A line that stays."""
        self.status.print(text)

    def end(self) -> None:
        """Leave the terminal as it was found."""
        self.status.clear()


def line(run: TrainingRun) -> str:
    """Where a run is, in one line."""
    done, goal, rate = run.trainer.interactions, run.schedule.interactions, run.rate()
    parts = [f"{done:,} of {counted(goal, 'interaction')} ({100 * done / goal:.0f}%), {rate:,.0f}/s"]
    recent = run.mean_recent()
    if recent is not None:
        played = counted(run.from_reset, "episode")
        if run.episodes > run.from_reset:
            played += f" from a reset, {run.episodes - run.from_reset:,} others"
        parts.append(
            f"score {recent[0]:.2f} in {counted(round(recent[1]), 'step')} (last {len(run.recent)} of {played})"
        )
    if run.evaluation_interactions:
        parts.append(f"evaluations took {run.evaluation_interactions:,} more")
    figures = run.trainer.figures()
    if "demonstration" in figures:
        what = "learning the demonstration" if run.trainer.rehearsing() else "search for a demonstration"
        parts.append(f"{what}, score {figures['demonstration']:g}")
    elif not (run.reward_seen or run.trainer.rewarded()):  # a demonstration comes before the first episode ends
        parts.append("no reward yet, nothing is learned")
    if "loss" in figures:
        parts.append(f"loss {figures['loss']:.3f}")
    if "actors" in figures:
        lost = f", {figures['actors_lost']:.0f} lost" if figures["actors_lost"] else ""
        parts.append(f"{counted(int(figures['actors']), 'actor')}{lost}, {figures['lag']:.0f} updates behind")
    if rate > 0:
        parts.append(f"{duration(max(0, goal - done) / rate)} left")
    return "; ".join(parts)


def demonstration(result: Mapping[str, Any]) -> str | None:
    """The demonstration of a run in one line, from its result; None for a run without a search for one."""
    if "demonstration_interactions" not in result:
        return None
    search = counted(result["demonstration_interactions"], "interaction")
    score = result["demonstration_score"]
    if score is None:
        return f"before the first episode: a search of {search}, no trajectory with a reward"
    found = f"a demonstration: score {score:g} in {counted(result['demonstration_steps'], 'step')}"
    episode = "a training episode, " if result["demonstration_source"] == "episode" else ""
    return f"{found}, {episode}after a search of {search}"


def evaluation(record: Record) -> str:
    """An evaluation in one line."""
    text = f"at {record['interactions']:,}: the network alone scores {record['network_score']:.2f}"
    text += f" in {counted(round(record['network_steps']), 'step')}"
    if record.get("planner_score") is not None:
        text += f", with the planner {record['planner_score']:.2f} in {record['planner_steps']:.0f}"
    text += " (best so far)" if record["best"] and not record["tied"] else ""
    if cut := record.get("cut_episodes"):
        text += f"; {counted(cut, 'episode')} cut off after {counted(record['cut_after'], 'step')} (--evaluation-steps)"
    return text
