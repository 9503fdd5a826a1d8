"""Simulators that are broken on purpose, each in one way that planners have fallen for."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from widthwise.core.simulator import Step


class Walk:
    """A sound simulator: a walk on a ring of 50 places, with a picture, until 60 steps are done."""

    actions = 3
    deterministic = True
    limit = 60

    def __init__(self) -> None:
        self.place, self.steps = 0, 0
        self.before = 0  # the place in the last picture but one
        self.last = 0

    def reset(self, seed: int | None = None) -> Step:
        self.place, self.steps, self.before, self.last = (seed or 0) % 50, 0, 0, 0
        return self.show()

    def step(self, action: int) -> Step:
        self.before, self.last = self.place, action
        self.place = (self.place + action - 1) % 50
        self.steps += 1
        return self.show()

    def show(self) -> Step:
        picture = np.zeros(50, np.uint8)
        picture[self.before] = 100
        picture[self.place] = 255
        return Step(picture, float(self.place == 25), self.place == 25, self.steps >= self.limit, {})

    def save(self) -> Any:
        return dict(vars(self))

    def load(self, snapshot: Any) -> None:
        vars(self).update(snapshot)


class Sticky(Walk):
    """Sticky actions: now and then the last action is repeated, by dice that are not saved."""

    dice = random.Random(3)

    def step(self, action: int) -> Step:
        return super().step(self.last if self.dice.random() < 0.25 else action)


class Seeded(Sticky):
    """The same with dice that a reset seeds; still they are not saved."""

    def reset(self, seed: int | None = None) -> Step:
        type(self).dice = random.Random(seed)
        return super().reset(seed)


class StaleScreen(Walk):
    """The picture also shows where the agent was, and load does not restore that."""

    def load(self, snapshot: Any) -> None:
        vars(self).update({name: value for name, value in snapshot.items() if name != "before"})

    def step(self, action: int) -> Step:
        old = self.shown if hasattr(self, "shown") else self.place  # type: ignore[has-type]
        seen = super().step(action)
        self.shown = self.place
        seen.observation[old] = 77
        return seen

    def save(self) -> Any:
        return {name: value for name, value in vars(self).items() if name != "shown"}


class ForgottenCounter(Walk):
    """The step counter goes on after a load."""

    def save(self) -> Any:
        return {name: value for name, value in vars(self).items() if name != "steps"}


class LoudSave(Walk):
    """Saving moves the agent."""

    def save(self) -> Any:
        snapshot = super().save()
        self.place = (self.place + 1) % 50
        return snapshot


class Unmoved(Walk):
    """A load does nothing."""

    def load(self, snapshot: Any) -> None:
        pass


class Reused(Walk):
    """All observations are one array."""

    def __init__(self) -> None:
        super().__init__()
        self.picture = np.zeros(50, np.uint8)

    def show(self) -> Step:
        step = super().show()
        self.picture[:] = step.observation
        step.observation = self.picture
        return step

    def save(self) -> Any:
        return {name: value for name, value in vars(self).items() if name != "picture"}


class Unpicklable(Walk):
    """Snapshots hold a function that cannot be pickled."""

    def save(self) -> Any:
        return {**vars(self), "back": lambda: None}


class HomeSick(Walk):
    """A snapshot is only a number under which this very object keeps the state."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[dict[str, Any]] = []

    def save(self) -> Any:
        self.kept.append({name: value for name, value in vars(self).items() if name != "kept"})
        return len(self.kept) - 1

    def load(self, snapshot: Any) -> None:
        vars(self).update(self.kept[snapshot])

    def __reduce__(self) -> Any:
        return HomeSick, ()


class Mute(Walk):
    """Reset returns what Gymnasium's does, not a Step."""

    def reset(self, seed: int | None = None) -> Any:
        return super().reset(seed).observation, {}


class Unseeded(Walk):
    """A reset begins anywhere."""

    dice = random.Random(5)

    def reset(self, seed: int | None = None) -> Step:
        return super().reset(self.dice.randrange(50))


def broken_env() -> Any:
    """A Gymnasium environment whose wrapper counts where no snapshot of the core can see it."""
    import gymnasium

    class Core(gymnasium.Env):
        action_space = gymnasium.spaces.Discrete(3, start=5)
        observation_space = gymnasium.spaces.Box(0, 255, (50,), np.uint8)

        def __init__(self) -> None:
            self.walk = Walk()
            self.walk.limit = 10**9

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            return self.walk.reset(seed).observation, {}

        def step(self, action: int) -> Any:
            seen = self.walk.step(action - 5)
            return seen.observation, seen.reward, seen.terminated, False, {"drawn": int(self.np_random.integers(9))}

        def get_state(self) -> Any:
            return self.walk.save(), self.np_random.bit_generator.state

        def set_state(self, state: Any) -> None:
            self.walk.load(state[0])
            self.np_random.bit_generator.state = state[1]

    return gymnasium.wrappers.TimeLimit(Core(), 30)


class OnlyTheCore:
    """Saves what is innermost, as many programs do: the wrapper's counter is forgotten."""

    deterministic = True
    limit = 30

    def __init__(self) -> None:
        self.env = broken_env()
        self.actions = 3

    def reset(self, seed: int | None = None) -> Step:
        return Step(self.env.reset(seed=seed)[0])

    def step(self, action: int) -> Step:
        return Step(*self.env.step(action + 5))

    def save(self) -> Any:
        return self.env.unwrapped.get_state()

    def load(self, snapshot: Any) -> None:
        self.env.unwrapped.set_state(snapshot)
