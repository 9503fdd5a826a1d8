"""Planning a trajectory in parts: what is chosen, where passes begin, and that it continues exactly."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from widthwise.core.errors import InputError
from widthwise.core.simulator import Step
from widthwise.simulator_search.tree import BackUpRules
from widthwise.training import replanning as module
from widthwise.training.replanning import Replanning, Trajectory


class Garden:
    """A walk on a ring of places for 60 steps, with rewards at random times: more than planning can foresee."""

    deterministic = True
    actions = 3

    def __init__(self, length: int = 60) -> None:
        self.length = length
        self.place, self.time, self.lives = 0, 0, 3

    def reset(self, seed: int | None = None) -> Step:
        self.place, self.time, self.lives = 0, 0, 3
        return self.seen(0.0)

    def seen(self, reward: float) -> Step:
        observation = np.array([self.place, self.time // 4, self.lives], np.uint8)
        return Step(observation, reward, self.lives == 0, self.time >= self.length, {"lives": self.lives})

    def step(self, action: int) -> Step:
        self.place = (self.place + (0, 1, -1)[action]) % 12
        self.time += 1
        drawn = random.Random(self.place * 1_009 + self.time * 7)
        return self.seen(float(drawn.random() < 0.15))

    def save(self) -> Any:
        return self.place, self.time, self.lives

    def load(self, snapshot: Any) -> None:
        self.place, self.time, self.lives = snapshot


def features(step: Step) -> Any:
    return step.observation


def planned(seed: int = 0, world: Garden | None = None) -> Replanning:
    garden = world or Garden()
    defaults = ww.Defaults(planner="riw", widths=(1,), features=(features,), steps_per_action=6, nodes=200)
    return Replanning(garden, seed, steps_per_action=6, nodes=200, defaults=defaults)


def run(plans: Replanning, interactions: int, at_once: int = 50) -> int:
    taken = 0
    while taken < interactions:
        taken += plans.advance(at_once, interactions - taken)
    return taken


def replayed(trajectory: Trajectory) -> Trajectory:
    world, again = Garden(), Trajectory()
    world.reset(0)
    for action in trajectory.actions:
        again.add(action, world.step(action))
    return again


def test_the_first_pass_is_an_episode_of_the_planner() -> None:
    plans = planned(3)
    agent = ww.OnlinePlanner(Garden(), defaults=plans.agent.defaults, budget=ww.Budget(steps=6, nodes=200))
    episode = agent.run(3 * 1_000_003)
    while plans.best is None:
        plans.advance(50, 10_000)
    assert (plans.best.score, plans.best.actions, plans.best.ended) == (episode.score, episode.actions, True)
    assert plans.trials == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_trajectory_is_what_its_actions_do_and_only_becomes_better(seed: int) -> None:
    plans, scores, taken = planned(seed), [], 0
    while taken < 6_000:
        taken += plans.advance(40, 6_000 - taken)
        if plans.best is not None:
            assert plans.best == replayed(plans.best)
            scores.append(plans.best.score)
    assert scores == sorted(scores)
    assert scores[-1] > scores[0] and plans.passes > 2


def test_several_trials_for_each_part_find_more_than_whole_episodes() -> None:
    together, alone = [], []
    for seed in range(6):
        plans = planned(seed)
        run(plans, 3_000)
        assert plans.best is not None
        together.append(plans.best.score)
        agent = ww.OnlinePlanner(Garden(), defaults=plans.agent.defaults, budget=ww.Budget(steps=6, nodes=200))
        alone.append(max(agent.run(seed * 100 + number).score for number in range(9)))  # as many interactions
    assert sum(together) > sum(alone)


def test_the_trial_that_is_worth_most_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = planned()
    run(plans, 400)
    chosen: list[tuple[list[list[int]], list[float], list[int]]] = []
    original = Replanning._choose

    def watched(self: Replanning) -> int:
        assert self._pass is not None
        trials, worth = list(self._pass.actions), list(self._pass.worth)
        taken = original(self)
        if len(trials) > 1 and self._pass is not None:
            chosen.append((trials, worth, self._pass.trajectory.actions[-len(trials[0]) :]))
        return taken

    monkeypatch.setattr(Replanning, "_choose", watched)
    run(plans, 4_000)
    assert len(chosen) >= 3
    for trials, worth, actions in chosen:
        assert actions == trials[worth.index(max(worth))]
    assert any(worth.index(max(worth)) > 0 for _, worth, _ in chosen)


class Storm(Garden):
    """Every action loses a life at one time."""

    def step(self, action: int) -> Step:
        step = super().step(action)
        if self.time != 12:
            return step
        self.lives -= 1
        return self.seen(step.reward)


def test_a_lost_life_counts_as_it_does_in_planning() -> None:
    plans = planned(1, Storm())
    plans.agent.rules = plans.agent.driver.rules = BackUpRules(life_penalty=100.0)
    plans._begin(10_000)
    plans._begin_trial()
    for _ in range(30):
        plans._act()
    tree = plans.agent.driver.tree
    assert tree.lives[tree.root] == 2 and plans._worth == plans.agent.episode.score - 100.0


def test_steps_that_are_too_few_for_a_pass_are_not_used() -> None:
    plans = planned()
    plans.offer(Trajectory(1.0, 1.0, [1] * 50))
    assert plans.advance(500, 55) == 55 and plans.passes == 0
    assert plans.advance(1, 56) >= 1 and plans.passes == 1


def test_a_trajectory_with_a_reward_is_better_than_one_that_is_cut_before_it() -> None:
    plans = planned()
    plans.offer(Trajectory(-3.0, 0.0, [0]))
    plans.offer(Trajectory(-9.0, 2.0, [1]))
    plans.offer(Trajectory(-1.0, 0.0, [2]))
    assert plans.best is not None and plans.best.actions == [1]


def test_a_pass_begins_where_the_interactions_are_enough_for_two_trials() -> None:
    plans = planned()
    plans.offer(Trajectory(1.0, 1.0, [1] * 50))
    plans.passes = 1
    plans._begin(50 + 50 * 6 * 2)  # enough to repeat it, and to plan all of it twice
    assert plans._pass is not None and plans._pass.trials == 2 and plans._pass.trajectory.actions == []
    plans._end()
    plans._begin(50 + 120)  # ten actions with two trials of six steps
    assert plans._pass is not None and 40 <= len(plans._pass.trajectory.actions) <= 50
    assert plans._pass.trials == 1
    plans._end()
    plans.best = Trajectory(1.0, 1.0, [1] * 3)
    plans._begin(100_000)
    assert plans._pass is not None and plans._pass.trials == module.MOST_TRIALS


@pytest.mark.parametrize("before", [0, 60, 350, 420, 900, 2_000])
def test_it_continues_exactly(before: int) -> None:
    plans, again = planned(2), planned(2)
    taken = 0
    while taken < before:
        taken += plans.advance(30, 5_000 - taken)
    again.restore(plans.state())
    assert again.state() == plans.state()
    for _ in range(30):
        assert again.advance(30, 5_000 - taken) == plans.advance(30, 5_000 - taken)
        assert again.state() == plans.state()


def test_a_pass_that_is_cut_counts_as_far_as_it_has_come() -> None:
    plans = planned()
    run(plans, 100)
    assert plans.best is not None and not plans.best.ended and plans.best == replayed(plans.best)
    assert plans._pass is None


def test_a_trajectory_that_reaches_the_limit_of_steps_has_ended() -> None:
    plans = planned()
    plans.offer(Trajectory(1.0, 1.0, [1] * 60))  # as a search offers it
    plans.passes = 2
    assert plans.best is not None
    while not plans.best.ended:
        plans.advance(30, 70)
    assert plans._pass is None or not plans._pass.trajectory.ended
    run(plans, 2_000)
    assert plans.best == replayed(plans.best)


class Ring(Garden):
    """Four places, no end and no clock: all states are soon in the tree, and actions take no simulator steps."""

    def seen(self, reward: float) -> Step:
        self.place %= 4
        self.time = 0
        return Step(np.array([self.place], np.uint8), float(self.place == 3))


def test_an_episode_without_end_is_cut() -> None:
    plans = planned(0, Ring())
    taken = run(plans, 600)
    assert plans.best is not None and not plans.best.ended
    assert taken <= 600 + 2 * 600  # the actions of a pass are repeated at its end, and those before the next one


def test_a_changed_environment_is_refused() -> None:
    plans = planned()
    plans.offer(Trajectory(1.0, 1.0, [1] * 200))
    plans.passes = 2
    with pytest.raises(InputError, match="ends where it continued before"):
        plans._begin(1_000)
