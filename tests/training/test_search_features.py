"""The features of the search for a demonstration: those of the environment inside all wrappers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import widthwise as ww
from learning_tools import rounds, same
from widthwise.core.contract import guarded
from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.bins import Bins
from widthwise.simulators.minigrid import MiniGrid
from widthwise.training.algorithms import planning_settings
from widthwise.training.clocks import Clocks, TimedSimulator
from widthwise.training.configuration import Configuration
from widthwise.training.search_features import choose_features
from widthwise.training.trainer import Trainer

pytestmark = pytest.mark.torch


def wrapped(name: str, **options: Any) -> Any:
    return guarded(TimedSimulator(ww.simulator(name, **options), Clocks()))


@pytest.mark.parametrize("name", ["CartPole-v1", "MountainCar-v0"])
def test_floats_are_searched_in_intervals(name: str) -> None:
    (features,) = choose_features(wrapped(name)).features
    assert isinstance(features, Bins)


def test_the_features_that_an_environment_declares_are_searched_over() -> None:
    pytest.importorskip("minigrid")
    high, low, pruning = choose_features(wrapped("MiniGrid-DoorKey-5x5-v0")).features
    assert (repr(high), repr(low)) == (repr(MiniGrid("situation", "doors")), repr(MiniGrid("pose")))
    assert len(choose_features(wrapped("MiniGrid-DoorKey-5x5-v0"), lowest=False).features) == 2
    assert pruning is low  # rollouts may be pruned by them, and states with different values are in different regions


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_search_solves_doorkey(seed: int) -> None:
    pytest.importorskip("minigrid")
    result = ww.search("MiniGrid-DoorKey-6x6-v0", 20_000, seed=seed)
    assert result.score is not None and result.score > 0 and result.ended


def test_a_run_with_floats_finds_a_demonstration(tmp_path: Path) -> None:
    result = ww.train(
        "CartPole-v1", 900, preset="demonstration", out=tmp_path / "run", rehearsal=20, planner_episodes=0
    )
    assert result.finished
    assert json.loads((tmp_path / "run" / "result.json").read_text())["demonstration_score"] > 0


def test_a_search_over_floats_continues_exactly() -> None:
    def trainer() -> Trainer:
        world = ww.simulator("CartPole-v1")
        return Trainer(
            lambda: world, Configuration(planning_settings("auto", world), LearningSettings(archive=1_500, rehearsal=0))
        )

    first, again = trainer(), trainer()
    rounds(first, 2)
    again.restore(first.state())
    rounds(first, 4)
    rounds(again, 4)
    assert same(first.state(), again.state())
