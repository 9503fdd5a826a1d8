"""What a training run is made of, as texts: an algorithm's name and settings such as `tiles=4x4` or `value=off`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from typing import Any, get_args

from widthwise.core.errors import UsageError
from widthwise.online.presets import DEFAULT, FIRST

#: What evaluations may take when nothing is said, as a share of the training interactions.
EVALUATION_SHARE = 0.25
_TILES = re.compile(r"(\d+)x(\d+)")
_SWITCH = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Everything that decides what a run does, as plain data that fits into JSON."""

    environment: str
    algorithm: str  # `auto` for a run to be begun: what suits the environment
    interactions: int
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)  # of the environment
    preset: str = DEFAULT  # the settings of the algorithm and of learning that `parts` does not name
    parts: Mapping[str, str] = field(default_factory=dict)  # settings of the algorithm and of learning, as texts
    trees: int = 1
    refresh: bool = False
    evaluate_every: int = 0  # 0: a twentieth of the interactions
    network_episodes: int = 3
    planner_episodes: int = 1
    evaluation_steps: int | None = None
    chance: str = "refuse"  # what to do where steps depend on chance: refuse, foresee or reseed
    evaluation_share: float = EVALUATION_SHARE  # of the training interactions; 0: no bound

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing, before anything is made of them."""
        for name, least in (("interactions", 1), ("trees", 1), ("network_episodes", 1), ("planner_episodes", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{name.replace('_', ' ')}: {getattr(self, name)} is below {least}")
        if not 0 <= self.evaluation_share < math.inf:
            raise UsageError(f"evaluation share: {self.evaluation_share} is no share of the interactions")

    @property
    def interval(self) -> int:
        """Interactions between two evaluations."""
        return self.evaluate_every or max(1, self.interactions // 20)

    def describe(self) -> dict[str, Any]:
        """As plain data; the interval in figures, so that a longer run keeps it."""
        return {
            **asdict(self),
            "options": dict(self.options),
            "parts": dict(self.parts),
            "evaluate_every": self.interval,
        }

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> RunSettings:
        """From plain data; a run without a preset was begun by version 0.1, which did not bound evaluations."""
        known = {one.name for one in fields(cls)}
        first = {"preset": FIRST, "evaluation_share": 0.0}
        return cls(**{**first, **{name: value for name, value in told.items() if name in known}})

    @property
    def variation(self) -> str:
        """What tells this from the algorithm as its name stands for it, for a label: `4x4`, `value=off`."""
        told = [] if self.preset in (DEFAULT, FIRST) else [f"preset {self.preset}"]
        told += [value if name == "tiles" else f"{name}={value}" for name, value in self.parts.items()]
        told += [f"{self.trees} trees"] if self.trees > 1 else []
        told += ["refresh"] if self.refresh else []
        return ", ".join(told)


def parse_parts(texts: Sequence[str]) -> dict[str, str]:
    """Settings written `name=value`."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"{text!r} is no setting: write NAME=VALUE, such as tiles=4x4 or value=off")
        name = name.strip().replace("-", "_")
        if name in found:
            raise UsageError(f"{name} is given twice")
        found[name] = value.strip()
    return found


def settings_for(kind: Any, parts: Mapping[str, str]) -> dict[str, Any]:
    """The values of those settings that a dataclass has."""
    known = {one.name: one for one in fields(kind)}
    return {name: _value(known[name], text) for name, text in parts.items() if name in known and name != "name"}


def refuse_unknown(parts: Mapping[str, str], *kinds: Any) -> None:
    """Raise an error that names a setting no part has, and those there are."""
    known = sorted({one.name for kind in kinds for one in fields(kind)} - {"name"})
    for name in parts:
        if name not in known:
            raise UsageError(f"there is no setting {name!r}; the settings are {', '.join(known)}")


def _value(one: Field[Any], text: str) -> Any:
    """A text as what a setting wants: its default says which."""
    made: Any = one.default_factory
    default: Any = one.default if one.default is not MISSING else made()
    wrong = UsageError(f"{one.name}={text} makes no sense")
    if isinstance(default, bool):
        if text.lower() not in _SWITCH:
            raise UsageError(f"{one.name} is on or off, not {text!r}")
        return _SWITCH[text.lower()]
    if one.name == "tiles":
        return _tiles(text)
    if "width" in one.name:
        if text not in ("1", "2", "n"):
            raise UsageError(f"on simulators a width is 1, 2 or n, not {text!r}")
        return "n" if text == "n" else int(text)
    if one.name == "behaviour":
        formulas = get_args(_formulas())
        if text not in formulas:
            raise UsageError(f"{one.name} is one of {', '.join(formulas)}, not {text!r}")
        return type(default)(text)
    try:
        return _whole(text) if isinstance(default, int) else float(text) if isinstance(default, float) else text
    except ValueError:
        raise wrong from None


def _formulas() -> Any:
    from widthwise.online.policies import Formula

    return Formula


def _whole(text: str) -> int:
    number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


def _tiles(text: str) -> tuple[int, int] | None:
    if text in ("none", "off"):
        return None
    found = _TILES.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} are no tiles: write width x height, such as 4x4")
    return int(found[1]), int(found[2])
