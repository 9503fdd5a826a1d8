"""Simulators whose steps use random generators, with and without an effect on the outcome."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from broken_simulators import Walk
from widthwise.core.simulator import Step


class Dice(Walk):
    """A walk in which a generator that is part of the snapshot decides whether an action is done."""

    def __init__(self) -> None:
        super().__init__()
        self.dice = random.Random(0)

    def reset(self, seed: int | None = None) -> Step:
        self.dice = random.Random(seed)
        return super().reset(seed)

    def step(self, action: int) -> Step:
        return super().step(action if self.dice.random() < 0.7 else 1)

    def save(self) -> Any:
        return {**vars(self), "dice": self.dice.getstate()}

    def load(self, snapshot: Any) -> None:
        vars(self).update({**snapshot, "dice": self.dice})
        self.dice.setstate(snapshot["dice"])


class IdleDice(Dice):
    """The generator is used, and decides nothing."""

    def step(self, action: int) -> Step:
        self.dice.random()
        return Walk.step(self, action)


class LateDice(Dice):
    """The generator is used from the start, and decides something only at places that few walks reach."""

    def step(self, action: int) -> Step:
        drawn = self.dice.random()
        return Walk.step(self, action if self.place not in (20, 30) or drawn < 0.5 else 1)


class GlobalDice(Walk):
    """Uses the generators that all code shares."""

    def step(self, action: int) -> Step:
        chance = random.random() if self.steps % 2 else np.random.random()
        return super().step(action if chance < 0.7 else 1)


class SystemDice(Walk):
    """Asks the operating system."""

    dice = random.SystemRandom()

    def step(self, action: int) -> Step:
        return super().step(action if self.dice.random() < 0.7 else 1)


class Declared(Walk):
    deterministic = False


class OwnReseed(Walk):
    """A generator that nobody can see, and a way to seed it."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 1

    def reseed(self, seed: int) -> None:
        self.number = seed % 1009

    def step(self, action: int) -> Step:
        self.number = self.number * 31 % 1009
        return super().step(action if self.number < 700 else 1)


def place(step: Step) -> bytes:
    """Where a walk is, as a feature."""
    return bytes([int(np.argmax(step.observation))])


def field(step: Step) -> bytes:
    """The number of the field that a discrete observation shows, as a feature."""
    return bytes([int(step.observation)])
