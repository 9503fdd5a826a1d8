"""A search as a run: with a limit of interactions, in a folder or without, stopped and continued at any moment.

In the folder are `config.json` (the settings), `progress.jsonl` (a line for every better trajectory and one now and
then), `checkpoint/` and `result.json`, the best trajectory so far. A trajectory is written as soon as it is found, and
again, with `replayed` set, when it was replayed from a reset. Where rewards are frequent, trajectories are long and
every few visits find a better one. Replays have a share of the interactions, and a trajectory waits until there is room
for its replay; a better one replaces it meanwhile.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from widthwise.core.contract import guarded, innermost
from widthwise.core.errors import SimulatorError
from widthwise.core.simulator import Simulator
from widthwise.exploration.search_folder import SearchFolder
from widthwise.simulator_search.archive_search import Best, SearchAtWork
from widthwise.simulator_search.trajectories import rank
from widthwise.simulators.chance import Chance, Mode

CHECKPOINT_SECONDS = 60.0
#: Interactions between two lines of progress that bring no better trajectory.
LINE_EVERY = 10_000
#: Simulator steps of replays, as a share of the interactions. The first trajectory and the last one do not wait.
REPLAYS = 0.25
#: Seconds between two writes of trajectories that wait for their replay. The last of a search is replayed before.
WRITE_SECONDS = 1.0


@dataclass(slots=True)
class SearchResult:
    """The best trajectory of a search, and the cost of the search.

    Args:
        score: The sum of the rewards of the trajectory; None if no trajectory has a positive score or ends an episode
            of costs.
        steps: The number of its actions.
        actions: Its actions from the reset on.
        ended: Whether the episode ends with it.
        interactions: Simulator steps of the search, the choice of features included.
        replayed: Whether the trajectory was replayed from a reset. Only `result.json` may have one that was not, while
            the search runs.
        replay_steps: Simulator steps in which trajectories were replayed from a reset, in addition to these.
        found_at: The interactions after which the trajectory was found.
        high_level_states: The regions in the archive on each level, highest level first.
        features: The features of these levels in words.
        seconds: How long the search took.
        finished: Whether it used all of its interactions.
        chance: What was done about chance (`mode`), and what the check of the environment has found.

    Example:
        >>> import widthwise as ww
        >>> result = ww.search("corridor", 3_000)
        >>> len(result.actions) == result.steps
        True
    """

    score: float | None
    steps: int
    actions: list[int]
    ended: bool
    interactions: int
    replayed: bool
    replay_steps: int
    found_at: int
    high_level_states: list[int]
    features: str
    seconds: float
    finished: bool
    chance: dict[str, Any]

    def describe(self) -> dict[str, Any]:
        """The result as plain data, as `result.json` has it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class SearchListener:
    """Receives what happens in a search; each may be replaced."""

    improved: Callable[[ExplorationRun], None] = field(default=lambda run: None)
    moved: Callable[[ExplorationRun], None] = field(default=lambda run: None)
    say: Callable[[str], None] = field(default=lambda text: None)


