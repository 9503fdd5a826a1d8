"""Rollout IW that repeats an action while no feature changes: node for node the literal algorithm."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widthwise as ww
from sim_fakes import Corridor, looked_up, random_features, random_graph
from sim_search import begin
from twin_rollouts import LiteralRollouts
from widthwise.simulator_search.tree import NONE

RIW = ww.RolloutIW


def generated(simulator: Any, planner: Any, features: Any, seed: int) -> list[tuple[int, ...]]:
    driver, hierarchy = begin(simulator, planner, features, seed)
    driver.run(hierarchy.requests())
    return [tuple(driver.tree.path(node)) for node in driver.tree.nodes.live]


def coarse(size: int) -> Any:
    """The place in a corridor in intervals of some size, and the key."""
    return lambda step: bytes([step.observation[0] // size, step.observation[1]])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    width=st.sampled_from([1, 2, "n"]),
    repeat=st.integers(1, 6),
    states=st.integers(2, 25),
    count=st.integers(1, 3),
    values=st.integers(1, 3),
)
def test_repeated_actions_are_the_literal_algorithm(
    seed: int, width: Any, repeat: int, states: int, count: int, values: int
) -> None:
    features = looked_up(random_features(seed, states, count, values))
    literal = LiteralRollouts(random_graph(seed, states), features, width, repeat, random.Random(seed)).run()
    assert generated(random_graph(seed, states), RIW(width, repeat), features, seed) == literal


@pytest.mark.parametrize("repeat", [1, 2, 4, 9])
@pytest.mark.parametrize("size", [1, 3, 5])
def test_coarse_features_of_a_corridor_are_left_by_repeating(size: int, repeat: int) -> None:
    literal = LiteralRollouts(Corridor(12), coarse(size), 2, repeat, random.Random(5)).run()
    paths = generated(Corridor(12), RIW(2, repeat), coarse(size), 5)
    assert paths == literal
    # From the first place of an interval, `size` steps lead into the next one.
    assert any(len(path) > 12 for path in paths) == (repeat >= size)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), width=st.sampled_from([1, 2, "n"]))
def test_once_is_the_algorithm_as_published(seed: int, width: Any) -> None:
    features = looked_up(random_features(seed))
    once = generated(random_graph(seed), RIW(width, 1), features, seed)
    assert once == generated(random_graph(seed), RIW(width), features, seed)
    # Where no action keeps the features, there is nothing to repeat.
    exact = lambda step: bytes([step.observation])  # noqa: E731
    graph = random_graph(seed)
    for state, row in enumerate(graph.table):
        row[:] = [after if after != state else (state + 1) % len(graph.table) for after in row]
    many = generated(graph, RIW(width, 5), exact, seed)
    assert many == generated(graph, RIW(width), exact, seed)


@pytest.mark.parametrize("repeat", [2, 3, 7])
@pytest.mark.parametrize("seed", range(10))
def test_no_run_is_longer_than_allowed_and_nothing_else_is_tried_in_it(seed: int, repeat: int) -> None:
    driver, hierarchy = begin(random_graph(seed, 12), RIW(1, repeat), looked_up(random_features(seed, 12, 1, 2)), seed)
    driver.run(hierarchy.requests())
    nodes = driver.tree.nodes
    runs = {driver.tree.root: 0}
    for node in nodes.live[1:]:
        parent = nodes.parent[node]
        same = nodes.features[node] == nodes.features[parent]
        again = nodes.action[node] == nodes.action[parent] and runs[parent] > 0
        runs[node] = (runs[parent] + 1 if again else 1) if same else 0
        assert runs[node] <= repeat
    for node in nodes.live[1:]:
        tried = [action for action, child in enumerate(nodes.children[node]) if child != NONE]
        if runs[node]:
            assert set(tried) <= {nodes.action[node]}


def test_how_often_is_a_number_from_one_on() -> None:
    for repeat in (0, -1, 1.5, "2"):
        with pytest.raises(ww.UsageError, match="repeat must be a whole number above 0"):
            RIW(1, repeat)  # type: ignore[arg-type]
