"""The planner and the features of each level on a simulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from widthwise.core.errors import UsageError
from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
from widthwise.simulator_search.driver import FeatureFunction
from widthwise.simulator_search.hiw import LevelPlanner
from widthwise.simulator_search.iw import QueueIW
from widthwise.simulator_search.rollout_iw import RolloutIW
from widthwise.task_search.hiw import HIW
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW

#: The planners for simulators. The levels of HIW may be any of the others; IHIW discovers its upper level. A user's own
#: algorithm is a `LevelPlanner`.
OnSimulator = IW | RolloutIW | CountRolloutIW | HIW | IHIW | LevelPlanner


def levels_of(
    planner: OnSimulator, lowest: FeatureFunction | None = None, defaults: Sequence[FeatureFunction] = ()
) -> tuple[list[LevelPlanner], list[FeatureFunction | None]]:
    """The planners and the features of the levels, lowest first.

    `lowest` are the features of the lowest level. A level without features gets the environment's `defaults`, which are
    listed lowest first as well.
    """
    if isinstance(planner, IHIW):
        if planner != IHIW(high=planner.high, low=planner.low):
            raise UsageError("on a simulator IHIW takes only the options high and low")
        return [_level_planner(planner.low), _level_planner(planner.high)], [lowest or (*defaults, None)[0], None]
    planners: list[Any] = []
    features: list[Any] = []
    lower: Any = planner
    while isinstance(lower, HIW):
        if not lower.entry_in_table:
            raise UsageError("HIW(entry_in_table=False) is not supported on a simulator")
        planners.append(lower.high)
        features.append(lower.features)
        lower = lower.low
    planners.append(lower)
    features.append(lowest)
    planners.reverse()
    features.reverse()
    for level, function in enumerate(features):
        if function is None and level < len(defaults):
            features[level] = defaults[level]
        elif function is None and level > 0:
            raise UsageError(
                "the environment declares no features for a hierarchy",
                python="give HIW(features=...)",
                command="give --high-features WHAT or --tiles WxH",
            )
        elif function is not None and not callable(function):
            raise UsageError(f"on a simulator features must be a function of a step, not {function!r}")
    return [_level_planner(level_planner) for level_planner in planners], features


def _level_planner(planner: object) -> LevelPlanner:
    if isinstance(planner, IW):
        return QueueIW(planner)
    if not isinstance(planner, type) and callable(getattr(planner, "search", None)) and hasattr(planner, "width"):
        return cast(LevelPlanner, planner)
    raise UsageError(
        f"{planner!r} cannot plan on a simulator: use IW, BFS, RolloutIW, CountRolloutIW, HIW of them, or an object "
        "with name, width and search(space, rng)"
    )
