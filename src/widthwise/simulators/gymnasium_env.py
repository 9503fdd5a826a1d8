"""Any Gymnasium environment with discrete actions as a simulator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.simulators.copying import Layers

#: Names under which environments offer saving and loading of their own.
OWN_METHODS = (
    ("save", "load"),
    ("save_state", "load_state"),
    ("clone_full_state", "restore_full_state"),
    ("clone_state", "restore_state"),
    ("get_state", "set_state"),
)
STRATEGIES = ("auto", "own", "pickle", "deepcopy")


class GymnasiumSimulator:
    """A Gymnasium environment as a simulator.

    `copy` says how snapshots are made: by the environment's `own` methods (one of the pairs in
    `OWN_METHODS`), or by copying the attributes of the environment and all wrappers with `pickle` or
    `deepcopy`. `auto` takes the first of these that works. Wrappers around an environment that saves
    itself are always copied. `shared` names more attributes that never change and need no copy.
    Use `check_simulator` to see whether that restores everything.
    """

    def __init__(
        self, env: Any, *, copy: str = "auto", shared: Sequence[str] = (), deterministic: bool | None = None
    ) -> None:
        if copy not in STRATEGIES:
            raise UsageError(f"copy={copy!r} is no way to copy; take one of {', '.join(STRATEGIES)}")
        self.env = env
        self.actions, self._first = _discrete(env)
        spec = getattr(env, "spec", None)
        self.limit: int | None = getattr(spec, "max_episode_steps", None)
        self.deterministic = not getattr(spec, "nondeterministic", False) if deterministic is None else deterministic
        layers = _layers(env)
        own = next((index for index, layer in enumerate(layers) if _pair(layer)), len(layers))
        if copy == "own" and own == len(layers):
            names = ", ".join("/".join(pair) for pair in OWN_METHODS)
            raise UsageError(f"{env} has no methods to save and load itself (looked for {names})")
        if copy in ("pickle", "deepcopy"):
            own = len(layers)
        self._own = _pair(layers[own]) if own < len(layers) else None
        # The wrappers above a layer that saves itself have their state too, such as a step counter.
        self._rest = Layers(layers[:own], shared, "auto" if copy == "own" else copy, *layers[own : own + 1])

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed)
        return Step(_kept(observation), 0.0, False, False, dict(info))

    def step(self, action: int) -> Step:
        """Do the action."""
        observation, reward, terminated, truncated, info = self.env.step(self._first + action)
        return Step(_kept(observation), float(reward), bool(terminated), bool(truncated), dict(info))

    def save(self) -> tuple[Any, Any]:
        """A snapshot: what the environment saves itself, and the attributes of the other layers."""
        return None if self._own is None else self._own[0](), self._rest.save()

    def load(self, snapshot: tuple[Any, Any]) -> None:
        """Return to a snapshot."""
        own, rest = snapshot
        self._rest.load(rest)
        if self._own is not None:
            self._own[1](own)


def _layers(env: Any) -> list[Any]:
    """The environment and what it wraps, outermost first."""
    layers = [env]
    while layers[-1] is not env.unwrapped and hasattr(layers[-1], "env"):
        layers.append(layers[-1].env)
    return layers


def _pair(layer: Any) -> tuple[Callable[[], Any], Callable[[Any], Any]] | None:
    """A layer's own way to save and load itself, if it has one."""
    for names in OWN_METHODS:
        if not all(callable(getattr(type(layer), name, None)) for name in names):
            continue
        save, load = (getattr(layer, name) for name in names)
        asked, needed = inspect.signature(save).parameters, inspect.signature(load).parameters
        if _required(asked) == 0 and _required(needed) == 1:
            if "include_rng" in asked:
                return (lambda save=save: save(include_rng=True)), load
            return save, load
    return None


def _required(parameters: Any) -> int:
    return sum(
        1
        for parameter in parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    )


def _discrete(env: Any) -> tuple[int, int]:
    """The number of actions and the first one."""
    space = getattr(env, "action_space", None)
    if type(space).__name__ != "Discrete" or space is None:
        raise UsageError(
            f"planning needs a finite set of actions; {env} has {space}. "
            "Wrap it with gymnasium.wrappers.TransformAction and a Discrete space"
        )
    return int(space.n), int(space.start)


def _kept(observation: Any) -> Any:
    """An observation that stays as it is: environments may write the next one into the same array."""
    if isinstance(observation, np.ndarray):
        return observation.copy() if observation.flags.writeable or observation.base is not None else observation
    if isinstance(observation, dict):
        return {name: _kept(value) for name, value in observation.items()}
    if isinstance(observation, tuple):
        return tuple(_kept(value) for value in observation)
    return observation
