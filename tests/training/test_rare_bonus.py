"""A bonus in the back-up for high-level states that the agent has rarely entered."""

from __future__ import annotations

import math
from typing import Any

import pytest

import widthwise as ww
from learning_tools import ROOMS, rounds, same
from widthwise.core.errors import UsageError
from widthwise.core.shape import Mismatch
from widthwise.learning.learning_settings import LearningSettings
from widthwise.online.values import back_up, look_ahead
from widthwise.simulator_search.rarity import Rarity
from widthwise.simulator_search.tree import NONE, Tree
from widthwise.simulators.maze import Maze
from widthwise.training.algorithms import planning_settings
from widthwise.training.checkpoint_shape import check_trainer
from widthwise.training.configuration import Configuration
from widthwise.training.configure import configure
from widthwise.training.run_settings import RunSettings
from widthwise.training.trainer import Trainer


def grown() -> Tree:
    """A root in the high-level state a; below it a node in a, one in b, and below that one in c with a reward."""
    tree = Tree(3, 2)
    root = tree.add(NONE, NONE, [b"0", b"a"])
    tree.add(root, 0, [b"1", b"a"])
    middle = tree.add(root, 1, [b"2", b"b"])
    tree.add(middle, 0, [b"3", b"c"], reward=1.0)
    return tree


def test_entering_a_rare_state_is_worth_more_than_staying_and_than_a_known_one() -> None:
    tree = grown()
    assert look_ahead(tree, 0.5).returns == [0.0, 0.5, None]
    tree.rarity = Rarity(2.0)
    assert tree.rarity.bonuses(tree) == {2: 2.0, 3: 2.0}
    assert look_ahead(tree, 0.5).returns == [0.0, 2.0 + 0.5 * 3.0, None]
    tree.rarity.visits.update({b"b": 3, b"c": 15, b"a": 8})
    assert look_ahead(tree, 0.5).returns == [0.0, 1.0 + 0.5 * 1.5, None]
    assert tree.reward == [0.0, 0.0, 0.0, 1.0]  # what was earned stays as it was


def test_ends_and_returns_to_a_state_have_no_bonus() -> None:
    tree = grown()
    tree.rarity = Rarity(1.0)
    back = tree.add(3, 0, [b"4", b"b"])
    tree.add(back, 0, [b"5", b"a"])
    assert set(tree.rarity.bonuses(tree)) == {2, 3}
    tree.ends.add(3)
    assert set(tree.rarity.bonuses(tree)) == {2}
    tree.lost.add(2)
    assert not tree.rarity.bonuses(tree)


def test_only_the_highest_level_counts() -> None:
    flat = Tree(2, 1)
    flat.add(flat.add(NONE, NONE, [b"0"]), 0, [b"1"])
    flat.rarity = Rarity(1.0)
    assert flat.rarity.bonuses(flat) == {} and flat.rarity.enter(flat) is None and not flat.rarity.visits
    tree = Tree(2, 3)
    root = tree.add(NONE, NONE, [b"0", b"a", b"A"])
    lower = tree.add(root, 0, [b"1", b"b", b"A"])
    tree.add(lower, 0, [b"2", b"b", b"B"])
    rarity = Rarity(1.0)
    assert rarity.bonuses(tree) == {2: 1.0} and rarity.enter(tree) == b"A"


def test_a_state_is_counted_when_it_is_entered_and_not_while_the_agent_stays() -> None:
    tree, rarity = grown(), Rarity(1.0)
    state = rarity.enter(tree)
    tree.reroot(2)
    state = rarity.enter(tree, state)
    assert state == b"b" and rarity.enter(tree, state) == b"b"
    assert rarity.visits == {b"a": 1, b"b": 1}
    assert rarity.bonuses(tree) == {3: 1.0}  # the region of the root is not entered any more


def trainer_of(bonus: float, trees: int = 1, **planning: Any) -> Trainer:
    chosen = planning_settings("pi-hiw", Maze(ROOMS), steps_per_action=10, tiles=(2, 2), **planning)
    learning = LearningSettings(batch=8, patient=False, calibration=8, rare_bonus=bonus)
    return Trainer(lambda: Maze(ROOMS), Configuration(chosen, learning, trees=trees))


