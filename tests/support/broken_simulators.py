"""Simulators that are broken on purpose, each in one way that planners have fallen for."""

from __future__ import annotations

import ctypes
import random
import time
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
        old = self.shown if hasattr(self, "shown") else self.place
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

    class Core(gymnasium.Env):  # type: ignore[type-arg]
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


class Late(Walk):
    """A sound simulator up to its seventh step, where `fault` happens: the search is under way by then."""

    after = 6

    def step(self, action: int) -> Step:
        seen = super().step(action)
        return self.fault(seen) if self.steps > self.after else seen

    def fault(self, seen: Step) -> Any:
        return seen


class ExitsInStep(Late):
    def fault(self, seen: Step) -> Any:
        raise SystemExit(0)


class ExitsInReset(Walk):
    def reset(self, seed: int | None = None) -> Step:
        raise SystemExit(0)


class ExitsInSave(Walk):
    def save(self) -> Any:
        raise SystemExit(3)


class ExitsInLoad(Walk):
    def load(self, snapshot: Any) -> None:
        raise SystemExit


class InterruptsItself(Late):
    """Raises what Ctrl-C raises."""

    def fault(self, seen: Step) -> Any:
        raise KeyboardInterrupt


class ClosesGenerators(Late):
    def fault(self, seen: Step) -> Any:
        raise GeneratorExit


class Stops(Late):
    """StopIteration ends a coroutine without a word."""

    def fault(self, seen: Step) -> Any:
        raise StopIteration


class OwnBase(BaseException):
    pass


class RaisesOwnBase(Late):
    def fault(self, seen: Step) -> Any:
        raise OwnBase("of my own")


class Fails(Late):
    def fault(self, seen: Step) -> Any:
        raise RuntimeError("the cartridge\nis dirty")


class FullDisk(Walk):
    """Saving fails like a write to a full disk."""

    def save(self) -> Any:
        raise OSError(28, "No space left on device")


class NanReward(Late):
    def fault(self, seen: Step) -> Any:
        seen.reward = float("nan")
        return seen


class InfiniteReward(Late):
    def fault(self, seen: Step) -> Any:
        seen.reward = float("-inf")
        return seen


class NoReward(Late):
    def fault(self, seen: Step) -> Any:
        seen.reward = None  # type: ignore[assignment]
        return seen


class OtherShape(Late):
    def fault(self, seen: Step) -> Any:
        seen.observation = seen.observation[:10]
        return seen


class OtherDtype(Late):
    def fault(self, seen: Step) -> Any:
        seen.observation = seen.observation.astype(np.int16)
        return seen


class NoObservation(Late):
    def fault(self, seen: Step) -> Any:
        seen.observation = None
        return seen


class OtherKeys(Late):
    def show(self) -> Step:
        seen = super().show()
        seen.observation = {"image": seen.observation, "steps" if self.steps > 6 else "place": 1}
        return seen


class NanObservation(Walk):
    """Observations are floats, and after some steps one of them is not a number."""

    def show(self) -> Step:
        seen = super().show()
        seen.observation = seen.observation.astype(np.float32)
        if self.steps > 6:
            seen.observation[3] = np.nan
        return seen


class MoreActions(Late):
    def fault(self, seen: Step) -> Any:
        self.actions = 4
        return seen


class EndsByNumber(Late):
    def fault(self, seen: Step) -> Any:
        seen.terminated = 0  # type: ignore[assignment]
        return seen


class NoStep(Late):
    def fault(self, seen: Step) -> Any:
        return seen.observation, seen.reward, False, False, {}


class OverAtReset(Walk):
    def reset(self, seed: int | None = None) -> Step:
        seen = super().reset(seed)
        seen.terminated = True
        return seen


class ManyActions(Walk):
    actions = 10**9


class NoActions(Walk):
    actions = 0


class ExitsWhenMade(Walk):
    def __init__(self) -> None:
        raise SystemExit(0)


class Hangs(Late):
    """A loop in Python that never ends."""

    def fault(self, seen: Step) -> Any:
        while True:
            pass


class Sleeps(Late):
    """Waits in the system, and swallows what is raised meanwhile."""

    def fault(self, seen: Step) -> Any:
        while True:
            try:
                time.sleep(1000)
            except Exception:
                continue