class ExplorationRun:
    """A search with a limit of interactions. `stopping = True` ends it after the visit in hand."""

    def __init__(
        self,
        search: SearchAtWork,
        interactions: int,
        *,
        sampled: int = 0,
        features: str = "",
        max_seconds: float | None = None,
        listener: SearchListener | None = None,
        begun: float | None = None,
        finding: Chance | None = None,
        mode: Mode = "refuse",
    ) -> None:
        self.search, self.limit, self.sampled, self.features = search, interactions, sampled, features
        self.max_seconds = max_seconds
        self.finding, self.mode = finding, mode  # what is known about chance, and what is done about it
        self.listener = listener or SearchListener()
        self.stopping = False
        self.shown: Best | None = None  # the trajectory that was replayed last
        self.earlier: dict[str, Any] | None = None  # a trajectory that is newer than the checkpoint, not confirmed
        self._written: Best | None = None  # the trajectory in the folder
        self._written_at = -math.inf
        self.replay_steps = 0
        self.seconds = 0.0  # of earlier parts of the run
        self.next_line = LINE_EVERY
        self.folder: SearchFolder | None = None
        self._begun = time.monotonic() if begun is None else begun  # of this part, the choice of features included

    @property
    def interactions(self) -> int:
        """Simulator steps so far, those of the sample included."""
        return self.search.interactions + self.sampled

    def elapsed(self) -> float:
        """Seconds of all parts of the run."""
        return self.seconds + time.monotonic() - self._begun

    def late(self) -> bool:
        """Whether the seconds of this part of the run are used up."""
        return self.max_seconds is not None and time.monotonic() - self._begun >= self.max_seconds

    def run(self) -> SearchResult:
        """Search until the interactions or the seconds are used up or `stopping` is set, and return the result."""
        self.explore()
        return self.finish()

    def explore(self) -> None:
        """Search until the interactions or the seconds are used up or `stopping` is set; `finish` gives the result."""
        saved = time.monotonic()
        if self.folder is not None:
            self.folder.save(self)
            if self.earlier is not None:
                self._write()  # what it says about the end of the search may no longer hold
        while not self.stopping and self.interactions < self.limit and not self.late():
            if self._due():
                if self._late_after_replay():
                    break
                self._improved()
            elif self.interactions >= self.next_line:
                self._line()
            self.search.visit(self.limit - self.interactions)
            self._write_if_due()
            self.listener.moved(self)
            if self.folder is not None and time.monotonic() - saved >= CHECKPOINT_SECONDS:
                self.folder.save(self)
                saved = time.monotonic()
        if self.folder is not None:
            self.folder.save(self)

    def finish(self) -> SearchResult:
        """Replay the best trajectory, if it was not replayed yet, and return the result.

        A limit of the time of the search does not hold here: the replay of a long trajectory may take seconds.
        """
        if self.search.best is not self.shown and self.interactions >= self.limit:
            self._improved()
            if self.folder is not None:
                self.folder.save(self)
        result = self.result()
        if not result.replayed and result.score is not None:
            result = self._replayed_at_end(result)
        if self.folder is not None:
            self.folder.finish(result.describe())
        return result

    def result(self) -> SearchResult:
        """The best trajectory so far."""
        return self._with_earlier(self._result(self.search.best))

    def replayed(self) -> SearchResult:
        """The best trajectory that was replayed; the simulator may have failed at a better one."""
        return self._result(self.shown)

    def _with_earlier(self, result: SearchResult) -> SearchResult:
        """A result, or the trajectory that was found before the search was killed, if that is better.

        The search will find it again. If it is stopped before, the trajectory is not lost.
        """
        earlier = self.earlier
        if earlier is None or _rank(earlier["score"], earlier["steps"]) <= _rank(result.score, result.steps):
            return result
        return replace(result, **earlier)

    def _replayed_at_end(self, result: SearchResult) -> SearchResult:
        """A result after its replay, which is not counted: the search continues as if it had not been stopped."""
        try:
            self._replay(result)
        except SimulatorError:
            if self.earlier is None or result.actions != self.earlier["actions"]:
                raise
            self.earlier = None  # the file was changed, or the environment
            result = self.result()
            if result.score is None:
                return result
            self._replay(result)
        return replace(result, replayed=True)

    def _result(self, best: Best | None) -> SearchResult:
        search = self.search
        return SearchResult(
            score=None if best is None else best.score,
            steps=0 if best is None else best.steps,
            actions=[] if best is None else search.trajectories.actions(best.node),
            ended=best is not None and best.ended,
            interactions=self.interactions,
            replayed=best is not None and best is self.shown,
            replay_steps=self.replay_steps,
            found_at=0 if best is None else best.interactions + self.sampled,
            high_level_states=list(search.archive.regions),
            features=self.features,
            seconds=round(self.elapsed(), 3),
            finished=self.interactions >= self.limit,
            chance={"mode": self.mode, **({} if self.finding is None else self.finding.describe())},
        )

    def _due(self) -> bool:
        """Whether there is a better trajectory than the one that was replayed last, and room for its replay."""
        best = self.search.best
        if best is None or best is self.shown:
            return False
        return self.shown is None or self.replay_steps + best.steps <= REPLAYS * self.interactions

    def _late_after_replay(self) -> bool:
        """Whether a replay would probably not end in time; `finish` has no limit of the time."""
        if self.max_seconds is None or self.search.best is None:
            return False
        seconds = self.search.best.steps * self.elapsed() / max(1, self.interactions + self.replay_steps)
        return time.monotonic() - self._begun + seconds >= self.max_seconds

    def _improved(self) -> None:
        self.replay_steps += 0 if self.search.best is None else self.search.best.steps
        self._replay(self._result(self.search.best))
        self.shown = self.search.best
        self._write()
        self._line()
        self.listener.improved(self)

    def _write_if_due(self) -> None:
        """Write a better trajectory before its replay, which may have to wait."""
        waits = self.search.best is not self.shown and self.search.best is not self._written
        if waits and not self._due() and time.monotonic() - self._written_at >= WRITE_SECONDS:
            self._write()

    def _write(self) -> None:
        if self.folder is not None:
            self.folder.finish(self.result().describe())
            self._written, self._written_at = self.search.best, time.monotonic()

    def _replay(self, result: SearchResult) -> None:
        """Replay a result, with the limits of calls that hold now."""
        replay(guarded(innermost(self.search.simulator)), self.search.seed, result)

    def _line(self) -> None:
        while self.next_line <= self.interactions:
            self.next_line += LINE_EVERY
        if self.folder is not None:
            result = self.replayed()
            names = ("interactions", "score", "steps", "found_at", "high_level_states", "seconds")
            self.folder.lines.append({name: getattr(result, name) for name in names})


def _rank(score: float | None, steps: int) -> tuple[float, int]:
    """The order of trajectories; none is the worst."""
    return (-math.inf, 0) if score is None else rank(score, steps)


def replay(simulator: Simulator, seed: int, result: SearchResult) -> None:
    """Do the actions of a result from a reset.

    Raises:
        SimulatorError: The score or the end is another one than in the search, so that the environment does not repeat.
    """
    simulator.reset(seed)
    score, ended = 0.0, False
    for action in result.actions:
        step = simulator.step(action)
        score, ended = score + step.reward, step.terminated
    if score != result.score or ended != result.ended:
        name = getattr(simulator, "name", type(simulator).__name__)
        raise SimulatorError(
            f"{name}: the best trajectory has a score of {result.score:g} in the search and {score:g} when it is "
            "replayed from a reset, so that saved states or seeds do not repeat; check the environment with check-env"
        )
