"""The planning defaults that a simulator declares about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from widthwise.core.simulator import Step


@dataclass(frozen=True, slots=True)
class Defaults:
    """The planner, features and limits that suit a simulator.

    A simulator declares them with a method `planning_defaults()` that returns an object of this class. Settings of the
    user take precedence, one by one.

    `planner` is a name of the command line: `riw`, `criw`, `iw`, `bfs`, `hiw` or `ihiw`. `widths` has the width of each
    level, high level first; `high_width` is the width of upper levels where the planner is flat and the user asks for a
    hierarchy. `features` has the features of each level, lowest level first; there may be more of them
    than the planner has levels. `high` and `low` are the planners of a hierarchy. `repeat` is for Rollout IW: how often
    an action is done while no feature changes; `temperature` is for Count-based Rollout IW. `steps` are simulator steps
    per action and `nodes` the nodes kept in the tree. `patience` is how many times `steps` may be spent on one action
    while no action looks better than another. With `settle` the agent follows a known way to a goal without planning
    again. `notes` say how the choice was made.
    """

    planner: str = "riw"
    widths: tuple[Any, ...] = (1,)
    high_width: Any = 1
    features: tuple[Callable[[Step], Any], ...] = ()
    high: str = "criw"
    low: str = "riw"
    repeat: int = 1
    temperature: float = 0.005
    steps: int = 30
    nodes: int = 500
    patience: int = 1
    settle: bool = False
    notes: tuple[str, ...] = ()
