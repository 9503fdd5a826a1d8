"""`play --set NAME=VALUE`: the settings of planning that have no option of their own, one by one.

A preset changes several of them together. The names and values are those of `train --set`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.online.policies import Behaviour
from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
from widthwise.simulator_search.levels import OnSimulator
from widthwise.simulator_search.rollout_iw import RolloutIW
from widthwise.task_search.hiw import HIW

#: Arguments of the agent, parts of its behaviour policy, and arguments of the planners of its levels.
AGENT = ("discount", "clip_rewards", "untried_worth", "root_actions")
BEHAVIOUR = ("behaviour", "reward_temperature", "count_temperature", "tie_tolerance")
LEVELS = {"ends_novel": "ends_novel", "selection_temperature": "temperature"}
NAMES = (*AGENT, *BEHAVIOUR, *LEVELS)
#: Settings of `train --set` that are options of `play`.
OPTIONS = {
    "life_penalty": "--life-penalty",
    "nodes": "--nodes",
    "steps_per_action": "--budget",
    "tiles": "--tiles",
}


def play_settings(texts: Sequence[str]) -> dict[str, Any]:
    """The settings that texts of the form NAME=VALUE give.

    Args:
        texts: The texts.

    Returns:
        The values by name.

    Raises:
        UsageError: A text has another form, or names something that is not a setting of planning without a network.
    """
    if not texts:
        return {}
    from widthwise.training.overrides import check_overrides, parse_overrides

    for text in texts:
        name = text.partition("=")[0].strip().replace("-", "_")
        if "=" in text and name not in NAMES:
            if name in OPTIONS:
                raise UsageError(f"{name!r} has an option of its own", command=f"give {OPTIONS[name]}")
            close = difflib.get_close_matches(name, NAMES, 1)
            hint = f"did you mean {close[0]}?" if close else f"the settings are {', '.join(NAMES)}"
            raise UsageError(f"{name!r} is not a setting of planning without a network; {hint}")
    return check_overrides(parse_overrides(texts))


def agent_settings(settings: Mapping[str, Any], formula: Any) -> dict[str, Any]:
    """The arguments of `OnlinePlanner` that settings stand for.

    Args:
        settings: What `play_settings` returned.
        formula: The formula of the behaviour policy that the preset gives.

    Returns:
        The arguments by name.
    """
    given = {name: settings[name] for name in AGENT if name in settings}
    parts = {name: settings[name] for name in BEHAVIOUR[1:] if settings.get(name)}  # 0: that of the behaviour
    if parts or "behaviour" in settings:
        given["behaviour"] = replace(settings.get("behaviour") or Behaviour(formula), **parts)
    return given


def with_settings(planner: OnSimulator, settings: Mapping[str, Any]) -> OnSimulator:
    """A planner whose levels have these settings.

    Raises:
        UsageError: No level of the planner has a setting that is given.
    """
    left = {name for name in LEVELS if name in settings}
    changed: Any = _changed(planner, settings, left)
    if left:
        raise UsageError(f"{min(left)} has no effect on {planner.name}")
    result: OnSimulator = changed
    return result


def _changed(planner: Any, settings: Mapping[str, Any], left: set[str]) -> Any:
    """The same for one level and those below it; settings that it has are removed from `left`."""
    if isinstance(planner, HIW):
        return replace(planner, high=_changed(planner.high, settings, left), low=_changed(planner.low, settings, left))
    values = {}
    if isinstance(planner, RolloutIW | CountRolloutIW):
        for name, argument in LEVELS.items():
            if name in settings and hasattr(planner, argument):
                values[argument] = settings[name]
                left.discard(name)
    return replace(planner, **values) if values else planner
