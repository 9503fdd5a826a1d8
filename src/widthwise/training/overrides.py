"""Settings of planning and learning that a user gives: texts of the command line become values here, once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import Field
from typing import Any, get_args

from widthwise.core.errors import UsageError
from widthwise.online.policies import Behaviour, Formula
from widthwise.training.configuration import check_setting, default_of, setting_fields

#: Names that settings had in version 0.1.
OLD_NAMES = {"interactions": "steps_per_action"}
_TILES = re.compile(r"(\d+)x(\d+)")
#: After tiles: of the brightness, as in the options of `widthwise play`.
_GRAY = ":gray"
_SWITCH = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}


def parse_overrides(texts: Sequence[str]) -> dict[str, Any]:
    """The values of settings written `NAME=VALUE`.

    Args:
        texts: such as `tiles=4x4`, `tiles=4x4:gray`, `value=off` or `learning_rate=1e-3`.

    Returns:
        The values by name.

    Raises:
        UsageError: a text is not of this form, or there is no such setting or value.

    Example:
        >>> parse_overrides(["tiles=4x4", "value=off"])
        {'tiles': (4, 4), 'value': False}
    """
    known = setting_fields()
    overrides: dict[str, Any] = {}
    for text in texts:
        name, equals, written = text.partition("=")
        if not equals or not name.strip() or not written.strip():
            raise UsageError(f"{text!r} is not a setting: write NAME=VALUE, such as tiles=4x4 or value=off")
        name = name.strip().replace("-", "_")
        name = OLD_NAMES.get(name, name)
        for setting, value in _settings_of(name, written.strip()):
            if setting in overrides:
                raise UsageError(f"{setting} is given twice")
            overrides[setting] = _value(_field(known, setting), value)
    return overrides


def _settings_of(name: str, value: str) -> list[tuple[str, str]]:
    """The settings that a text stands for: `tiles=4x4:gray` is two."""
    if name == "tiles" and value.endswith(_GRAY):
        return [("tiles", value.removesuffix(_GRAY)), ("gray", "on")]
    return [(name, value)]


def check_overrides(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The same values, checked; raises `UsageError` if there is no such setting or a value does not fit."""
    known = setting_fields()
    return {
        name: value if _share(name, value) else check_setting(_field(known, name), value)
        for name, value in overrides.items()
    }


def _share(name: str, value: Any) -> bool:
    """Whether a value is a share of the interactions of a run."""
    return name == "archive" and isinstance(value, float) and 0 < value < 1


def override_texts(overrides: Mapping[str, Any]) -> dict[str, str]:
    """The values as texts, for labels and names of folders: `4x4`, `off`."""
    return {name: _text(value) for name, value in overrides.items()}


def plain_overrides(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The values as plain data for JSON."""
    plain = {}
    for name, value in overrides.items():
        value = value.formula if isinstance(value, Behaviour) else value
        plain[name] = list(value) if isinstance(value, tuple) else value
    return plain


def _field(known: Mapping[str, Field[Any]], name: str) -> Field[Any]:
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]}?" if close else f"the settings are {', '.join(sorted(known))}"
        raise UsageError(f"unknown setting {name!r}; {hint}")
    return known[name]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Behaviour):
        return value.formula
    if value is None:
        return "none"
    return "x".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _value(item: Field[Any], text: str) -> Any:
    """A text as a value of a setting; the default of the setting determines its type."""
    default = default_of(item)
    if isinstance(default, bool):
        if text.lower() not in _SWITCH:
            raise UsageError(f"{item.name} must be on or off, not {text!r}")
        return _SWITCH[text.lower()]
    if item.name == "tiles":
        return _tiles(text)
    if "width" in item.name:
        if text not in ("1", "2", "n"):
            raise UsageError(f"on simulators a width must be 1, 2 or n, not {text!r}")
        return "n" if text == "n" else int(text)
    if item.name == "behaviour":
        if text not in get_args(Formula):
            raise UsageError(f"{item.name} must be one of {', '.join(get_args(Formula))}, not {text!r}")
        return Behaviour(text)  # type: ignore[arg-type]
    try:
        if item.name == "archive" and _share(item.name, float(text)):
            return float(text)
        if isinstance(default, int):
            return _whole(text)
        return float(text) if isinstance(default, float) else text
    except (ValueError, OverflowError):
        kind = "a whole number" if isinstance(default, int) else "a number"
        kind += " or a share of the run below 1" if item.name == "archive" else ""
        raise UsageError(f"{item.name} must be {kind}, not {text!r}") from None


def _whole(text: str) -> int:
    number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


def _tiles(text: str) -> tuple[int, int] | None:
    if text in ("none", "off"):
        return None
    sides = _TILES.fullmatch(text)
    if sides is None:
        raise UsageError(f"{text!r} is not a tiling: write width x height, such as 4x4 or 4x4:gray")
    return int(sides[1]), int(sides[2])
