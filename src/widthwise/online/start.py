"""Where an episode begins: at a reset, or at a state to which some actions lead from a reset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from widthwise.core.simulator import Step

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner


@dataclass(frozen=True, slots=True)
class Start:
    """A state at which an episode begins: that after these actions, from a reset with this seed."""

    seed: int
    actions: tuple[int, ...] = ()


def lead(agent: OnlinePlanner, start: Start) -> Step:
    """Execute the actions that lead to a start. They are the first actions of the agent's episode.

    Args:
        agent: An agent that is prepared for an episode.
        start: Where the episode begins.

    Returns:
        The step at the start. If the environment ends the episode before, that at the reset: nothing can be done at an
        end.
    """
    driver = agent.driver
    agent.luck.seed = start.seed
    step, observations, rewards = driver.reset(start.seed), [], []
    for action in start.actions:
        observations.append(step.observation)
        step = driver.simulator.step(action)
        driver.steps += 1
        rewards.append(step.reward)
        if step.done:
            return driver.reset(start.seed)
    agent.episode.actions, agent.episode.rewards = list(start.actions), rewards
    if agent.doubts is not None:
        agent.doubts.stood = {agent.doubts.recognise(observation) for observation in observations}
    agent.guidance.begin_at(agent)
    return step
