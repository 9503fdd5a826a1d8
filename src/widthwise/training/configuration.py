"""The configuration of a trainer: everything that decides how it plans and learns, except the environment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from typing import Any, TypeVar

from widthwise.core.errors import UsageError
from widthwise.core.showing import in_words
from widthwise.learning.learning_settings import LearningSettings
from widthwise.learning.support import Support
from widthwise.online.policies import Behaviour
from widthwise.training.algorithms import PlanningSettings

T = TypeVar("T")

#: The largest values that are accepted from a file.
_MOST = {"batch": 1 << 20, "calibration": 1 << 20, "replay": 1 << 32, "trees": 4096, "nodes": 1 << 26, "atoms": 1 << 16}


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings of a trainer except the environment."""

    planning: PlanningSettings = field(default_factory=PlanningSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    support: Support | None = None  # of the value; None: what fits the environment
    trees: int = 1
    refresh: bool = False  # evaluate the kept tree again after every update
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        if self.trees < 1:
            raise UsageError(f"trees must be at least 1, not {self.trees}")

    def describe(self) -> dict[str, Any]:
        """The settings as plain data, ready for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Configuration:
        """The configuration that `describe` wrote.

        Args:
            data: plain data from a file, with today's keys (`old_keys` upgrades older ones).

        Returns:
            The configuration.

        Raises:
            UsageError: a setting is unknown, missing, of the wrong type, or out of bounds; the message names it.
        """
        values = dict(data)
        for name in ("planning", "learning"):
            if not isinstance(values.get(name), Mapping):
                raise UsageError(f"there are no settings of {name}")
        values["planning"] = _read(PlanningSettings, values["planning"])
        values["learning"] = _read(LearningSettings, values["learning"])
        if values.get("support") is not None:
            values["support"] = _read(Support, values["support"])
        return _read(cls, values)


def setting_fields() -> dict[str, Field[Any]]:
    """The settings of planning and learning that a user can override, by name."""
    known = {item.name: item for kind in (PlanningSettings, LearningSettings) for item in fields(kind)}
    del known["algorithm"]
    return known


def check_setting(item: Field[Any], value: Any) -> Any:
    """A value for a setting, as the setting holds it.

    Args:
        item: the setting, a field of `PlanningSettings`, `LearningSettings` or another dataclass of settings.
        value: the value, from Python or from a file.

    Returns:
        The value; tiles as a tuple, a behaviour as a `Behaviour`.

    Raises:
        UsageError: the value is of the wrong type or out of bounds.
    """
    name, default = item.name, default_of(item)
    if name == "tiles" and value is not None:
        if not isinstance(value, list | tuple) or len(value) != 2 or any(type(side) is not int for side in value):
            raise UsageError(f"tiles are a width and a height, not {in_words(value)}")
        return tuple(value)
    if name == "behaviour":
        if isinstance(value, str):
            return Behaviour(value)  # type: ignore[arg-type]
        return value if isinstance(value, Behaviour) else _read(Behaviour, value)
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
    return value


def default_of(item: Field[Any]) -> Any:
    """The default of a setting; its type determines which values fit."""
    make: Any = item.default_factory
    return item.default if item.default is not MISSING else None if make is MISSING else make()


def _read(kind: type[T], data: Any) -> T:
    """An object from its fields, each of the type that its default has."""
    if not isinstance(data, Mapping):
        raise UsageError(f"{kind.__name__} must be an object, not {in_words(data)}")
    known = {item.name: item for item in fields(kind)}  # type: ignore[arg-type]
    for name in data:
        if name not in known:
            raise UsageError(f"{kind.__name__} has no setting {name!r}; the settings are {', '.join(sorted(known))}")
    return kind(**{name: check_setting(known[name], value) for name, value in data.items()})
