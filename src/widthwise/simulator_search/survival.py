"""A long path without an end, where all steps give the same reward: breadth-first search with novelty in each layer.

A state is kept if a feature has a value that no other state of the same depth has shown. A layer thereby has at most as
many states as there are values, and they differ, so that some of them have a future. The states of a layer are visited
in a random order: in a fixed one the successors of the first states would take the values of all others.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from widthwise import _native
from widthwise.simulator_search.driver import Driver, FeatureFunction, pack

#: How many times finer than those of the tree the features are. Coarser ones leave too few states in a layer: in
#: CartPole the layers run out after 90 to 440 steps with the scales 1 and 2, and reach 500 with 4.
SCALE = 4


def surviving_path(
    driver: Driver, features: FeatureFunction, limit: int, rng: random.Random, stopped: Callable[[], bool]
) -> tuple[list[int], bool]:
    """The longest path from the root of a tree that does not end the episode.

    Args:
        driver: The simulator and its tree.
        features: The features; where they have a method `finer(times)`, finer ones are used.
        limit: The most simulator steps.
        rng: The random numbers of the agent.
        stopped: Whether the search has to stop.

    Returns:
        The actions, and whether the path reaches the limit of the episode.
    """
    simulator, tree = driver.simulator, driver.tree
    finer: Any = getattr(features, "finer", None)
    function = features if finer is None else finer(SCALE)
    origin: list[tuple[int, int]] = [(-1, -1)]
    layer: list[tuple[int, Any]] = [(0, tree.snapshot[tree.root])]
    driver.at = -1  # the simulator leaves the node that it is at
    table: _native.DepthTable | None = None
    while True:
        following: list[tuple[int, Any]] = []
        if table is not None:
            table.clear()
        rng.shuffle(layer)
        for node, snapshot in layer:
            for action in range(tree.actions):
                if limit <= 0 or stopped():
                    return _path(origin, layer[0][0]), False
                limit -= 1
                simulator.load(snapshot)
                step = simulator.step(action)
                driver.steps += 1
                driver.restores += 1
                if step.truncated and not step.terminated:
                    return [*_path(origin, node), action], True
                if step.done:
                    continue
                vector, size = pack(function(step))
                if table is None:
                    table = _native.DepthTable(1, size)
                if table.insert(vector, 0, len(origin))[0]:
                    following.append((len(origin), simulator.save()))
                    origin.append((node, action))
        if not following:
            return _path(origin, layer[0][0]), False
        layer = following


def _path(origin: list[tuple[int, int]], node: int) -> list[int]:
    actions = []
    while node:
        node, action = origin[node]
        actions.append(action)
    return actions[::-1]
