"""The environment in which an agent plans, as a Gymnasium environment that other programs step."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.simulators.gymnasium_env import GymnasiumSimulator


class SteppedEnv(gymnasium.Env[Any, Any]):
    """A simulator as a Gymnasium environment that remembers what it returned last.

    An agent that plans in the same simulator can thereby check that it plans from the state that was shown.

    Args:
        simulator: The simulator. Spaces and rendering are those of its Gymnasium environment, if it has one.

    Raises:
        UsageError: The observations of the simulator have no Gymnasium space.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.moment = 0  # how many times it was reset or stepped
        self.resets = 0
        self.seed = 0  # of the episode
        self.last: Step | None = None
        self.action: Any = None  # the last one, None after a reset
        if isinstance(simulator, GymnasiumSimulator):
            env = simulator.env
            self.action_space, self.observation_space = env.action_space, env.observation_space
            self.metadata, self.render_mode, self.spec = env.metadata, env.render_mode, env.spec
        else:
            self.action_space = gymnasium.spaces.Discrete(simulator.actions)
            self.observation_space = _space_of(shown(simulator.reset(seed=0).observation), simulator)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: The seed; without one the generator of the environment continues.
            options: Not supported.

        Returns:
            The observation and the info.
        """
        if options:
            raise UsageError(f"the environment of an agent takes no options at reset: leave out {', '.join(options)}")
        super().reset(seed=seed)
        self.seed = int(self.np_random.integers(2**31)) if seed is None else seed
        self.last, self.action = self.simulator.reset(seed), None
        self.moment += 1
        self.resets += 1
        return shown(self.last.observation), self.last.info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Execute an action of the action space.

        Args:
            action: The action.

        Returns:
            What `step` of Gymnasium returns.
        """
        simulator = self.simulator
        if isinstance(simulator, GymnasiumSimulator):
            self.last = simulator.step_with(action)
        else:
            self.last = simulator.step(int(action))
        self.action = action
        self.moment += 1
        last = self.last
        return shown(last.observation), last.reward, last.terminated, last.truncated, last.info

    def action_of(self, number: int) -> Any:
        """The action of the action space with a number."""
        if isinstance(self.simulator, GymnasiumSimulator):
            return self.simulator.action_of(number)
        return number

    def render(self) -> Any:
        """What the environment renders; None for simulators that are not Gymnasium environments."""
        return self.simulator.env.render() if isinstance(self.simulator, GymnasiumSimulator) else None

    def close(self) -> None:
        """Close the environment."""
        if isinstance(self.simulator, GymnasiumSimulator):
            self.simulator.env.close()


def shown(observation: Any) -> Any:
    """An observation in the form of Gymnasium: frames as one array, arrays as copies."""
    if hasattr(observation, "frames"):
        return np.asarray(observation)
    return observation.copy() if isinstance(observation, np.ndarray) else observation


def matching(observation: Any, last: Any) -> int | None:
    """How an observation fits the last one: 0 if it is the same, 1 if it is a batch of it alone, None if it differs.

    Raises `UsageError` for a batch of several observations.
    """
    if isinstance(last, dict):
        fits = [matching(observation[name], last[name]) if name in observation else None for name in last]
        return fits[0] if fits and all(fit == fits[0] for fit in fits) else None
    if isinstance(last, tuple) and isinstance(observation, tuple) and len(observation) == len(last):
        fits = [matching(part, other) for part, other in zip(observation, last, strict=True)]
        return fits[0] if fits and all(fit == fits[0] for fit in fits) else None
    if isinstance(last, str):
        alone = observation[0] if isinstance(observation, list | tuple | np.ndarray) and len(observation) == 1 else None
        return 0 if observation == last else 1 if alone == last else None
    array, expected = np.asarray(observation), np.asarray(last)
    if array.ndim == expected.ndim + 1 and array.shape[1:] == expected.shape:
        if len(array) != 1:
            raise UsageError(
                f"there are {len(array)} observations (a vectorised environment), but an agent plans in one "
                "environment: use one agent for each, or a vectorised environment of one"
            )
        return 1 if _same(array[0], expected) else None
    return 0 if array.shape == expected.shape and _same(array, expected) else None


def _same(array: Any, expected: Any) -> bool:
    # A vectorised environment stores observations in the type of the space.
    floats = array.dtype.kind == "f"
    return bool(np.array_equal(array, expected.astype(array.dtype), equal_nan=floats))


def _space_of(observation: Any, simulator: Simulator) -> Any:
    array = np.asarray(observation)
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        kind: Any = array.dtype.type
        return gymnasium.spaces.Box(kind(limits.min), kind(limits.max), array.shape, kind)
    if array.dtype.kind == "f":
        return gymnasium.spaces.Box(-np.inf, np.inf, array.shape, array.dtype.type)
    raise UsageError(
        f"the observations of {type(simulator).__name__} ({observation!r:.40}) are not arrays of numbers and have no "
        "Gymnasium space: give an agent a Gymnasium environment, or use agent.run()"
    )
