"""The archive of high-level states: who is chosen, whose entry is replaced, and what is given up."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from widthwise.simulator_search.archive import Archive, ArchiveRegion, Count, Entry, Gains, gain_features
from widthwise.simulator_search.trajectories import START, Trajectories


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


def test_counts_of_dropped_regions_are_forgotten() -> None:
    archive = Archive(3, gains=True, most=3 * entry().size, shared=True)

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
