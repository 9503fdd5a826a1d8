"""A planner at work on a simulator of the tests."""

from __future__ import annotations

import random
from typing import Any

from widthwise.simulator_search.driver import Driver
from widthwise.simulator_search.hiw import SimulatorHierarchy
from widthwise.simulator_search.levels import levels_of
from widthwise.simulator_search.tree import NONE


def begin(simulator: Any, planner: Any, features: Any, seed: int = 0) -> tuple[Driver, SimulatorHierarchy]:
    planners, functions = levels_of(planner, features)
    driver = Driver(simulator, functions)
    driver.add(NONE, NONE, driver.reset(seed))
    return driver, SimulatorHierarchy(planners, driver.tree, random.Random(seed))


def searches_of(hierarchy: SimulatorHierarchy) -> list[Any]:
    """The search of the top level, and those inside regions."""
    inside = [regions.search[region] for regions in hierarchy.tree.regions for region in regions.live]
    return [hierarchy.top, *(item for item in inside if item is not None)]
