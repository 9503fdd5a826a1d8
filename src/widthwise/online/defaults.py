"""Which features an environment is looked at with when nobody says: lowest level first."""

from __future__ import annotations

from typing import Any

from widthwise.core.driver import FeatureFunction
from widthwise.core.simulator import Simulator, Step

#: Mazes with more rows than this need finer tiles to tell places apart.
SMALL_MAZE = 24


def default_features(simulator: Simulator) -> tuple[FeatureFunction, ...]:
    """The features of the levels, lowest first: the simulator's own `default_features`, or what is known of its kind.

    Mazes: the agent's cell, above it 2x2 tiles of the image (4x4 in large mazes). Atari: the bytes of the memory, above
    them 8x11 tiles of 32 values. Anything else: the observation itself, and nothing above.
    """
    own: Any = getattr(simulator, "default_features", None)
    if own is not None:
        return tuple(own)
    if type(simulator).__module__.startswith("widthwise.simulators."):  # who plans elsewhere does not pay for numpy
        from widthwise.simulators.atari import Atari
        from widthwise.simulators.features import Cells, Ram, Tiles
        from widthwise.simulators.maze import Maze

        if isinstance(simulator, Maze):
            side = 2 if max(simulator.rows, simulator.columns) <= SMALL_MAZE else 4
            return Cells(), Tiles(side, side, 256)
        if isinstance(simulator, Atari):
            return Ram(), Tiles(8, 11, 32)
    return (observation,)


def observation(step: Step) -> Any:
    """The observation itself as features: whole numbers, one per entry; of several named ones (MiniGrid) the image."""
    seen = step.observation
    return seen["image"] if isinstance(seen, dict) and "image" in seen else seen
