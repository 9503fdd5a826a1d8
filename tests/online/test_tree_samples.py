"""Samples from the nodes of a tree: which nodes give one, and what it says."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import widthwise as ww
from cliff import Cliff
from widthwise.core.simulator import Step
from widthwise.online.policies import target
from widthwise.online.tree_samples import tree_samples
from widthwise.online.values import look_ahead
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.tree import NONE, BackUpRules, Tree


def grown(values: dict[str, float] | None = None) -> tuple[Tree, dict[str, int]]:
    """A tree over three actions: a root with children a and b, each with two explored actions, and one below a's."""
    tree, named = Tree(3, 1), {}

    def add(name: str, parent: str, action: int, reward: float = 0.0, *, terminal: bool = False) -> None:
        above = named[parent] if parent else NONE
        value = None if values is None else values.get(name, 0.0)
        node = tree.add(above, action, [b"x"], reward=reward, terminal=terminal, observation=name, value=value)
        named[name] = node

    add("root", "", NONE)
    add("a", "root", 0)
    add("b", "root", 1)
    add("a0", "a", 0)
    add("a1", "a", 1)
    add("b0", "b", 0, 1.0)
    add("b2", "b", 2)
    add("a00", "a0", 0)
    add("a02", "a0", 2, terminal=True)
    add("b00", "b0", 0)
    return tree, named


def test_nodes_that_leave_the_tree_give_samples() -> None:
    tree, named = grown()
    samples = tree_samples(tree, named["a"], 10)
    assert [sample.observation for sample in samples] == ["b"]  # a and a0 stay, the others have one action at most
    assert samples[0].worth == 1.0 and samples[0].look_ahead.returns == [1.0, None, 0.0]
    assert samples[0].look_ahead.counts == [2, 0, 1]
    assert target(samples[0].look_ahead, 0.001)[0] == pytest.approx(1.0)


def test_nodes_whose_actions_differ_come_first_then_large_subtrees() -> None:
    tree, _ = grown()
    assert [sample.observation for sample in tree_samples(tree, NONE, 10)] == ["b", "a", "a0"]
    assert [sample.observation for sample in tree_samples(tree, NONE, 2)] == ["b", "a"]


def test_an_estimate_does_not_make_an_untried_action_better_than_the_best_that_was_seen() -> None:
    tree, named = grown({"b": 7.0})
    (sample,) = tree_samples(tree, named["a"], 10)
    assert sample.look_ahead.value == 1.0 and sample.worth == 1.0
    (sample,) = tree_samples(grown({"b": 0.5})[0], named["a"], 10)
    assert sample.look_ahead.value == 0.5
    (sample,) = tree_samples(tree, named["a"], 10, doubted={named["b"]})
    assert sample.look_ahead.value == 1.0


def test_rewards_are_limited_and_untried_actions_may_count_for_nothing() -> None:
    tree, named = grown()
    tree.reward[named["b0"]] = 50.0
    tree.reward[named["a0"]], tree.reward[named["a1"]] = -3.0, -2.0
    assert look_ahead(tree, 1.0).returns == [0.0, 50.0, None]  # an untried action of a may cost nothing
    tree.rules = BackUpRules(untried=False)
    assert look_ahead(tree, 1.0).returns == [-2.0, 50.0, None]
    tree.rules = BackUpRules(reward_limit=1.0, untried=False)
    assert look_ahead(tree, 1.0).returns == [-1.0, 1.0, None]


def evaluate(steps: Sequence[Step]) -> list[Evaluation]:
    """A network that always prefers the same action, in a world whose features are the observation."""
    return [Evaluation(prior=[0.0, 0.0, 1.0, 0.0, 0.0], value=0.0) for _ in steps]


@pytest.mark.parametrize("planner", [ww.RolloutIW(1), ww.HIW(ww.Info("key"), high=ww.CountRolloutIW(1))])
@pytest.mark.parametrize("steps", [3, 10])
def test_every_action_of_the_root_is_tried(planner: ww.RolloutIW | ww.HIW, steps: int) -> None:
    explored: list[int] = []

    def look(tree: Tree, record: ww.StepRecord) -> None:
        explored.append(sum(child != NONE for child in tree.nodes.children[tree.root]))
        assert record.interactions <= steps

    for on in (False, True):
        explored.clear()
        agent = ww.OnlinePlanner(
            "maze-small", planner, budget=ww.Budget(steps=steps), evaluate=evaluate, root_actions=on, recorder=look,
            max_steps=12,
        )  # fmt: skip
        agent.run(seed=0)
        if on:
            assert min(explored) >= min(5, steps)
        elif isinstance(planner, ww.RolloutIW):
            assert min(explored) == 1


@pytest.mark.parametrize("planner", [ww.RolloutIW(1), ww.HIW(ww.Info("key"), high=ww.CountRolloutIW(1))])
@pytest.mark.parametrize("steps", [1, 10])
def test_the_action_that_the_network_prefers_is_tried(planner: ww.RolloutIW | ww.HIW, steps: int) -> None:
    def undecided(states: Sequence[Step]) -> list[Evaluation]:
        return [Evaluation(prior=[0.24, 0.19, 0.19, 0.19, 0.19], value=0.0) for _ in states]

    agent = ww.OnlinePlanner(
        "corridor", planner, budget=ww.Budget(steps=steps), evaluate=undecided, max_steps=40,
        behaviour=ww.Behaviour("prior", tie_tolerance=1.0), settle=False,
    )  # fmt: skip
    episode = agent.run(seed=0)
    assert episode.interactions <= 40 * steps
    assert set(episode.actions) == {0}  # to stay is never worse


def test_searches_know_the_nodes_that_were_tried_at_the_root() -> None:
    """Where the whole state is the features, a search that goes on until it is exhausted sees the same states."""
    seen = []
    for on in (False, True):
        agent = ww.OnlinePlanner("corridor", ww.RolloutIW("n"), budget=ww.Budget(steps=10_000), root_actions=on)
        waiting = agent.begin(0)
        assert list(waiting) == []
        assert list(agent.plan(agent.planning)) == []
        seen.append(len({agent.driver.tree.nodes.features[node] for node in agent.driver.tree.nodes.live}))
    assert seen[0] == seen[1]


def test_the_score_counts_rewards_in_full() -> None:
    agent = ww.OnlinePlanner(Cliff(), ww.RolloutIW(1), budget=ww.Budget(steps=20), clip_rewards=True, max_steps=10)
    episode = agent.run(seed=0)
    assert episode.score == sum(episode.rewards)
    assert agent.rules.counted(40.0) == 1.0 and agent.rules.counted(-0.5) == -0.5


@pytest.mark.parametrize("planner", [ww.RolloutIW(1, ends_novel=True), ww.CountRolloutIW(1, ends_novel=True)])
def test_ends_of_episodes_can_take_novelty(planner: ww.RolloutIW | ww.CountRolloutIW) -> None:
    """A search in which ends take novelty is never larger, and no end is expanded."""
    sizes = []
    for chosen in (type(planner)(1), planner):
        agent = ww.OnlinePlanner(Cliff(), chosen, budget=ww.Budget(steps=200))
        assert list(agent.begin(0)) == []
        agent.planning.rng = random.Random(0)
        assert list(agent.plan(agent.planning)) == []
        nodes = agent.driver.tree.nodes
        assert all(child == NONE for node in nodes.live if nodes.terminal[node] for child in nodes.children[node])
        sizes.append(len(nodes.live))
    assert sizes[1] <= sizes[0]
