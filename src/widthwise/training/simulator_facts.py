"""What a trainer reads off a simulator before the first episode: a first step, inputs, range of values, scale."""

from __future__ import annotations

import random
from typing import Any

from widthwise.core.contract import guarded
from widthwise.core.errors import SimulatorError
from widthwise.core.simulator import Simulator, Step
from widthwise.learning.input_format import InputFormat
from widthwise.learning.support import RESCALED, Support
from widthwise.training.configuration import Configuration


def first_step(simulator: Simulator, seed: int) -> Step:
    """Begin an episode and refuse one that is over before the first action."""
    world = guarded(simulator)
    step = world.reset(seed)
    if step.done:
        raise over_at_reset(world.name, seed)
    return step


def over_at_reset(name: str, seed: int) -> SimulatorError:
    """The error for an episode without any action: there is nothing to learn from."""
    return SimulatorError(f"{name}: the episode is over at reset({seed}), before the first action")


def input_format_of(simulator: Simulator, config: Configuration) -> InputFormat:
    """How the network sees the observations of a simulator."""
    observation = first_step(simulator, config.seed).observation
    if not config.learning.encoded:
        return InputFormat.of(observation, states(simulator))
    return InputFormat.encoded(observation, space_of(simulator))


def space_of(simulator: Any) -> Any:
    """The Gymnasium space of the observations of a simulator; None if there is none."""
    return getattr(simulator, "observation_space", getattr(getattr(simulator, "env", None), "observation_space", None))


def states(simulator: Any) -> int:
    """How many states there are where an observation is the number of one."""
    space: Any = getattr(getattr(simulator, "env", None), "observation_space", None)
    return int(space.n) if type(space).__name__ == "Discrete" else 0


def support_for(simulator: Simulator) -> Support:
    """The support of the value: the range that the simulator declares; else rescaled as in MuZero, for any returns."""
    bounds = getattr(simulator, "value_range", None)
    if bounds is None:
        return RESCALED
    low, high = bounds
    return Support(low, high, 51)


def random_walk(simulator: Simulator, steps: int, walk_seed: int, episode_seed: int) -> list[Any]:
    """The observations of a random walk, from which scale and normalisation are computed.

    Args:
        simulator: the simulator.
        steps: the number of steps, which is that of the observations.
        walk_seed: the seed of the actions.
        episode_seed: the seed of every episode of the walk.

    Returns:
        The observations.
    """
    rng = random.Random(walk_seed)
    seen: list[Any] = []
    step = first_step(simulator, episode_seed)
    while len(seen) < steps:
        seen.append(step.observation)
        step = simulator.step(rng.randrange(simulator.actions))
        if step.done:
            step = first_step(simulator, episode_seed)
    return seen
