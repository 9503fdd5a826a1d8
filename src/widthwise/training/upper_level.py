"""The features for the upper level of π-HIW in an environment: its own high-level features, or tiles of its image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from widthwise.core.contract import guarded
from widthwise.core.simulator import Simulator
from widthwise.online.defaults import planning_defaults


@dataclass(frozen=True, slots=True)
class UpperLevel:
    """The features of an upper level, `tiles` or `own`, and the width of an environment's own ones."""

    features: Literal["tiles", "own"]
    width: Any = 1


def upper_level(simulator: Simulator) -> UpperLevel | None:
    """The upper level that an environment has features for; None if there is none.

    An environment with `level_features` has tiles. Others may declare high-level features, with `planning_defaults` or
    `default_features`; without them, an image is cut into tiles.
    """
    if callable(getattr(simulator, "level_features", None)):
        return UpperLevel("tiles")
    from widthwise.learning.input_format import InputFormat

    defaults = planning_defaults(simulator)
    if len(defaults.features) > 1:
        return UpperLevel("own", defaults.widths[0] if len(defaults.widths) > 1 else 1)
    observation = guarded(simulator).reset(0).observation
    if isinstance(observation, dict):
        observation = observation.get("image")
    if hasattr(observation, "frames") or str(getattr(observation, "dtype", "")) == "uint8":
        return UpperLevel("tiles") if InputFormat.of(observation).image else None
    return None
