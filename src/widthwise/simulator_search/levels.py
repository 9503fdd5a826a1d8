"""Which planner and which features each level has on a simulator."""

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

#: What may plan on a simulator; HIW has any of the others on its levels, IHIW finds its upper level by itself. An
#: algorithm of one's own is a `LevelPlanner`.
OnSimulator = IW | RolloutIW | CountRolloutIW | HIW | IHIW | LevelPlanner


def levels_of(
    planner: OnSimulator, lowest: FeatureFunction | None = None, defaults: Sequence[FeatureFunction] = ()
) -> tuple[list[LevelPlanner], list[FeatureFunction | None]]:
    """The planners and the features of the levels, lowest first.

    `lowest` are the features of the lowest level. Where a level was given none it takes the environment's defaults,
    which are listed lowest first as well.
    """
    if isinstance(planner, IHIW):
        if planner != IHIW(high=planner.high, low=planner.low):
            raise UsageError("on a simulator IHIW has its planners to choose, and no other options")
        return [_level_planner(planner.low), _level_planner(planner.high)], [lowest or (*defaults, None)[0], None]
    planners: list[Any] = []
    features: list[Any] = []
    lower: Any = planner
    while isinstance(lower, HIW):
        if not lower.entry_in_table:
            raise UsageError("on a simulator entries always count as seen in the region they were generated from")
        planners.append(lower.high)
        features.append(lower.features)
        lower = lower.low
    planners.append(lower)
    features.append(lowest)
    planners.reverse()
    features.reverse()
    for level, given in enumerate(features):
        if given is None and level < len(defaults):
            features[level] = defaults[level]
        elif given is None and level > 0:
            raise UsageError(
                "this environment has no features of its own for a hierarchy",
                python="give HIW(features=...)",
                command="give --high-features WHAT (or --tiles WxH)",
            )
        elif given is not None and not callable(given):
            raise UsageError(f"on a simulator features are a function of a step, not {given!r}")
    return [_level_planner(one) for one in planners], features


def _level_planner(planner: object) -> LevelPlanner:
    if isinstance(planner, IW):
        return QueueIW(planner)
    if not isinstance(planner, type) and callable(getattr(planner, "search", None)) and hasattr(planner, "width"):
        return cast(LevelPlanner, planner)
    raise UsageError(
        f"{planner!r} cannot plan on a simulator: use IW, BFS, RolloutIW, CountRolloutIW, HIW of them, or an object "
        "with name, width and search(space, rng)"
    )
