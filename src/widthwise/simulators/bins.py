"""Floats as features: intervals of a grid or between quantiles, fitted by a short random walk."""

from __future__ import annotations

import random
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from widthwise.core.contract import guarded
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.simulators.observations import Floats, joined, leaves, whole

Kind = Literal["grid", "quantiles"]

#: Default intervals per float, and default steps and episode length of the random walk.
BINS = 24
WALK = 1000
EPISODE = 200
#: Bounds of a space are ignored if they are wider than this many times the range of the random walk.
WIDE = 50.0


class Bins:
    """Features for observations with floats: the number of the interval that contains each float.

    Give `low` and `high` for a grid of intervals of equal width, or `edges` for any intervals. `Bins.fit(simulator)`
    finds them by a random walk. Values beyond a grid get further numbers. Integers in the observation are used as they
    are.

    Args:
        bins: The number of intervals for each float.
        low: The lower end of the range of each float.
        high: The upper end of the range of each float.
        edges: For each float, the borders between its intervals.

    Raises:
        UsageError: Neither a range nor borders are given, or they do not fit each other.

    Example:
        >>> ww.Bins(10, low=[0.0, -1.0], high=[1.0, 1.0])(ww.Step([0.25, 0.0]))
        array([2, 5], dtype=int32)
    """

    values = None

    def __init__(self, bins: int = BINS, *, low: Any = None, high: Any = None, edges: Any = None) -> None:
        if not isinstance(bins, int) or bins < 2:
            raise UsageError(f"bins must be a whole number of at least 2, not {bins!r}")
        if (edges is None) == (low is None or high is None):
            raise UsageError("Bins needs low and high, or edges; Bins.fit(simulator) determines them by a random walk")
        self.bins = bins
        self.edges: list[Floats] | None = None
        if edges is not None:
            self.edges = [np.unique(np.asarray(row, np.float64)) for row in edges]
            self.floats = len(self.edges)
            return
        self.low = np.atleast_1d(np.asarray(low, np.float64))
        self.high = np.atleast_1d(np.asarray(high, np.float64))
        if self.low.shape != self.high.shape or not np.all(np.isfinite(self.low) & np.isfinite(self.high)):
            raise UsageError("low and high must be finite numbers, one for each float of the observation")
        if np.any(self.high < self.low):
            raise UsageError("high is below low for some of the floats")
        span = self.high - self.low
        self._scale = bins / np.where(span > 0, span, np.maximum(1.0, np.abs(self.high)))
        self.floats = len(self.low)

    @classmethod
    def fit(
        cls,
        simulator: Simulator,
        bins: int = BINS,
        *,
        kind: Kind = "grid",
        seed: int = 0,
        steps: int = WALK,
        low: Any = None,
        high: Any = None,
    ) -> Bins:
        """Find the intervals by a random walk. The simulator is reset.

        Args:
            simulator: The simulator.
            bins: The number of intervals for each float.
            kind: "grid" for intervals of equal width, "quantiles" for intervals that the walk visits equally often.
            seed: The seed of the walk; the same seed gives the same intervals.
            steps: The number of steps.
            low: Known lower bounds, one for each float. A bound that is infinite or far from what the walk sees is not
                used.
            high: Known upper bounds.

        Returns:
            The features.

        Raises:
            UsageError: The observation has no floats, or there is no such kind.
        """
        if kind not in get_args(Kind):
            raise UsageError(f"unknown kind of bins {kind!r}; the kinds are {', '.join(get_args(Kind))}")
        seen = walk(simulator, seed, steps)
        if not seen.shape[1]:
            raise UsageError("the observation has no floats for Bins: use the features Observation")
        if kind == "quantiles":
            shares = np.linspace(0, 1, bins + 1)[1:-1]
            return cls(bins, edges=list(np.quantile(seen, shares, axis=0).T))
        least, most = seen.min(axis=0), seen.max(axis=0)
        span = most - least
        lower = _known(low, least - span / 2, span, -1)
        upper = _known(high, most + span / 2, span, 1)
        return cls(bins, low=np.minimum(lower, least), high=np.maximum(upper, most))

    def __call__(self, step: Step) -> npt.NDArray[Any]:
        """The features of a step.

        Raises `UsageError` if the observation has not the number of floats that the bins were made for.
        """
        numbers, parts = split(step.observation)
        if len(numbers) != self.floats:
            raise UsageError(f"the bins are for {self.floats} floats, but the observation has {len(numbers)}")
        return joined([self._intervals(numbers), *parts])

    def finer(self, times: int) -> Bins:
        """Bins that divide each interval of a grid into `times` intervals; the same bins if they are not a grid.

        Args:
            times: The number of new intervals in each.

        Returns:
            The features.
        """
        return self if self.edges is not None else Bins(self.bins * times, low=self.low, high=self.high)

    @property
    def count(self) -> int | None:
        """How many features there are; not known before an observation, which may have whole numbers too."""
        return None

    def _intervals(self, numbers: Floats) -> npt.NDArray[np.int32]:
        if self.edges is not None:
            rows = zip(self.edges, numbers, strict=True)
            return np.array([np.searchsorted(edges, number, side="right") for edges, number in rows], np.int32)
        cells = np.nan_to_num(np.floor((numbers - self.low) * self._scale), nan=-(2.0**30))
        intervals: npt.NDArray[np.int32] = np.clip(cells, -(2.0**30), 2.0**30).astype(np.int32)
        return intervals

    def __repr__(self) -> str:
        kind = "grid" if self.edges is None else "quantiles"
        return f"Bins({self.bins}, {kind} over {self.floats} floats)"


def split(observation: Any) -> tuple[Floats, list[npt.NDArray[Any]]]:
    """The floats of an observation, and its whole numbers."""
    numbers, parts = [], []
    for _, array in leaves(observation):
        if array.dtype.kind == "f":
            numbers.append(array.astype(np.float64))
        else:
            parts.append(whole(array))
    return (np.concatenate(numbers) if numbers else np.zeros(0)), parts


def walk(simulator: Simulator, seed: int, steps: int) -> Floats:
    """The floats that a random walk sees, a row per step; episodes are cut after a while, so that there are several."""
    choose = random.Random(seed)
    rows: list[Floats] = []
    episode, age, action = 0, 0, 0
    simulator = guarded(simulator)
    step = simulator.reset(seed=seed)
    rows.append(split(step.observation)[0])
    while len(rows) < steps:
        if step.done or age >= EPISODE:
            episode, age = episode + 1, 0
            step = simulator.reset(seed=seed + episode)
        else:
            # Some actions are repeated: a purely random walk stays near its start.
            if age % 8 == 0 or episode % 2:
                action = choose.randrange(simulator.actions)
            step = simulator.step(action)
            age += 1
        rows.append(split(step.observation)[0])
    table = np.stack(rows)
    return table[np.isfinite(table).all(axis=1)] if len(table) else table


def _known(given: Any, seen: Floats, span: Floats, sign: int) -> Floats:
    """Bounds: those that are given, where they are finite and near what was seen."""
    if given is None:
        return seen
    bounds = np.asarray(given, np.float64).reshape(-1)
    if bounds.shape != seen.shape:
        raise UsageError(f"{len(bounds)} bounds for {len(seen)} floats: give one bound per float")
    far = np.abs(bounds - seen) > WIDE * np.maximum(span, 1e-9)
    return np.where(np.isfinite(bounds) & ~far, bounds, seen)
