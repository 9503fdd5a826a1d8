"""How to plan in a Gymnasium environment when nothing is said, by the kind of its observations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widthwise.core.contract import guarded
from widthwise.core.defaults import Defaults
from widthwise.simulators.bins import Bins
from widthwise.simulators.features import Tiles
from widthwise.simulators.observations import Observation, leaves

if TYPE_CHECKING:
    from widthwise.simulators.gymnasium_env import GymnasiumSimulator

#: Simulator steps per action, and the nodes of the tree.
STEPS = 500
NODES = 20_000
#: The same for `train` where observations are discrete.
TRAINING_STEPS = 100
TRAINING_NODES = 5_000
#: With this many features at most, pairs of values count for novelty; with more, single values.
PAIRS = 8
#: How often an action is done while no float has left its interval.
REPEAT = 16
#: Simulator steps that may be spent once in an episode to shorten the first path to a goal.
SHORTEN = 60_000
#: Observations of at least this many bytes with rows and columns are images.
IMAGE = 1024


def defaults_for(simulator: GymnasiumSimulator) -> Defaults:
    """Flat Rollout IW with features that suit the observation; a random walk looks at floats."""
    first = guarded(simulator).reset(seed=0)
    notes = []
    features: Any
    shape: tuple[int, ...] = tuple(getattr(first.observation, "shape", ()))
    kinds = [array.dtype.kind for _, array in leaves(first.observation)]
    size = sum(len(array) for _, array in leaves(first.observation))
    if len(shape) in (2, 3) and first.observation.dtype == np.uint8 and first.observation.size >= IMAGE:
        features = Tiles(min(16, shape[1]), min(16, shape[0]), 32)
        notes.append(f"the image is cut into {features.width}x{features.height} tiles of 32 values")
    elif "f" in kinds:
        low, high = bounds(getattr(simulator.env, "observation_space", None))
        features = Bins.fit(simulator, low=low, high=high)
        notes.append(
            f"the {count(features.floats, 'float')} of the observation in bins: a grid of {features.bins} per float, "
            "fitted by a random walk"
        )
    else:
        features = Observation()
    repeat = REPEAT if "f" in kinds else 1
    width = 2 if size <= PAIRS else 1
    if simulator.restores_by_replay:
        notes.append("the environment cannot be copied: states are restored by replaying actions")
    return Defaults(
        planner="riw", widths=(width,), features=(features,), steps_per_action=STEPS, nodes=NODES, patience=40,
        settle=True, repeat=repeat, shorten=0 if simulator.restores_by_replay else SHORTEN, widen=True,
        notes=tuple(notes),
    )  # fmt: skip


def training_for(space: Any) -> dict[str, Any]:
    """Settings for `train` in a space of observations.

    A network that has not learned yet distinguishes few states of a `Discrete` space, so that a search over its
    features ends before the goal. A few discrete numbers are good features themselves.
    """
    count = discrete_numbers(space)
    if count is None or count > PAIRS:
        return {}
    return {"dynamic": False, "width": 2, "steps_per_action": TRAINING_STEPS, "nodes": TRAINING_NODES}


def discrete_numbers(space: Any) -> int | None:
    """How many discrete numbers an observation has; None if it has others."""
    kind = type(space).__name__
    if kind == "Discrete":
        return 1
    if kind in ("MultiDiscrete", "MultiBinary"):
        return int(np.prod(space.shape))
    if kind not in ("Dict", "Tuple"):
        return None
    parts = [discrete_numbers(part) for part in (space.spaces.values() if kind == "Dict" else space.spaces)]
    return None if None in parts else sum(number for number in parts if number is not None)


def bounds(space: Any) -> tuple[Any, Any]:
    """The bounds of the floats of a space, in the order of the features; None where a part has none."""
    low: list[Any] = []
    high: list[Any] = []
    for part in _boxes(space):
        if part.dtype.kind == "f":
            low.append(np.asarray(part.low, np.float64).reshape(-1))
            high.append(np.asarray(part.high, np.float64).reshape(-1))
    return (np.concatenate(low), np.concatenate(high)) if low else (None, None)


def _boxes(space: Any) -> list[Any]:
    kind = type(space).__name__
    if kind == "Dict":
        return [box for name in sorted(space.spaces, key=str) for box in _boxes(space.spaces[name])]
    if kind == "Tuple":
        return [box for part in space.spaces for box in _boxes(part)]
    return [space] if kind == "Box" else []


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
