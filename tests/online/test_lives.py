"""A lost life: it is noted in the tree, and an agent with a penalty for it avoids it."""

from __future__ import annotations

import pytest

import widthwise as ww
from cliff import Cliff
from widthwise.core.errors import UsageError
from widthwise.online.capture import capture, resume


def play(life_penalty: float) -> ww.Episode:
    return ww.OnlinePlanner(
        Cliff(), ww.RolloutIW(1), budget=ww.Budget(steps=20), life_penalty=life_penalty, max_steps=40
    ).run(seed=0)


def test_a_penalty_for_lost_lives_keeps_the_agent_alive() -> None:
    tempted, careful = play(0.0), play(1_000.0)
    assert 3.0 in tempted.rewards
    assert 3.0 not in careful.rewards and careful.steps > tempted.steps
    assert careful.score == sum(careful.rewards) > 0  # the penalty is not part of the score


def test_lost_lives_are_noted_also_where_an_agent_continues_from_saved_data() -> None:
    agent = ww.OnlinePlanner(Cliff(), ww.RolloutIW(1), budget=ww.Budget(steps=20), life_penalty=5.0)
    for _ in agent.begin(0):
        raise AssertionError("nothing is evaluated")
    for _ in agent.act():
        raise AssertionError("nothing is evaluated")
    tree = agent.driver.tree
    assert tree.lost and tree.lost <= set(tree.nodes.live)
    assert all(tree.lives[node] < tree.lives[tree.nodes.parent[node]] for node in tree.lost)
    other = ww.OnlinePlanner(Cliff(), ww.RolloutIW(1), budget=ww.Budget(steps=20), life_penalty=5.0)
    resume(other, capture(agent, 0))
    assert other.driver.tree.lost == tree.lost
    assert other.look_ahead() == agent.look_ahead()


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_a_penalty_is_a_number_of_at_least_zero(wrong: float) -> None:
    with pytest.raises(UsageError, match="life_penalty"):
        play(wrong)
