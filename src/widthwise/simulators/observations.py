"""Observations of any kind as feature vectors: whole numbers as they are, texts by a checksum, floats in bins."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step

Floats = npt.NDArray[np.float64]


def leaves(observation: Any, name: str = "") -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """The arrays that an observation consists of, each flat and with its name; dicts in the order of their keys."""
    if isinstance(observation, dict):
        for key in sorted(observation, key=str):
            yield from leaves(observation[key], f"{name}[{key!r}]")
    elif isinstance(observation, tuple | list) and not all(isinstance(part, int | float) for part in observation):
        for index, part in enumerate(observation):
            yield from leaves(part, f"{name}[{index}]")
    elif isinstance(observation, str):
        yield name, np.array([zlib.crc32(observation.encode()) & 0x7FFFFFFF], np.int32)
    elif isinstance(observation, bytes):
        yield name, np.frombuffer(observation, np.uint8)
    else:
        array = np.asarray(getattr(observation, "newest", observation)).reshape(-1)
        if array.dtype.kind not in "biuf":
            raise UsageError(
                f"the observation{name} is {type(observation).__name__} ({observation!r:.60}), which has no numbers "
                "for features: give a feature function, a function of a step"
            )
        yield name, array


def whole(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in at most 32 bits: numbers that do not fit become two features, their upper and lower half.

    The type decides, not the value, so that a vector always has the same length.
    """
    kind = array.dtype
    if kind.kind == "b":
        return array.astype(np.uint8)
    if kind.itemsize < 4 or kind == np.int32:
        return array
    if kind.itemsize == 4:
        return array.view(np.int32)
    return np.ascontiguousarray(array).view(np.int32)


def joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Several vectors of whole numbers as one."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([part.astype(np.int32, copy=False) for part in parts]) if parts else np.zeros(0, np.int32)


class Observation:
    """The observation itself as features: every integer in it.

    Observations may be integers of any size, nested tuples and dictionaries of them, and strings. Floats need `Bins`.

    Raises:
        UsageError: When called, the observation has floats or parts that are not numbers.

    Example:
        >>> ww.Observation()(ww.Step(bytes([3, 4])))
        array([3, 4], dtype=uint8)
    """

    values = None

    def __init__(self) -> None:
        self.count: int | None = None

    def __call__(self, step: Step) -> npt.NDArray[Any]:
        """The features of a step.

        Raises `UsageError` if the observation has floats or parts that are not numbers.
        """
        parts = []
        for name, array in leaves(step.observation):
            if array.dtype.kind == "f":
                raise UsageError(
                    f"the observation{name} has floats ({array.dtype}): use the features Bins, which divide them into "
                    "intervals"
                )
            parts.append(whole(array))
        vector = joined(parts)
        self.count = len(vector)
        return vector

    def __repr__(self) -> str:
        return "Observation()"
