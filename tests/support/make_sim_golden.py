"""Golden trees of the planners on simulators; run this file to write them anew after a change that was meant."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import widthwise as ww
from sim_fakes import Corridor, Maze, both, cells, key, place, rooms
from widthwise.simulator_search.driver import Driver
from widthwise.simulator_search.hiw import SimulatorHierarchy
from widthwise.simulator_search.levels import levels_of
from widthwise.simulator_search.tree import NONE

FOLDER = Path(__file__).resolve().parent.parent / "golden"
WORLDS: dict[str, Any] = {"corridor": (lambda: Corridor(5), both, place, key), "maze": (Maze, cells, cells, rooms)}


def golden(name: str) -> dict[str, Any]:
    """The first 60 nodes of every planner, and the tree after one step."""
    world, flat, low, high = WORLDS[name]
    planners = [ww.IW(1), ww.RolloutIW(1), ww.CountRolloutIW(1), ww.RolloutIW(2)]
    trees = {}
    for planner in [*planners, ww.HIW(high, ww.CountRolloutIW(1), ww.RolloutIW(1))]:
        levels, functions = levels_of(planner, low if isinstance(planner, ww.HIW) else flat)  # type: ignore[arg-type]
        driver = Driver(world(), functions)
        driver.add(NONE, NONE, driver.reset(0))
        hierarchy = SimulatorHierarchy(levels, driver.tree, random.Random(0))
        driver.run(hierarchy.requests(), 60)
        before = rows(driver)
        hierarchy.reroot(next(child for child in reversed(driver.tree.nodes.children[0]) if child != NONE))
        driver.run(hierarchy.requests(), 10)
        trees[planner.name] = {"searched": before, "stepped": rows(driver)}  # type: ignore[attr-defined]
    return trees


def rows(driver: Driver) -> list[list[Any]]:
    """One row a node: parent, action, depth, what was seen, regions."""
    tree = driver.tree
    return [
        [
            node,
            tree.nodes.parent[node],
            tree.nodes.action[node],
            tree.nodes.depth[node],
            list(tree.observation[node]),
            [regions.of[node] for regions in tree.regions],
        ]
        for node in tree.nodes.live
    ]


def load(name: str) -> dict[str, Any]:
    """What was kept."""
    result: dict[str, Any] = json.loads((FOLDER / f"sim_{name}.json").read_text(encoding="utf-8"))
    return result


if __name__ == "__main__":
    for item in WORLDS:
        text = json.dumps(golden(item)).replace("]], [[", "]],\n[[").replace("], [", "],\n[")
        (FOLDER / f"sim_{item}.json").write_text(text + "\n", encoding="utf-8")
