"""Gymnasium environments that can be rendered, badly rendered, or not at all."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np


class Line(gymnasium.Env[Any, Any]):
    """Five places in a row; the last one ends the episode with a reward. The picture shows the place as brightness."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(5)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.place = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = 0
        return self.place, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.place = max(0, self.place + (1 if action else -1))
        return self.place, float(self.place == 4), self.place == 4, False, {}

    def render(self) -> Any:
        return np.full((20, 20, 3), 50 * self.place, np.uint8)


class Unrendered(Line):
    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012


class Broken(Line):
    def render(self) -> Any:
        raise RuntimeError("no surface")


class Astray(Line):
    """The environment that is rendered begins one place further on."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.first = 0 if render_mode is None else 1

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = self.first
        return self.place, {}


for kind in (Line, Unrendered, Broken, Astray):
    if f"Rendered{kind.__name__}-v0" not in gymnasium.registry:
        gymnasium.register(f"Rendered{kind.__name__}-v0", kind, max_episode_steps=30)  # type: ignore[arg-type]


def by_hand() -> gymnasium.Env[int, int]:
    return Line("rgb_array")


def unknown() -> gymnasium.Env[int, int]:
    return Line()
