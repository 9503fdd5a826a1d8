"""Where the time goes: processor seconds by what they were spent on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from widthwise.core.simulator import Simulator, Step
from widthwise.online.defaults import default_features
from widthwise.simulator_search.driver import FeatureFunction

now = time.process_time


class Clocks:
    """Processor seconds in simulator, network and training; the tree has the rest of `total`."""

    def __init__(self) -> None:
        self.simulator = self.network = self.training = self.total = 0.0

    @property
    def tree(self) -> float:
        """Seconds spent on the tree, novelty and everything else."""
        return self.total - self.simulator - self.network - self.training

    def seconds(self) -> dict[str, float]:
        """All of them by name."""
        return {name: getattr(self, name) for name in ("simulator", "network", "training", "tree", "total")}

    def restore(self, seconds: dict[str, float]) -> None:
        """Continue from seconds spent before."""
        for name in ("simulator", "network", "training", "total"):
            setattr(self, name, seconds[name])


class TimedSimulator:
    """A simulator with a clock around what costs time."""

    def __init__(self, inner: Simulator, clocks: Clocks) -> None:
        self.inner = inner
        self.actions, self.deterministic = inner.actions, getattr(inner, "deterministic", True)

        def timed(call: Callable[..., Any]) -> Callable[..., Any]:
            def run(*arguments: Any) -> Any:
                begun = now()
                result = call(*arguments)
                clocks.simulator += now() - begun
                return result

            return run

        self.reset: Callable[..., Step] = timed(inner.reset)
        self.step: Callable[[int], Step] = timed(inner.step)
        self.save: Callable[[], Any] = timed(inner.save)
        self.load: Callable[[Any], None] = timed(inner.load)

    @property
    def default_features(self) -> tuple[FeatureFunction, ...]:
        """The features that suit the simulator; finding them may take a random walk."""
        return default_features(self.inner)
