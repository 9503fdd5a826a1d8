"""How long a network guides an agent: a policy that was learned from one trajectory is known as far as that reaches.

After these actions the agent plans without the network. If it has other `PlanningParts` for that, it continues with
them in a new tree; otherwise with its own planner, without the network's policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from widthwise.core.defaults import Defaults
from widthwise.core.simulator import Simulator, Step
from widthwise.online.defaults import back_up_rules, default_planner
from widthwise.online.policies import Behaviour
from widthwise.online.presets import DEFAULT, preset_settings
from widthwise.simulator_search.driver import FeatureFunction
from widthwise.simulator_search.hiw import LevelPlanner
from widthwise.simulator_search.levels import levels_of
from widthwise.simulator_search.tree import NONE, BackUpRules
from widthwise.task_search.ihiw import IHIW

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner


@dataclass(frozen=True, slots=True)
class PlanningParts:
    """What an agent plans with: planners and features of the levels, lowest first, back-up and behaviour."""

    planners: list[LevelPlanner]
    functions: list[FeatureFunction | None]
    rules: BackUpRules
    behaviour: Behaviour


def default_parts(simulator: Simulator, defaults: Defaults) -> PlanningParts | None:
    """What an agent without a network plans with.

    Args:
        simulator: the simulator.
        defaults: its defaults for planning with a network.

    Returns:
        The parts; None if the default planner is IHIW, whose features are not known beforehand.
    """
    penalty = defaults.life_penalty or preset_settings(DEFAULT, simulator)["play_life_penalty"]
    planner = default_planner(defaults)
    if isinstance(planner, IHIW):
        return None
    planners, functions = levels_of(planner, None, defaults.features)
    return PlanningParts(
        planners, functions, back_up_rules(replace(defaults, life_penalty=penalty), None, False, True), Behaviour()
    )


class Guidance:
    """The part of an episode in which the network guides an agent.

    Attributes:
        actions: Gives the number of actions of an episode for which the network's policy is known; None: all.
        unguided: What the agent plans with afterwards; None: its own parts, without the network's policy.
    """

    def __init__(self) -> None:
        self.actions: Callable[[], int | None] = _all
        self.unguided: PlanningParts | None = None
        self._guided: PlanningParts | None = None  # those of the agent, while it plans with others

    @property
    def over(self) -> bool:
        """Whether the network takes no part any more."""
        return self._guided is not None

    def begin(self, agent: OnlinePlanner) -> None:
        """Plan with the network, as at the beginning of an episode."""
        agent.driver.guided = True
        if self._guided is not None:
            _use(agent, self._guided)
            self._guided = None

    def end(self, agent: OnlinePlanner) -> None:
        """Plan without the network; the tree is not changed yet."""
        agent.driver.guided = False
        if self.unguided is not None and self._guided is None:
            self._guided = PlanningParts(agent.planners, agent.driver.functions, agent.driver.rules, agent.behaviour)
            _use(agent, self.unguided)

    def begin_at(self, agent: OnlinePlanner) -> None:
        """Plan without the network from the beginning, if its policy is not known there; the tree is empty."""
        known = self.actions()
        if self.unguided is not None and known is not None and agent.episode.steps >= known:
            self.end(agent)
            agent.driver.start()

    def ends_with(self, agent: OnlinePlanner) -> bool:
        """Whether the agent continues with other parts after the action that it is executing."""
        known = self.actions()
        return self.unguided is not None and not self.over and known is not None and agent.episode.steps + 1 >= known

    def before_action(self, agent: OnlinePlanner) -> None:
        """Search without the policy where it is not known, if there are no other parts."""
        known = self.actions()
        if self.unguided is None and known is not None and agent.episode.steps >= known:
            agent.driver.end_guidance()

    def continue_without(self, agent: OnlinePlanner, step: Step) -> None:
        """Continue with the other parts at a step, at which the simulator is."""
        self.end(agent)
        agent.driver.start()
        agent.driver.add(NONE, NONE, step)
        agent.planning = agent.hierarchy(agent.rng)

    def levels(self, agent: OnlinePlanner, guided: bool) -> int:
        """The levels of the tree in a part of an episode."""
        parts = self._guided if guided else self.unguided
        return len(agent.driver.functions if parts is None else parts.functions)


def _use(agent: OnlinePlanner, parts: PlanningParts) -> None:
    agent.planners, agent.behaviour = parts.planners, parts.behaviour
    agent.driver.functions, agent.driver.rules = parts.functions, parts.rules


def _all() -> None:
    """The network's policy is known in the whole episode."""
