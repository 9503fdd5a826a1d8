"""Observations that are no images as a row of floats: choices as a one among zeros, numbers scaled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.errors import SimulatorError, UsageError
from widthwise.core.showing import in_words

#: A part with more choices than this is a number, not a one among zeros.
MOST_CHOICES = 4096
#: Scaled numbers are cut off here, so that an outlier does not dominate the others.
FARTHEST = 10.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an observation: the keys that lead to it, how many numbers it has, and their choices or bounds."""

    path: tuple[Any, ...]
    count: int
    choices: tuple[int, ...] = ()  # how many each number has; empty: numbers of any size
    first: tuple[int, ...] = ()  # the least of the choices
    spread: tuple[float, ...] = ()  # half the distance of the bounds, infinite where there are none

    @property
    def width(self) -> int:
        """How many floats it takes."""
        return sum(self.choices) if self.choices else self.count

    @property
    def name(self) -> str:
        """Its name in messages."""
        return "the observation" + "".join(f"[{key!r}]" for key in self.path)


class Encoding:
    """How the observations of an environment become rows of floats.

    `Discrete` and `MultiDiscrete` parts are written as a one among zeros per number, all other numbers are centred and
    scaled by what `fit` has seen. Dicts and tuples are flattened, in the order of keys. Texts are left out.

    Args:
        observation: one of the observations; it determines the parts.
        space: the Gymnasium space of the observations, if there is one: it determines which parts are choices.

    Raises:
        UsageError: a part is neither numbers nor text, or no numbers are left.
    """

    def __init__(self, observation: Any, space: Any = None) -> None:
        self.parts = list(_parts(observation, space))
        self.width = sum(part.width for part in self.parts)
        if not self.width:
            raise UsageError(f"a network needs numbers, and the observation is {in_words(observation)}")
        self.numeric = any(not part.choices for part in self.parts)
        self.centre = np.zeros(self.width, np.float32)
        self.scale = np.ones(self.width, np.float32)

    def fit(self, observations: Sequence[Any]) -> None:
        """Centre and scale numbers by what was seen; those that never changed, by the bounds of their space."""
        rows = np.stack([self.raw(observation) for observation in observations])
        centre, scale, at = rows.mean(0), rows.std(0), 0
        for part in self.parts:
            place = slice(at, at + part.width)
            if part.choices:
                centre[place], scale[place] = 0.0, 1.0
            else:
                spread = np.array(part.spread)
                known = np.where(np.isfinite(spread) & (spread > 0), spread, np.maximum(1.0, np.abs(centre[place])))
                still = scale[place] <= 1e-6 * np.maximum(1e-6, np.abs(centre[place]))
                scale[place] = np.where(still, known, scale[place])
            at += part.width
        self.centre[:], self.scale[:] = centre, np.clip(scale, 1e-30, 1e30)

    def raw(self, observation: Any) -> Floats:
        """An observation as a row, with numbers as they are."""
        row, at = np.zeros(self.width), 0
        for part in self.parts:
            value = observation
            for key in part.path:
                value = value[key]
            numbers = np.asarray(value).reshape(-1)
            if len(numbers) != part.count:
                raise SimulatorError(f"{part.name} has {len(numbers)} numbers, and had {part.count} before")
            if not part.choices:
                row[at : at + part.width] = numbers
            for number, choices, first in zip(numbers.tolist(), part.choices, part.first, strict=bool(part.choices)):
                if not first <= number < first + choices:
                    raise SimulatorError(f"{part.name} is {number}; its space has {first} to {first + choices - 1}")
                row[at + int(number) - first] = 1.0
                at += choices
            at += 0 if part.choices else part.width
        return row

    def __call__(self, observation: Any) -> npt.NDArray[np.float32]:
        """An observation as a row for the network."""
        row = self.raw(observation)
        if self.numeric:
            row = np.clip((row - self.centre) / self.scale, -FARTHEST, FARTHEST)
        return row.astype(np.float32)


def _parts(observation: Any, space: Any, path: tuple[Any, ...] = ()) -> Iterator[Part]:
    kind = type(space).__name__
    if isinstance(observation, dict):
        known = getattr(space, "spaces", {}) if kind == "Dict" else {}
        for key in sorted(observation, key=str):
            yield from _parts(observation[key], known.get(key), (*path, key))
        return
    if isinstance(observation, str):
        return
    nested = isinstance(observation, tuple | list) and not all(
        isinstance(entry, int | float | np.number) for entry in observation
    )
    if nested or (isinstance(observation, tuple) and kind == "Tuple"):
        known = getattr(space, "spaces", ()) if kind == "Tuple" else ()
        for index, entry in enumerate(observation):
            yield from _parts(entry, known[index] if index < len(known) else None, (*path, index))
        return
    yield _leaf(observation, space, path)


def _leaf(observation: Any, space: Any, path: tuple[Any, ...]) -> Part:
    """The part for an array or a number."""
    kind = type(space).__name__
    array = np.asarray(observation)
    if array.dtype.kind not in "biuf":
        name = Part(path, 0).name
        raise UsageError(
            f"a network needs numbers, and {name} is {type(observation).__name__} ({in_words(observation)})"
        )
    if kind == "Discrete" and int(space.n) <= MOST_CHOICES:
        return Part(path, 1, (int(space.n),), (int(space.start),))
    if kind == "MultiDiscrete" and int(np.sum(space.nvec)) <= MOST_CHOICES:
        sizes = np.asarray(space.nvec).reshape(-1).tolist()
        return Part(path, len(sizes), tuple(sizes), tuple(np.asarray(space.start).reshape(-1).tolist()))
    spread = np.full(array.size, np.inf)
    if kind == "Box" and np.size(space.low) == array.size:
        low, high = (np.asarray(bound, np.float64).reshape(-1) for bound in (space.low, space.high))
        with np.errstate(over="ignore"):
            spread = (high - low) / 2
    return Part(path, array.size, spread=tuple(spread.tolist()))
