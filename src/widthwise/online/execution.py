"""Executing the action that an agent has chosen: as it was planned, with other random numbers, or unexplored."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from widthwise.core.simulator import Step
from widthwise.online.episode import StepRecord
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.tree import NONE

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner


def execute(agent: OnlinePlanner, root: int, record: StepRecord) -> Generator[Step, Evaluation, Step | None]:
    """Execute the chosen action.

    Args:
        agent: the agent.
        root: the node of the state in which the action is executed.
        record: the chosen action; with `chance="reseed"` it receives the luck of the step.

    Yields:
        A step that needs an evaluation.

    Returns:
        The outcome, if it differs from the tree.
    """
    driver, luck, action = agent.driver, agent.luck, record.action
    planned = driver.tree.nodes.children[root][action]
    if luck.fresh:
        record.luck = luck.of_step(agent.episode.steps)
        step = luck.step(root, action, record.luck)
        record.as_planned = planned != NONE and luck.same(planned, step)
        if not (record.as_planned and agent.keep_subtree):
            return step
        # The subtree is kept, but what it continues from is real: parts of it may be hidden.
        driver.tree.snapshot[planned] = None if step.done else driver.simulator.save()
        driver.at = planned
    elif planned == NONE:  # nothing could be explored: take the step without a plan
        step = driver.step(root, action)
        driver.add(root, action, step, (yield step) if agent.evaluates else None)
    elif luck.verifies:
        luck.verify(root, action, planned, agent.episode.steps)
    return None
