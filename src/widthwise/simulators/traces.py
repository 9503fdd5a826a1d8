"""What a simulator showed, step by step, and where two such records first differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widthwise.core.showing import counted
from widthwise.core.simulator import Simulator, Step

#: Parts of a step, those whose differences are most informative first.
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


def compare(first: Sequence[Step], second: Sequence[Step], parts: Sequence[str] = PARTS) -> Difference | None:
    """The first difference of two records, in these parts of a step."""
    for number, (a, b) in enumerate(zip(first, second, strict=False), 1):
        for part in parts:
            difference = differ(getattr(a, part), getattr(b, part))
            if difference is not None:
                return Difference(number, part, difference)
    if len(first) != len(second):
        number = min(len(first), len(second))
        return Difference(
            number, "length", f"the episode ended after {counted(len(first), 'step')}, then after {len(second)}"
        )
    return None


def differ(first: Any, second: Any) -> str | None:
    """How two things that a simulator showed differ, in words; None if they do not."""
    if isinstance(first, dict) and isinstance(second, dict):
        if list(first) != list(second) and set(first) != set(second):
            return f"has {', '.join(sorted(map(str, first)))}, then {', '.join(sorted(map(str, second)))}"
        return _first((str(name), differ(first[name], second[name])) for name in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        if len(first) != len(second):
            return f"has {len(first)} entries, then {len(second)}"
        return _first((f"[{i}]", differ(a, b)) for i, (a, b) in enumerate(zip(first, second, strict=True)))
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return _arrays(np.asarray(first), np.asarray(second))
    if isinstance(first, float) and isinstance(second, float) and math.isnan(first) and math.isnan(second):
        return None
    try:
        same = bool(first == second)
    except Exception:
        same = repr(first) == repr(second)
    # Objects without __eq__ compare by identity, which is not meaningful here.
    if same or (type(first) is type(second) and _by_identity(type(first))):
        return None
    return f"is {_short(first)}, then {_short(second)}"


def _by_identity(kind: type) -> bool:
    return getattr(kind, "__eq__", None) is getattr(object, "__eq__", None)


def _first(differences: Iterable[tuple[str, str | None]]) -> str | None:
    return next((f"{name} {text}" for name, text in differences if text is not None), None)


def _arrays(first: Any, second: Any) -> str | None:
    if first.shape != second.shape:
        return f"has the shape {first.shape}, then {second.shape}"
    unequal = np.atleast_1d(first != second)
    if first.dtype.kind == "f" and second.dtype.kind == "f":
        unequal &= ~np.atleast_1d(np.isnan(first) & np.isnan(second))
    if not unequal.any():
        return None
    place = tuple(int(index) for index in np.argwhere(unequal)[0])
    where = f"at {list(place)}" if first.ndim else ""
    a, b = (np.atleast_1d(array)[place] for array in (first, second))
    share = f" ({int(unequal.sum())} of {unequal.size} numbers differ)" if unequal.size > 1 else ""
    return f"{where} is {a}, then {b}{share}".strip()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
