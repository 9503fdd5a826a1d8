"""The planning defaults that a simulator declares about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from widthwise.core.simulator import Step


@dataclass(frozen=True, slots=True)
class Defaults:
    """The planner, features and limits that a simulator declares for itself.

    A simulator declares them with a method `planning_defaults()` that returns an object of this class. Settings that
    the user gives take precedence, one by one.

    Args:
        planner: A name of the command line: `riw`, `criw`, `iw`, `bfs`, `hiw` or `ihiw`.
        widths: The width of each level, high level first.
        high_width: The width of upper levels if the planner is flat and the user asks for a hierarchy.
        features: The features of each level, lowest level first. There may be more of them than levels.
        high: The planner of the upper levels of a hierarchy.
        low: The planner of its lowest level.
        repeat: For Rollout IW: how often an action is repeated while no feature changes.
        temperature: For Count-based Rollout IW: the temperature of its selection.
        steps: Simulator steps per executed action.
        nodes: Nodes in the tree.
        patience: How many times `steps` may be spent on one action while no action looks better than another.
        settle: Whether the agent follows a known path to a goal without planning again.
        notes: How the choice was made, for the user.

    Example:
        >>> ww.Defaults(planner="hiw", widths=(1, 1), steps=200).steps
        200
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
