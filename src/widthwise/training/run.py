"""A training run: learn, write lines, evaluate at intervals, keep checkpoints, and continue from one.

Everything the future depends on is in the checkpoint, the bytes of the files of lines included. A run that was killed
continues from its newest checkpoint after cutting back what is newer, and so writes the same lines as one that never
stopped; only names containing `seconds` differ.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from pathlib import Path
from statistics import fmean

from widthwise.core.errors import install_line
from widthwise.core.showing import counted
from widthwise.training.checkpoint import SENSELESS, Checkpoint, Checkpoints, RunStopped, makes_sense, senseless
from widthwise.training.folder import Events, TrainingFolder
from widthwise.training.run_schedule import RunSchedule
from widthwise.training.run_shape import HELD, RECENT
from widthwise.training.run_trainer import Beside, PendingEvaluation, Record, RunTrainer, merit
from widthwise.training.transport import ActorLost

MOST_RECOVERIES = 3  # from the loss of one actor, without a checkpoint between them


class TrainingListener:
    """Receives the progress of a run; this base class ignores it."""

    def begin(self, run: TrainingRun) -> None:
        """The run is about to begin or to continue."""

    def moved(self, run: TrainingRun) -> None:
        """An action was executed."""

    def evaluated(self, run: TrainingRun, record: Record) -> None:
        """There was an evaluation."""

    def demonstrated(self, run: TrainingRun) -> None:
        """The search for a demonstration has ended; the summary of the trainer says what it has found."""

    def chosen(self, text: str) -> None:
        """A choice that was made because the user made none."""

    def say(self, text: str) -> None:
        """A message for the user."""

    def end(self) -> None:
        """The run has ended or was stopped; there are no more calls."""


class TrainingRun:
    """One run in its folder."""

    def __init__(
        self,
        folder: TrainingFolder,
        checkpoints: Checkpoints,
        learner: RunTrainer,
        schedule: RunSchedule,
        listener: TrainingListener | None = None,
        *,
        beside: Beside | None = None,
    ) -> None:
        self.folder, self.checkpoints, self.trainer, self.schedule = folder, checkpoints, learner, schedule
        self.beside = beside
        self.pending: PendingEvaluation | None = None
        self._evaluation_seconds = 0.0  # of the last one
        self._recoveries: Counter[int] = Counter()  # by actor, since the last checkpoint
        self.listener = listener or TrainingListener()
        self.stopping = False  # set it, from a signal handler too, and the run ends after the action in hand
        self.episodes = self.evaluations = 0
        self.from_reset = 0  # episodes that did not begin at a state of the demonstration
        self.mark = 1 if schedule.evaluation_share else 0  # the interval at whose end the next evaluation is due
        self.outstanding = False  # whether what was learned during the search is still to be evaluated
        self.evaluation_interactions = 0  # not part of the learner's interactions
        self.planner_interactions = 0  # of them, with the planner
        self.episode_interactions = 0  # of the training episodes from a reset that have ended
        self.reward_seen = False  # in a training episode
        self.best: Record | None = None
        self.recent: deque[tuple[float, int]] = deque(maxlen=RECENT)
        self.seconds = 0.0  # of all parts of the run up to now
        self.resumed = False
        self._from: Path | None = None  # the checkpoint that this part of the run began with, until the next is written
        self.began_at = 0  # interactions when this part of the run began
        self._clock = time.monotonic()

    def resume(self, checkpoint: Checkpoint) -> None:
        """Go back to a checkpoint: the learner, the counters, the files.

        Raises `InputError` if its contents are contradictory; then nothing in the folder was changed.
        """
        held, self.resumed = checkpoint.data, True
        self._from = checkpoint.path
        with makes_sense(checkpoint.path):
            HELD(held, "data")
            self.trainer.restore(held["learner"])
            pending = held["run"].get("pending")
            self.pending = None if pending is None else PendingEvaluation(**pending)
            if self.pending is not None and self.beside is not None:
                self.beside.start(self.pending.number, self.pending.planner, self.pending.policy)
        self.folder.cut(held["lines"])
        run = held["run"]
        self.episodes, self.evaluations = run["episodes"], run["evaluations"]
        self.best, self.seconds = run["best"], run["seconds"]
        self.mark = run.get("mark", self.evaluations)  # version 0.1 had no other count
        self.outstanding = run.get("outstanding", False)  # earlier versions had no others
        self.evaluation_interactions = run.get("evaluation_interactions", 0)
        self.planner_interactions = run.get("planner_interactions", 0)
        self.episode_interactions = run.get("episode_interactions", self.trainer.interactions)
        self.from_reset = run.get("from_reset", self.episodes)  # earlier versions had no others
        self.reward_seen = run.get("reward_seen", True)
        self.recent.clear()
        self.recent.extend((score, steps) for score, steps in run["recent"])

    def run(self) -> Record | None:
        """Train to the end and return the result; None if it was stopped, after a checkpoint."""
        learner, schedule = self.trainer, self.schedule
        self.began_at, self._clock = learner.interactions, time.monotonic()
        events = Events(self.folder.folder, learner.interactions)
        if not events.available:
            self.listener.say(f"note: TensorBoard events are not written; they need {install_line('learn')}")
        self.listener.begin(self)
        try:
            size = self.save(events)  # shows at once whether there is room, and is a state to go back to
            if self.checkpoints.room() < 3 * size:
                raise RunStopped(
                    f"{self.checkpoints.folder}: the disk has no space for three checkpoints of {size:,} bytes"
                )
            saved = time.monotonic()
            while not self.stopping:
                try:
                    if self._take_evaluation(events, wait=False):
                        pass
                    elif self._due(events):
                        if not self._evaluate(events):
                            break
                    elif learner.interactions < schedule.interactions or learner.preparing():
                        self._advance(events)
                        if time.monotonic() - saved < schedule.checkpoint_seconds:
                            continue
                    elif self.pending is None:
                        return self._finish(events)
                    self.save(events)
                except ActorLost as error:
                    self._recover(error)
                    continue
                saved, self._from = time.monotonic(), None
                self._recoveries.clear()
            self._save_at_stop(events)
            return None
        finally:
            self.trainer.close()
            if self.beside is not None:
                self.beside.close()
            events.close()
            if events.failure:
                self.listener.say(f"note: the figures for TensorBoard are incomplete ({events.failure})")
            self.listener.end()

    def elapsed(self) -> float:
        """Seconds of all parts of the run."""
        return self.seconds + time.monotonic() - self._clock

    def rate(self) -> float:
        """Interactions per second of this part of the run."""
        return (self.trainer.interactions - self.began_at) / max(1e-9, time.monotonic() - self._clock)

    def mean_recent(self) -> tuple[float, float] | None:
        """The mean score and steps of recent episodes."""
        if not self.recent:
            return None
        return fmean(score for score, _ in self.recent), fmean(steps for _, steps in self.recent)

    @property
    def chance(self) -> str | None:
        """How steps that depend on chance are dealt with; None where there are none."""
        return getattr(self.trainer, "chance", None)

    def save(self, events: Events) -> int:
        """Write a checkpoint; returns its size."""
        self._write(self.trainer.settle(), events)
        run: Record = {
            "episodes": self.episodes,
            "evaluations": self.evaluations,
            "mark": self.mark,
            "outstanding": self.outstanding,
            "evaluation_interactions": self.evaluation_interactions,
            "planner_interactions": self.planner_interactions,
            "episode_interactions": self.episode_interactions,
            "from_reset": self.from_reset,
            "reward_seen": self.reward_seen,
            "best": self.best,
            "seconds": self.elapsed(),
            "recent": [list(pair) for pair in self.recent],
            **({} if self.pending is None else {"pending": self.pending.describe()}),
        }
        return self.checkpoints.save({"lines": self.folder.sizes(), "learner": self.trainer.state(), "run": run})

    def _save_at_stop(self, events: Events) -> None:
        """The last checkpoint of a run that was stopped; if an actor is lost now, the one before it stays."""
        try:
            self.save(events)
        except ActorLost as error:
            self.listener.say(f"{error}; the run continues from the checkpoint before that")

    def _recover(self, error: ActorLost) -> None:
        """Replace an actor that was lost, and go back to the last checkpoint where the run has to."""
        lost_at = self.trainer.interactions
        self._recoveries[error.actor] += 1
        if self._recoveries[error.actor] > MOST_RECOVERIES:
            raise RunStopped(f"{error}; it was already replaced {MOST_RECOVERIES} times without any progress") from None
        back = self.trainer.recover(error)
        if back:
            elapsed = self.elapsed()
            self.resume(self.checkpoints.load(self.listener.say))
            self.seconds, self._clock = elapsed, time.monotonic()
        repeated = lost_at - self.trainer.interactions if back else 0
        record = {
            "actor": error.actor,
            "reason": error.reason,
            "interactions": lost_at,
            "repeated_interactions": repeated,
            "seconds": round(self.elapsed(), 3),
        }
        self.folder.fault(record)
        again = f"; the run repeats the last {counted(repeated, 'interaction')}" if back else ""
        self.listener.say(f"{error}; it is replaced{again}")

    def _advance(self, events: Events) -> None:
        searching, rehearsing = self._searching(), self.trainer.rehearsing()
        self._write(self._moved(), events)
        passed = self._passed()
        if searching:  # nothing is learned: intervals pass without an evaluation, except the last
            if not self.outstanding:
                self.mark = max(self.mark, min(passed + 1, self._last_mark()))
            if not self._searching():
                self.listener.demonstrated(self)
        elif rehearsing and self._searching():  # a trajectory was learned, and the search continues
            self.mark, self.outstanding = min(self.mark, passed), True
        self.stopping = self.stopping or self.trainer.stop_asked
        self.listener.moved(self)

    def _write(self, episodes: list[Record], events: Events) -> None:
        for ended in episodes:
            record = {"episode": self.episodes, **ended, "seconds": round(self.elapsed(), 3)}
            self.episodes += 1
            self.reward_seen = self.reward_seen or self.trainer.rewarded()
            self.folder.episodes.append(record)
            figures = {f"learning/{name}": value for name, value in self.trainer.figures().items()}
            if not record.get("start"):  # score and steps of the others are in part those of the demonstration
                self.from_reset += 1
                self.episode_interactions += record.get("episode_interactions", 0)
                self.recent.append((record["score"], record["steps"]))
                figures |= {"episodes/score": record["score"], "episodes/steps": record["steps"]}
            figures["episodes/interactions_per_second"] = self.rate()
            events.add(record["interactions"], figures)

    def _moved(self) -> list[Record]:
        """Advance the learner; impossible contents of a checkpoint may cause an error only here."""
        try:
            return self.trainer.advance()
        except SENSELESS as error:
            if self._from is None:
                raise
            raise senseless(self._from, error) from error

    def _searching(self) -> bool:
        """Whether the search for a demonstration is in progress."""
        return self.trainer.preparing() and not self.trainer.rehearsing()

    def _due(self, events: Events) -> bool:
        """Whether an evaluation is due: at every interval and at the end; without a bound at the start too.

        While a demonstration is rehearsed there is none: the network that has learned it is the one to evaluate.

        What is due depends on what the evaluations so far have taken. So the one that is in progress is waited for, but
        only now, at the end of its interval: the same evaluations are made however long they take.
        """
        last, passed = self._ended(), self._passed()
        nothing = self._searching() and not self.trainer.demonstrated()
        if self.trainer.rehearsing() or (not last and (nothing or passed < self.mark)):
            return False
        while self.pending is not None and not self.stopping:
            self._take_evaluation(events, wait=True)
        if self.stopping:
            return False
        if last:
            return self.mark <= self._last_mark()
        alone = self.evaluation_interactions - self.planner_interactions
        return not self.schedule.evaluation_share or alone < self._room()

    def _ended(self) -> bool:
        """Whether nothing but the last evaluation is left: replays may take the search beyond the end of the run."""
        return self.trainer.interactions >= self.schedule.interactions and not self.trainer.preparing()

    def _passed(self) -> int:
        """How many intervals have passed; the last one passes when the run ends, however long its replays take."""
        passed = self.trainer.interactions // self.schedule.evaluate_every
        return passed if self._ended() else min(passed, self._last_mark() - 1)

    def _last_mark(self) -> int:
        return -(-self.schedule.interactions // self.schedule.evaluate_every)

    def _room(self) -> float:
        """How many interactions evaluations may take by now: half of the share each without and with the planner."""
        return self.schedule.evaluation_share * self.trainer.interactions / 2

    def _planner_too(self) -> bool:
        """Whether there is room for an episode of the planner, if it takes as much as training episodes do.

        The search for a demonstration is not part of any episode.
        """
        if not self.schedule.evaluation_share:
            return True
        if not self.from_reset:
            return False
        return self.planner_interactions + self.episode_interactions / self.from_reset <= self._room()

    def _evaluate(self, events: Events) -> bool:
        """Make an evaluation, or start it in parallel; False if the run was stopped before it was made."""
        number, planner = self.evaluations, self._planner_too()
        pending = PendingEvaluation(number, self.trainer.interactions, planner, None)
        beside = self.beside is not None and self.beside.wanted(self._evaluation_seconds)
        begun = time.monotonic()
        figures = None if beside else self.trainer.evaluate(number, lambda: self.stopping, planner)
        if not beside and figures is None:
            return False
        self.outstanding = False
        reached = self._last_mark() if self._ended() else self._passed()
        self.mark = (reached if self.schedule.evaluation_share else self.mark) + 1
        if figures is not None:
            self._evaluated(pending, figures, round(time.monotonic() - begun, 3), events)
        elif self.beside is not None:
            pending.policy = self.trainer.policy()
            self.pending = pending
            self.beside.start(number, planner, pending.policy)
        return True

    def _take_evaluation(self, events: Events, *, wait: bool) -> bool:
        """Write the line of the evaluation in parallel with training, if it has ended; `wait` for it a little."""
        if self.pending is None or self.beside is None:
            return False
        figures = self.beside.record(wait)
        if figures is None:
            return False
        pending, self.pending = self.pending, None
        seconds = figures.pop("seconds")
        self._evaluated(pending, figures, seconds, events)
        return True

    def _evaluated(self, pending: PendingEvaluation, figures: Record, seconds: float, events: Events) -> None:
        self._evaluation_seconds = seconds
        self.evaluation_interactions += figures.get("evaluation_interactions", 0)
        self.planner_interactions += figures.get("planner_interactions", 0)
        record: Record = {"evaluation": pending.number, "interactions": pending.interactions, **figures}
        better = self.best is None or merit(record) >= merit(self.best)
        tied = self.best is not None and merit(record) == merit(self.best)
        record |= {"best": better, "tied": tied}
        if better:
            self.best = {name: value for name, value in record.items() if "seconds" not in name}
            policy = self.trainer.policy() if pending.policy is None else pending.policy
            self.checkpoints.save_best({"policy": policy, "evaluation": self.best})
        self.evaluations += 1
        record["seconds"] = seconds
        self.folder.evaluations.append(record)
        scores = {f"evaluation/{name}": value for name, value in figures.items() if isinstance(value, int | float)}
        events.add(pending.interactions, scores)
        self.listener.evaluated(self, record)

    def _finish(self, events: Events) -> Record:
        score, steps = self.mean_recent() or (math.nan, math.nan)
        self.save(events)
        seconds = self.elapsed()
        result: Record = {
            "interactions": self.trainer.interactions,
            "episodes": self.episodes,
            "evaluations": self.evaluations,
            "evaluation_interactions": self.evaluation_interactions,
            "reward_seen": self.reward_seen,
            "recent_score": None if math.isnan(score) else score,
            "recent_steps": None if math.isnan(steps) else steps,
            "best": self.best,
            **self.trainer.figures(),
            **({} if self.chance is None else {"chance": self.chance}),
            **self.trainer.summary(),
            "seconds": round(seconds, 3),
            "interactions_per_second": round(self.trainer.interactions / max(1e-9, seconds), 1),
        }
        self.folder.finish(result)
        return result
