"""The settings of the training algorithms: their parts, and how they are written and read."""

from __future__ import annotations

import json

import pytest

import widthwise as ww
from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.names import simulator
from widthwise.training.algorithm_registry import ALGORITHMS
from widthwise.training.algorithms import PlanningSettings, planning_settings
from widthwise.training.configuration import Configuration


def flags(chosen: PlanningSettings) -> tuple[bool, ...]:
    return chosen.guided, chosen.dynamic, chosen.value, chosen.doubt, chosen.ties, chosen.tiles is not None


def test_the_algorithms_are_their_parts() -> None:
    maze = simulator("maze-small")
    assert flags(planning_settings("pi-iw", maze)) == (True, True, False, False, False, False)
    assert flags(planning_settings("pi-iw+", maze)) == (True, True, True, True, True, False)
    assert flags(planning_settings("pi-hiw", maze)) == (True, True, True, True, True, True)
    assert [planning_settings(name, maze).title for name in ALGORITHMS] == ["π-IW", "π-IW+", "π-HIW(1,1)"]
    assert planning_settings("pi-hiw", maze).tiles == (4, 4)
    assert planning_settings("pi-hiw", simulator("maze-large")).tiles == (8, 8)
    assert planning_settings("pi-iw", maze).acts_by().formula == "none"
    with pytest.raises(ww.UsageError, match="no algorithm"):
        planning_settings("alphazero")
    with pytest.raises(ww.UsageError, match="unknown setting 'tile'"):
        planning_settings("pi-hiw", tile=3)
    with pytest.raises(ww.UsageError, match="discount"):
        planning_settings("pi-hiw", discount=0)


@pytest.mark.atari
def test_atari_has_its_own_settings() -> None:
    chosen = planning_settings("pi-hiw", simulator("atari:pong"))
    assert (chosen.steps_per_action, chosen.tiles, chosen.colours, chosen.high_width) == (100, (8, 11), 32, "n")
    assert chosen.title == "π-HIW(n,1)"


def test_settings_can_be_written_and_read() -> None:
    config = Configuration(
        planning_settings("pi-hiw", simulator("maze-large"), value=False), LearningSettings(batch=4), trees=2, seed=9
    )
    assert Configuration.read(json.loads(json.dumps(config.describe()))) == config
    wrong = config.describe()
    wrong["learning"]["speed"] = 3
    with pytest.raises(ww.UsageError, match="LearningSettings has no setting 'speed'"):
        Configuration.read(wrong)
    for nonsense in ({"batch": 0}, {"l2": -1.0}, {"learning_rate": 0.0}):
        with pytest.raises(ww.UsageError):
            LearningSettings(**nonsense)
    with pytest.raises(ww.UsageError, match="trees must be at least 1"):
        Configuration(trees=0)


@pytest.mark.parametrize("algorithm", ["pi-iw", "pi-iw+"])
def test_an_algorithm_without_an_upper_level_takes_no_settings_for_one(algorithm: str) -> None:
    maze = simulator("maze-small")
    for setting in ({"tiles": (4, 4)}, {"high_features": "own"}):
        with pytest.raises(ww.UsageError, match=r"pi-iw\+? has no upper level: leave out .*, or use the algorithm"):
            planning_settings(algorithm, maze, **setting)
    assert planning_settings(algorithm, maze, tiles=None).tiles is None
