"""How much memory an archive counts for a saved state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widthwise as ww
from widthwise.core.simulator import Step
from widthwise.simulator_search.sizes import size_of


class Held:
    __slots__ = ("__dict__", "part")

    def __init__(self, part: Any) -> None:
        self.part, self.other = part, part


@pytest.mark.parametrize("value", [
    np.zeros(10_000, np.uint8),
    (1, np.zeros((100, 100), np.uint8)),
    {"screen": bytes(10_000)},
    [Held(bytearray(10_000))],
    np.array([bytes(5_000), "x" * 5_000], object),
])  # fmt: skip
def test_what_a_value_holds_is_counted_once(value: Any) -> None:
    assert 10_000 <= size_of(value) <= 11_000


def test_a_state_that_holds_itself_and_modules_has_a_size() -> None:
    held: list[Any] = [np, print, None, True, Held]
    held.append(held)
    assert size_of(held) < 500
    assert size_of(list(map(str, range(100_000)))) > 100_000


class Large:
    """Every state has a picture of 20 kB that is no bytes."""

    actions, deterministic = 3, True

    def reset(self, seed: int | None = None) -> Step:
        self.place = 0
        return self._step()

    def _step(self) -> Step:
        self.picture = np.zeros(20_000, np.uint8)
        return Step(np.array([self.place]), 0.0, False, False, {})

    def step(self, action: int) -> Step:
        self.place = max(0, self.place + action - 1)
        return self._step()

    def save(self) -> Any:
        return self.place, self.picture

    def load(self, snapshot: Any) -> None:
        self.place, self.picture = snapshot


def test_the_limit_of_the_archive_holds_for_states_that_are_no_bytes() -> None:
    parts = ww.ArchiveSearch(memory_mb=1, restart=0)
    search = parts.begin(Large(), [lambda step: step.observation], 0)
    for _ in range(200):
        search.visit(27)
    assert 40 <= search.archive.regions[-1] <= 60
