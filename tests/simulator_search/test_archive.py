"""The archive of high-level states: who is chosen, whose entry is replaced, and searches over it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

import widthwise as ww
from tiny_world import TinyWorld
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.simulator_search.archive import (
    START,
    Archive,
    ArchiveRegion,
    Count,
    Entry,
    Gains,
    Trajectories,
    gain_features,
)
from widthwise.simulator_search.archive_search import ArchiveSearch, SearchAtWork
from widthwise.simulators.features import Cells, Tiles


def entry(score: float = 0.0, steps: int = 0) -> Entry:
    return Entry("state", score, steps, START, None, gain=max(0.0, score))


def offered(archive: Archive, features: list[bytes], score: float, steps: int, *, improve: bool = True) -> bool:
    return archive.offer(features, entry(score, steps), improve=improve)


def test_regions_are_chosen_by_their_visits_here_and_with_any_gain() -> None:
    region, rng = ArchiveRegion(), random.Random(0)
    first, _ = (region.add(name, Count()) for name in (b"a", b"b"))
    first.count(1.0)
    assert first.weight() == 0.25
    chosen = Counter(region.choose(rng) is first for _ in range(4_000))
    assert chosen[True] / 4_000 == pytest.approx(0.2, abs=0.03)


def test_visits_count_for_the_same_region_with_other_gains() -> None:
    for shared, weight in ((True, 1 / 3), (False, 1.0)):
        archive = Archive(3, gains=True, shared=shared)
        for gain in (0.0, 1.0):
            for place in (b"x", b"y"):
                offered(archive, [gain_features(gain), place, b"fine"], gain, 0)
        low, high = archive.top.inside
        low.inside[0].count(2.0)
        assert [region.weight() for region in high.inside] == [weight, 1.0]
        assert low.inside[0].weight() == 1 / 9


def test_visits_to_other_gains_do_not_count_on_the_lowest_level() -> None:
    archive = Archive(2, gains=True)
    for gain in (0.0, 1.0):
        offered(archive, [gain_features(gain), b"x"], gain, 0)
    low, high = (region.inside[0] for region in archive.top.inside)
    low.count(1.0)
    assert (low.weight(), high.weight()) == (0.5, 1.0)


def test_a_visit_counts_as_the_part_of_a_rollout_that_it_took() -> None:
    for planner, visits in ((ArchiveSearch(rollout=10), 0.3), (ArchiveSearch(rollout=10, count_steps=False), 1.0)):
        search = maze_search(planner)
        search.visit(3)
        assert search.archive.top.inside[0].visits == visits


def test_a_better_way_replaces_the_entry_and_resets_the_count() -> None:
    archive = Archive(2)
    assert offered(archive, [b"x", b"y"], 0.0, 10)
    leaf = archive.top.inside[0].inside[0]
    leaf.visits = 7
    assert not offered(archive, [b"x", b"y"], 0.0, 10)
    assert leaf.visits == 7
    for score, steps in ((0.0, 9), (1.0, 50), (1.0, 49)):
        leaf.visits = 7
        assert not offered(archive, [b"x", b"y"], score, steps)
        assert leaf.entry is not None and (leaf.entry.score, leaf.entry.steps) == (score, steps)
        assert leaf.visits == 0
    offered(archive, [b"x", b"y"], 2.0, 1, improve=False)
    assert leaf.entry is not None and leaf.entry.score == 1.0


def test_regions_nest_and_are_counted_per_level() -> None:
    archive = Archive(2)
    assert offered(archive, [b"x", b"1"], 0.0, 0)
    assert offered(archive, [b"x", b"2"], 0.0, 0)
    assert offered(archive, [b"y", b"1"], 0.0, 0)
    assert archive.regions == [2, 3]


def test_high_gains_are_preferred_by_their_rank() -> None:
    gains, rng = Gains(), random.Random(0)
    for gain in (100.0, 5.0, 400.0):
        gains.add(gain_features(gain))
    chosen = Counter(gains.inside.index(gains.choose(rng)) for _ in range(6_000))
    for place, share in ((2, 6 / 11), (0, 3 / 11), (1, 2 / 11)):
        assert chosen[place] / 6_000 == pytest.approx(share, abs=0.02)


def test_a_single_gain_draws_no_random_number() -> None:
    gains, rng = Gains(), random.Random(3)
    gains.add(gain_features(0.0))
    assert gains.choose(rng) is gains.inside[0]
    assert rng.random() == random.Random(3).random()


def test_states_with_different_gains_are_in_different_regions() -> None:
    archive = Archive(2, gains=True)
    assert offered(archive, [gain_features(0.0), b"x"], 0.0, 10)
    assert offered(archive, [gain_features(100.0), b"x"], 100.0, 20)
    assert not offered(archive, [gain_features(0.0), b"x"], 0.0, 5)
    assert archive.regions == [2, 2]


def test_losses_do_not_make_a_state_new() -> None:
    class Costly(TinyWorld):
        """A world in which every step costs a point."""

        def step(self, action: int) -> Step:
            return replace(super().step(action), reward=-1.0)

    search = run(ArchiveSearch(rollout=5).begin(Costly(), [lambda step: [0]], seed=0), 200)
    assert search.archive.regions == [1, 1]  # one gain, although there are many scores
    region = search.archive.top.inside[0].inside[0]
    assert region.entry is not None and region.entry.gain == 0.0


def test_an_archive_without_room_gives_up_the_lowest_gain() -> None:
    archive = Archive(2, gains=True, most=5 * entry().size)
    for score in (0.0, 1.0):
        for name in (b"a", b"b", b"c"):
            offered(archive, [gain_features(score), name], score, 1)
    assert archive.regions == [1, 3] and archive.bytes == 3 * entry().size
    assert not offered(archive, [gain_features(0.0), b"d"], 0.0, 1)  # a gain that was given up
    for name in (b"d", b"e", b"f"):
        offered(archive, [gain_features(1.0), name], 1.0, 1)
    assert archive.regions == [1, 5]  # the only gain stays, and there is no room for the sixth region
    assert offered(archive, [gain_features(2.0), b"a"], 2.0, 1)  # but for a higher gain
    assert archive.regions == [1, 1]


def test_an_archive_without_scores_keeps_what_it_has() -> None:
    archive = Archive(1, most=2 * entry().size)
    assert [offered(archive, [name], 0.0, 1) for name in (b"a", b"b", b"c")] == [True, True, False]


def test_a_trajectory_is_read_from_the_start() -> None:
    ways = Trajectories()
    first = ways.add(START, 3)
    second = ways.add(first, 1)
    other = ways.add(first, 2)
    assert ways.actions(second) == [3, 1]
    assert ways.actions(other) == [3, 2]
    assert ways.actions(START) == []


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


def test_counts_of_dropped_regions_are_forgotten() -> None:
    archive = Archive(3, gains=True, most=10_000, shared=True)

    def offer(gain: float, scene: int) -> None:
        archive.offer([gain_features(gain), bytes([scene]), bytes([0])], Entry(None, gain, 1, 0, None, gain=gain))

    offer(0.0, 1)
    offer(1.0, 2)
    assert {(bytes([1]),), (bytes([2]),)} <= set(archive.counts)
    for scene in range(3, 9):
        offer(2.0, scene)
    assert archive.lowest >= 0
    assert (bytes([1]),) not in archive.counts and (bytes([3]),) in archive.counts


def test_a_full_archive_takes_no_more_places_and_keeps_only_counts_in_use() -> None:
    archive = Archive(3, gains=True, most=20 * entry().size)
    rng, scenes = random.Random(0), range(30)
    most = 0
    for gain in range(200):
        for _ in range(5):
            offered(archive, [gain_features(gain), bytes([rng.choice(scenes)]), bytes([rng.randrange(4)])], gain, 1)
        most = max(most, len(archive.top.index))
        kept = [archive.top.inside[place] for place in archive.top.index.values()]
        used = {count.features: count for top in kept for region in [top, *top.inside] if (count := region.everywhere)}
        assert archive.counts == used
        for features, count in used.items():
            users = len(kept) if not features else sum(features[0] in top.index for top in kept)
            assert count.regions == users
    assert archive.lowest > 150
    assert len(archive.top.inside) <= most + 1  # places of gains that were given up are taken again


def test_a_drop_does_not_look_at_the_regions_that_stay() -> None:
    class Untouched(ArchiveRegion):
        """A region whose inside must not be read."""

        __slots__ = ()
        inside = property(lambda self: pytest.fail("a region that stays was read"))

        def __init__(self) -> None:
            self.index, self.everywhere, self.entry, self.visits = {}, None, None, 0.0

    archive = Archive(3, gains=True, most=4 * entry().size)
    for gain in (0.0, 1.0):
        for place in (b"x", b"y"):
            offered(archive, [gain_features(gain), place, b"fine"], gain, 1)
    archive.top.inside[1] = Untouched()
    assert offered(archive, [gain_features(2.0), b"x", b"fine"], 2.0, 1)
    assert archive.lowest == 0.0
