"""How to plan in a simulator when no planner is given: its own declaration, or the preset for its kind.

What a simulator may declare is listed in `core/defaults.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from widthwise.core.budget import Budget
from widthwise.core.defaults import Defaults
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.online.planner_registry import level_planner
from widthwise.online.presets import DEFAULT, preset_settings
from widthwise.simulator_search.driver import FeatureFunction
from widthwise.simulator_search.levels import OnSimulator
from widthwise.simulator_search.tree import BackUpRules


def planning_defaults(simulator: Simulator, preset: str = DEFAULT, *, network: bool = False) -> Defaults:
    """The planner, the features of the levels and the limits for a simulator.

    Args:
        simulator: the simulator. If it has a method `planning_defaults()`, its result is used; presets other than
            `default` replace the limits in it.
        preset: the preset for simulators without that method; features are those of `default_features`.
        network: whether a network takes part. The preset's penalty for a lost life is for planning without one: it is
            larger than all rewards, and a value that learned it could not tell them apart.

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
        life_penalty=0.0 if network else settings["play_life_penalty"],
    )


def default_features(simulator: Simulator, preset: str = DEFAULT) -> tuple[FeatureFunction, ...]:
    """The features of the levels, lowest first, as the simulator declares them.

    `default_features` takes precedence over `planning_defaults()`, and that over `level_features`, which gets the
    preset's tiles for planning without a network. Without any of them there is one level, whose features are the
    observation.
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
        by_level = tuple(by_tiles(settings["play_tiles"] or settings["tiles"], settings["colours"]))
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


def action_budget(budget: Budget | None, defaults: Defaults) -> Budget:
    """The limits for one action: where neither steps nor seconds are limited, the steps that the defaults give."""
    budget = budget or Budget()
    unlimited = budget.steps is None and budget.seconds is None
    return replace(
        budget,
        steps=defaults.steps_per_action if unlimited else budget.steps,
        nodes=budget.nodes or defaults.nodes,
    )


def back_up_rules(
    defaults: Defaults, life_penalty: float | None, clip_rewards: bool, untried_worth: bool
) -> BackUpRules:
    """How returns are computed in the tree.

    Args:
        defaults: give the penalty for a lost life if `life_penalty` is None.
        life_penalty: what a lost life takes from the return of a step.
        clip_rewards: whether a reward counts as 1 at the most, and as -1 at the least.
        untried_worth: whether a node with untried actions is worth at least what a leaf is worth.

    Returns:
        The rules.

    Raises:
        UsageError: the penalty is negative or not finite.
    """
    penalty = defaults.life_penalty if life_penalty is None else life_penalty
    if not 0.0 <= penalty < math.inf:
        raise UsageError(f"life_penalty must be a number of at least 0, not {penalty!r}")
    return BackUpRules(penalty, 1.0 if clip_rewards else math.inf, untried_worth)


def observation(step: Step) -> Any:
    """The observation itself as features: bytes as they are, otherwise every whole number in it."""
    if type(step.observation) is bytes:
        return step.observation
    from widthwise.simulators.observations import Observation

    return Observation()(step)
