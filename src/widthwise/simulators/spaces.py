"""Actions of Gymnasium as numbers from 0 on: finite sets as they are, continuous ones by a declared grid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.errors import UsageError

#: The most actions that a set of actions may be flattened into.
MOST_ACTIONS = 1000


_GRID = re.compile(r"grid:(\d+(?:x\d+)*)")


class Actions:
    """The actions of a space, numbered: `count` of them; `actions(number)` is the action itself.

    Continuous parts (`Box`) need a `grid`: `grid:5` takes 5 evenly spaced values from the lower to the upper bound of
    every number, `grid:5x3` 5 of the first number and 3 of the second.
    """

    def __init__(self, space: Any, owner: str = "the environment", grid: str | None = None) -> None:
        self._space = space
        self._kind = type(space).__name__ if space is not None else "None"
        self._values: list[npt.NDArray[np.float64]] = []  # of each continuous number
        continuous = list(_boxes(space))
        if grid is not None:
            self._values = _grid_values(continuous, grid, owner, space)
        elif continuous:
            raise UsageError(
                f"planning needs a finite set of actions, but {owner} has {space}",
                python='declare a grid of values, simulator(env, actions="grid:5"), or wrap the environment with '
                "gymnasium.wrappers.TransformAction",
                command="declare a grid of values with --actions grid:5, which takes 5 of each number",
            )
        rows = iter(self._values)
        sizes = _sizes(space, rows)
        if sizes is None:
            raise UsageError(
                f"planning needs a finite set of actions, but {owner} has {space}. Wrap it with "
                "gymnasium.wrappers.TransformAction and a Discrete, MultiDiscrete or MultiBinary space"
            )
        self._sizes = sizes
        self.count = 1
        for size in sizes:
            self.count *= size
        if self.count > MOST_ACTIONS:
            remedy = (
                "Declare a coarser grid"
                if self._values
                else "Wrap it with gymnasium.wrappers.TransformAction and a Discrete space of fewer actions"
            )
            raise UsageError(
                f"{owner} has {self.count:,} combinations of actions ({space}); at most {MOST_ACTIONS:,} are "
                f"supported. {remedy}"
            )

    def __call__(self, number: int) -> Any:
        """The action with a number."""
        if self._kind == "Discrete":
            return int(self._space.start) + number
        digits = []
        for size in reversed(self._sizes):
            number, digit = divmod(number, size)
            digits.append(digit)
        return _build(self._space, iter(digits[::-1]), iter(self._values))

    def names(self, single: tuple[str, ...] = ()) -> tuple[str, ...]:
        """What the actions are called: by the names of a Discrete space if they are known, else by their values."""
        if self._kind == "Discrete":
            return single if len(single) == self.count else tuple(str(self(number)) for number in range(self.count))
        return tuple(_text(self(number)) for number in range(self.count))


def _boxes(space: Any) -> Iterator[Any]:
    """The continuous parts of a space."""
    kind = type(space).__name__
    if kind == "Box":
        yield space
    elif kind in ("Tuple", "Dict"):
        for part in space.spaces.values() if kind == "Dict" else space.spaces:
            yield from _boxes(part)


def _grid_values(boxes: list[Any], grid: str, owner: str, space: Any) -> list[npt.NDArray[np.float64]]:
    """The values of each continuous number that a grid declares."""
    match = _GRID.fullmatch(grid) if isinstance(grid, str) else None
    if match is None:
        raise UsageError(f"actions={grid!r} does not describe a grid: write grid:N, or grid:NxM with a number for each")
    if not boxes:
        raise UsageError(f"a grid is for continuous actions, but {owner} has {space}: leave {grid!r} out")
    low = np.concatenate([np.asarray(box.low, np.float64).reshape(-1) for box in boxes])
    high = np.concatenate([np.asarray(box.high, np.float64).reshape(-1) for box in boxes])
    if not np.all(np.isfinite(low) & np.isfinite(high)):
        raise UsageError(
            f"a grid needs bounds, but {owner} has {space}: wrap it with gymnasium.wrappers.RescaleAction or ClipAction"
        )
    numbers = [int(number) for number in match.group(1).split("x")]
    if len(numbers) not in (1, len(low)):
        raise UsageError(f"{grid} has {len(numbers)} numbers, but an action of {owner} has {len(low)}")
    if min(numbers) < 2:
        raise UsageError(f"{grid}: a grid takes at least 2 values of each number")
    counts = numbers * len(low) if len(numbers) == 1 else numbers
    return [np.linspace(*bounds) for bounds in zip(low, high, counts, strict=True)]


def _sizes(space: Any, values: Iterator[npt.NDArray[np.float64]]) -> list[int] | None:
    """The number of choices of each part of a space; None if it is of another kind."""
    kind = type(space).__name__
    if kind == "Discrete":
        return [int(space.n)]
    if kind == "MultiDiscrete":
        return [int(size) for size in np.asarray(space.nvec).reshape(-1)]
    if kind == "MultiBinary":
        return [2] * int(np.prod(space.shape))
    if kind == "Box":
        return [len(next(values)) for _ in range(int(np.prod(space.shape)))]
    if kind in ("Tuple", "Dict"):
        parts = space.spaces.values() if kind == "Dict" else space.spaces
        sizes: list[int] = []
        for part in parts:
            inner = _sizes(part, values)
            if inner is None:
                return None
            sizes += inner
        return sizes
    return None


def _build(space: Any, digits: Iterator[int], values: Iterator[npt.NDArray[np.float64]]) -> Any:
    """An action of a space from the choices of its parts."""
    kind = type(space).__name__
    if kind == "Discrete":
        return int(space.start) + next(digits)
    if kind == "Tuple":
        return tuple(_build(part, digits, values) for part in space.spaces)
    if kind == "Dict":
        return {name: _build(part, digits, values) for name, part in space.spaces.items()}
    size = int(np.prod(space.shape))
    if kind == "Box":
        chosen = np.array([next(values)[next(digits)] for _ in range(size)])
        return chosen.astype(space.dtype).reshape(space.shape)
    flat = np.array([next(digits) for _ in range(size)], space.dtype).reshape(space.shape)
    return flat + np.asarray(space.start, space.dtype) if kind == "MultiDiscrete" else flat


def _text(action: Any) -> str:
    if isinstance(action, np.ndarray):
        return " ".join(f"{number:g}" for number in action.reshape(-1))
    if isinstance(action, dict):
        return " ".join(f"{name}={_text(part)}" for name, part in action.items())
    if isinstance(action, tuple):
        return " ".join(_text(part) for part in action)
    return str(action)
