"""The search for the demonstration of a run, with the simulators and the planning that its settings ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from widthwise.core.simulator import Simulator
from widthwise.online.defaults import planning_defaults
from widthwise.training.clocks import Clocks, TimedSimulator
from widthwise.training.configuration import Configuration
from widthwise.training.demonstration import Demonstration
from widthwise.training.replanning import Replanning


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
