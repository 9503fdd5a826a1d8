"""Scenes: images that differ only a little are of one scene, such as a room in which something moves.

A scene is a feature for the highest level of a search. A change of the scene changes most of the image at once; what
moves inside a scene changes a small part of it. The number of scenes is small, so that a search which prefers scenes
with few visits is soon in a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.simulators.features import Tiles

#: The image is compared in this many tiles across and down.
TILES = 21
#: Tiles are different if their brightness, from 0 to 255, differs by more than this.
DIFFERENT = 12


class Scenes:
    """The number of the scene that an image shows.

    The first image is the example of scene 0. An image belongs to the scene whose example is nearest to it. It becomes
    the example of a new scene if a share of `apart` of its tiles, or more, differs from every example.

    Args:
        apart: The share of different tiles at which a new scene begins, above 0 and below 1.
        most: The maximum number of scenes. When it is reached, the nearest scene is taken.

    Raises:
        UsageError: A number is out of range; when called, the observation is not an image of at least 21x21 pixels.

    Example:
        >>> step = ww.simulator("maze-small").reset(seed=0)
        >>> ww.Scenes()(step).tolist()
        [0]
    """

    def __init__(self, apart: float = 0.1, *, most: int = 1_000) -> None:
        if not 0 < apart < 1:
            raise UsageError(f"apart must be above 0 and below 1, not {apart!r}")
        if most < 1:
            raise UsageError(f"there must be at least 1 scene, not {most!r}")
        self.apart, self.most = apart, most
        self.count, self.values = 1, most
        self._tiles = Tiles(TILES, TILES, gray=True)
        self._examples = np.empty((0, TILES * TILES), np.int16)

    def __len__(self) -> int:
        """The number of scenes so far."""
        return len(self._examples)

    def __call__(self, step: Step) -> npt.NDArray[np.int64]:
        """The scene of a step's observation."""
        image = self._tiles(step).astype(np.int16)
        shares = (np.abs(self._examples - image) > DIFFERENT).mean(axis=1)
        nearest = int(shares.argmin()) if len(self) else 0
        if len(self) < self.most and not (len(self) and shares[nearest] < self.apart):
            self._examples = np.vstack([self._examples, image])
            nearest = len(self) - 1
        return np.array([nearest])

    def capture(self) -> list[bytes]:
        """The examples of all scenes, as plain data."""
        return [example.astype(np.uint8).tobytes() for example in self._examples]

    def restore(self, examples: Sequence[Any]) -> None:
        """Return to the scenes that `capture` returned."""
        rows = [np.frombuffer(bytes(example), np.uint8) for example in examples]
        self._examples = np.array(rows, np.int16).reshape(len(rows), TILES * TILES)

    def __repr__(self) -> str:
        return f"Scenes({self.apart})"
