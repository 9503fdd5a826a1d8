"""An agent whose network guides it for some actions only: what it continues with, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Sequence

import widthwise as ww
from widthwise.core.simulator import Step
from widthwise.explorer.episode_trace import EpisodeTrace
from widthwise.online.guidance import PlanningParts, default_parts
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.tree import BackUpRules
from widthwise.simulators.features import Cells

GUIDED = 3


def guided_agent(asked: list[Step]) -> ww.OnlinePlanner:
    """An agent that plans on two levels with a network for three actions, then on one level without it."""

    def evaluate(steps: Sequence[Step]) -> list[Evaluation]:
        asked.extend(steps)
        return [Evaluation(prior=[0.2] * 5) for _ in steps]

    agent = ww.OnlinePlanner("maze-small", evaluate=evaluate, budget=ww.Budget(steps=20), max_steps=6)
    agent.guidance.actions = lambda: GUIDED
    agent.guidance.unguided = PlanningParts([ww.RolloutIW(1)], [Cells()], BackUpRules(5.0), ww.Behaviour("ties"))
    return agent


def test_the_network_is_asked_for_as_many_actions_as_it_knows() -> None:
    asked: list[Step] = []
    agent = guided_agent(asked)
    episodes = [agent.run(seed=0) for _ in range(2)]
    assert episodes[0].actions == episodes[1].actions and episodes[0].steps == 6
    levels = [len(record.high_level_states) for record in episodes[0].records]
    assert levels == [1] * GUIDED + [0] * 3
    # A step that was planned is taken again where the other planner begins; the first state is not a step.
    with_network = sum(record.interactions for record in episodes[0].records[:GUIDED])
    assert len(asked) == 2 * (1 + with_network - 1)
    assert not agent.evaluates
    agent.prepare(0)
    assert (agent.evaluates, len(agent.planners)) == (True, 2)


def test_an_episode_with_two_planners_is_recorded_as_one_tree() -> None:
    agent = guided_agent([])
    agent.recorder = trace = EpisodeTrace(agent, 0)
    episode = agent.run(seed=0)
    assert len(trace.steps) == episode.steps and len(trace.states) == 1
    for before, after in zip(trace.steps, trace.steps[1:], strict=False):
        assert after["root"] == before["child"] >= 0
    born = [step for step, parent in zip(trace.columns["born"], trace.columns["parent"], strict=True) if parent < 0]
    assert born == [0]  # there is one root
    last = {state for state, step in zip(trace.states[0], trace.columns["born"], strict=True) if step > GUIDED}
    assert len(last) == 1


def test_defaults_without_a_network_have_the_penalty_of_play() -> None:
    env = ww.simulator("maze-small")
    defaults = ww.OnlinePlanner(env).defaults
    parts = default_parts(env, defaults)
    assert parts is not None and len(parts.planners) == len(parts.functions) == 2
    assert parts.rules.life_penalty == 0.0 and parts.behaviour == ww.Behaviour()
    assert default_parts(env, ww.Defaults(planner="ihiw", features=defaults.features)) is None
