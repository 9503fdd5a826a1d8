"""Paths that an agent follows without planning again: a short one to a goal, or a long one without an end."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from widthwise.online.values import goal_path, goal_reward, leaf_value, only_survival_counts
from widthwise.simulator_search.rollout_iw import RolloutIW
from widthwise.simulator_search.shortening import Shortening
from widthwise.simulator_search.survival import surviving_path
from widthwise.simulator_search.tree import NONE

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner


@dataclass(slots=True)
class FollowedPath:
    """The path that an agent follows in an episode, if there is one."""

    actions: list[int] = field(default_factory=list)  # done without planning again
    shortened: bool = False  # whether a shorter path was searched

    def search(self, agent: OnlinePlanner, until: float | None) -> None:
        """Search once for a shorter path to a goal, or for a long one without an end where only survival counts."""
        if not self.shortened and knows_a_way(agent):
            self.shortened = True
            shorten_path(agent, until)
        elif not agent.luck.fresh and only_survival_counts(agent.driver.tree):
            self.actions = survive(agent, until)


def knows_a_way(agent: OnlinePlanner) -> bool:
    """Whether the best path in the tree ends at a goal: an end of the episode that is worth more than continuing."""
    tree = agent.driver.tree
    return goal_path(tree, agent.discount, leaf_value(tree, agent.discount)) is not None


def shorten_path(agent: OnlinePlanner, until: float | None) -> None:
    """Search once for a shorter path to a goal, and add it to the tree of a flat agent.

    Args:
        agent: the agent, whose tree contains a path to a goal.
        until: the time at which to stop.
    """
    driver, tree, planner = agent.driver, agent.driver.tree, agent.planning.planners[0]
    function = driver.functions[0]
    leaf = leaf_value(tree, agent.discount)
    path = goal_path(tree, agent.discount, leaf)
    if len(agent.planners) > 1 or path is None or function is None:
        return
    value, factor, node = 0.0, 1.0, tree.root
    for action in path:
        node = tree.nodes.children[node][action]
        value, factor = value + factor * tree.reward[node], factor * agent.discount
    least = goal_reward(tree, agent.discount, leaf)
    search = Shortening(
        driver,
        planner.width,
        planner.repeat if isinstance(planner, RolloutIW) else 1,
        agent.discount,
        is_goal=lambda step: step.terminated and step.reward >= least,
        stopped=lambda: until is not None and time.perf_counter() >= until,
    )
    shorter = search.run(function, len(path), value, agent.shorten)
    node = tree.root
    for action in shorter or ():
        child = tree.nodes.children[node][action]
        node = driver.expand(node, action) if child == NONE else child
    if shorter:
        agent.planning.begin_again()


def survive(agent: OnlinePlanner, until: float | None) -> list[int]:
    """Search for a long path without an end, where nothing else counts.

    Args:
        agent: a flat agent.
        until: the time at which to stop.

    Returns:
        The actions to follow. Of a path that does not reach the limit of the episode the last quarter is left out, as
        its states may have no future.
    """
    function = agent.driver.functions[0]
    if len(agent.planners) > 1 or function is None:
        return []
    stopped = lambda: until is not None and time.perf_counter() >= until  # noqa: E731
    path, whole = surviving_path(agent.driver, function, agent.shorten, agent.rng, stopped)
    return path if whole else path[: len(path) * 3 // 4]
