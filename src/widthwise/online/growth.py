"""Growing the tree of an agent before an action: within the budget, and longer while no action looks better."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from widthwise.core.simulator import Step
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.hiw import SimulatorHierarchy
from widthwise.simulator_search.rollout_iw import RolloutIW

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
    requests, pending = hierarchy.requests(), None
    evaluated = agent.evaluate is not None
    rounds = 1 if evaluated else agent.patience
    for number in range(rounds):
        room = most - len(driver.tree)
        left = room if budget.steps is None else min(room, budget.steps)
        if left <= 0 or (number and not agent.undecided()):
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
            if not agent.widens or not (agent.undecided() and _widen(agent)):
                break
            requests, pending = agent.planning.requests(), None
    requests.close()


def _widen(agent: OnlinePlanner) -> bool:
    """Continue with width 2 in this episode, if the agent chose Rollout IW(1) itself; returns whether it does."""
    planner = agent.planners[0]
    if len(agent.planners) > 1 or not isinstance(planner, RolloutIW) or planner.width != 1:
        return False
    if agent.planning.planners != agent.planners:
        return False  # it is wider already
    agent.planning = SimulatorHierarchy([replace(planner, width=2)], agent.driver.tree, agent.rng)
    return True
