"""Searches that a budget interrupts, and episodes that end inside a search."""

from __future__ import annotations

import random
from typing import Any

import pytest

import widthwise as ww
from sim_fakes import Corridor, both, key, looked_up, place, random_features, random_graph
from sim_search import begin, searches_of
from twin_rollouts import literal_criw
from widthwise.core.simulator import Step

RIW, CRIW, HIW, IW = ww.RolloutIW, ww.CountRolloutIW, ww.HIW, ww.IW


@pytest.mark.parametrize("width", [1, 2, "n"])
@pytest.mark.parametrize("seed", range(8))
def test_count_based_rollouts_that_budgets_interrupt_are_algorithm_three(seed: int, width: Any) -> None:
    """The visit that a budget interrupts stays counted, so that the next search does not begin with it again."""
    features, budgets = looked_up(random_features(seed, 50)), (3, 1, 4, 1, 5, None)
    for temperature in (0.05, 0.5):
        literal, counts = literal_criw(
            random_graph(seed, 50), features, width, temperature, random.Random(seed), budgets
        )
        driver, hierarchy = begin(random_graph(seed, 50), CRIW(width, temperature), features, seed)
        for budget in budgets:
            driver.run(hierarchy.requests(), budget)
        assert [tuple(driver.tree.path(node)) for node in driver.tree.nodes.live] == literal
        assert hierarchy.top.counts == counts  # type: ignore[attr-defined]


def test_a_high_level_visit_that_a_budget_interrupts_is_counted() -> None:
    driver, hierarchy = begin(Corridor(8), HIW(features=key, high=CRIW(1), low=RIW(1)), place)
    for visits in (1, 2, 3):
        driver.run(hierarchy.requests(), 2)  # too little to reach the key: each search ends inside its first visit
        assert hierarchy.top.counts == {b"\x00": visits}  # type: ignore[attr-defined]


def test_a_planning_step_without_room_counts_no_visit() -> None:
    agent = ww.OnlinePlanner(Corridor(8), CRIW(1), features=both, budget=ww.Budget(steps=10, nodes=5))
    for _ in agent.begin():
        pass
    for _ in range(4):
        for _ in agent.plan(agent.planning):
            pass
    assert sum(agent.planning.top.counts.values()) == 5  # type: ignore[attr-defined]


class Forked:
    """Left is an end that looks like the third place on the right; the reward is behind that place."""

    deterministic = True
    actions = 2

    def __init__(self) -> None:
        self.place = 0

    def seen(self) -> Step:
        return Step(self.place, float(self.place == 5), self.place in (-1, 5))

    def reset(self, seed: int | None = None) -> Step:
        self.place = 0
        return self.seen()

    def step(self, action: int) -> Step:
        self.place = self.place + 1 if action else (-1 if self.place == 0 else self.place)
        return self.seen()

    def save(self) -> Any:
        return self.place

    def load(self, snapshot: Any) -> None:
        self.place = snapshot


def forked(step: Step) -> bytes:
    return bytes([3 if step.observation == -1 else step.observation])


@pytest.mark.parametrize("above", [None, RIW(1), CRIW(1), IW(1)], ids=lambda item: item and item.name)
@pytest.mark.parametrize(
    "low", [RIW(1), CRIW(1), IW(1), RIW(2), CRIW("n"), ww.BFS(), ww.DFS()], ids=lambda item: f"{item.name}-{item.width}"
)
def test_the_end_of_an_episode_takes_no_novelty_and_prunes_nothing(low: Any, above: Any) -> None:
    """In any order: found before the living node, found after it, and after a search has begun again."""
    for seed in range(12):
        planner = low if above is None else HIW(features=forked, high=above, low=low)
        for first in (None, 0, 1):
            driver, hierarchy = begin(Forked(), planner, forked, seed)
            if first is not None:  # the tree holds nodes when the search begins again
                node = driver.expand(0, first)
                for _ in range(2 * first):
                    node = driver.expand(node, 1)
                hierarchy.begin_again()
            driver.run(hierarchy.requests())
            assert max(driver.tree.reward) == 1.0
            for search in searches_of(hierarchy):
                terminal = search.space.nodes.terminal
                owned = getattr(search, "owned", {})  # of rollouts; a queue keeps none
                assert not any(owned[node] for node in owned if terminal[node])
