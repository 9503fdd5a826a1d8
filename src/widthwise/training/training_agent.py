"""The agent that a trainer advances: an online planner with the settings of the algorithm and the network."""

from __future__ import annotations

from typing import Any

from widthwise.core.budget import Budget
from widthwise.core.defaults import Defaults
from widthwise.online.acting import OnlinePlanner
from widthwise.online.guidance import default_parts
from widthwise.simulators.chance import Chance, Mode
from widthwise.training.algorithms import PlanningSettings
from widthwise.training.node_evaluator import NodeEvaluator


def training_agent(
    simulator: Any,
    chosen: PlanningSettings,
    evaluate: NodeEvaluator,
    *,
    defaults: Defaults,
    chance: Mode,
    finding: Chance,
) -> OnlinePlanner:
    """An agent of the algorithm that is trained.

    Args:
        simulator: the environment, in any form that `OnlinePlanner` takes.
        chosen: the settings of planning.
        evaluate: evaluates nodes with the network.
        defaults: the settings of the environment.
        chance: what to do where steps depend on chance.
        finding: what the check for chance has found.

    Returns:
        The agent.
    """
    agent = OnlinePlanner(
        simulator,
        chosen.planner(),
        budget=Budget(steps=chosen.steps_per_action, nodes=chosen.nodes),
        evaluate=evaluate,
        discount=chosen.discount,
        behaviour=chosen.acts_by(),
        target_temperature=chosen.target_temperature,
        target_prior=chosen.target_prior,
        keep_records=False,
        recognise=evaluate.mark if chosen.doubt and chosen.value else None,
        # The check was made; where steps use random numbers and none mattered, executed actions are checked too.
        # With new random numbers no subtree is kept, so that a stopped run can continue exactly.
        chance=chance if chance == "reseed" or finding.kind == "unused" else "foresee",
        keep_subtree=chance != "reseed",
        life_penalty=chosen.life_penalty or None,  # 0: what the environment declares
        clip_rewards=chosen.clip_rewards,
        untried_worth=chosen.untried_worth,
        root_actions=chosen.root_actions,
        defaults=defaults,
    )
    agent.luck.finding = finding
    agent.guidance.actions = evaluate.inference.guided_actions
    if not (chosen.dynamic or chosen.value):  # the network only guides
        agent.guidance.unguided = default_parts(agent.simulator, defaults)
    return agent
