"""A simulator for evaluations: it can be stopped from outside, and its episodes can have their own limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from widthwise.core.errors import WidthwiseError
from widthwise.core.simulator import Simulator, Step
from widthwise.learning.updater import TrainingDivergedError
from widthwise.online.defaults import default_features
from widthwise.simulator_search.driver import FeatureFunction


class EvaluationStopped(WidthwiseError):
    """The evaluation was stopped."""


class StoppableSimulator:
    """A simulator whose every step may be the last."""

    def __init__(self, inner: Simulator, stop: Callable[[], bool], limit: int | None) -> None:
        self.inner, self.stop, self.limit = inner, stop, limit
        self.actions, self.deterministic = inner.actions, getattr(inner, "deterministic", True)
        self.steps = 0

    @property
    def default_features(self) -> tuple[FeatureFunction, ...]:
        """The features that suit the simulator; finding them may take a random walk."""
        return default_features(self.inner)

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode."""
        self.steps = 0
        return self.inner.reset(seed)

    def step(self, action: int) -> Step:
        """Do the action."""
        if self.stop():
            raise EvaluationStopped
        self.steps += 1
        step = self.inner.step(action)
        if not math.isfinite(step.reward):
            raise TrainingDivergedError("training diverged: the simulator returned a reward that is not finite")
        if self.limit is not None and self.steps >= self.limit and not step.done:
            step.truncated = True
        return step

    def save(self) -> tuple[Any, int]:
        """A snapshot, with how many steps there were."""
        return self.inner.save(), self.steps

    def load(self, snapshot: tuple[Any, int]) -> None:
        """Return to a snapshot."""
        inner, self.steps = snapshot
        self.inner.load(inner)
