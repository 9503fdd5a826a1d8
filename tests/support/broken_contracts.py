"""Simulators that break the contract of simulators, each in one way, and simulators that hang."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import numpy as np

from broken_simulators import Mute, Walk
from widthwise.core.simulator import Step


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
    Fails: "raised RuntimeError: the cartridge is dirty (broken_contracts.py, line",
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
