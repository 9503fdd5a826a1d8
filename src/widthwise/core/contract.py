"""The contract of a simulator, checked at every call: what it raises and what it returns.

Rewards are finite numbers, ends are booleans, observations keep their type, shape, dtype and structure, and the
number of actions does not change. An exception of a simulator becomes a `SimulatorError` that names the environment,
the call, the step and the action; the original exception is its cause.
"""

from __future__ import annotations

import opcode
import signal
import traceback
from numbers import Integral, Real
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, NoReturn

from widthwise.core.errors import OutOfTime, SimulatorError, WidthwiseError
from widthwise.core.simulator import Simulator, Step
from widthwise.core.watchdog import CallWatch, StepExpired, current_watch

#: The maximum number of actions: every node of a tree has a slot for each action.
MOST_ACTIONS = 65_536

_INFINITE = float("inf")
_STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_RAISE = opcode.opmap["RAISE_VARARGS"]


class Guarded:
    """A simulator whose every call is checked against the contract.

    Args:
        inner: The simulator.
        name: Its name in messages; by default the result of `environment_name`.

    Raises:
        SimulatorError: At the first call that breaks the contract.
    """

    def __init__(self, inner: Simulator, name: str | None = None) -> None:
        self.inner = inner
        self._core = innermost(inner)
        self.name = name or environment_name(inner)
        self.actions = count_actions(inner, self.name)
        self.deterministic = bool(getattr(inner, "deterministic", True))
        self.steps = 0  # since the last reset, including steps of the search
        self.watch: CallWatch | None = current_watch()
        self._reset, self._step, self._save, self._load = inner.reset, inner.step, inner.save, inner.load
        self._structure: Any = None  # of observations; None before the first
        self._kind: Any = None
        self._shape: Any = None
        self._dtype: Any = None
        self._may_be_nan = False

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode."""
        self.steps = 0
        watch = self.watch
        try:
            if watch is not None:
                watch.enter(0, 0, -1)
            step = self._reset(seed)
            if watch is not None:
                watch.leave()
        except BaseException as error:
            self._raise("reset", error)
        self._check(step, f"reset({'' if seed is None else seed})")
        return step

    def step(self, action: int) -> Step:
        """Do the action."""
        self.steps += 1
        watch = self.watch
        try:
            if watch is not None:
                watch.enter(1, self.steps, action)
            step = self._step(action)
            if watch is not None:
                watch.leave()
        except BaseException as error:
            self._raise(self._place(action), error)
        # The usual case first, without any call; `_check` handles all others.
        if type(step) is Step and type(step.reward) is float and -_INFINITE < step.reward < _INFINITE:
            observation = step.observation
            if (
                type(observation) is self._kind
                and observation.shape == self._shape
                and observation.dtype == self._dtype
                and not self._may_be_nan
                and type(step.terminated) is bool
                and type(step.truncated) is bool
                and self._core.actions == self.actions
            ):
                return step
        self._check(step, self._place(action))
        return step

    def save(self) -> Any:
        """A snapshot."""
        watch = self.watch
        try:
            if watch is None:
                return self._save()
            watch.enter(2, self.steps, -1)
            snapshot = self._save()
            watch.leave()
            return snapshot
        except BaseException as error:
            self._raise(f"save() after step {self.steps}", error)

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot."""
        watch = self.watch
        try:
            if watch is None:
                self._load(snapshot)
                return
            watch.enter(3, self.steps, -1)
            self._load(snapshot)
            watch.leave()
        except BaseException as error:
            self._raise(f"load() after step {self.steps}", error)

    def _place(self, action: int) -> str:
        return f"step {self.steps} (action {action})"

    def _raise(self, call: str, error: BaseException) -> NoReturn:
        """Raise a `SimulatorError` for an exception of the simulator; other exceptions are raised unchanged."""
        if self.watch is not None:
            self.watch.leave()
        if isinstance(error, StepExpired):
            raise OutOfTime(f"{self.name}: {call} {error}") from None
        if isinstance(error, WidthwiseError | MemoryError) or (
            isinstance(error, KeyboardInterrupt) and not _raised_by_code(error.__traceback__)
        ):
            raise error
        raise SimulatorError(f"{self.name}: {call} raised {describe_exception(error)}") from error

    def _check(self, step: Any, call: str) -> None:
        if not isinstance(step, Step):
            self._refuse(call, f"returned {_with_article(type(step).__name__)}, not a widthwise.Step")
        step.reward = self._reward(step.reward, call)
        step.terminated = self._end(step.terminated, "terminated", call)
        step.truncated = self._end(step.truncated, "truncated", call)
        self._observation(step.observation, call)
        if self._core.actions != self.actions:
            self._refuse(call, f"changed the number of actions from {self.actions} to {self._core.actions!r:.40}")

    def _reward(self, reward: Any, call: str) -> float:
        if getattr(reward, "shape", None) == ():
            reward = reward.item()
        if not isinstance(reward, Real):
            self._refuse(call, f"returned the reward {reward!r:.40}, which is not a number")
        value = float(reward)
        if not -_INFINITE < value < _INFINITE:
            self._refuse(call, f"returned the reward {value}; a reward must be a finite number")
        return value

    def _end(self, value: Any, name: str, call: str) -> bool:
        if type(value) is not bool and getattr(value, "shape", None) == ():
            value = value.item()  # numpy's booleans
        if type(value) is not bool:
            self._refuse(call, f"returned {name}={value!r:.40}, which is neither True nor False")
        return bool(value)

    def _observation(self, observation: Any, call: str) -> None:
        if observation is None:
            self._refuse(call, "returned the observation None")
        structure = structure_of(observation)
        if self._structure is None:
            self._structure = structure
            if hasattr(observation, "shape") and hasattr(observation, "dtype"):
                self._kind, self._shape, self._dtype = type(observation), observation.shape, observation.dtype
            self._may_be_nan = _has_floats(observation)
        elif structure != self._structure:
            self._refuse(call, "changed the form of the observation: " + difference(self._structure, structure))
        if self._may_be_nan and has_nan(observation):
            self._refuse(call, "returned an observation that contains NaN (not a number)")

    def _refuse(self, call: str, what: str) -> NoReturn:
        raise SimulatorError(f"{self.name}: {call} {what}")


