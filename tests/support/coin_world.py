"""A world in which trajectories are long and nearly every visit of a search finds a better one."""

from __future__ import annotations

import numpy as np

from widthwise.core.simulator import Step


class Coins:
    """A row of places with a coin at each: every step to the right, the first time, gives a reward."""

    actions = 3
    deterministic = True

    def __init__(self, length: int) -> None:
        self.length, self.place, self.most = length, 0, 0

    def _step(self, reward: float) -> Step:
        return Step(np.array([self.place]), reward, False, False, {})

    def reset(self, seed: int | None = None) -> Step:
        self.place = self.most = 0
        return self._step(0.0)

    def step(self, action: int) -> Step:
        self.place = min(max(self.place + action - 1, 0), self.length)
        reward = float(self.place > self.most)
        self.most = max(self.most, self.place)
        return self._step(reward)

    def save(self) -> tuple[int, int]:
        return self.place, self.most

    def load(self, snapshot: tuple[int, int]) -> None:
        self.place, self.most = snapshot
