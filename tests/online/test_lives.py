"""A lost life: it is noted in the tree, and an agent with a penalty for it avoids it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

import widthwise as ww
from cliff import Cliff
from widthwise.core.errors import UsageError
from widthwise.online.capture import capture, resume
from widthwise.simulator_search.tree import Tree


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


@pytest.mark.skipif(find_spec("ale_py") is None, reason="needs ale-py")
def test_a_planner_with_a_penalty_loses_no_life_in_montezumas_revenge() -> None:
    """Without an end at the lost life, three lives were lost in 25 actions: what follows a lost life is all new."""
    lives = []

    def look(tree: Tree, record: object) -> None:
        lives.append(tree.lives[tree.root])

    agent = ww.OnlinePlanner(
        "atari:montezuma_revenge", ww.RolloutIW(1), features=ww.Ram(), budget=ww.Budget(steps=100, nodes=5_000),
        life_penalty=1_000.0, recorder=look, max_steps=30, keep_observations=False,
    )  # fmt: skip
    agent.run(seed=0)
    assert len(lives) == 30 and min(lives) == max(lives)


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_a_penalty_is_a_number_of_at_least_zero(wrong: float) -> None:
    with pytest.raises(UsageError, match="life_penalty"):
        play(wrong)


class Doomed(Cliff):
    """Every fourth step takes a life, whatever is done."""

    def step(self, action: int) -> ww.Step:
        self.place += 1 + action
        taken = self.place // 4 > (self.place - 1 - action) // 4
        self.lives -= taken
        return self.seen(1.0)


PLANNERS: dict[str, Callable[[], Any]] = {
    "riw": lambda: ww.RolloutIW(1),
    "iw": lambda: ww.IW(1),
    "hiw": lambda: ww.HIW(lambda step: [step.observation[0] // 4], high=ww.CountRolloutIW("n"), low=ww.RolloutIW(1)),
}


@pytest.mark.parametrize("name", PLANNERS)
def test_a_lost_life_ends_a_branch_of_the_tree_but_not_the_episode(name: str) -> None:
    """With a penalty nothing is planned beyond a lost life; once it is lost, planning continues from there."""

    def grown(penalty: float) -> tuple[ww.Episode, list[bool]]:
        below = []

        def look(tree: Tree, record: object) -> None:
            below.append(any(tree.nodes.parent[node] in tree.lost - {tree.root} for node in tree.nodes.live))

        agent = ww.OnlinePlanner(
            Doomed(), PLANNERS[name](), features=lambda step: [step.observation[0]], budget=ww.Budget(steps=20),
            life_penalty=penalty, recorder=look, settle=False,
        )  # fmt: skip
        return agent.run(seed=0), below

    careful, below = grown(10.0)
    assert not any(below)
    assert careful.terminated and careful.score == careful.steps  # all three lives are lost, one after the other
    assert careful.steps >= 4
    assert any(grown(0.0)[1])


@pytest.mark.parametrize("name", PLANNERS)
def test_an_agent_that_has_lost_a_life_continues_from_saved_data(name: str) -> None:
    def agent() -> ww.OnlinePlanner:
        return ww.OnlinePlanner(
            Doomed(), PLANNERS[name](), features=lambda step: [step.observation[0]], budget=ww.Budget(steps=20),
            life_penalty=10.0, settle=False,
        )  # fmt: skip

    def act(player: ww.OnlinePlanner, times: int) -> None:
        for _ in range(times):
            if not player.over:
                for _ in player.act():
                    raise AssertionError("nothing is evaluated")

    whole = agent()
    for _ in whole.begin(0):
        raise AssertionError("nothing is evaluated")
    act(whole, 1)
    while whole.driver.tree.root not in whole.driver.tree.lost:
        act(whole, 1)
    assert whole.episode.actions and not whole.episode.terminated
    other = agent()
    resume(other, capture(whole, 0))
    act(whole, 20)
    act(other, 20)
    assert [whole.episode.terminated, other.episode.terminated] == [True, True]
    assert (whole.episode.actions, whole.episode.restores) == (other.episode.actions, other.episode.restores)
