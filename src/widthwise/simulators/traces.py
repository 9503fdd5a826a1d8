"""What a simulator showed, step by step, and where two such records first differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widthwise.core.showing import counted
from widthwise.core.simulator import Simulator, Step

#: Parts of a step, in the order in which a difference tells most.
PARTS = ("terminated", "truncated", "reward", "observation", "info")


@dataclass(frozen=True)
class Difference:
    """The first place where two records differ: which step, which part of it, and how."""

    step: int
    part: str
    detail: str

    def __str__(self) -> str:
        return f"step {self.step}: {self.part} {self.detail}"


def frozen(value: Any) -> Any:
    """A copy of a value that later steps cannot change."""
    if isinstance(value, dict):
        return {name: frozen(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [frozen(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.copy()
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        return np.array(value)
    return value


def record(step: Step) -> Step:
    """A copy of a step that later steps cannot change."""
    return Step(
        frozen(step.observation),
        float(step.reward),
        bool(step.terminated),
        bool(step.truncated),
        frozen(dict(step.info)),
    )


def play(env: Simulator, actions: Iterable[int]) -> list[Step]:
    """Execute the actions until the episode ends, and record the steps."""
    seen = []
    for action in actions:
        step = env.step(action)
        seen.append(record(step))
        if step.terminated or step.truncated:
            break
    return seen


def compare(one: Sequence[Step], two: Sequence[Step], parts: Sequence[str] = PARTS) -> Difference | None:
    """The first difference of two records, in these parts of a step."""
    for number, (a, b) in enumerate(zip(one, two, strict=False), 1):
        for part in parts:
            found = differ(getattr(a, part), getattr(b, part))
            if found is not None:
                return Difference(number, part, found)
    if len(one) != len(two):
        number = min(len(one), len(two))
        return Difference(
            number, "length", f"the episode ended after {counted(len(one), 'step')}, then after {len(two)}"
        )
    return None


def differ(one: Any, two: Any) -> str | None:
    """How two things that a simulator showed differ, in words; None if they do not."""
    if isinstance(one, dict) and isinstance(two, dict):
        if list(one) != list(two) and set(one) != set(two):
            return f"has {', '.join(sorted(map(str, one)))}, then {', '.join(sorted(map(str, two)))}"
        return _first((str(name), differ(one[name], two[name])) for name in one)
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        if len(one) != len(two):
            return f"has {len(one)} entries, then {len(two)}"
        return _first((f"[{i}]", differ(a, b)) for i, (a, b) in enumerate(zip(one, two, strict=True)))
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return _arrays(np.asarray(one), np.asarray(two))
    if isinstance(one, float) and isinstance(two, float) and math.isnan(one) and math.isnan(two):
        return None
    try:
        same = bool(one == two)
    except Exception:
        same = repr(one) == repr(two)
    # Objects without __eq__ compare by identity, which is not meaningful here.
    if same or (type(one) is type(two) and _by_identity(type(one))):
        return None
    return f"is {_short(one)}, then {_short(two)}"


def _by_identity(kind: type) -> bool:
    return getattr(kind, "__eq__", None) is getattr(object, "__eq__", None)


def _first(found: Iterable[tuple[str, str | None]]) -> str | None:
    return next((f"{name} {text}" for name, text in found if text is not None), None)


def _arrays(one: Any, two: Any) -> str | None:
    if one.shape != two.shape:
        return f"has the shape {one.shape}, then {two.shape}"
    unequal = np.atleast_1d(one != two)
    if one.dtype.kind == "f" and two.dtype.kind == "f":
        unequal &= ~np.atleast_1d(np.isnan(one) & np.isnan(two))
    if not unequal.any():
        return None
    place = tuple(int(index) for index in np.argwhere(unequal)[0])
    where = f"at {list(place)}" if one.ndim else ""
    a, b = (np.atleast_1d(array)[place] for array in (one, two))
    share = f" ({int(unequal.sum())} of {unequal.size} numbers differ)" if unequal.size > 1 else ""
    return f"{where} is {a}, then {b}{share}".strip()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
