"""After the end of the demonstration an agent plans without the network, and continues exactly."""

from __future__ import annotations

from typing import Any

import pytest

import widthwise as ww
from demonstration_tools import trainer_of, until_acting
from learning_tools import ROOMS, rounds, same
from widthwise.core.shape import Mismatch
from widthwise.simulators.maze import Maze
from widthwise.training.checkpoint_shape import check_trainer

pytestmark = pytest.mark.torch


def test_planning_continues_without_the_network_after_the_demonstration() -> None:
    trainer = trainer_of(rehearsal=200, self_imitation=True, tie_tolerance=1.0)
    until_acting(trainer)
    assert trainer.demonstration is not None and trainer.demonstration.actions
    length = len(trainer.demonstration.actions)
    assert trainer.updater.inference.guided_actions() == length
    again = trainer_of(rehearsal=200, self_imitation=True, tie_tolerance=1.0)
    again.updater.restore(trainer.updater.state())
    for other in (trainer, again):  # a policy is what `updater` restores
        other.updater.network.demonstrated.fill_(3)
        other.updater.publish()
        agent = other.agent(Maze(ROOMS))
        other.together([agent.begin(5)])
        for number in range(5):
            other.together([agent.act()])
            assert (agent.driver.tree.prior[agent.driver.tree.root] is None) == (number >= 3)
    assert trainer_of(rehearsal=200).updater.inference.guided_actions() is None


UNGUIDED: dict[str, Any] = {"dynamic": False, "value": False, "tie_tolerance": 1.0}


@pytest.mark.parametrize("planning", [{}, UNGUIDED])
def test_an_agent_past_the_demonstration_continues_exactly(planning: dict[str, Any]) -> None:
    trainer, again = (trainer_of(rehearsal=200, self_imitation=True, **planning) for _ in range(2))
    until_acting(trainer)
    trainer.updater.network.demonstrated.fill_(2)
    trainer.updater.publish()
    rounds(trainer, 3)
    state = trainer.state()
    check_trainer(state, again)
    again.restore(state)
    again.updater.network.demonstrated.fill_(2)  # otherwise as many as the demonstration has
    again.updater.publish()
    agents = [other.players[0].agent for other in (trainer, again)]
    assert not any(agent.driver.guided for agent in agents)
    assert all(agent.guidance.over == bool(planning) for agent in agents)
    for _ in range(3):
        rounds(trainer, 1)
        rounds(again, 1)
        assert agents[0].episode.actions == agents[1].episode.actions
        assert same(trainer.state(), again.state())
    wrong = trainer.state()
    wrong["players"][0]["agent"]["guided"] = True
    if planning:
        with pytest.raises(Mismatch, match="levels"):
            check_trainer(wrong, again)


def test_a_network_that_only_guides_is_not_asked_after_the_demonstration() -> None:
    trainer = trainer_of(rehearsal=200, self_imitation=True, life_penalty=3.0, **UNGUIDED)
    until_acting(trainer)
    trainer.updater.network.demonstrated.fill_(3)
    trainer.updater.publish()
    agent = trainer.agent(Maze(ROOMS))
    plain = ww.OnlinePlanner(Maze(ROOMS))
    guided = agent.planners, agent.behaviour, agent.driver.functions, agent.driver.rules
    for _ in range(2):  # another episode begins with the network again
        trainer.together([agent.begin(5)])
        for number in range(6):
            if number == 3:
                before = agent.driver.steps
                assert before == agent.episode.interactions <= 31  # one step was taken again for its features
            acting = agent.act()
            if number < 3:
                assert (agent.planners, agent.behaviour, agent.driver.functions, agent.driver.rules) == guided
                trainer.together([acting])
            else:
                assert agent.planners == plain.planners and agent.behaviour == plain.behaviour
                assert agent.driver.rules == plain.rules and len(agent.driver.tree.regions) == len(plain.planners) - 1
                assert next(acting, "no evaluation") == "no evaluation"
            assert agent.episode.steps == number + 1
    assert agent.rules.life_penalty == 3.0  # what is learned has the rules of learning
