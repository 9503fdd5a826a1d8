"""Executes the requests of a planner on a simulator and stores the results in the tree.

A planner on a simulator is a coroutine: it yields `(parent, action)` and receives the new node. The driver restores a
snapshot only if the simulator is not at the parent. It never reads the simulator after a restore: features and
observation are computed when a node is generated.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from widthwise.core.contract import guarded
from widthwise.core.errors import OutOfTime, UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.core.watchdog import CallWatch, StepExpired
from widthwise.simulator_search.rarity import Rarity
from widthwise.simulator_search.tree import NONE, BackUpRules, Tree

#: A request of a planner: a node and an action to execute in it.
Expand = tuple[int, int]
#: A running planner: yields expansions and receives the new nodes.
Requests = Generator[Expand, int, int | None]
#: The features of a level: a function from a step to small whole numbers (bytes, an array, a list), or to a set.
FeatureFunction = Callable[[Step], Any]
#: The item size of a level whose features are sets.
SET = 0


class FeatureSet(bytes):
    """Features of which most are false: the numbers of the true ones in increasing order, 32 bits each.

    A feature function returns it if a vector would be too long, for example with millions of features of which a
    state has a few thousand. A tuple of width 1 is then the number of a true feature; the widths are 1 and "n".

    Example:
        >>> ww.FeatureSet.of([3, 70_000]).numbers()
        [3, 70000]
    """

    __slots__ = ()

    @classmethod
    def of(cls, numbers: Sequence[int]) -> FeatureSet:
        """A set of the numbers of true features, from 0 to 2**32 - 1, in any order."""
        return cls(b"".join(number.to_bytes(4, "little") for number in sorted(set(numbers))))

    def numbers(self) -> list[int]:
        """The numbers of the true features, in increasing order."""
        return [int.from_bytes(self[at : at + 4], "little") for at in range(0, len(self), 4)]


@dataclass(slots=True)
class Evaluation:
    """The outputs of a network for a node: features of the lowest level, a policy prior, a value; each may be missing.

    `version` is the number of updates of the network.
    """

    features: Any = None
    prior: Sequence[float] | None = None
    value: float | None = None
    version: int = 0


class Driver:
    """A simulator and its search tree."""

    def __init__(
        self,
        simulator: Simulator,
        features: Sequence[FeatureFunction | None],
        *,
        keep_observations: bool = True,
        rules: BackUpRules | None = None,
    ) -> None:
        """`features` has one function per level, lowest first; None if an evaluation provides the features."""
        self.simulator = guarded(simulator)
        self.functions = list(features)
        self.keep_observations = keep_observations
        self.rules = rules or BackUpRules()
        self.rarity: Rarity | None = None  # of trees that a network guides
        self.guided = True  # whether nodes get the policy of their evaluation
        self.tree = self._new_tree()
        self.steps = 0
        self.restores = 0
        self.at = NONE  # the node of the simulator's current state
        self.last: Step | None = None

    def start(self) -> None:
        """Begin a new tree at the present state of the simulator; its root is added later."""
        self.tree = self._new_tree()
        self.at = NONE

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode with a new tree; its root is added later."""
        self.start()
        return self.simulator.reset(seed)

    def end_guidance(self) -> None:
        """Search without the network's policy from now on, also in nodes that have it."""
        if self.guided:
            self.guided = False
            self.tree.prior[:] = [None] * len(self.tree.prior)
            self.tree.rarity = None

    def _new_tree(self) -> Tree:
        tree = Tree(self.simulator.actions, len(self.functions))
        tree.rules = self.rules
        tree.rarity = self.rarity if self.guided else None
        return tree

    def step(self, parent: int, action: int, before: Callable[[], None] | None = None) -> Step:
        """Execute an action in a node; `before` is called before the action, when the simulator is at the node."""
        if self.at != parent:
            self.simulator.load(self.tree.snapshot[parent])
            self.restores += 1
        self.at = NONE  # the state is unknown if the simulator fails
        if before is not None:
            before()
        step = self.simulator.step(action)
        self.steps += 1
        return step

    def add(self, parent: int, action: int, step: Step, evaluation: Evaluation | None = None) -> int:
        """Add a step to the tree as a node."""
        tree = self.tree
        vectors, sizes = [], []
        values = None if evaluation is None else evaluation.features
        watch = self.simulator.watch
        for function in self.functions:
            if values is None:
                if function is None:
                    raise UsageError(
                        "the lowest level has no features: give a feature function, or an evaluation with features"
                    )
                values = function(step) if watch is None else self._watched(watch, function, step)
            vector, size = (values, 1) if type(values) is bytes else pack(values)
            vectors.append(vector)
            sizes.append(size)
            values = None
        if parent == NONE:
            tree.item_sizes = sizes
        elif sizes != tree.item_sizes:
            raise UsageError("a feature function changed the type of its values during the episode")
        node = tree.add(
            parent,
            action,
            vectors,
            reward=step.reward,
            terminal=tree.ends_branch(parent, step),
            observation=step.observation if self.keep_observations else None,
            snapshot=None if step.done else self.simulator.save(),  # an end is never expanded
        )
        tree.mark(node, step)
        if evaluation is not None:
            tree.prior[node] = evaluation.prior if self.guided else None
            tree.value[node] = evaluation.value
            tree.version[node] = evaluation.version
        self.at = node
        return node

    def _watched(self, watch: CallWatch, function: FeatureFunction, step: Step) -> Any:
        """The result of a feature function, with the time limit of a call into the simulator."""
        try:
            watch.enter(4, self.simulator.steps, -1)
            return function(step)
        except StepExpired as error:
            raise OutOfTime(f"{self.simulator.name}: a feature function {error}") from None
        finally:
            watch.leave()

    def expand(self, parent: int, action: int) -> int:
        """Execute an action in a node and add the result as a node."""
        return self.add(parent, action, self.step(parent, action))

    def run(self, requests: Requests, steps: int | None = None) -> int:
        """Execute the requests of a planner until it ends, or for this many steps; returns the number of steps."""
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
    """A feature vector as bytes, and the bytes each value takes; `SET` for a set of features."""
    if type(values) is bytes:
        return values, 1
    if type(values) is FeatureSet:
        return bytes(values), SET
    if getattr(values, "dtype", None) is None:
        import numpy

        try:
            values = numpy.asarray(values).reshape(-1)
        except ValueError as error:
            raise UsageError(f"a feature function must return whole numbers, not {values!r:.60} ({error})") from None
        if values.dtype.kind in "iub":
            values = _narrow(values)
    kind = values.dtype
    if kind.kind not in "iub":
        remedy = "discretise them, for example with Bins" if kind.kind == "f" else "map them to numbers"
        raise UsageError(f"features must be whole numbers, not {kind} ({values!r:.60}): {remedy}")
    if kind.itemsize > 4:
        values = _narrow(values)
    size: int = values.dtype.itemsize
    return values.tobytes(), size


def vector(function: FeatureFunction, step: Step) -> bytes:
    """The features of a state as bytes."""
    values = function(step)
    return values if type(values) is bytes else pack(values)[0]


def _narrow(values: Any) -> Any:
    """Whole numbers in 32 bits, if they fit."""
    if values.size and not (values.min() >= -(2**31) and values.max() < 2**31):
        raise UsageError(
            f"features must fit into 32 bits, but {values.max()} or {values.min()} does not: use the upper and the "
            "lower half as two features"
        )
    return values.astype("int32")
