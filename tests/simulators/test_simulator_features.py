"""Features: tiles against a slow twin, cells, memory, functions of one's own."""

from __future__ import annotations

import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widthwise as ww
from places import ROOT
from widthwise import _native
from widthwise.simulators.features import CustomFeatures


def slow_tiles(image: np.ndarray, width: int, height: int, values: int) -> list[int]:
    """Literal means of tiles, pixel by pixel in fractions."""
    rows, columns, channels = image.shape
    result = []
    for y in range(height):
        for x in range(width):
            for channel in range(channels):
                total = Fraction(0)
                for row in range(rows):
                    high = min(Fraction((y + 1) * rows, height), Fraction(row + 1))
                    high -= max(Fraction(y * rows, height), Fraction(row))
                    for column in range(columns) if high > 0 else ():
                        wide = min(Fraction((x + 1) * columns, width), Fraction(column + 1))
                        wide -= max(Fraction(x * columns, width), Fraction(column))
                        if wide > 0:
                            total += high * wide * int(image[row, column, channel])
                mean = total / (Fraction(rows, height) * Fraction(columns, width))
                result.append(int(mean * values / 256))
    return result


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_tiles_are_exact_means(data):
    rows, columns = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12))
    channels = data.draw(st.integers(1, 3))
    width, height = data.draw(st.integers(1, columns)), data.draw(st.integers(1, rows))
    values = data.draw(st.integers(2, 256))
    image = np.random.default_rng(data.draw(st.integers(0, 1000))).integers(0, 256, (rows, columns, channels))
    image = image.astype(np.uint8)
    tiles = ww.Tiles(width, height, values)
    result = tiles(ww.Step(image))
    assert result.tolist() == slow_tiles(image, width, height, values)
    assert tiles.count == len(result) == width * height * channels


def test_tall_images_do_not_overflow():
    image = np.full((2000, 3, 1), 255, np.uint8)
    assert ww.Tiles(1, 1)(ww.Step(image)).tolist() == [255]
    assert ww.Tiles(3, 2, 8)(ww.Step(image)).tolist() == [7] * 6


def test_shrinking_pictures_rounds():
    out = np.empty((1, 1), np.uint8)
    _native.Shrink(2, 2, 1, 1, 1, nearest=True)(np.array([[0, 1], [1, 1]], np.uint8), out)
    assert out[0, 0] == 1
    _native.Shrink(2, 2, 1, 1, 1)(np.array([[0, 1], [1, 1]], np.uint8), out)
    assert out[0, 0] == 0
    with pytest.raises(ValueError, match="size"):
        _native.Shrink(2, 2, 1, 1, 1)(np.zeros((3, 3), np.uint8), out)
    with pytest.raises(ValueError, match="tiles"):
        _native.Shrink(2, 2, 1, 3, 1)
    with pytest.raises(ValueError, match="channels"):
        _native.Shrink(2, 0, 1, 1, 1)
    with pytest.raises(TypeError):
        _native.Shrink(2, 2, 1, 1, 1)(np.zeros((2, 2), np.float64), out)


