"""A simulator that only counts, for tests that find one by `module:attribute`."""

from __future__ import annotations

import widthwise as ww


class Count:
    actions = 2
    deterministic = True

    def reset(self, seed: int | None = None) -> ww.Step:
        self.count = 0
        return ww.Step(bytes([0]))

    def step(self, action: int) -> ww.Step:
        self.count += action
        return ww.Step(bytes([self.count]), float(self.count == 9), terminated=self.count >= 9)

    def save(self) -> int:
        return self.count

    def load(self, snapshot: int) -> None:
        self.count = snapshot
