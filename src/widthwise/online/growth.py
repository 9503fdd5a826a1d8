"""Growing the tree of an agent before an action: within the budget, and longer while no action looks better."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from widthwise.core.simulator import Step
from widthwise.online.values import leaf_value, look_ahead, undecided
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.hiw import SimulatorHierarchy
from widthwise.simulator_search.rollout_iw import RolloutIW
from widthwise.simulator_search.tree import NONE

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner


def grow(agent: OnlinePlanner, hierarchy: SimulatorHierarchy, until: float | None) -> Generator[Step, Evaluation, None]:
    """Grow the tree: `budget.steps`, and up to `patience` times as many while no action looks better.

    Args:
        agent: the agent.
        hierarchy: its planner at work.
        until: the time at which to stop.
    """
    driver, budget = agent.driver, agent.budget
    most = budget.nodes or agent.defaults.nodes
    if len(driver.tree) >= most:
        return  # a search that may not generate a node is not begun: no visit is counted
    begun = driver.steps
    yield from _try_root_actions(agent, hierarchy, most, until)
    requests, pending = hierarchy.requests(), None
    evaluated = agent.evaluates
    rounds = 1 if evaluated else agent.patience
    for number in range(rounds):
        room = most - len(driver.tree)
        left = room if budget.steps is None else min(room, budget.steps - (0 if number else driver.steps - begun))
        if left <= 0 or (number and not _undecided(agent)):
            break
        try:
            pending = pending or next(requests)
            while left > 0 and (until is None or time.perf_counter() < until):
                left -= 1
                parent, action = pending
                if evaluated:
                    step = driver.step(parent, action)
                    node = driver.add(parent, action, step, (yield step))
                else:
                    node = driver.expand(parent, action)
                pending = requests.send(node)
        except StopIteration:  # every level is exhausted
            if not agent.widens or not (_undecided(agent) and _widen(agent)):
                break
            requests, pending = agent.planning.requests(), None
    requests.close()


def _undecided(agent: OnlinePlanner) -> bool:
    """Whether no action looks better than another."""
    tree = agent.driver.tree
    return undecided(look_ahead(tree, agent.discount, leaf=leaf_value(tree, agent.discount)))


def _try_root_actions(
    agent: OnlinePlanner, hierarchy: SimulatorHierarchy, most: int, until: float | None
) -> Generator[Step, Evaluation, None]:
    """Execute the actions of the root that have to be tried, within the budget and this limit of nodes.

    With `root_actions` these are all actions. With the behaviour `prior` it is the one that the network prefers: an
    action that was not tried is not chosen, and rollouts through a node that shows nothing new do not try it.
    """
    driver, root = agent.driver, agent.driver.tree.root
    tried, prior = driver.tree.nodes.children[root], driver.tree.prior[root]
    actions: Sequence[int] = ()
    if agent.root_actions:
        actions = range(len(tried))
    elif prior is not None and agent.behaviour.formula == "prior":
        actions = [max(range(len(prior)), key=prior.__getitem__)]
    untried = [action for action in actions if tried[action] == NONE]
    untried = untried[: min(agent.budget.steps or len(untried), most - len(driver.tree))]
    for action in untried:
        if until is not None and time.perf_counter() >= until:
            break
        step = driver.step(root, action)
        driver.add(root, action, step, (yield step) if agent.evaluates else None)
    if untried:
        hierarchy.restart_at_root()


def _widen(agent: OnlinePlanner) -> bool:
    """Continue with width 2 in this episode, if the agent chose Rollout IW(1) itself; returns whether it does."""
    planner = agent.planners[0]
    if len(agent.planners) > 1 or not isinstance(planner, RolloutIW) or planner.width != 1:
        return False
    if agent.planning.planners != agent.planners:
        return False  # it is wider already
    agent.planning = SimulatorHierarchy([replace(planner, width=2)], agent.driver.tree, agent.rng)
    return True
