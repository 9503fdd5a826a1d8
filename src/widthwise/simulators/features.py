"""Features: functions from a step to a vector of small integers, for novelty.

A feature function takes a `Step` and returns an array (or bytes) of small integers, always of the same length. `count`
is the length, `values` the number of values of each integer; either is None if it is not known. Any function of a step
is allowed; `CustomFeatures` adds a count and values to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted
from widthwise.core.simulator import Step

Values = npt.NDArray[Any]


class Features(Protocol):
    """A function from a step to small integers."""

    @property
    def count(self) -> int | None:
        """How many integers."""
        ...

    @property
    def values(self) -> int | None:
        """How many values each of them can have."""
        ...

    def __call__(self, step: Step) -> Any:
        """The features of a step."""
        ...


class Tiles:
    """The image in tiles: the mean of each tile, divided into equal intervals.

    Every channel of a colour image gives separate features. Of stacked frames the newest is used. Tile borders need
    not be pixel borders.

    Args:
        width: The number of tiles across.
        height: The number of tiles down.
        values: The number of intervals, from 2 to 256.
        gray: Use the brightness of a colour image instead of its channels.

    Raises:
        UsageError: A number is out of range; when called, the observation is not an image.

    Example:
        >>> step = ww.simulator("maze-small").reset(seed=0)
        >>> ww.Tiles(4, 4)(step).shape
        (48,)
    """

    def __init__(self, width: int, height: int, values: int = 256, *, gray: bool = False) -> None:
        if width < 1 or height < 1:
            raise UsageError(f"{width}x{height} tiles are not possible: use at least 1x1")
        if not 2 <= values <= 256:
            raise UsageError(f"values must be from 2 to 256, not {values}")
        self.width, self.height, self.values, self.gray = width, height, values, gray
        self.count: int | None = None
        self._shape: tuple[int, ...] = ()
        self._shrink: _native.Shrink | None = None

    def __call__(self, step: Step) -> npt.NDArray[np.uint8]:
        """The tiles of a step's observation, rows first."""
        observation = step.observation
        if isinstance(observation, dict):
            observation = observation.get("image")
        image = getattr(observation, "newest", observation)
        if getattr(image, "ndim", 0) not in (2, 3):
            self._prepare(image)
        if self.gray and image.ndim == 3:
            image = _brightness(image)
        if image.shape != self._shape:
            self._prepare(image)
        if not image.flags.c_contiguous:
            image = np.ascontiguousarray(image)
        out = np.empty(self.count, np.uint8)  # type: ignore[arg-type]
        self._shrink(image, out)  # type: ignore[misc]
        return out

    def in_gray(self) -> Tiles:
        """The same tiles of the brightness."""
        return Tiles(self.width, self.height, self.values, gray=True)

    def _prepare(self, image: Any) -> None:
        shape: tuple[int, ...] = tuple(getattr(image, "shape", ()))
        if len(shape) not in (2, 3) or image.dtype != np.uint8:
            kind = getattr(image, "dtype", type(image).__name__)
            what = f"{kind} of shape {shape}" if shape else "nothing" if image is None else f"a single {kind}"
            raise UsageError(
                "tiles need images: arrays of bytes with rows, columns and possibly channels. The observation is "
                f"{what}. Use other features: the observation itself, bins for floats, or a function of a step"
            )
        if self.count is not None:
            raise UsageError(f"the shape of the images changed from {self._shape} to {shape}")
        channels = shape[2] if len(shape) == 3 else 1
        if self.height > shape[0] or self.width > shape[1]:
            raise UsageError(
                f"an image of {shape[1]}x{shape[0]} pixels is too small for {self.width}x{self.height} tiles"
            )
        self._shrink = _native.Shrink(shape[0], shape[1], channels, self.height, self.width, self.values)
        self._shape, self.count = shape, self._shrink.output_size

    def __repr__(self) -> str:
        return f"Tiles({self.width}, {self.height}, {self.values}{', gray=True' if self.gray else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _tiles, (self.width, self.height, self.values, self.gray)


def _tiles(width: int, height: int, values: int, gray: bool) -> Tiles:
    return Tiles(width, height, values, gray=gray)


