"""The planner and the features for an environment when none are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from widthwise.core.driver import FeatureFunction
from widthwise.core.simulator import Simulator, Step
from widthwise.online.presets import DEFAULT, kind_of, preset_settings
from widthwise.planners.count_rollout_iw import CountRolloutIW
from widthwise.planners.hierarchical import HIW
from widthwise.planners.rollout_iw import RolloutIW


def default_features(simulator: Simulator, preset: str = DEFAULT) -> tuple[FeatureFunction, ...]:
    """The features of the levels, lowest first: the simulator's own `default_features`, or what is known of its kind.

    Mazes: the agent's cell, above it tiles of the image. Atari: the bytes of the memory, above them tiles of the
    screen. The preset says which tiles. Anything else: the observation itself, and nothing above.
    """
    own: Any = getattr(simulator, "default_features", None)
    if own is not None:
        return tuple(own)
    kind = kind_of(simulator)
    if kind == "other":
        return (observation,)
    from widthwise.simulators.features import Cells, Ram, Tiles

    settings = preset_settings(preset, simulator)
    width, height = settings["tiles"]
    return Ram() if kind == "atari" else Cells(), Tiles(width, height, settings["colours"])


def default_planner(settings: Mapping[str, Any], levels: int) -> HIW | RolloutIW:
    """The planner of a preset: a hierarchy where the preset wants one and there are features for two levels."""
    low = RolloutIW(settings["width"])
    if settings["planner"] != "hiw" or levels < 2:
        return low
    return HIW(high=CountRolloutIW(settings["high_width"], settings["selection_temperature"]), low=low)


def observation(step: Step) -> Any:
    """The observation itself as features: whole numbers, one per entry; of several named ones (MiniGrid) the image."""
    seen = step.observation
    return seen["image"] if isinstance(seen, dict) and "image" in seen else seen
