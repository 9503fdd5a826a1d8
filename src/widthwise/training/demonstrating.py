"""The demonstration of a run: its simulators, and whether the network repeats it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.simulator import Simulator
from widthwise.learning.replay_memory import EpisodeData
from widthwise.online.defaults import planning_defaults
from widthwise.training.clocks import Clocks, TimedSimulator
from widthwise.training.configuration import Configuration
from widthwise.training.demonstration import Demonstration
from widthwise.training.replanning import Replanning

#: The network repeats a trajectory if it gives each of its actions this probability. A network that merely prefers them
#: while it is still changing may prefer others after the next update.
CLEARLY = 0.8


def new_demonstration(make: Callable[[], Simulator], config: Configuration, clocks: Clocks) -> Demonstration:
    """The search for a demonstration of a run, with simulators of its own: trees may be within an episode."""
    learning, planning = config.learning, config.planning
    simulator = make()
    world = searched = TimedSimulator(simulator, clocks)
    smaller: Any = getattr(simulator, "without_history", None)  # most of a snapshot are the frames of the past
    if callable(smaller):
        searched = TimedSimulator(smaller(), clocks)
    elif learning.interim:
        searched = TimedSimulator(make(), clocks)
    replanning = None
    if learning.replanning:
        replanning = Replanning(
            searched,
            config.seed,
            steps_per_action=planning.steps_per_action,
            nodes=planning.nodes,
            defaults=planning_defaults(simulator),
        )
    return Demonstration(
        world,
        learning.archive,
        learning.rehearsal,
        config.seed,
        searched=searched,
        replanning=replanning,
        interim=learning.interim if learning.rehearsal else 0,
    )


def repeats(policies: npt.NDArray[np.float32], episode: EpisodeData) -> bool:
    """Whether policies repeat an episode: they give each of its actions a high probability.

    Steps with equal observations and different actions do not count. No policy tells them apart.

    Args:
        policies: The network's policy in each state of the episode.
        episode: A demonstration.

    Returns:
        Whether they do.
    """
    actions = episode.targets.argmax(axis=1)
    contents: dict[int, bytes] = {}  # by the identity of an array; observations share arrays
    taken: dict[tuple[bytes, ...], set[int]] = {}
    seen = []
    for parts, action in zip(episode.observations, actions.tolist(), strict=True):
        key = tuple(contents.setdefault(id(part), part.tobytes()) for part in parts)
        taken.setdefault(key, set()).add(action)
        seen.append(key)
    rows = [row for row, key in enumerate(seen) if len(taken[key]) == 1]
    return bool((policies[rows, actions[rows]] >= CLEARLY).all())
