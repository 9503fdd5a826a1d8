"""All settings of a training run, as one thing that can be written down and read again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from widthwise.core.errors import UsageError
from widthwise.core.showing import in_words
from widthwise.learning.algorithms import Algorithm
from widthwise.learning.support import Support
from widthwise.online.policies import Behaviour

T = TypeVar("T")

#: What settings stood for before they existed: a run from then goes on as it began, whatever the default is now.
BEFORE: dict[str, dict[str, Any]] = {
    "algorithm": {"doubt": False, "high_features": "tiles"},
    "learning": {"encoded": False},
}
#: The most that settings from a file may ask for; beyond it there is no machine.
_MOST = {"batch": 1 << 20, "calibration": 1 << 20, "replay": 1 << 32, "trees": 4096, "nodes": 1 << 26, "atoms": 1 << 16}


@dataclass(frozen=True, slots=True)
class Learning:
    """How the network is trained; what differs from the authors' program, and why, is told in docs/learning.md."""

    updates: int = 1  # per executed action
    batch: int = 32
    replay: int = 2_000  # transitions
    learning_rate: float = 7e-4
    decay: float = 0.99
    epsilon: float = 0.01
    clip: float = 50.0  # largest norm of the gradient
    l2: float = 1e-4
    value_factor: float = 1.0
    momentum: float = 0.1  # how fast the normalisation's averages follow
    smooth: bool = True  # the first weights are alike at neighbouring pixels
    patient: bool = True  # nothing is learned before the first reward: there is nothing to learn, and much to spoil
    calibration: int = 128  # random steps before all else, to which the normalisation is set; 0: none
    encoded: bool = True  # observations that are no images: choices as a one among zeros, numbers scaled

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        for name in ("replay", "learning_rate", "epsilon", "clip"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is above 0, not {getattr(self, name)!r}")
        for name in ("updates", "l2", "value_factor", "calibration"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} is at least 0, not {getattr(self, name)!r}")
        if not self.batch >= 2:
            raise UsageError(f"batch is at least 2, not {self.batch!r}: one observation has no spread")
        if self.calibration == 1:
            raise UsageError("calibration is 0 (none) or at least 2, not 1: one observation has no spread")


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run except the environment."""

    algorithm: Algorithm = field(default_factory=Algorithm)
    learning: Learning = field(default_factory=Learning)
    support: Support | None = None  # of the value; None: what fits the environment
    trees: int = 1
    refresh: bool = False  # evaluate the kept tree anew after every update
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        if self.trees < 1:
            raise UsageError(f"there is at least 1 tree, not {self.trees}")

    def describe(self) -> dict[str, Any]:
        """The settings as plain data, ready for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Config:
        """The settings that `describe` wrote.

        Args:
            data: plain data from a file; settings that are missing are what they were before they existed (`BEFORE`).

        Returns:
            The settings.

        Raises:
            UsageError: a setting is unknown, missing, of the wrong type, or out of bounds; the message names it.
        """
        found = dict(data)
        for name in ("algorithm", "learning"):
            if not isinstance(found.get(name), Mapping):
                raise UsageError(f"there are no settings for {name}")
            found[name] = {**BEFORE[name], **found[name]}
        chosen = dict(found["algorithm"])
        chosen["behaviour"] = _read(Behaviour, chosen.get("behaviour"))
        if chosen.get("tiles") is not None:
            tiles = chosen["tiles"]
            if not isinstance(tiles, list | tuple) or len(tiles) != 2 or any(type(one) is not int for one in tiles):
                raise UsageError(f"tiles are a width and a height, not {in_words(tiles)}")
            chosen["tiles"] = tuple(tiles)
        found["algorithm"] = _read(Algorithm, chosen)
        found["learning"] = _read(Learning, found["learning"])
        if found.get("support") is not None:
            found["support"] = _read(Support, found["support"])
        return _read(cls, found)


def _read(kind: type[T], data: Any) -> T:
    """An object from its fields, each of the type that its default has."""
    if not isinstance(data, Mapping):
        raise UsageError(f"{kind.__name__} is written as an object, not as {in_words(data)}")
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    for name, value in data.items():
        if name not in known:
            raise UsageError(f"{kind.__name__} has no setting {name!r}; the settings are {', '.join(sorted(known))}")
        default = known[name].default
        if isinstance(default, bool):
            fits = isinstance(value, bool)
        elif "width" in name:
            fits = value == "n" or (type(value) is int and value in (1, 2))
        elif isinstance(default, int):
            fits = type(value) is int and 0 <= value <= _MOST.get(name, 2**63 - 1)
        elif isinstance(default, float):
            fits = type(value) in (int, float) and math.isfinite(value)
        else:
            fits = not isinstance(default, str) or isinstance(value, str)
        if not fits:
            raise UsageError(f"{name} cannot be {in_words(value)}")
    return kind(**data)
