"""What plans in a simulator when nothing is said: its own declaration, or the preset for its kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from widthwise.core.defaults import Defaults
from widthwise.core.simulator import Simulator, Step
from widthwise.online.presets import DEFAULT, kind_of, preset_settings
from widthwise.simulator_search.driver import FeatureFunction
from widthwise.simulator_search.levels import OnSimulator


def planning_defaults(simulator: Simulator, preset: str = DEFAULT) -> Defaults:
    """The planner, the features of the levels and the limits that suit a simulator.

    A simulator declares them with a method `planning_defaults()`; of presets other than `default` its limits are taken.
    Other simulators have the preset's planner and limits, with the features of `default_features`.
    """
    settings = preset_settings(preset, simulator)
    declared: Any = getattr(simulator, "planning_defaults", None)
    if callable(declared):
        own: Defaults = declared()
        if preset == DEFAULT:
            return own
        return replace(own, steps=settings["interactions"], nodes=settings["nodes"], patience=1, settle=False)
    features = default_features(simulator, preset)
    hierarchy = settings["planner"] == "hiw" and len(features) > 1
    return Defaults(
        planner="hiw" if hierarchy else "riw",
        widths=(settings["high_width"], settings["width"]) if hierarchy else (settings["width"],),
        high_width=settings["high_width"],
        features=features,
        steps=settings["interactions"],
        nodes=settings["nodes"],
        temperature=settings["selection_temperature"],
    )


def default_features(simulator: Simulator, preset: str = DEFAULT) -> tuple[FeatureFunction, ...]:
    """The features of the levels, lowest first: the simulator's own, or what is known of its kind.

    Mazes: the agent's cell, above it tiles of the image. Atari: the bytes of the memory, above them tiles of the
    screen. The preset says which tiles. Gymnasium environments: by the kind of observation. Anything else: the
    observation itself, and nothing above.
    """
    own: Any = getattr(simulator, "default_features", None)
    if own is not None:
        return tuple(own)
    declared: Any = getattr(simulator, "planning_defaults", None)
    if callable(declared):
        features: tuple[FeatureFunction, ...] = declared().features
        return features
    kind = kind_of(simulator)
    if kind == "other":
        return (observation,)
    from widthwise.simulators.features import Cells, Ram, Tiles

    settings = preset_settings(preset, simulator)
    width, height = settings["tiles"]
    return Ram() if kind == "atari" else Cells(), Tiles(width, height, settings["colours"])


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
    made: OnSimulator = planner
    return made


def level_planner(name: str, width: Any, repeat: int = 1, temperature: float = 0.005) -> Any:
    """A planner for one level by its name on the command line.

    `repeat` is for Rollout IW, `temperature` for Count-based Rollout IW.
    """
    from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
    from widthwise.simulator_search.rollout_iw import RolloutIW
    from widthwise.task_search.bfs import BFS
    from widthwise.task_search.iw import IW

    if name == "riw":
        return RolloutIW(width, repeat)
    if name == "criw":
        return CountRolloutIW(width, temperature)
    return BFS() if name == "bfs" else IW(width)


def observation(step: Step) -> Any:
    """The observation itself as features: bytes as they are, otherwise every whole number in it."""
    if type(step.observation) is bytes:
        return step.observation
    from widthwise.simulators.observations import Observation

    return Observation()(step)
