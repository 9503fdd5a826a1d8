"""A simulator declares what planning and learning use of it; a new environment is one class."""

from __future__ import annotations

from typing import Any

import pytest

import widthwise as ww
from tiny_world import TinyWorld
from widthwise.online.defaults import planning_defaults
from widthwise.online.planner_registry import LEVEL_PLANNERS, SIMULATOR_PLANNERS, level_planner
from widthwise.portfolio.planner_names import NAMES
from widthwise.portfolio.registry import make_planner
from widthwise.simulators.maze import Maze


def place(step: Any) -> tuple[int, ...]:
    return (int(step.observation.argmax()),)


class Declared(TinyWorld):
    """An environment with everything that can be declared by attributes."""

    preset_kind = "atari"
    value_range = (-1.0, 1.0)

    def level_features(self, tiles: tuple[int, int], colours: int) -> tuple[Any, ...]:
        return place, (lambda step: (*tiles, colours))


def test_features_and_limits_are_those_that_a_class_declares() -> None:
    defaults = planning_defaults(Declared(), "paper")
    atari = ww.preset_settings("paper", Declared())
    assert (defaults.steps_per_action, defaults.nodes) == (atari["steps_per_action"], atari["nodes"]) == (100, 500)
    assert defaults.planner == "hiw" and len(defaults.features) == 2
    assert tuple(defaults.features[1](Declared().reset())) == (8, 11, 32)  # the tiles of the preset
    assert planning_defaults(TinyWorld()).planner == "riw"


def test_an_unknown_kind_is_refused_by_name() -> None:
    world = Declared()
    world.preset_kind = "castle"
    with pytest.raises(ww.UsageError, match="preset_kind of Declared is 'castle'; the kinds are corridor"):
        ww.preset_settings("paper", world)


@pytest.mark.torch
def test_learning_uses_what_a_class_declares() -> None:
    from widthwise.training.algorithms import planning_settings
    from widthwise.training.simulator_facts import support_for

    assert planning_settings("auto", Declared()).tiles == (8, 11)
    assert support_for(Declared()).rescaled is False
    assert support_for(TinyWorld()).rescaled


def test_a_subclass_of_a_maze_is_a_maze() -> None:
    class Mine(Maze):
        pass

    assert ww.preset_settings("paper", Mine("#####\n#AKD#\n#####"))["tiles"] == (2, 2)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_a_planner_for_tasks_makes_one(name: str) -> None:
    assert make_planner(name, high=(["(have-key)"],) if name == "hiw" else ()).name


def test_every_name_of_a_planner_for_simulators_makes_one() -> None:
    assert set(LEVEL_PLANNERS) < set(SIMULATOR_PLANNERS)
    assert len({level_planner(name, 1) for name in LEVEL_PLANNERS}) == len(LEVEL_PLANNERS)
