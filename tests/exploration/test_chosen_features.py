"""The features and the rollouts of a search where none are given suit the environment."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from coin_world import Coins
from widthwise.core.simulator import Step
from widthwise.exploration.search import begin_search
from widthwise.simulator_search.archive_search import ArchiveSearch
from widthwise.simulators import tile_choice
from widthwise.simulators.features import Cells, Ram, Tiles
from widthwise.simulators.scene_features import Scenes
from widthwise.simulators.tile_choice import choose_tiles, suitability
from widthwise.training.search_features import choose_features

needs_gymnasium = pytest.mark.skipif(find_spec("gymnasium") is None, reason="needs gymnasium")
needs_atari = pytest.mark.skipif(find_spec("ale_py") is None, reason="needs ale-py")


def test_tiles_are_chosen_by_how_many_states_they_tell_apart() -> None:
    sample = [Step(image) for image in moving_squares()]
    coarse, fine = choose_tiles(sample)
    assert isinstance(coarse, Tiles) and isinstance(fine, Tiles)
    regions = len({coarse(step).tobytes() for step in sample})
    both = len({coarse(step).tobytes() + fine(step).tobytes() for step in sample})
    assert 1 < regions < both <= len(sample)


def test_tiles_of_the_highest_level_stay_coarse_even_where_a_sample_prefers_fine_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample = [Step(image) for image in moving_squares()]
    (tiles,) = choose_tiles(sample, shares=(1.0,))
    assert tiles.width * tiles.height <= tile_choice.COARSE
    monkeypatch.setattr(tile_choice, "COARSE", 10_000)
    (finer,) = choose_tiles(sample, shares=(1.0,))
    assert finer.width * finer.height > tiles.width * tiles.height


def moving_squares() -> list[np.ndarray[Any, np.dtype[np.uint8]]]:
    images = []
    for row in range(0, 72, 2):
        for column in range(0, 72, 2):
            image = np.zeros((84, 84), np.uint8)
            image[row : row + 9, column : column + 9] = 250
            images.append(image)
    return images


def test_the_scene_is_the_highest_level_unless_nearly_every_image_is_a_scene() -> None:
    assert isinstance(choose_features(ww.simulator("maze-small")).features[0], Scenes)
    assert isinstance(choose_features(ww.simulator("maze-small"), scenes=False).features[0], Tiles)
    assert isinstance(choose_features(Flicker()).features[0], Tiles)


class Flicker:
    """A counter that is shown as an image with nothing in common with the one before."""

    actions = 2
    action_names = ("a", "b")
    deterministic = True

    def __init__(self) -> None:
        self.time = 0

    def _show(self) -> Step:
        return Step(np.random.default_rng(self.time).integers(0, 256, (24, 24), dtype=np.uint8))

    def reset(self, seed: int | None = None) -> Step:
        self.time = 0
        return self._show()

    def step(self, action: int) -> Step:
        self.time += 1 + action
        return self._show()

    def save(self) -> int:
        return self.time

    def load(self, snapshot: int) -> None:
        self.time = snapshot


def test_suitability_is_the_evenness_divided_by_the_distance_from_the_wanted_number() -> None:
    assert suitability([5, 5], 0.2) == 1.0
    assert suitability([10], 0.5) == 0.0
    uneven = -(0.9 * math.log(0.9) + 0.1 * math.log(0.1)) / math.log(2)
    assert suitability([9, 1], 0.2) == pytest.approx(uneven)
    assert suitability([5, 5], 0.1) == pytest.approx(1 / math.sqrt(2))


def test_environments_without_images_have_their_own_features() -> None:
    if find_spec("gymnasium") is None:
        pytest.skip("needs gymnasium")
    choice = choose_features(ww.simulator("CartPole-v1"))
    assert choice.interactions == 0 and len(choice.features) >= 1
    maze = choose_features(ww.simulator("maze-small"))
    assert maze.interactions == 1_500
    assert isinstance(maze.features[1], Tiles) and isinstance(maze.features[-1], Cells)
    assert isinstance(maze.features[-2], Cells)  # there are few cells: they are regions, too
    assert isinstance(choose_features(ww.simulator("maze-small"), lowest=False).features[-2], Tiles)


@pytest.mark.parametrize(
    ("make", "through"),
    [
        (lambda: ww.simulator("maze-small"), True),  # tiles have many states
        (lambda: Coins(9), False),
        pytest.param(lambda: ww.simulator("Taxi-v4"), False, marks=needs_gymnasium),
        pytest.param(lambda: ww.simulator("MountainCar-v0"), True, marks=needs_gymnasium),  # and so have intervals
    ],
)
def test_rollouts_pass_through_known_states_unless_these_are_single_situations(make: Any, through: bool) -> None:
    assert begin_search(make(), 100).search.planner.through is through
    assert begin_search(make(), 100, planner=ArchiveSearch(through=not through)).search.planner.through is not through
    assert begin_search(Coins(9), 100, features=[lambda step: step.observation]).search.planner.through
    assert begin_search(Coins(9), 100, planner=ArchiveSearch(lowest=False)).search.planner.through is False


@needs_atari
def test_a_memory_with_counters_is_no_level_of_regions() -> None:
    assert not any(isinstance(function, Ram) for function in choose_features(ww.simulator("atari:pong")).features[:-1])
