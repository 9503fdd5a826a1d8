"""The mazes as Gymnasium environments: `import widthwise.gym`, then `gymnasium.make("widthwise/MazeSmall-v0")`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from widthwise.core.simulator import Step
from widthwise.simulators.maze import PIXELS, Image, Maze, MazeLayout
from widthwise.simulators.mazes import MAZES


class MazeEnv(gymnasium.Env[Image, int]):
    """A maze as a Gymnasium environment; it saves and loads itself."""

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 10}  # noqa: RUF012

    def __init__(self, maze: str = "maze-small", limit: int | None = None, render_mode: str | None = None) -> None:
        self.maze = Maze(MazeLayout.parse(MAZES.get(maze, maze), maze), limit)
        self.action_space: Any = gymnasium.spaces.Discrete(self.maze.actions)
        self.observation_space: Any = gymnasium.spaces.Box(0, 255, (PIXELS, PIXELS, 3), np.uint8)
        self.render_mode = render_mode
        self._seen: Step | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Image, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        self._seen = self.maze.reset(seed)
        return self._seen.observation.copy(), self._seen.info

    def step(self, action: int) -> tuple[Image, float, bool, bool, dict[str, Any]]:
        """Do the action."""
        seen = self._seen = self.maze.step(int(action))
        # Every caller gets its own copy, as Gymnasium requires.
        return seen.observation.copy(), seen.reward, seen.terminated, seen.truncated, seen.info

    def render(self) -> Any:
        """The picture, or the maze in characters."""
        if self.render_mode == "ansi":
            return self.maze.draw()
        return None if self._seen is None or self.render_mode is None else self._seen.observation

    def save(self) -> Any:
        """A snapshot."""
        return self.maze.save()

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot."""
        self.maze.load(snapshot)
