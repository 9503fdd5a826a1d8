"""A planner at work on a simulator of the tests."""

from __future__ import annotations

import random
from typing import Any

from widthwise.core.driver import Driver
from widthwise.core.tree import NONE
from widthwise.planners.levels import Hierarchy
from widthwise.planners.simulated import levels_of


def begin(simulator: Any, planner: Any, features: Any, seed: int = 0) -> tuple[Driver, Hierarchy]:
    planners, functions = levels_of(planner, features)
    driver = Driver(simulator, functions)
    driver.add(NONE, NONE, driver.reset(seed))
    return driver, Hierarchy(planners, driver.tree, random.Random(seed))


def searches_of(hierarchy: Hierarchy) -> list[Any]:
    """The search of the top level, and those inside regions."""
    inside = [regions.search[region] for regions in hierarchy.tree.regions for region in regions.live]
    return [hierarchy.top, *(one for one in inside if one is not None)]
