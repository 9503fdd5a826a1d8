"""The choice of an action: by the behaviour policy, or the next one of a path that is followed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from widthwise.online.episode import StepRecord
from widthwise.online.values import LookAhead
from widthwise.simulator_search.tree import Tree

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner


def choose_action(agent: OnlinePlanner, rng: random.Random) -> StepRecord:
    """Choose an action of the root of the agent's tree.

    Args:
        agent: the agent. An action of the path that it follows is taken from that path.
        rng: draws the action.

    Returns:
        The action, with what it was chosen from.
    """
    tree = agent.driver.tree
    seen = agent.look_ahead()
    if agent.path.actions:
        policy = [0.0] * tree.actions
        policy[agent.path.actions.pop(0)] = 1.0
    else:
        policy = agent.behaviour(seen)
    action = rng.choices(range(len(policy)), policy)[0]
    return chosen_record(tree, action, seen, policy, agent.target(seen))


def chosen_record(
    tree: Tree, action: int, seen: LookAhead, behaviour: list[float], target_policy: list[float]
) -> StepRecord:
    """The record of an action that is chosen and not executed yet."""
    return StepRecord(
        action=action,
        reward=0.0,
        look_ahead=seen,
        behaviour=behaviour,
        target=target_policy,
        nodes=len(tree),
        kept=0,
        high_level_states=tree.high_level_states(),
        interactions=0,
        restores=0,
    )
