"""A value as a distribution over a support, as in MuZero."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from widthwise.core.errors import UsageError

Floats = npt.NDArray[np.float64]
SLOPE = 1e-3  # of the rescaling, for large values
#: The supports by name. `auto`: the range that the environment declares, otherwise `rescaled`: 201 atoms over ±100 of
#: the rescaled value. `fitted`: 101 atoms over a range that follows the returns seen. `authors`: 301 atoms over ±300.
SUPPORTS = ("auto", "rescaled", "fitted", "authors")


@dataclass(frozen=True, slots=True)
class Support:
    """`atoms` points from `low` to `high`; with `rescaled` these are bounds of the rescaled value.

    With `fitted` they are bounds in units of a scale, which the network keeps: it follows the returns seen.
    """

    low: float = -1.0
    high: float = 1.0
    atoms: int = 51
    rescaled: bool = False
    fitted: bool = False

    def __post_init__(self) -> None:
        """Refuse supports that hold nothing."""
        if not (self.low < self.high and self.atoms >= 2):
            raise UsageError(f"a support must go from low to high with at least 2 atoms, not {self}")

    @property
    def points(self) -> Floats:
        """The atoms."""
        return np.linspace(self.low, self.high, self.atoms)

    def two_hot(self, values: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """The distributions over the two nearest atoms whose means are the values; what lies outside is clipped."""
        scaled = np.asarray(values, np.float64)
        if self.rescaled:
            scaled = rescale(scaled)
        place = (np.clip(scaled, self.low, self.high) - self.low) / (self.high - self.low) * (self.atoms - 1)
        below = np.minimum(place.astype(np.int64), self.atoms - 2)
        rows = np.arange(len(place))
        target = np.zeros((len(place), self.atoms), np.float32)
        target[rows, below + 1] = place - below
        target[rows, below] = 1 - (place - below)
        return target

    def value(self, means: Floats) -> Floats:
        """The values that distributions with these means over the atoms stand for."""
        return unscale(means) if self.rescaled else means


#: For returns of any size.
RESCALED = Support(-100.0, 100.0, 201, rescaled=True)


def named_support(name: str) -> Support | None:
    """The support of a name in `SUPPORTS`; None for `auto`, which depends on the environment."""
    fitted, authors = Support(-1.0, 1.0, 101, fitted=True), Support(-300.0, 300.0, 301)
    return {"rescaled": RESCALED, "fitted": fitted, "authors": authors}.get(name)


def fitting_scale(returns: npt.ArrayLike) -> float:
    """The least power of 2 that is at least as large as every return; 0 if all are 0."""
    largest = float(np.max(np.abs(np.asarray(returns, np.float64)), initial=0.0))
    return 2.0 ** max(-20, math.ceil(math.log2(largest))) if largest > 0 else 0.0


def rescale(values: Floats) -> Floats:
    """MuZero's h: sign(x) (sqrt(|x| + 1) - 1) + x / 1000, which brings scores of any size into one support."""
    scaled: Floats = np.sign(values) * (np.sqrt(np.abs(values) + 1) - 1) + SLOPE * values
    return scaled


def unscale(scaled: Floats) -> Floats:
    """The inverse of `rescale`."""
    root = (np.sqrt(1 + 4 * SLOPE * (np.abs(scaled) + 1 + SLOPE)) - 1) / (2 * SLOPE)
    values: Floats = np.sign(scaled) * (root * root - 1)
    return values