def _brightness(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The luminance of a colour image; the weights 77, 150 and 29 add up to 256."""
    wide = image.astype(np.uint16)
    return ((77 * wide[..., 0] + 150 * wide[..., 1] + 29 * wide[..., 2]) >> 8).astype(np.uint8)


class Info:
    """Entries of a step's `info` that are integers, by name.

    Args:
        names: The names.
        values: How many values each entry can have, if it is known.

    Raises:
        UsageError: There are no names; when called, the info has no such entry.

    Example:
        >>> ww.Info("cell", "key")(ww.simulator("maze-small").reset(seed=0)).shape
        (2,)
    """

    def __init__(self, *names: str, values: int | None = None) -> None:
        if not names:
            raise UsageError("Info needs the name of at least one entry of info, for example Info('key')")
        self.names, self.values, self.count = names, values, len(names)

    def __call__(self, step: Step) -> npt.NDArray[np.int32]:
        """The entries, in the order of the names."""
        info = step.info
        try:
            return np.array([info[name] for name in self.names], np.int32)
        except KeyError as error:
            known = ", ".join(map(str, info)) or "no entries"
            raise UsageError(f"the info of this simulator has no entry {error.args[0]!r}; it has {known}") from None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.names))})"


class Cells(Info):
    """The cell of a maze that the agent is on.

    Args:
        key: Add a second feature: whether the agent has the key.
        cells: The number of cells, if it is known.

    Example:
        >>> ww.Cells(key=True)(ww.simulator("maze-small").reset(seed=0)).shape
        (2,)
    """

    def __init__(self, *, key: bool = False, cells: int | None = None) -> None:
        super().__init__("cell", *(["key"] if key else []), values=cells)


class Ram:
    """The bytes of an Atari console's memory.

    Args:
        addresses: The addresses to use, from 0 to 127; all of them by default.

    Raises:
        UsageError: There is no such address; when called, the simulator is not an Atari game.

    Example:
        >>> ww.Ram([3, 42]).count
        2
    """

    values = 256

    def __init__(self, addresses: Sequence[int] | None = None) -> None:
        if addresses is not None and any(not 0 <= address < 128 for address in addresses):
            raise UsageError("the addresses of the Atari memory are 0 to 127")
        self._addresses = None if addresses is None else list(addresses)
        self.count = 128 if addresses is None else len(addresses)

    def __call__(self, step: Step) -> npt.NDArray[np.uint8]:
        """The bytes."""
        ram: npt.NDArray[np.uint8] | None = step.info.get("ram")
        if ram is None:
            raise UsageError("the info of this simulator has no entry 'ram'; only Atari games have it")
        return ram if self._addresses is None else ram[self._addresses]


class Atoms:
    """The atoms of a PDDL task that hold, as zeros and ones, for a task used as a simulator.

    Args:
        numbers: The numbers of the atoms to use; all of them by default.

    Example:
        >>> env = ww.simulator(ww.example("corridor", length=2))
        >>> int(ww.Atoms()(env.reset()).sum())
        2
    """

    values = 2

    def __init__(self, numbers: Sequence[int] | None = None) -> None:
        self._numbers = None if numbers is None else list(numbers)
        self.count = None if numbers is None else len(numbers)

    def __call__(self, step: Step) -> npt.NDArray[np.uint8]:
        """One for an atom that holds, zero for another."""
        held: npt.NDArray[np.uint8] = step.observation
        return held if self._numbers is None else held[self._numbers]


class CustomFeatures:
    """A function of the user as features."""

    def __init__(self, function: Callable[[Step], Any], count: int | None = None, values: int | None = None) -> None:
        self._function, self.count, self.values = function, count, values

    def __call__(self, step: Step) -> Values:
        """The result of the function, as an array of integers."""
        vector = np.asarray(self._function(step)).reshape(-1)
        if vector.dtype.kind not in "iub":
            raise UsageError(f"features must be integers; {self._function!r} returned {vector.dtype}")
        if self.count is None:
            self.count = len(vector)
        elif len(vector) != self.count:
            raise UsageError(
                f"{self._function!r} returned {counted(len(vector), 'feature')} instead of {self.count} as before"
            )
        return vector
