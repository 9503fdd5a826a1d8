"""Searches over an archive: what ends a rollout, which states are kept, and which trajectory is reported."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import widthwise as ww
from tiny_world import TinyWorld
from widthwise.core.errors import UsageError, command_line_advice
from widthwise.core.simulator import Step
from widthwise.simulator_search.archive_search import ArchiveSearch, SearchAtWork
from widthwise.simulators.features import Cells, Tiles


def test_a_visit_counts_as_the_part_of_a_rollout_that_it_took() -> None:
    for planner, visits in ((ArchiveSearch(rollout=10), 0.3), (ArchiveSearch(rollout=10, count_steps=False), 1.0)):
        search = maze_search(planner)
        search.visit(3)
        assert search.archive.top.inside[0].visits == visits


def test_losses_do_not_make_a_state_new() -> None:
    class Costly(TinyWorld):
        """A world in which every step costs a point."""

        def step(self, action: int) -> Step:
            return replace(super().step(action), reward=-1.0)

    search = run(ArchiveSearch(rollout=5).begin(Costly(), [lambda step: [0]], seed=0), 200)
    assert search.archive.regions == [1, 1]  # one gain, although there are many scores
    region = search.archive.top.inside[0].inside[0]
    assert region.entry is not None and region.entry.gain == 0.0


def maze_search(planner: ArchiveSearch, seed: int = 0, name: str = "maze-small") -> SearchAtWork:
    return planner.begin(ww.simulator(name), (Tiles(13, 9, 8), Cells()), seed)


def run(search: SearchAtWork, interactions: int) -> SearchAtWork:
    while search.interactions < interactions:
        search.visit()
    return search


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_small_maze_is_solved(seed: int) -> None:
    best = run(maze_search(ArchiveSearch(), seed), 20_000).best
    assert best is not None and best.score == 1.0 and best.ended


@pytest.mark.parametrize("planner", [
    ArchiveSearch(widths=(1, 2, "n", "all"), patience=3),
    ArchiveSearch(improve=False),
    ArchiveSearch(through=False),
    ArchiveSearch(lives=False),
    ArchiveSearch(gains=False),
    ArchiveSearch(survive=0),
    ArchiveSearch(restart=150),
    ArchiveSearch(shared_counts=False),
    ArchiveSearch(count_steps=False),
    ArchiveSearch(rollout=5, hold=1.0),
], ids=[
    "widths", "first ways", "stops at known states", "no lives", "no gains", "every state", "begins again",
    "counts of a gain", "equal visits", "short",
])  # fmt: skip
def test_every_part_can_be_switched_alone(planner: ArchiveSearch) -> None:
    search = run(maze_search(planner), 3_000)
    assert 3_000 <= search.interactions < 3_000 + planner.rollout
    assert search.archive.regions[int(planner.gains)] > 5


def test_rollouts_prune_by_the_widths_in_turn() -> None:
    search = run(maze_search(ArchiveSearch(widths=(1, "n", "all"), patience=2)), 4_000)
    tiles = [region for gain in search.archive.top.inside for region in gain.inside]
    assert max(region.low.stage for region in tiles if region.low is not None) == 2


def test_a_rollout_that_stops_at_known_states_is_shorter() -> None:
    through, stops = (maze_search(ArchiveSearch(through=flag)) for flag in (True, False))
    for _ in range(100):
        through.visit()
        stops.visit()
    assert stops.interactions < through.interactions


@pytest.mark.parametrize(("settings", "most"), [
    ({"through": False}, 2),
    ({"widths": (1, "all"), "patience": 1_000}, 3),
])  # fmt: skip
def test_a_region_that_is_not_kept_yet_is_known_to_its_rollout(settings: dict[str, Any], most: int) -> None:
    """All states after the first are in one region, so that a rollout ends when it stays there."""
    for survive in (0, 10):
        planner = ArchiveSearch(rollout=20, survive=survive, **settings)
        search = planner.begin(Cliff(fatal=1_000), [lambda step: [int(any(step.observation))], lambda step: [0]])
        search.visit()
        assert search.interactions <= most


def test_the_same_seed_finds_the_same() -> None:
    first, second = (run(maze_search(ArchiveSearch(), 5), 4_000) for _ in range(2))
    assert first.best == second.best
    assert first.trajectories.action == second.trajectories.action
    assert run(maze_search(ArchiveSearch(), 6), 4_000).trajectories.action != first.trajectories.action


class Cliff:
    """A path along a cliff. Who goes over the edge falls for three steps and loses a life at the end of the fall."""

    actions = 2
    action_names = ("on", "over")
    deterministic = True

    def __init__(self, reward: float = 0.0, lives: bool = True, fatal: int = 4) -> None:
        self.place = self.depth = 0
        self.fatal = fatal  # the depth at which a life is lost
        self.reward = reward  # for going over the edge
        self.lives = lives

    def _show(self) -> Step:
        lives = 2 if self.depth >= self.fatal else 3
        reward = self.reward if self.depth == 1 else 0.0
        if self.lives:
            return Step(bytes([self.place, self.depth]), reward, info={"lives": lives})
        return Step(bytes([self.place, self.depth]), reward, terminated=lives < 3)

    def reset(self, seed: int | None = None) -> Step:
        self.place = self.depth = 0
        return self._show()

    def step(self, action: int) -> Step:
        if self.depth or action == 1:
            self.depth += 1
        else:
            self.place = min(self.place + 1, 100)
        return self._show()

    def save(self) -> tuple[int, int]:
        return self.place, self.depth

    def load(self, snapshot: tuple[int, int]) -> None:
        self.place, self.depth = snapshot


def cliff_regions(planner: ArchiveSearch, reward: float = 0.0, *, lives: bool = True) -> set[bytes]:
    search = planner.begin(Cliff(reward, lives), [lambda step: step.observation], 0)
    run(search, 1_000)
    return {features for gain in search.archive.top.inside for features in gain.index}


def test_states_shortly_before_a_lost_life_are_not_kept() -> None:
    kept = cliff_regions(ArchiveSearch(rollout=1_000, survive=3))
    assert len(kept) > 10
    assert all(depth == 0 for _, depth in kept)
    assert any(depth > 0 for _, depth in cliff_regions(ArchiveSearch(rollout=1_000, survive=0)))
    assert any(depth > 0 for _, depth in cliff_regions(ArchiveSearch(rollout=1_000, survive=3), lives=False))


def test_the_first_state_with_a_new_gain_is_kept_at_once() -> None:
    kept = cliff_regions(ArchiveSearch(rollout=1_000, survive=3), reward=1.0)
    assert len([depth for _, depth in kept if depth > 0]) == 1


def test_the_last_states_of_a_rollout_that_survives_are_kept() -> None:
    search = ArchiveSearch(rollout=3, survive=5).begin(TinyWorld(limit=100), [lambda step: step.observation.tobytes()])
    while search.archive.regions[-1] < 4:
        search.visit()
        assert search.interactions < 1_000


def test_a_search_without_progress_begins_again() -> None:
    search = maze_search(ArchiveSearch(restart=200))
    seen = []
    while search.interactions < 5_000:
        attempts, stalled = search.attempts, search.interactions - search.improved
        search.visit()
        if search.attempts > attempts:
            assert stalled >= 200 * attempts and search.attempts == attempts + 1
            assert search.archive.regions[-1] < 30 and search.interactions - search.improved < 30
            seen.append(search.interactions)
        else:
            assert stalled < 200 * attempts
    assert len(seen) > 2
    never = maze_search(ArchiveSearch(restart=0))
    run(never, 3_000)
    assert never.attempts == 1


def test_the_best_trajectory_is_kept_when_the_search_begins_again() -> None:
    search = maze_search(ArchiveSearch(restart=2_000), name="corridor")
    best = None
    while search.attempts < 3:
        search.visit()
        if best is not None:
            assert search.best is not None and search.best.score >= best.score
        best = search.best
    assert best is not None and best.score > 0
    step, score = search.simulator.reset(0), 0.0
    for action in search.trajectories.actions(best.node):
        step = search.simulator.step(action)
        score += step.reward
    assert score == best.score


def test_no_rollout_is_longer_than_what_is_left() -> None:
    search = maze_search(ArchiveSearch())
    search.visit(3)
    assert search.interactions <= 3


@pytest.mark.parametrize(
    "settings",
    [
        {"rollout": 0},
        {"hold": 0.5},
        {"patience": 0},
        {"widths": ()},
        {"widths": (3,)},
        {"survive": -1},
        {"restart": -1},
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        ArchiveSearch(**settings)  # type: ignore[arg-type]


class Errands:
    """A path on which every step gives `along`; the steps to its two ends, left and right, give these rewards."""

    actions = 2
    deterministic = True

    def __init__(self, along: float, left: float, right: float) -> None:
        self.along, self.ends, self.place = along, {-3: left, 5: right}, 0

    def reset(self, seed: int | None = None) -> Step:
        self.place = 0
        return Step(bytes([100]))

    def step(self, action: int) -> Step:
        self.place += 1 if action else -1
        reward = self.ends.get(self.place, self.along)
        return Step(bytes([100 + self.place]), reward, self.place in self.ends)

    def save(self) -> int:
        return self.place

    def load(self, snapshot: int) -> None:
        self.place = snapshot


@pytest.mark.parametrize(("along", "left", "right", "score"), [
    (0.0, -1.0, -1.0, None),  # a maze: both ends are lost
    (0.0, -1.0, 1.0, 1.0),
    (0.0, 0.0, 0.0, None),  # no end is better than none
    (-1.0, -1.0, -1.0, -3.0),  # every step costs, and the nearest end is the best
    (-0.1, -0.1, -0.1, pytest.approx(-0.3)),
    (-1.0, -100.0, -1.0, -5.0),  # one end is a cliff
    (-1.0, -100.0, 20.0, 16.0),
    (-1.0, -100.0, 2.0, -2.0),
    (-0.01, -1.0, -1.0, None),
])  # fmt: skip
def test_lost_episodes_are_not_reported_and_ends_of_costs_are(
    along: float, left: float, right: float, score: float | None
) -> None:
    search = run(ArchiveSearch(rollout=9).begin(Errands(along, left, right), [lambda step: step.observation]), 3_000)
    assert (None if search.best is None else search.best.score) == score
    assert search.best is None or search.best.ended


@pytest.mark.parametrize(("settings", "python", "command"), [
    ({"memory_mb": -1.0}, "memory_mb must be at least 1, not -1", "--archive-memory must be at least 1, not -1"),
    ({"widths": (3, "n")}, "widths must be chosen from 1, 2, n and all, not 3,n", "--widths must be"),
    ({"survive": -1}, "survive must not be negative", "--survive must"),
])  # fmt: skip
def test_messages_name_settings_as_they_are_written(settings: dict[str, Any], python: str, command: str) -> None:
    with pytest.raises(UsageError) as error:
        ArchiveSearch(**settings)
    assert str(error.value).startswith(python)
    with command_line_advice(), pytest.raises(UsageError) as error:
        ArchiveSearch(**settings)
    assert str(error.value).startswith(command)
