"""What a node is worth where the tree ends: costs, shaped rewards, and ends that are failures."""

from __future__ import annotations

import widthwise as ww
from widthwise.online.values import goal_path, leaf_value, look_ahead
from widthwise.simulator_search.tree import Tree


class Road:
    """A road from 0 to `length`; every step costs 1, and `pit` steps to the left is an end that costs `depth`."""

    actions = 2
    deterministic = True

    def __init__(self, length: int = 12, pit: int = 2, depth: float = 20.0) -> None:
        self.length, self.pit, self.depth = length, pit, depth
        self.place = 0

    def reset(self, seed: int | None = None) -> ww.Step:
        self.place = 0
        return ww.Step(self.place, 0.0, False, False, {})

    def step(self, action: int) -> ww.Step:
        self.place += 1 if action else -1
        reward = -self.depth if self.place == -self.pit else -1.0
        return ww.Step(self.place, reward, self.place in (self.length, -self.pit), False, {})

    def save(self) -> int:
        return self.place

    def load(self, snapshot: int) -> None:
        self.place = snapshot


def tree_of(rewards: list[float], end: float) -> Tree:
    """A root with a child for each reward, and an end as the last one."""
    tree = Tree(len(rewards) + 1, 1)
    root = tree.add(-1, -1, [b"r"])
    for action, reward in enumerate(rewards):
        tree.add(root, action, [bytes([action])], reward=reward)
    tree.ends.add(tree.add(root, len(rewards), [b"e"], reward=end, terminal=True))
    return tree


def test_costs_are_paid_for_ever_only_where_every_step_costs_something() -> None:
    assert leaf_value(tree_of([-1.0, -1.0, -3.0], 0.0), 0.9) == -1.0 / (1 - 0.9)
    assert leaf_value(tree_of([-1.0, -2.0, 0.5], -100.0), 0.9) == 0.0


def test_a_crash_is_no_goal_where_rewards_are_shaped() -> None:
    tree = tree_of([-4.0, -5.0, -3.0, 2.0], -100.0)
    leaf = leaf_value(tree, 0.99)
    assert not goal_path(tree, 0.99, leaf)
    returns = look_ahead(tree, 0.99, leaf=leaf).returns
    assert min(returns) == returns[-1] == -100.0  # type: ignore[type-var]


def test_a_failure_is_worth_less_than_going_on_where_steps_cost() -> None:
    tree = tree_of([-1.0, -1.0, -1.0], -20.0)
    leaf = leaf_value(tree, 0.99)
    returns = look_ahead(tree, 0.99, leaf=leaf).returns
    assert min(returns) == returns[-1]  # type: ignore[type-var]
    assert not goal_path(tree, 0.99, leaf)


def test_an_end_that_costs_as_much_as_a_step_is_a_goal() -> None:
    tree = tree_of([-1.0, -1.0, -1.0], -1.0)
    leaf = leaf_value(tree, 0.99)
    assert goal_path(tree, 0.99, leaf)
    returns = look_ahead(tree, 0.99, leaf=leaf).returns
    assert max(returns) == returns[-1] == -1.0  # type: ignore[type-var]


def test_an_agent_does_not_end_the_episode_by_a_failure_before_it_has_seen_the_goal() -> None:
    for seed in range(5):
        agent = ww.OnlinePlanner(Road(), ww.RolloutIW(1), budget=ww.Budget(steps=8, nodes=40), max_steps=60)
        episode = agent.run(seed)
        assert min(episode.rewards) == -1.0, seed
