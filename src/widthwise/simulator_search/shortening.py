"""A shorter path to a goal than that in a tree: IW breadth first over finer features, outside the tree.

Rollouts find a goal early but not by a short path. Breadth-first width search finds short paths, but only if features
are fine enough to distinguish a step from the next, and then it is slow to find a goal at all. Known paths bound its
depth. Only the states of two layers are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from widthwise import _native
from widthwise.core.level import Width
from widthwise.core.simulator import Step
from widthwise.simulator_search.driver import Driver, FeatureFunction, pack

#: How many times finer than those of the tree the features of the passes are, where they can be refined.
SCALES = (2, 6)


@dataclass(slots=True)
class Shortening:
    """A search for a shorter path from the root of a tree.

    Args:
        driver: The simulator and its tree.
        width: The width of the search.
        repeat: How often an action is repeated while no feature changes.
        discount: The discount of future rewards.
        is_goal: Whether a step is the end that a path must have.
        stopped: Whether the search has to stop.
    """

    driver: Driver
    width: Width
    repeat: int
    discount: float
    is_goal: Callable[[Step], bool]
    stopped: Callable[[], bool]

    def run(self, features: FeatureFunction, known: int, value: float, limit: int) -> list[int] | None:
        """Search with finer and finer features.

        Args:
            features: The features of the tree; where they have a method `finer(times)`, its results are used.
            known: The length of the path that is known.
            value: The return of that path.
            limit: The most simulator steps.

        Returns:
            The actions of a path with a greater return; None if none was found.
        """
        finer: Any = getattr(features, "finer", None)
        passes = [features] if finer is None else [finer(scale) for scale in SCALES]
        best: list[int] | None = None
        spent = self.driver.steps
        for function in passes:
            left = limit - (self.driver.steps - spent)
            path = self._pass(function, known, left)
            if path is not None and path[1] > value:
                best, value = path
                known = len(best)
        return best

    def _pass(self, function: FeatureFunction, known: int, limit: int) -> tuple[list[int], float] | None:
        """The first path to a goal that is shorter than the known one, and its return."""
        driver, simulator, tree = self.driver, self.driver.simulator, self.driver.tree
        table: _native.DepthTable | None = None
        # Of every node its parent and action, so that a path can be read; of the last layer also what is needed to go
        # on: snapshot, features, return so far, and how often the last action was repeated.
        origin: list[tuple[int, int]] = [(-1, -1)]
        layer: list[tuple[int, Any, bytes, float, int]] = [(0, tree.snapshot[tree.root], b"", 0.0, 0)]
        factor = 1.0
        driver.at = -1  # the simulator leaves the node that it is at
        for depth in range(1, known):
            following: list[tuple[int, Any, bytes, float, int]] = []
            for node, snapshot, before, total, run in layer:
                for action in range(tree.actions):
                    if run and action != origin[node][1]:
                        continue
                    if limit <= 0 or self.stopped():
                        return None
                    limit -= 1
                    simulator.load(snapshot)
                    step = simulator.step(action)
                    driver.steps += 1
                    driver.restores += 1
                    worth = total + factor * step.reward
                    if step.done:
                        if self.is_goal(step):
                            return self._path(origin, node, action), worth
                        continue
                    vector, size = pack(function(step))
                    if table is None:
                        table = _native.DepthTable(0 if self.width == "n" else int(self.width), size)
                    child = len(origin)
                    repeated = run + 1 if vector == before else 0
                    novel = table.insert(vector, depth, child, before)[0] > 0
                    if novel or 0 < repeated < self.repeat:
                        origin.append((node, action))
                        following.append((child, simulator.save(), vector, worth, 0 if novel else repeated))
            layer, factor = following, factor * self.discount
            if not layer:
                return None
        return None

    @staticmethod
    def _path(origin: list[tuple[int, int]], node: int, action: int) -> list[int]:
        actions = [action]
        while node:
            node, action = origin[node]
            actions.append(action)
        return actions[::-1]
