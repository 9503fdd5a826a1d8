"""B-PROST features: the native kernel against their definition, and searches over sets of features."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widthwise as ww
from sim_fakes import looked_up, random_features, random_graph
from sim_search import begin
from widthwise import _native
from widthwise.core.errors import UsageError

ROWS, COLUMNS, COLOURS = 14, 16, 128
OFFSETS = 27 * 31
SPACE = ROWS * COLUMNS * COLOURS
TIME = SPACE + COLOURS * COLOURS * OFFSETS

Patch = tuple[int, int, int]  # row, column, colour


def literal_patches(colours: np.ndarray) -> set[Patch]:
    height, width = colours.shape
    return {
        (row * ROWS // height, column * COLUMNS // width, int(colours[row, column]))
        for row in range(height)
        for column in range(width)
    }


def numbered(patches: set[Patch]) -> bytes:
    numbers = sorted((row * COLUMNS + column) * COLOURS + colour for row, column, colour in patches)
    return np.array(numbers, "<u2").tobytes()


def literal_features(now: set[Patch], before: set[Patch], background: set[Patch], space: bool, time: bool) -> list[int]:
    """The definition: every pair of patches, one by one."""
    now, before = now - background, before - background

    def pair(first: Patch, second: Patch) -> int:
        offset = (second[0] - first[0] + 13) * 31 + second[1] - first[1] + 15
        return (first[2] * COLOURS + second[2]) * OFFSETS + offset

    features = {(row * COLUMNS + column) * COLOURS + colour for row, column, colour in now}
    if space:
        for first in now:
            for second in now:
                same = first[2] == second[2]
                # An unordered pair has one number: that of the smaller colour first, or of the upper tile first.
                if first[2] < second[2] or (same and first[:2] <= second[:2]):
                    features.add(SPACE + pair(first, second))
    if time:
        features |= {TIME + pair(first, second) for first in before for second in now}
    return sorted(features)


PATCHES = st.sets(
    st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1), st.sampled_from([0, 1, 63, 64, 127])), max_size=14
)


@given(PATCHES, PATCHES, PATCHES, st.booleans(), st.booleans())
def test_features_are_those_of_the_definition(now, before, background, space, time) -> None:
    features = _native.screen_features(numbered(now), numbered(before), numbered(background), space, time)
    assert np.frombuffer(features, "<u4").tolist() == literal_features(now, before, background, space, time)


@settings(max_examples=25)
@given(st.data())
def test_patches_are_those_of_the_definition_whatever_was_seen_before(data) -> None:
    height, width = data.draw(st.sampled_from([(14, 16), (15, 20), (29, 17)]))
    patches = _native.Patches(height, width)
    colours = np.zeros((height, width), np.uint8)
    for _ in range(4):
        for _ in range(data.draw(st.integers(0, 3))):
            place = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
            colours[place] = data.draw(st.integers(0, 127))
        assert patches.of(colours) == numbered(literal_patches(colours))


@pytest.mark.parametrize("wrong", [b"\x01", b"\x02\x00\x01\x00"])
def test_damaged_patches_are_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError, match="patches"):
        _native.screen_features(wrong, b"", b"", True, True)
    with pytest.raises(ValueError, match="14 rows"):
        _native.Patches(13, 16)


@pytest.mark.parametrize("planner", [ww.RolloutIW(1), ww.CountRolloutIW(1), ww.RolloutIW("n")])
@pytest.mark.parametrize("seed", range(6))
def test_a_search_over_sets_is_the_search_over_vectors_of_the_same_tuples(planner: Any, seed: int) -> None:
    vectors = random_features(seed)
    sets: list[bytes] = [
        ww.FeatureSet.of([4 * place + value for place, value in enumerate(vector)]) for vector in vectors
    ]
    trees = []
    for features in (vectors, sets):
        driver, hierarchy = begin(random_graph(seed), planner, looked_up(features), seed)
        driver.run(hierarchy.requests(), 60)
        trees.append((driver.tree.nodes.parent, driver.tree.nodes.action))
    assert trees[0] == trees[1]


def test_pairs_of_a_set_are_refused() -> None:
    with pytest.raises(ValueError, match="width 1 or n"):
        _native.DepthTable(2, 0)
    agent = ww.OnlinePlanner("maze-small", ww.RolloutIW(2), features=ww.BProst(), max_steps=1)
    with pytest.raises(UsageError, match="sets of features"):
        agent.run(seed=0)


def test_ihiw_refuses_sets() -> None:
    with pytest.raises(UsageError, match="vectors"):
        ww.OnlinePlanner("maze-small", ww.IHIW(), features=ww.BProst(), max_steps=1).run(seed=0)


def test_mazes_are_seen_without_their_background() -> None:
    env = ww.simulator("maze-small")
    whole, fitted = ww.BProst(), ww.BProst.fit(env, steps=60)
    step = env.reset(seed=0)
    assert 0 < len(fitted(step)) < len(whole(step))
    again = pickle.loads(pickle.dumps(fitted))
    env.step(1)
    assert again(step) == fitted(step)


def test_an_observation_without_a_picture_is_refused() -> None:
    with pytest.raises(UsageError, match="need images"):
        ww.BProst()(ww.Step(np.zeros(3)))
    with pytest.raises(UsageError, match="too small"):
        ww.BProst()(ww.Step(np.zeros((5, 5), np.uint8)))


@pytest.mark.atari
def test_an_atari_game_shows_the_screen_before_also_after_a_restore() -> None:
    env = ww.simulator("atari:breakout")
    features = ww.BProst()
    first = env.reset(seed=0)
    assert first.info["patches"][0] == b""  # nothing came before
    snapshot = env.save()
    rng = random.Random(1)
    step = env.step(1)
    assert step.info["patches"][0] == first.info["patches"][1]
    expected = features(step)
    for _ in range(5):
        env.step(rng.randrange(env.actions))
    env.load(snapshot)
    assert features(env.step(1)) == expected
    assert expected.numbers()[-1] == (1 << 31) + 5  # lives
    packed: Any = env
    env.load(packed.unpack_snapshot(packed.pack_snapshot(snapshot)))
    assert features(env.step(1)) == expected
