"""Executes what a planner asks for on a simulator, and keeps what was seen.

A planner on a simulator is a coroutine: it yields `(parent, action)` and is sent the node that came of it. The driver
restores only when the simulator does not stand at the parent, and never reads the simulator after a restore: features
and observation are taken when a node is generated.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from widthwise.core.contract import guarded
from widthwise.core.errors import OutOfTime, UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.core.watchdog import CallWatch, StepExpired
from widthwise.simulator_search.tree import NONE, Tree

#: What a planner asks for: a node and an action to try in it.
Expand = tuple[int, int]
#: A planner at work: asks for expansions, is sent the new nodes.
Requests = Generator[Expand, int, int | None]
#: What a level looks at: a function from what a node saw to small whole numbers (bytes, an integer array, a list).
FeatureFunction = Callable[[Step], Any]


@dataclass(slots=True)
class Evaluation:
    """What a network says of a node: features of the lowest level, a policy prior, a value; each may be missing.

    `version` says which network: how many updates it had seen.
    """

    features: Any = None
    prior: Sequence[float] | None = None
    value: float | None = None
    version: int = 0


class Driver:
    """One simulator with the tree that is being grown on it."""

    def __init__(
        self, simulator: Simulator, features: Sequence[FeatureFunction | None], *, keep_observations: bool = True
    ) -> None:
        """`features` has one function per level, lowest first; None where an evaluation brings the features."""
        self.simulator = guarded(simulator)
        self.functions = list(features)
        self.keep_observations = keep_observations
        self.tree = Tree(self.simulator.actions, len(self.functions))
        self.steps = 0
        self.restores = 0
        self.at = NONE  # the node at which the simulator stands
        self.last: Step | None = None

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode: a new tree without its root yet."""
        self.tree = Tree(self.simulator.actions, len(self.functions))
        self.at = NONE
        return self.simulator.reset(seed)

    def step(self, parent: int, action: int, before: Callable[[], None] | None = None) -> Step:
        """Try an action in a node; `before` is called when the simulator stands there."""
        if self.at != parent:
            self.simulator.load(self.tree.snapshot[parent])
            self.restores += 1
        self.at = NONE  # should the simulator fail, it stands nowhere
        if before is not None:
            before()
        step = self.simulator.step(action)
        self.steps += 1
        return step

    def add(self, parent: int, action: int, step: Step, evaluation: Evaluation | None = None) -> int:
        """Keep what was seen as a node."""
        tree = self.tree
        vectors, sizes = [], []
        given = None if evaluation is None else evaluation.features
        watch = self.simulator.watch
        for function in self.functions:
            if given is None:
                if function is None:
                    raise UsageError(
                        "the lowest level has no features: give a function, or an evaluation that brings them"
                    )
                given = function(step) if watch is None else self._watched(watch, function, step)
            vector, size = (given, 1) if type(given) is bytes else pack(given)
            vectors.append(vector)
            sizes.append(size)
            given = None
        if parent == NONE:
            tree.item_sizes = sizes
        elif sizes != tree.item_sizes:
            raise UsageError("a feature function changed the type of its values")
        terminal = step.terminated or step.truncated
        node = tree.add(
            parent,
            action,
            vectors,
            reward=step.reward,
            terminal=terminal,
            observation=step.observation if self.keep_observations else None,
            snapshot=None if terminal else self.simulator.save(),  # nobody goes on from an end
        )
        if step.terminated:
            tree.ends.add(node)
        if evaluation is not None:
            tree.prior[node] = evaluation.prior
            tree.value[node] = evaluation.value
            tree.version[node] = evaluation.version
        self.at = node
        return node

    def _watched(self, watch: CallWatch, function: FeatureFunction, step: Step) -> Any:
        """What a feature function returns; it has as long as a call into the simulator."""
        try:
            watch.enter(4, self.simulator.steps, -1)
            return function(step)
        except StepExpired as error:
            raise OutOfTime(f"{self.simulator.name}: a feature function {error}") from None
        finally:
            watch.leave()

    def expand(self, parent: int, action: int) -> int:
        """Try an action in a node, and keep what came of it as a node."""
        return self.add(parent, action, self.step(parent, action))

    def run(self, requests: Requests, steps: int | None = None) -> int:
        """Serve a planner until it has nothing left to ask, or for so many steps; returns the steps made."""
        done = 0
        try:
            request = next(requests)
            while steps is None or done < steps:
                done += 1
                request = requests.send(self.expand(*request))
        except StopIteration:
            pass
        return done


def pack(values: Any) -> tuple[bytes, int]:
    """A feature vector as bytes, and the bytes each value takes."""
    if type(values) is bytes:
        return values, 1
    if getattr(values, "dtype", None) is None:
        import numpy

        try:
            values = numpy.asarray(values).reshape(-1)
        except ValueError as error:
            raise UsageError(
                f"a feature function returns whole numbers; it returned {values!r:.60} ({error})"
            ) from None
        if values.dtype.kind in "iub":
            values = _narrow(values)
    kind = values.dtype
    if kind.kind not in "iub":
        remedy = "discretise them, with Bins for example" if kind.kind == "f" else "map them to numbers"
        raise UsageError(f"features are whole numbers, not {kind} ({values!r:.60}): {remedy}")
    if kind.itemsize > 4:
        values = _narrow(values)
    size: int = values.dtype.itemsize
    return values.tobytes(), size


def _narrow(values: Any) -> Any:
    """Whole numbers in 32 bits, if they fit."""
    if values.size and not (values.min() >= -(2**31) and values.max() < 2**31):
        raise UsageError(
            f"features are whole numbers of at most 32 bits, and {values.max()} or {values.min()} does not fit: "
            "give the upper and the lower half as two features"
        )
    return values.astype("int32")
