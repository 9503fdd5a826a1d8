"""How to plan in a simulator when no planner is given: its own declaration, or the preset for its kind.

What a simulator may declare is listed in `core/defaults.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from widthwise.core.defaults import Defaults
from widthwise.core.simulator import Simulator, Step
from widthwise.online.planner_registry import level_planner
from widthwise.online.presets import DEFAULT, preset_settings
from widthwise.simulator_search.driver import FeatureFunction
from widthwise.simulator_search.levels import OnSimulator


def planning_defaults(simulator: Simulator, preset: str = DEFAULT) -> Defaults:
    """The planner, the features of the levels and the limits for a simulator.

    Args:
        simulator: the simulator. If it has a method `planning_defaults()`, its result is used; presets other than
            `default` replace the limits in it.
        preset: the preset for simulators without that method; features are those of `default_features`.

    Returns:
        The defaults.
    """
    settings = preset_settings(preset, simulator)
    declared: Any = getattr(simulator, "planning_defaults", None)
    if callable(declared):
        own: Defaults = declared()
        if preset == DEFAULT:
            return own
        limits = {"steps_per_action": settings["steps_per_action"], "nodes": settings["nodes"]}
        return replace(own, **limits, patience=1, settle=False)
    features = default_features(simulator, preset)
    hierarchy = settings["planner"] == "hiw" and len(features) > 1
    return Defaults(
        planner="hiw" if hierarchy else "riw",
        widths=(settings["high_width"], settings["width"]) if hierarchy else (settings["width"],),
        high_width=settings["high_width"],
        features=features,
        steps_per_action=settings["steps_per_action"],
        nodes=settings["nodes"],
        temperature=settings["selection_temperature"],
    )


def default_features(simulator: Simulator, preset: str = DEFAULT) -> tuple[FeatureFunction, ...]:
    """The features of the levels, lowest first, as the simulator declares them.

    `default_features` takes precedence over `planning_defaults()`, and that over `level_features`, which gets the tiles
    of the preset. Without any of them there is one level, whose features are the observation.
    """
    own: Any = getattr(simulator, "default_features", None)
    if own is not None:
        return tuple(own)
    declared: Any = getattr(simulator, "planning_defaults", None)
    if callable(declared):
        features: tuple[FeatureFunction, ...] = declared().features
        return features
    by_tiles: Any = getattr(simulator, "level_features", None)
    if callable(by_tiles):
        settings = preset_settings(preset, simulator)
        by_level = tuple(by_tiles(settings["tiles"], settings["colours"]))
        if not settings["gray"]:
            return by_level
        from widthwise.simulators.features import Tiles

        return tuple(feature.in_gray() if isinstance(feature, Tiles) else feature for feature in by_level)
    return (observation,)


def default_planner(defaults: Defaults) -> OnSimulator:
    """The planner that defaults describe."""
    from widthwise.task_search.hiw import HIW
    from widthwise.task_search.ihiw import IHIW

    if defaults.planner == "ihiw":
        return IHIW()
    if defaults.planner != "hiw":
        flat: OnSimulator = level_planner(defaults.planner, defaults.widths[-1], repeat=defaults.repeat)
        return flat
    planner: Any = level_planner(defaults.low, defaults.widths[-1], repeat=defaults.repeat)
    for width in reversed(defaults.widths[:-1]):
        planner = HIW(None, high=level_planner(defaults.high, width, temperature=defaults.temperature), low=planner)
    hierarchy: OnSimulator = planner
    return hierarchy


def observation(step: Step) -> Any:
    """The observation itself as features: bytes as they are, otherwise every whole number in it."""
    if type(step.observation) is bytes:
        return step.observation
    from widthwise.simulators.observations import Observation

    return Observation()(step)
