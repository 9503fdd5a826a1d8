"""Any Gymnasium environment with a finite set of actions as a simulator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from widthwise.core.defaults import Defaults
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.simulators.action_names import action_names
from widthwise.simulators.action_replay import ActionReplay
from widthwise.simulators.copying import LayeredState, Layers, UncopyableError
from widthwise.simulators.spaces import Actions

#: Names under which environments offer their own saving and loading.
OWN_METHODS = (
    ("save", "load"),
    ("save_state", "load_state"),
    ("clone_full_state", "restore_full_state"),
    ("clone_state", "restore_state"),
    ("get_state", "set_state"),
)
STRATEGIES = ("auto", "own", "pickle", "deepcopy", "replay")


class GymnasiumSimulator:
    """A Gymnasium environment as a simulator.

    `copy` says how snapshots are made: by the environment's `own` methods (one of the pairs in
    `OWN_METHODS`), by copying the attributes of the environment and all wrappers with `pickle` or
    `deepcopy`, or by `replay`, which does the actions of the episode again. `auto` takes the first of these that
    works. Wrappers around an environment that saves itself are always copied. `shared` names more attributes that
    never change and need no copy. Use `check_simulator` to see whether that restores everything.

    Actions are numbered: a `Discrete` space may begin anywhere, `MultiDiscrete`, `MultiBinary`, `Tuple` and `Dict`
    spaces of them are flattened, up to 1,000 combinations. `actions="grid:5"` takes 5 values of each number of a `Box`.
    With `action_repeat=8` a step does its action 8 times, or until the episode ends, and adds up the rewards: where
    single actions change little, a tree of the same size then looks further ahead.
    """

    def __init__(
        self,
        env: Any,
        *,
        copy: str = "auto",
        shared: Sequence[str] = (),
        deterministic: bool | None = None,
        actions: str | None = None,
        action_repeat: int = 1,
    ) -> None:
        if isinstance(action_repeat, bool) or not isinstance(action_repeat, int) or action_repeat < 1:
            raise UsageError(f"action_repeat must be a whole number above 0, not {action_repeat!r}")
        if copy not in STRATEGIES:
            raise UsageError(f"unknown copy strategy {copy!r}; choose one of {', '.join(STRATEGIES)}")
        if hasattr(env, "num_envs"):
            raise UsageError(
                f"{type(env).__name__} is a vectorised environment ({env.num_envs} environments), but an agent plans "
                "in one: give a single environment, such as gymnasium.make(...) or venv.envs[0]"
            )
        self.env = env
        self._actions = Actions(getattr(env, "action_space", None), str(env), actions)
        self.actions = self._actions.count
        spec = getattr(env, "spec", None)
        self.action_repeat = action_repeat
        limit = getattr(spec, "max_episode_steps", None)
        self.limit: int | None = None if limit is None else -(-limit // action_repeat)
        self.deterministic = not getattr(spec, "nondeterministic", False) if deterministic is None else deterministic
        layers = _layers(env)
        own = next((index for index, layer in enumerate(layers) if _pair(layer)), len(layers))
        if copy == "own" and own == len(layers):
            names = ", ".join("/".join(pair) for pair in OWN_METHODS)
            raise UsageError(f"{env} has no methods to save and load its state (any of {names})")
        if copy in ("pickle", "deepcopy", "replay"):
            own = len(layers)
        self.copy = copy
        self._own = _pair(layers[own]) if own < len(layers) else None
        # The wrappers above a layer that saves itself have their state too, such as a step counter.
        strategy = copy if copy in ("pickle", "deepcopy") else "auto"
        self._rest: LayeredState = Layers(layers[:own], shared, strategy, *layers[own : own + 1])
        self._replay = ActionReplay(lambda seed: env.reset(seed=seed), env.step)
        self._replays = copy == "replay"
        self._tried = copy != "auto" or self._own is not None

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode."""
        if not self._tried:
            self._try()
        observation, info = self._replay.begin(seed) if self._replays else self.env.reset(seed=seed)
        return Step(_kept(observation), 0.0, False, False, self.information(dict(info)))

    def step(self, action: int) -> Step:
        """Do the action."""
        return self.step_with(self._actions(action))

    def action_of(self, number: int) -> Any:
        """The action of the environment with a number."""
        return self._actions(number)

    def step_with(self, action: Any) -> Step:
        """Execute an action of the environment, which need not be one of the numbered ones."""
        act = self._replay.act if self._replays else self.env.step
        observation, reward, terminated, truncated, info = act(action)
        total = float(reward)
        for _ in range(self.action_repeat - 1):
            if terminated or truncated:
                break
            observation, reward, terminated, truncated, info = act(action)
            total += float(reward)
        return Step(_kept(observation), total, bool(terminated), bool(truncated), self.information(dict(info)))

    def information(self, info: dict[str, Any]) -> dict[str, Any]:
        """What a step's info says; kinds of environments add what their features need."""
        return info

    def save(self) -> Any:
        """A snapshot: what the environment saves itself, and the attributes of the other layers."""
        if self._replays:
            return self._replay.save()
        return None if self._own is None else self._own[0](), self._rest.save()

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot."""
        if self._replays:
            self._replay.load(snapshot)
            return
        own, rest = snapshot
        self._rest.load(rest)
        if self._own is not None:
            self._own[1](own)

    @property
    def restores_by_replay(self) -> bool:
        """Whether every return to a snapshot takes the steps of the episode again."""
        return self._replays

    @property
    def replayed_steps(self) -> int:
        """The steps that were taken to return to snapshots: 0 unless snapshots are made by replay."""
        return self._replay.steps

    @property
    def action_names(self) -> tuple[str, ...]:
        """What the actions are called."""
        return self._actions.names(action_names(self.env))

    def planning_defaults(self) -> Defaults:
        """How to plan here when nothing is said: flat Rollout IW, on features by the kind of the observation."""
        from widthwise.simulators.gymnasium_defaults import defaults_for

        return defaults_for(self)

    def training_defaults(self) -> dict[str, Any]:
        """Settings for `train`: search looks at the observation itself if that is a few whole numbers."""
        from widthwise.simulators.gymnasium_defaults import training_for

        return training_for(getattr(self.env, "observation_space", None))

    def _try(self) -> None:
        """Find out whether the environment can be copied; if not, replay actions."""
        self._tried = True
        self.env.reset(seed=0)
        try:
            self._rest.load(self._rest.save())
        except UncopyableError:
            self._replays = True


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
        save_parameters, load_parameters = inspect.signature(save).parameters, inspect.signature(load).parameters
        if _required(save_parameters) == 0 and _required(load_parameters) == 1:
            if "include_rng" in save_parameters:
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


def _kept(observation: Any) -> Any:
    """An observation that stays as it is: environments may write the next one into the same array."""
    if isinstance(observation, np.ndarray):
        return observation.copy() if observation.flags.writeable or observation.base is not None else observation
    if isinstance(observation, dict):
        return {name: _kept(value) for name, value in observation.items()}
    if isinstance(observation, tuple):
        return tuple(_kept(value) for value in observation)
    return observation