def test_visits_last_for_the_run_and_are_those_of_executed_actions() -> None:
    trainer, other = trainer_of(0.5), trainer_of(0.5)
    other.together([other.players[0].begin(0, 0)])
    first = other.players[0].rarity
    assert first is not None
    reset, entered, state = first.state(other.players[0].agent.driver.tree), 0, None
    player = trainer.players[0]
    for _ in range(60):
        before = trainer.episodes
        trainer.round()
        assert player.rarity is not None
        if trainer.episodes > before:
            entered, state = entered + 1, reset
        now = player.rarity.state(player.agent.driver.tree)
        entered, state = entered + (now != state), now
    assert player.rarity is not None and trainer.episodes > 2
    assert sum(player.rarity.visits.values()) == entered > trainer.episodes
    assert player.agent.driver.tree.rarity is player.rarity


def test_an_evaluation_has_no_bonus() -> None:
    trainer = trainer_of(0.5)
    agent = trainer.agent(Maze(ROOMS))
    assert agent.driver.rarity is None and trainer.players[0].agent.driver.rarity is not None


@pytest.mark.parametrize("trees", [1, 2])
def test_a_run_continues_exactly(trees: int) -> None:
    trainer, again = (trainer_of(0.5, trees) for _ in range(2))
    for _ in range(25):
        rounds(trainer, 2)
        state = trainer.state()
        check_trainer(state, again)
        again.restore(state)
        rounds(trainer, 1)
        rounds(again, 1)
        assert same(trainer.state(), again.state())
    assert trainer.episodes > 2 * trees


def test_the_bonus_changes_what_is_chosen_and_learned() -> None:
    with_bonus, without = trainer_of(0.5), trainer_of(0.0)
    rounds(with_bonus, 12)
    rounds(without, 12)
    assert "visits" not in without.state()["players"][0]
    assert with_bonus.state()["players"][0]["visits"]
    assert not same(with_bonus.players[0].targets, without.players[0].targets)


def test_damaged_visits_are_refused() -> None:
    trainer = trainer_of(0.5)
    rounds(trainer, 3)
    for wrong in ([["text", 1]], [[b"a", 0]], [[b"a"]], [[b"a", -1]], [[b"a", 1.5]], "text"):
        state = trainer.state()
        state["players"][0]["visits"] = wrong
        with pytest.raises(Mismatch, match=r"players\[0\]\.visits"):
            check_trainer(state, trainer)


@pytest.mark.parametrize("wrong", [-0.1, math.nan])
def test_a_bonus_is_at_least_0(wrong: float) -> None:
    with pytest.raises(UsageError, match="rare_bonus must be at least 0"):
        LearningSettings(rare_bonus=wrong)


def test_a_planner_without_an_upper_level_has_no_bonus() -> None:
    with pytest.raises(UsageError, match=r"pi-iw\+ has no upper level: leave out rare_bonus"):
        configure(RunSettings("maze-small", 100, "pi-iw+", overrides={"rare_bonus": 0.1}))
    settings = RunSettings("maze-small", 100, "pi-hiw", overrides={"rare_bonus": 0.1})
    assert configure(settings).learning.rare_bonus == 0.1


@pytest.mark.parametrize("learned", [{"segment": 5}, {"tree_targets": 4}])
def test_the_bonus_is_not_learned_as_a_return(learned: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="rare_bonus must not be learned as a return"):
        LearningSettings(rare_bonus=0.1, segment=learned.get("segment", 0), tree_targets=learned.get("tree_targets", 0))


def test_a_bonus_without_an_effect_is_refused() -> None:
    overrides = {"rare_bonus": 0.1}
    with pytest.raises(UsageError, match="rare_bonus has no effect where all returns count as equal"):
        configure(RunSettings("maze-small", 1_000, "pi-hiw", preset="demonstration", overrides=overrides))


def test_without_the_network_there_is_no_bonus() -> None:
    agent = ww.OnlinePlanner(Maze(ROOMS), evaluate=lambda steps: [], budget=ww.Budget(steps=5))
    agent.driver.rarity = Rarity(1.0)
    agent.driver.start()
    kept = [agent.driver.tree.rarity is not None]
    agent.driver.end_guidance()
    kept.append(agent.driver.tree.rarity is not None)
    agent.driver.start()
    kept.append(agent.driver.tree.rarity is not None)
    assert kept == [True, False, False]


def test_back_up_without_rarity_is_as_before() -> None:
    assert back_up(grown(), 0.5, (), 0.0)[0] == [0.25, 0.0, 0.5, 1.0]