def guarded(simulator: Simulator, name: str | None = None) -> Guarded:
    """The simulator with its contract checked; a `Guarded` simulator is returned unchanged."""
    if isinstance(simulator, Guarded):
        simulator.name = name or simulator.name
        return simulator
    return Guarded(simulator, name)


def count_actions(simulator: Any, name: str) -> int:
    """The number of actions.

    Raises:
        SimulatorError: If it is not a whole number from 1 to `MOST_ACTIONS`.
    """
    try:
        actions: Any = simulator.actions
    except Exception as error:
        raise SimulatorError(f"{name}: reading the attribute actions raised {describe_exception(error)}") from error
    if isinstance(actions, bool) or not isinstance(actions, Integral) or int(actions) < 1:
        raise SimulatorError(
            f"{name}: actions is {actions!r:.40}; it must be the number of actions, a whole number above 0"
        )
    if int(actions) > MOST_ACTIONS:
        raise SimulatorError(
            f"{name}: {actions:,} actions are too many; at most {MOST_ACTIONS:,} are supported, because every node has "
            "a slot for each action"
        )
    return int(actions)


def innermost(simulator: Any) -> Any:
    """The simulator inside wrappers that store it as `inner`."""
    while hasattr(simulator, "inner"):
        simulator = simulator.inner
    return simulator


def made_here(simulator: Any) -> bool:
    """Whether a simulator is part of this package, so that its declarations need no check."""
    core = innermost(simulator)
    return type(core).__module__.startswith("widthwise.") and not hasattr(core, "env")


