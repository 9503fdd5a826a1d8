"""Discovering high-level features on simulators: Algorithm 1 by hand, and the incremental search in the corridor."""

from __future__ import annotations

import random

import pytest

import widthwise as ww
from sim_fakes import Corridor, Maze, both, cells
from widthwise.core.simulator import Step
from widthwise.simulator_search.driver import Driver
from widthwise.simulator_search.ihiw import DiscoveredFeatures, DiscoveringHierarchy, find_features
from widthwise.simulator_search.levels import levels_of
from widthwise.simulator_search.tree import NONE, Tree


def chain(*vectors: bytes) -> Tree:
    """One branch with these features, in one region."""
    tree = Tree(actions=1, levels=2)
    node = NONE
    for vector in vectors:
        node = tree.add(node, NONE if node == NONE else 0, [vector, b""])
    return tree


def test_algorithm_one_by_hand() -> None:
    # place and key: the key appears with the parent of the leaf, and stays
    tree = chain(b"\x00\x00", b"\x01\x00", b"\x02\x01", b"\x01\x01")
    assert find_features(tree, 3) == [(1, b"\x01")]
    assert find_features(tree, 2) == []  # nothing is shared with its parent
    assert find_features(tree, 1) == []  # too close to the root of its tree
    assert find_features(chain(b"\x00\x00", b"\x01\x00", b"\x02\x01", b"\x02\x01"), 3) == []  # the same state
    assert find_features(chain(b"\x00\x01", b"\x01\x00", b"\x02\x01", b"\x01\x01"), 3) == []  # seen in the branch


def test_wide_values_are_atoms_too() -> None:
    tree = chain(*(bytes([place, 1, key, 2]) for place, key in ((0, 0), (1, 0), (2, 1), (1, 1))))
    tree.item_sizes = [2, 1]
    assert find_features(tree, 3) == [(1, b"\x01\x02")]


@pytest.mark.parametrize("length", [3, 6, 12])
def test_the_corridor_is_solved_after_one_discovery(length: int) -> None:
    discovered = DiscoveredFeatures(both)
    planners, _ = levels_of(ww.IHIW(), both)
    driver = Driver(Corridor(length), [discovered.low, discovered.high])
    driver.add(NONE, NONE, driver.reset(0))
    hierarchy = DiscoveringHierarchy(planners, driver.tree, random.Random(0), discovered)
    driver.run(hierarchy.requests())
    assert max(driver.tree.reward) == 1.0
    assert discovered.atoms[0] == (1, b"\x01")  # the key
    for node in driver.tree.nodes.live:  # the colours say what the atoms say
        regions = driver.tree.regions[0]
        assert regions.features[regions.of[node]] == discovered.abstract(both(Step(driver.tree.observation[node])))


def test_it_acts_with_what_it_discovers() -> None:
    agent = ww.OnlinePlanner(Corridor(10), ww.IHIW(), features=both, budget=ww.Budget(steps=60))
    for seed in range(3):
        assert agent.run(seed).score == 1.0
        assert agent.discovered is not None and (1, b"\x01") in agent.discovered.atoms
    assert ww.OnlinePlanner(Maze(), ww.IHIW(), features=cells, budget=ww.Budget(steps=100)).run(0).steps > 0
    with pytest.raises(ww.UsageError, match="with a network"):
        ww.OnlinePlanner(Corridor(10), ww.IHIW(), features=both, evaluate=lambda steps: [])
