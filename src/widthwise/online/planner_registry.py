"""The planners for simulators by name. Names are read without loading the planners."""

from __future__ import annotations

from typing import Any

#: Planners for one level: on their own, or as a level of hiw.
LEVEL_PLANNERS = ("riw", "criw", "iw", "bfs")
#: All planners for simulators.
SIMULATOR_PLANNERS = ("hiw", *LEVEL_PLANNERS, "ihiw")


def level_planner(name: str, width: Any, repeat: int = 1, temperature: float = 0.005) -> Any:
    """A planner for one level.

    Args:
        name: one of `LEVEL_PLANNERS`.
        width: the width; breadth-first search has none.
        repeat: for Rollout IW, how often an action is repeated while no feature changes.
        temperature: for Count-based Rollout IW.

    Returns:
        The planner.

    Example:
        >>> level_planner("riw", 1)
        RolloutIW(width=1)
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