class HangsWithTheLock(Late):
    """Native code that never returns and holds the interpreter lock."""

    def fault(self, seen: Step) -> Any:
        library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
        library.pthread_mutex_lock(mutex)
        library.pthread_mutex_lock(mutex)  # for ever, whatever signals come
        return seen


class HangsAndSwallows(Late):
    """A loop in Python that catches everything."""

    def fault(self, seen: Step) -> Any:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


def hangs_when_made() -> Walk:
    """A constructor that never ends."""
    while True:
        pass


def hangs_with_the_lock_when_made() -> Walk:
    """A constructor in native code that never ends."""
    HangsWithTheLock().fault(Step(0))
    return Walk()


def hangs_in_features(step: Step) -> bytes:
    """A feature function that never ends."""
    while True:
        pass


def hangs_with_the_lock_in_features(step: Step) -> bytes:
    """A feature function in native code that never ends."""
    HangsWithTheLock().fault(step)
    return b""


#: Every fault that the contract finds, with what the message says of it.
FAULTS: dict[type[Walk], str] = {
    ExitsInStep: "raised SystemExit",
    ExitsInReset: "reset raised SystemExit",
    ExitsInSave: "save() after step 0 raised SystemExit: 3",
    ExitsInLoad: "raised SystemExit",
    InterruptsItself: "raised KeyboardInterrupt",
    ClosesGenerators: "raised GeneratorExit",
    Stops: "raised StopIteration",
    RaisesOwnBase: "raised OwnBase: of my own",
    Fails: "raised RuntimeError: the cartridge is dirty (broken_simulators.py, line",
    FullDisk: "save() after step 0 raised OSError: [Errno 28] No space left on device",
    NanReward: "returned the reward nan",
    InfiniteReward: "returned the reward -inf",
    NoReward: "returned the reward None, which is not a number",
    OtherShape: "changed the form of the observation: the shape changed from (50,) to (10,)",
    OtherDtype: "changed the form of the observation: the dtype changed from uint8 to int16",
    NoObservation: "returned the observation None",
    OtherKeys: "to a dict with the keys image, steps",
    NanObservation: "returned an observation that contains NaN",
    MoreActions: "changed the number of actions from 3 to 4",
    EndsByNumber: "returned terminated=0, which is neither True nor False",
    NoStep: "returned a tuple, not a widthwise.Step",
    Mute: "returned a tuple, not a widthwise.Step",
    ManyActions: "1,000,000,000 actions are too many",
    NoActions: "actions is 0",
}


class Dice(Walk):
    """A walk in which a generator that is part of the snapshot decides whether an action is done."""

    def __init__(self) -> None:
        super().__init__()
        self.dice = random.Random(0)

    def reset(self, seed: int | None = None) -> Step:
        self.dice = random.Random(seed)
        return super().reset(seed)

    def step(self, action: int) -> Step:
        return super().step(action if self.dice.random() < 0.7 else 1)

    def save(self) -> Any:
        return {**vars(self), "dice": self.dice.getstate()}

    def load(self, snapshot: Any) -> None:
        vars(self).update({**snapshot, "dice": self.dice})
        self.dice.setstate(snapshot["dice"])


class IdleDice(Dice):
    """The generator is used, and decides nothing."""

    def step(self, action: int) -> Step:
        self.dice.random()
        return Walk.step(self, action)


class LateDice(Dice):
    """The generator is used from the start, and decides something only at places that few walks reach."""

    def step(self, action: int) -> Step:
        drawn = self.dice.random()
        return Walk.step(self, action if self.place not in (20, 30) or drawn < 0.5 else 1)


class GlobalDice(Walk):
    """Uses the generators that all code shares."""

    def step(self, action: int) -> Step:
        chance = random.random() if self.steps % 2 else np.random.random()
        return super().step(action if chance < 0.7 else 1)


class SystemDice(Walk):
    """Asks the operating system."""

    dice = random.SystemRandom()

    def step(self, action: int) -> Step:
        return super().step(action if self.dice.random() < 0.7 else 1)


class Declared(Walk):
    deterministic = False


class OwnReseed(Walk):
    """A generator that nobody can see, and a way to seed it."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 1

    def reseed(self, seed: int) -> None:
        self.number = seed % 1009

    def step(self, action: int) -> Step:
        self.number = self.number * 31 % 1009
        return super().step(action if self.number < 700 else 1)
