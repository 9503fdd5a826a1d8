"""Acting in the worlds that come with the library, with the features they are looked at by default."""

from __future__ import annotations

import json
from typing import Any

import pytest

import widthwise as ww
from widthwise.online.defaults import default_features

names = pytest.importorskip("widthwise.simulators.names")
HIERARCHY = ww.HIW(high=ww.CountRolloutIW(width=1), low=ww.RolloutIW(width=1))


def replayed(name: str, episode: Any, seed: int) -> list[float]:
    env = names.simulator(name)
    env.reset(seed)
    return [env.step(action).reward for action in episode.actions]


def test_a_hierarchy_plans_its_way_through_the_small_maze() -> None:
    """Flat rollouts never see that the key matters; two levels with tiles fetch it and reach the door."""
    budget = ww.Budget(steps=100)
    for seed in range(2):
        episode = ww.OnlinePlanner(names.simulator("maze-small"), HIERARCHY, budget=budget).run(seed)
        assert episode.score == 1.0 and 36 <= episode.steps <= 200
        assert replayed("maze-small", episode, seed) == episode.rewards
    flat = ww.OnlinePlanner(names.simulator("maze-small"), ww.RolloutIW(1), budget=budget, max_steps=40).run(0)
    assert flat.score == 0.0
    assert json.loads(json.dumps(episode.describe()))["score"] == 1.0


@pytest.mark.parametrize("name, tiles", [("maze-small", 4), ("maze-large", 4), ("corridor", 2)])
def test_mazes_have_tiles_that_fit_their_size(name: str, tiles: int) -> None:
    low, high = default_features(names.simulator(name))
    step = names.simulator(name).reset(0)
    assert len(low(step)) == 1
    assert len(high(step)) == tiles * tiles * 3


@pytest.mark.atari
def test_an_atari_game_is_played_as_it_was_planned() -> None:
    planner = ww.HIW(high=ww.CountRolloutIW("n"), low=ww.RolloutIW(1))
    env = names.simulator("atari:freeway", frame_skip=15)
    episode = ww.OnlinePlanner(env, planner, budget=ww.Budget(steps=20), max_steps=6).run(3)
    assert episode.steps == 6 and episode.interactions == 120
    assert episode.records[-1].high_level_states[0] > 1
    again = ww.OnlinePlanner(names.simulator("atari:freeway"), planner, budget=ww.Budget(steps=20), max_steps=6).run(3)
    assert again.actions == episode.actions and again.records == episode.records
    assert replayed("atari:freeway", episode, 3) == episode.rewards
