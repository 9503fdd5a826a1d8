"""What a simulator declares about itself, so that planning and learning suit it. All of it is optional.

| attribute | meaning | without it |
|---|---|---|
| `planning_defaults()` | a method that returns `Defaults`: planner, features, limits | the preset for `preset_kind` |
| `default_features` | the features of each level, lowest first, each a function of a step | see below |
| `level_features(tiles, colours)` | a method that returns such features for the tiles of a preset | the observation |
| `preset_kind` | the kind of environment in the presets (`online/presets.py`) | `other` |
| `value_range` | the least and the greatest return of an episode, for the value of a network | returns of any size |
| `training_defaults()` | a method that returns settings for `train` by name, for π-IW+ | the preset |

`default_features` takes precedence over the features of `planning_defaults()`, and those over `level_features`.
"""

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
        steps_per_action: Simulator steps per executed action.
        nodes: Nodes in the tree.
        patience: How many times `steps_per_action` may be spent on one action while none looks better than another.
        settle: Whether the agent follows a known path to a goal without planning again.
        life_penalty: The amount that planning subtracts from the return of a step that loses a life.
        shorten: With `settle`, the simulator steps that may be spent at once on a path to follow: a shorter one to the
            goal, or a long one without an end where all steps give the same reward.
        widen: Whether flat Rollout IW continues with width 2 where it is exhausted and no action looks better.
        notes: How the choice was made, for the user.

    Example:
        >>> ww.Defaults(planner="hiw", widths=(1, 1), steps_per_action=200).steps_per_action
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
    steps_per_action: int = 30
    nodes: int = 500
    patience: int = 1
    settle: bool = False
    life_penalty: float = 0.0
    shorten: int = 0
    widen: bool = False
    notes: tuple[str, ...] = ()
