"""All settings of a training run, as one thing that can be written down and read again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from widthwise.core.errors import UsageError
from widthwise.core.showing import in_words
from widthwise.learning.learning_settings import LearningSettings
from widthwise.learning.support import Support
from widthwise.online.policies import Behaviour
from widthwise.training.algorithms import Algorithm

T = TypeVar("T")

#: What settings stood for before they existed: a run from then goes on as it began, whatever the default is now.
BEFORE: dict[str, dict[str, Any]] = {
    "algorithm": {"doubt": False, "high_features": "tiles"},
    "learning": {"encoded": False},
}
#: The most that settings from a file may ask for; beyond it there is no machine.
_MOST = {"batch": 1 << 20, "calibration": 1 << 20, "replay": 1 << 32, "trees": 4096, "nodes": 1 << 26, "atoms": 1 << 16}


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run except the environment."""

    algorithm: Algorithm = field(default_factory=Algorithm)
    learning: LearningSettings = field(default_factory=LearningSettings)
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
        found["learning"] = _read(LearningSettings, found["learning"])
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