def environment_name(simulator: Any) -> str:
    """The name of a simulator in messages: the id of a Gymnasium environment, the game, or the class."""
    simulator = innermost(simulator)
    env = getattr(simulator, "env", simulator)
    identifier = getattr(getattr(env, "spec", None), "id", None)
    if isinstance(identifier, str):
        return identifier
    game = getattr(simulator, "game", None)
    return f"atari:{game}" if isinstance(game, str) else type(getattr(env, "unwrapped", env)).__name__


def structure_of(observation: Any) -> Any:
    """Type, shape and dtype of an observation and its parts, which must not change.

    Lists, sets and texts may have any length; arrays, tuples and bytes keep theirs, and dictionaries keep their keys.
    """
    kind = type(observation)
    if kind is dict:
        return {key: structure_of(value) for key, value in observation.items()}
    if kind is tuple:
        return tuple(structure_of(part) for part in observation)
    if kind is bytes:
        return kind, len(observation), None
    shape = getattr(observation, "shape", None)
    return kind if shape is None else (kind, shape, getattr(observation, "dtype", None))


def difference(before: Any, after: Any) -> str:
    """The difference between two structures, in words."""
    if isinstance(before, dict) and isinstance(after, dict) and set(before) == set(after):
        key = next(key for key in before if before[key] != after[key])
        return f"{key!r}: {difference(before[key], after[key])}"
    if _is_array(before) and _is_array(after) and before[0] is after[0]:
        what = "the shape" if before[1] != after[1] else "the dtype"
        place = 1 if before[1] != after[1] else 2
        return f"{what} changed from {before[place]} to {after[place]}"
    return f"it changed from {_words(before)} to {_words(after)}"


def _is_array(structure: Any) -> bool:
    return isinstance(structure, tuple) and len(structure) == 3 and isinstance(structure[0], type)


def _words(structure: Any) -> str:
    if isinstance(structure, dict):
        return f"a dict with the keys {', '.join(map(str, structure)) or '(none)'}"
    if _is_array(structure):
        return f"{_with_article(structure[0].__name__)} of shape {structure[1]}"
    return f"a tuple of length {len(structure)}" if isinstance(structure, tuple) else _with_article(structure.__name__)


def _with_article(noun: str) -> str:
    return noun if noun == "NoneType" else f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def _has_floats(observation: Any) -> bool:
    if isinstance(observation, dict):
        return any(map(_has_floats, observation.values()))
    if isinstance(observation, tuple):
        return any(map(_has_floats, observation))
    return isinstance(observation, float) or getattr(getattr(observation, "dtype", None), "kind", "") == "f"


def has_nan(observation: Any) -> bool:
    """Whether an observation contains NaN."""
    if isinstance(observation, dict):
        return any(map(has_nan, observation.values()))
    if isinstance(observation, tuple):
        return any(map(has_nan, observation))
    if not _has_floats(observation):
        return False
    unequal: Any = observation != observation  # noqa: PLR0124  (only NaN differs from itself)
    return bool(unequal.any()) if hasattr(unequal, "any") else bool(unequal)


def describe_exception(error: BaseException) -> str:
    """An exception in one line: its type, its text, and where it was raised."""
    text = " ".join(str(error).split())
    text = f"{type(error).__name__}: {text:.300}" if text else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = Path(__file__).parent.parent
    outside = [frame for frame in frames if own not in Path(frame.filename).parents]
    return f"{text} ({Path(outside[-1].filename).name}, line {outside[-1].lineno})" if outside else text


def _raised_by_code(trace: TracebackType | None) -> bool:
    """Whether an exception comes from a `raise` statement and not from a signal such as Ctrl-C."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code: CodeType = trace.tb_frame.f_code
    handlers = [getattr(signal.getsignal(number), "__code__", None) for number in _STOPPING]
    return code not in handlers and code.co_code[trace.tb_lasti] == _RAISE
