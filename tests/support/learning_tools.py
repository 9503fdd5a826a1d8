"""Small things to learn in: a corridor that is over in no time, and trainers for it."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

import numpy as np
import torch

from widthwise.core.simulator import Step
from widthwise.learning.learning_settings import LearningSettings
from widthwise.training.algorithms import PlanningSettings, planning_settings
from widthwise.training.configuration import Configuration
from widthwise.training.trainer import Trainer


class Walk:
    """A corridor: left, right; +1 and the end at its far end, -1 at the near one; a vector as observation."""

    deterministic = True
    actions = 2

    def __init__(self, length: int = 8, limit: int = 12) -> None:
        self.length, self.limit = length, limit
        self.place, self.time = 2, 0

    def reset(self, seed: int | None = None) -> Step:
        self.place, self.time = 2, 0
        return self.seen()

    def seen(self) -> Step:
        observation = np.zeros(self.length + 1, np.float32)
        observation[self.place] = 1
        reward = 1.0 if self.place == self.length else -1.0 if self.place == 0 else 0.0
        return Step(observation, reward, reward != 0, reward == 0 and self.time >= self.limit)

    def step(self, action: int) -> Step:
        self.place += 1 if action else -1
        self.time += 1
        return self.seen()

    def save(self) -> Any:
        return self.place, self.time

    def load(self, snapshot: Any) -> None:
        self.place, self.time = snapshot


class PoorWalk(Walk):
    """The corridor without rewards."""

    def seen(self) -> Step:
        step = super().seen()
        return Step(step.observation, 0.0, step.terminated, step.truncated)


class HangingWalk(Walk):
    """The corridor; one step in one process other than the given one does not return, once for a marker file."""

    def __init__(self, marker: str, process: int) -> None:
        super().__init__()
        self.marker, self.process, self.steps = marker, process, 0

    def step(self, action: int) -> Step:
        self.steps += 1
        if os.getpid() != self.process and self.steps > 20 and not os.path.exists(self.marker):
            with contextlib.suppress(FileExistsError), open(self.marker, "x", encoding="utf-8"):
                time.sleep(600)
        return super().step(action)


def walker(
    trees: int = 1, seed: int = 0, refresh: bool = False, make: Any = Walk, patient: bool = True, **settings: Any
) -> Trainer:
    """A trainer in the corridor; a few interactions per action, small batches."""
    chosen: PlanningSettings = planning_settings("pi-iw+", **{"steps_per_action": 4, **settings})
    return Trainer(
        make, Configuration(chosen, LearningSettings(batch=8, patient=patient), trees=trees, seed=seed, refresh=refresh)
    )


#: A maze of two rooms whose key is found in some thousand random steps.
ROOMS = """\
limit: 20
#######
#A.#.K#
#.....#
#..#.D#
#######
"""


def rounds(trainer: Trainer, count: int) -> None:
    """Let a trainer do so many rounds."""
    for _ in range(count):
        trainer.round()


def same(left: Any, other: Any) -> bool:
    """Whether two states are the same, times aside."""
    if isinstance(left, torch.Tensor):
        return torch.equal(left, other)
    if isinstance(left, np.ndarray):
        return np.array_equal(left, other)
    if isinstance(left, dict):
        names = [name for name in left if name != "seconds"]
        return left.keys() == other.keys() and all(same(left[name], other[name]) for name in names)
    if isinstance(left, list | tuple):
        return len(left) == len(other) and all(map(same, left, other))
    return bool(left == other)
