"""Tiles that suit a game: chosen by how many states they distinguish in a sample of its images.

Tiles that are too coarse put all states into one region; tiles that are too fine put every state into a separate
region. The choice is that of Go-Explore (Ecoffet et al. 2021): the grid with the most even distribution of the sample
over the regions, and with about as many regions as a given share of the sample.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from widthwise.core.simulator import Step
from widthwise.simulators.features import Tiles

#: Tiles across and down that are tried, coarse first.
GRIDS = ((4, 3), (5, 4), (6, 5), (7, 5), (8, 6), (9, 7), (11, 8), (13, 9), (16, 12), (21, 14))
#: Values per tile that are tried.
VALUES = (8,)
#: The most tiles of the highest level. A sample of a few states near the start tells little about the rest of a game:
#: finer tiles would give every state of a large room a region, and the search would not leave the room.
COARSE = 11 * 8
#: Regions per state of the sample: on the upper level, and on the level inside its regions.
SHARES = (0.05, 0.2)


def choose_tiles(sample: Sequence[Step], shares: Sequence[float] = SHARES) -> list[Tiles]:
    """Tiles for each level, highest level first.

    Args:
        sample: Steps of the environment, whose observations are images.
        shares: How many regions a level is to have for each state of the sample; from the highest level on.

    Returns:
        Tiles for each level; fewer levels where finer tiles distinguish no more states.

    Raises:
        UsageError: The observations are not images.
    """
    vectors = [(tiles, [tiles(step).tobytes() for step in sample]) for tiles in _candidates()]
    outer = [b""] * len(sample)  # the region of each state, on all levels chosen so far
    chosen: list[Tiles] = []
    for share in shares:
        best, suits = None, 0.0
        for tiles, inner in vectors:
            if not chosen and tiles.width * tiles.height > COARSE:
                continue
            regions = Counter(zip(outer, inner, strict=True))
            value = suitability(list(regions.values()), share)
            if value > suits:
                best, suits = (tiles, inner), value
        if best is None or len(set(zip(outer, best[1], strict=True))) == len(set(outer)):
            break  # no grid distinguishes more states
        chosen.append(best[0])
        outer = [upper + lower for upper, lower in zip(outer, best[1], strict=True)]
    return chosen or [Tiles(*GRIDS[-1])]


def _candidates() -> list[Tiles]:
    return [Tiles(width, height, values) for width, height in GRIDS for values in VALUES]


def suitability(states: Sequence[int], share: float) -> float:
    """How well a grid suits a sample: the evenness of its regions, less where there are too few or too many.

    Args:
        states: How many states of the sample lie in each region.
        share: How many regions there should be for each state.

    Returns:
        The normalised entropy of the distribution, divided by sqrt(|regions / wanted - 1| + 1).
    """
    total, regions = sum(states), len(states)
    if regions < 2:
        return 0.0
    entropy = -sum(count / total * math.log(count / total) for count in states) / math.log(regions)
    return entropy / math.sqrt(abs(regions / (share * total) - 1) + 1)


def is_image(step: Step) -> bool:
    """Whether an observation is an image: bytes in rows and columns, with or without channels, large enough to cut."""
    observation: Any = step.observation
    if isinstance(observation, dict):
        observation = observation.get("image")
    image = getattr(observation, "newest", observation)
    shape = tuple(getattr(image, "shape", ()))
    return len(shape) in (2, 3) and image.dtype == np.uint8 and min(shape[:2]) >= GRIDS[-1][0]