def test_tiles_of_a_maze_follow_the_agent():
    env = ww.simulator("maze-small")
    tiles = ww.Tiles(4, 4)
    first = tiles(env.reset())
    assert (tiles.count, tiles.values) == (48, 256)
    step = env.step(3)
    assert np.array_equal(tiles(step), first)  # within a tile the agent weighs the same
    for _ in range(2):
        step = env.step(3)
    assert np.array_equal(tiles(step), first) == (step.info["position"][1] // 5 == 7 // 5)
    gray = ww.Tiles(4, 4, gray=True)
    assert len(gray(step)) == gray.count == 16
    assert pickle.loads(pickle.dumps(gray))(step).tolist() == gray(step).tolist()
    assert repr(gray) == "Tiles(4, 4, 256, gray=True)"


def counted_tile_vectors() -> list[tuple[str, int, bool, int, int, int]]:
    """The table of the page: maze, tiles per side, gray, and the vectors without the key, with it and in both."""
    page = (ROOT / "docs" / "results" / "mazes-presets.md").read_text(encoding="utf-8")
    rows, maze = [], ""
    for line in page.partition("## What the tiles show")[2].splitlines():
        found = re.match(r"\| (\w*) ?\| (\d+)x\d+ \| (\d+), (\d+) \| (\d+), (\d+)(.*)", line)
        if found is None:
            continue
        maze = found[1] or maze
        side, without, with_key, gray_without, gray_with = (int(found[group]) for group in range(2, 7))
        rows.append((f"maze-{maze}", side, False, without, with_key, 0))
        rows.append((f"maze-{maze}", side, True, gray_without, gray_with, int("same" in found[7])))
    assert len(rows) == 12
    return rows


@pytest.mark.parametrize(("maze", "side", "gray", "without", "with_key", "shared"), counted_tile_vectors())
def test_what_tiles_show_of_the_mazes(maze: str, side: int, gray: bool, without: int, with_key: int, shared: int):
    env = ww.simulator(maze)
    tiles = ww.Tiles(side, side, gray=gray)
    vectors: tuple[set[bytes], set[bytes]] = (set(), set())
    step = env.reset()
    vectors[0].add(tiles(step).tobytes())
    seen, frontier = {(step.info["position"], 0)}, [env.save()]
    while frontier:
        state, _, _ = frontier.pop()
        for action in range(env.actions):
            env.load((state, 0, False))
            step = env.step(action)
            place = step.info["position"], step.info["key"]
            if step.terminated or place in seen:
                continue
            seen.add(place)
            vectors[step.info["key"]].add(tiles(step).tobytes())
            frontier.append(env.save())
    assert (len(vectors[0]), len(vectors[1])) == (without, with_key)
    assert len(vectors[0] & vectors[1]) == shared


def test_tiles_refuse_what_is_no_image():
    with pytest.raises(ww.UsageError, match="tiles are not possible"):
        ww.Tiles(0, 2)
    with pytest.raises(ww.UsageError, match="values"):
        ww.Tiles(2, 2, 1)
    with pytest.raises(ww.UsageError, match="images"):
        ww.Tiles(1, 1)(ww.Step(np.zeros(4)))
    with pytest.raises(ww.UsageError, match="too small for"):
        ww.Tiles(3, 3)(ww.Step(np.zeros((2, 2), np.uint8)))
    tiles = ww.Tiles(1, 1)
    tiles(ww.Step(np.zeros((2, 2), np.uint8)))
    with pytest.raises(ww.UsageError, match="changed"):
        tiles(ww.Step(np.zeros((3, 2), np.uint8)))
    strided = np.zeros((4, 4, 3), np.uint8)[:, :, 0]
    assert ww.Tiles(2, 2)(ww.Step(strided)).tolist() == [0] * 4


def test_cells_info_and_functions():
    env = ww.simulator("corridor")
    first = env.reset()
    assert ww.Cells()(first).tolist() == [14]
    assert ww.Cells(key=True)(first).tolist() == [14, 0]
    assert ww.Cells(key=True).count == 2
    assert ww.Info("key", values=2)(first).tolist() == [0]
    with pytest.raises(ww.UsageError, match="has no entry 'lives'; it has cell"):
        ww.Info("lives")(first)
    with pytest.raises(ww.UsageError, match="ram"):
        ww.Ram()(first)
    with pytest.raises(ww.UsageError, match="127"):
        ww.Ram([128])
    own = CustomFeatures(lambda step: step.info["position"], values=13)
    assert own(first).tolist() == [1, 1]
    assert (own.count, own.values) == (2, 13)
    with pytest.raises(ww.UsageError, match="integers"):
        CustomFeatures(lambda step: [0.5])(first)
    with pytest.raises(ww.UsageError, match="instead of 3 as before"):
        CustomFeatures(lambda step: [1, 2], count=3)(first)


def test_whole_means_stay_whole():
    for shade in range(256):
        image = np.full((84, 84, 3), shade, np.uint8)
        assert set(ww.Tiles(8, 11)(ww.Step(image)).tolist()) == {shade}
        assert set(ww.Tiles(5, 3, 32)(ww.Step(image)).tolist()) == {shade // 8}
