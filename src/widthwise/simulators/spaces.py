"""Finite sets of actions of Gymnasium: any of them as numbers from 0 on."""

from __future__ import annotations

from typing import Any

import numpy as np

from widthwise.core.errors import UsageError

#: The most actions that a set of actions may be flattened into.
MOST_ACTIONS = 1000


class Actions:
    """The actions of a space, numbered: `count` of them; `actions(number)` is the action itself."""

    def __init__(self, space: Any, owner: str = "the environment") -> None:
        self._space = space
        self._kind = type(space).__name__ if space is not None else "None"
        sizes = _sizes(space)
        if sizes is None:
            raise UsageError(
                f"planning needs a finite set of actions, but {owner} has {space}. Wrap it with "
                "gymnasium.wrappers.TransformAction and a Discrete, MultiDiscrete or MultiBinary space"
            )
        self._sizes = sizes
        self.count = 1
        for size in sizes:
            self.count *= size
        if self.count > MOST_ACTIONS:
            raise UsageError(
                f"{owner} has {self.count:,} combinations of actions ({space}); at most {MOST_ACTIONS:,} are "
                "supported. Wrap it with gymnasium.wrappers.TransformAction and a Discrete space of fewer actions"
            )

    def __call__(self, number: int) -> Any:
        """The action with a number."""
        if self._kind == "Discrete":
            return int(self._space.start) + number
        digits = []
        for size in reversed(self._sizes):
            number, digit = divmod(number, size)
            digits.append(digit)
        return _build(self._space, iter(digits[::-1]))

    def names(self, single: tuple[str, ...] = ()) -> tuple[str, ...]:
        """What the actions are called: by the names of a Discrete space if they are known, else by their values."""
        if self._kind == "Discrete":
            return single if len(single) == self.count else tuple(str(self(number)) for number in range(self.count))
        return tuple(_text(self(number)) for number in range(self.count))


def _sizes(space: Any) -> list[int] | None:
    """The number of choices of each part of a space; None if it is not finite."""
    kind = type(space).__name__
    if kind == "Discrete":
        return [int(space.n)]
    if kind == "MultiDiscrete":
        return [int(size) for size in np.asarray(space.nvec).reshape(-1)]
    if kind == "MultiBinary":
        return [2] * int(np.prod(space.shape))
    if kind in ("Tuple", "Dict"):
        parts = space.spaces.values() if kind == "Dict" else space.spaces
        sizes: list[int] = []
        for part in parts:
            inner = _sizes(part)
            if inner is None:
                return None
            sizes += inner
        return sizes
    return None


def _build(space: Any, digits: Any) -> Any:
    """An action of a space from the choices of its parts."""
    kind = type(space).__name__
    if kind == "Discrete":
        return int(space.start) + next(digits)
    if kind == "Tuple":
        return tuple(_build(part, digits) for part in space.spaces)
    if kind == "Dict":
        return {name: _build(part, digits) for name, part in space.spaces.items()}
    flat = np.array([next(digits) for _ in range(int(np.prod(space.shape)))], space.dtype).reshape(space.shape)
    return flat + np.asarray(space.start, space.dtype) if kind == "MultiDiscrete" else flat


def _text(action: Any) -> str:
    if isinstance(action, np.ndarray):
        return " ".join(str(number) for number in action.reshape(-1))
    if isinstance(action, dict):
        return " ".join(f"{name}={_text(part)}" for name, part in action.items())
    if isinstance(action, tuple):
        return " ".join(_text(part) for part in action)
    return str(action)
