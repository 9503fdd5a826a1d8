"""A world small enough to learn in within a test: a strip of six places, seen as a picture of 20x20 dots."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np

from widthwise.core.simulator import Step

LENGTH = 6
#: How a process that trains here is told to die: kill -9 after so many simulator steps.
DIES_AFTER = "TINY_WORLD_DIES_AFTER"
#: How long a step takes, in seconds, so that a test can do something in the middle of a run.
WAITS = "TINY_WORLD_WAITS"


class TinyWorld:
    """Go right to the end for +1, or fall off the left side for -1."""

    actions = 3
    action_names = ("stay", "left", "right")
    deterministic = True
    left = int(os.environ.get(DIES_AFTER, "0"))  # of all worlds together
    waits = float(os.environ.get(WAITS, "0"))

    def __init__(self, limit: int = 12) -> None:
        self.limit = limit
        self.place, self.time = 2, 0

    def _show(self, reward: float = 0.0, ended: bool = False) -> Step:
        picture = np.zeros((20, 20, 1), np.uint8)
        picture[4:16, 3 * self.place : 3 * self.place + 3] = 255
        return Step(picture, reward, ended, not ended and self.time >= self.limit)

    def reset(self, seed: int | None = None) -> Step:
        self.place, self.time = 2, 0
        return self._show()

    def step(self, action: int) -> Step:
        TinyWorld.left -= 1
        if TinyWorld.waits:
            time.sleep(TinyWorld.waits)
        if TinyWorld.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.time += 1
        self.place += (0, -1, 1)[action]
        if self.place < 0:
            self.place = 0
            return self._show(-1.0, True)
        return self._show(1.0, True) if self.place == LENGTH - 1 else self._show()

    def save(self) -> Any:
        return self.place, self.time

    def load(self, snapshot: Any) -> None:
        self.place, self.time = snapshot


class Poisoned(TinyWorld):
    """After some steps its rewards are no numbers any more."""

    steps = 0

    def step(self, action: int) -> Step:
        step = super().step(action)
        Poisoned.steps += 1
        if Poisoned.steps > 230:  # after the check for chance
            step.reward = float("nan")
        return step
