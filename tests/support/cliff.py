"""A small world with lives."""

from __future__ import annotations

from typing import Any

import widthwise as ww


class Cliff:
    """Walk right; every third cell is a pit with a reward that takes a life, and some other cells have a reward."""

    deterministic = True
    actions = 2  # walk, jump

    def __init__(self) -> None:
        self.place, self.lives = 0, 3

    def seen(self, reward: float = 0.0) -> ww.Step:
        return ww.Step((self.place,), reward, self.lives == 0, self.place > 40, {"lives": self.lives})

    def reset(self, seed: int | None = None) -> ww.Step:
        self.place, self.lives = 0, 3
        return self.seen()

    def step(self, action: int) -> ww.Step:
        self.place += 1 + action
        pit = self.place % 3 == 0
        self.lives -= pit
        return self.seen(3.0 if pit else 1.0 if self.place % 5 == 0 else 0.0)  # the pit tempts

    def save(self) -> Any:
        return self.place, self.lives

    def load(self, snapshot: Any) -> None:
        self.place, self.lives = snapshot
