"""Scenes: which images are of one scene, and scenes that are saved and restored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.simulators.scene_features import Scenes


def room(brightness: int, column: int = 0) -> Step:
    """A room, half of which has a colour of its own, and somebody in it."""
    image = np.zeros((84, 84), np.uint8)
    image[:42] = brightness
    image[60:70, column : column + 8] = 255
    return Step(image)


def number(scenes: Scenes, step: Step) -> int:
    return int(scenes(step)[0])


def test_what_moves_does_not_change_the_scene_and_another_room_does() -> None:
    scenes = Scenes()
    assert [number(scenes, room(100, column)) for column in (0, 10, 40, 70)] == [0, 0, 0, 0]
    assert number(scenes, room(200)) == 1
    assert number(scenes, room(100, 33)) == 0
    assert len(scenes) == 2


def test_the_share_of_different_tiles_decides() -> None:
    upper = room(100).observation.copy()
    upper[:12] = 200  # a seventh of the image
    for apart, expected in ((0.1, 1), (0.2, 0)):
        scenes = Scenes(apart)
        scenes(room(100))
        assert number(scenes, Step(upper)) == expected


def test_a_full_set_of_scenes_takes_the_nearest() -> None:
    scenes = Scenes(most=2)
    assert [number(scenes, room(brightness)) for brightness in (0, 100, 200)] == [0, 1, 0]
    assert len(scenes) == 2


def test_colours_are_compared_by_their_brightness() -> None:
    scenes = Scenes()
    dark, bright = np.zeros((30, 30, 3), np.uint8), np.full((30, 30, 3), 200, np.uint8)
    assert [number(scenes, Step(image)) for image in (dark, bright, dark)] == [0, 1, 0]


def test_restored_scenes_continue() -> None:
    first, second = Scenes(), Scenes()
    for brightness in (50, 100, 200):
        first(room(brightness))
    second.restore(first.capture())
    assert second.capture() == first.capture()
    assert [number(second, room(brightness)) for brightness in (200, 50, 150)] == [2, 0, 3]


@pytest.mark.parametrize("settings", [{"apart": 0.0}, {"apart": 1.0}, {"most": 0}])
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Scenes(**settings)
