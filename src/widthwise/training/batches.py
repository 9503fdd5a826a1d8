"""Observations of vectorised environments, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from widthwise.core.errors import UsageError


def rows_of(observation: Any, example: Any) -> tuple[bool, list[Any]]:
    """An observation, or a batch of them, as a list.

    Args:
        observation: What an environment returned, or a vectorised environment.
        example: A single observation.

    Returns:
        Whether the observation is a single one, and the observations.

    Raises:
        UsageError: The observation has another form than the example.
    """
    parts, form = _leaves(observation, example), [np.asarray(part).shape for part in _leaves(example, example)]
    shapes = [np.asarray(part).shape for part in parts]
    if shapes == form:
        return True, [observation]
    rows = {shape[0] for shape in shapes if shape}
    if len(rows) != 1 or [shape[1:] for shape in shapes] != form:
        raise UsageError(f"the observation has the shape {shapes}, but those of the environment of the run have {form}")
    return False, [_row(observation, example, row) for row in range(rows.pop())]


def _leaves(observation: Any, example: Any) -> list[Any]:
    if isinstance(example, dict):
        if not isinstance(observation, dict) or set(observation) != set(example):
            raise UsageError(f"the observation must be a dictionary with the keys {', '.join(map(str, example))}")
        return [leaf for name in example for leaf in _leaves(observation[name], example[name])]
    if isinstance(example, tuple):
        if not isinstance(observation, tuple) or len(observation) != len(example):
            raise UsageError(f"the observation must be a tuple of {len(example)} parts")
        return [leaf for part, other in zip(observation, example, strict=True) for leaf in _leaves(part, other)]
    return [observation]


def _row(observation: Any, example: Any, row: int) -> Any:
    if isinstance(example, dict):
        return {name: _row(observation[name], example[name], row) for name in example}
    if isinstance(example, tuple):
        return tuple(_row(part, other, row) for part, other in zip(observation, example, strict=True))
    return np.asarray(observation)[row]
