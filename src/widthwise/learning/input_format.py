"""How observations become the input of a network: images as bytes, anything else as a row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.showing import in_words
from widthwise.learning.encoding import Encoding

#: Images smaller than this are too small for the convolutions.
SMALLEST = 20
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class InputFormat:
    """What observations look like, and how to write them into a buffer.

    Images become (height, width, channels) in bytes, anything else a vector of 32-bit floats: by an `encoding`, or in
    runs from before there were encodings the numbers as they are. In those `states` is the number of states where an
    observation is the number of one (Gymnasium's Discrete): it becomes a one among zeros.
    """

    shape: tuple[int, ...]
    image: bool
    stacked: bool = False  # frames come one after the other and not as channels
    states: int = 0
    encoding: Encoding | None = field(default=None, compare=False)

    @classmethod
    def encoded(cls, observation: Any, space: Any = None) -> InputFormat:
        """How to look at observations like this one of a Gymnasium space: images as such, all else by an encoding."""
        image = observation.get("image") if isinstance(observation, dict) else observation
        if hasattr(image, "frames") or getattr(image, "dtype", None) == np.uint8:
            input_format = cls.of(image)
            if input_format.image:
                return input_format
        encoding = Encoding(observation, space)
        return cls((encoding.width,), False, encoding=encoding)

    @classmethod
    def of(cls, observation: Any, states: int = 0) -> InputFormat:
        """How to look at observations like this one."""
        if states:
            return cls((states,), False, states=states)
        observation = plain(observation)
        frames = getattr(observation, "frames", None)
        if frames is not None:
            if any(frame.dtype != np.uint8 or frame.shape != frames[0].shape for frame in frames):
                raise UsageError("a network sees frames of bytes that are all equally large")
            return cls((*frames[0].shape, len(frames)), True, stacked=True)
        array = np.asarray(observation)
        if array.dtype.kind not in "iufb":
            raise UsageError(f"a network sees numbers, not observations such as {in_words(observation)}")
        if array.dtype == np.uint8 and array.ndim in (2, 3) and min(array.shape[:2]) >= SMALLEST:
            return cls(array.shape if array.ndim == 3 else (*array.shape, 1), True)
        return cls((array.size,), False)

    @property
    def dtype(self) -> type[np.generic]:
        """What a buffer is made of."""
        return np.uint8 if self.image else np.float32

    def buffer(self, rows: int) -> Array:
        """Space for this many observations."""
        return np.zeros((rows, *self.shape), self.dtype)

    def parts(self, observation: Any) -> tuple[Array, ...]:
        """An observation as arrays to keep: those it is made of where it can be, so that frames stay shared."""
        if self.stacked:
            return tuple(map(np.ascontiguousarray, observation.frames))  # the same arrays, unless they were sliced
        if self.image:
            return (np.ascontiguousarray(plain(observation)).reshape(self.shape),)
        if self.encoding is not None:
            return (self.encoding(observation),)
        row = self.buffer(1)[0]
        if self.states:
            row[int(observation)] = 1
        else:
            row[:] = np.ravel(plain(observation))
        return (row,)

    def mark(self, observation: Any) -> int:
        """A number that distinguishes an observation from others."""
        return _native.digest([part.view(np.uint8) for part in self.parts(observation)])

    def write(self, parts: Sequence[Array], row: Array) -> None:
        """Put an observation, in parts, into a row of a buffer."""
        if self.stacked:
            _native.interleave(parts, row)
        else:
            row[...] = parts[0]


def plain(observation: Any) -> Any:
    """Of several named observations the image, or all numbers in the order of their names."""
    if not isinstance(observation, dict):
        return observation
    if "image" in observation:
        return observation["image"]
    parts = [np.ravel(observation[name]) for name in sorted(observation)]
    return np.concatenate([part for part in parts if part.dtype.kind in "iufb"])
