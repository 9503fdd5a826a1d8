"""A game's screen as a small picture: the same as turning all of it gray and shrinking it, whatever came before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widthwise import _native

GRAYS = (np.arange(256) * 37 % 256).astype(np.uint8)  # some gray for every colour


def shrunk(colours: np.ndarray, rows: int, columns: int) -> np.ndarray:
    out = np.empty((rows, columns), np.uint8)
    _native.Shrink(*colours.shape, 1, rows, columns, nearest=True)(GRAYS[colours], out)  # type: ignore[call-arg, misc]
    return out


@given(st.data())
def test_is_gray_and_shrunk(data: st.DataObject) -> None:
    height, width = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 9))
    rows, columns = data.draw(st.integers(1, height)), data.draw(st.integers(1, width))
    screen = _native.Screen(height, width, rows, columns)
    colours, picture = np.zeros((height, width), np.uint8), np.empty((rows, columns), np.uint8)
    known: set[int] = set()
    for _ in range(data.draw(st.integers(1, 6))):
        for _ in range(data.draw(st.integers(0, 4))):  # a few pixels change, and with them a few rows
            place = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
            colours[place] = data.draw(st.integers(0, 5))
        new = set(colours.ravel().tolist()) - known
        picture[:] = 99
        assert screen.look(colours, picture) == (not new)
        if new:
            assert (picture == 99).all()
            screen.learn(colours, GRAYS[colours])
            known |= new
            assert screen.look(colours, picture)
        assert np.array_equal(picture, shrunk(colours, rows, columns))


def test_of_another_size_is_refused() -> None:
    screen = _native.Screen(4, 3, 2, 2)
    right, small, wrong = np.zeros((4, 3), np.uint8), np.zeros((2, 2), np.uint8), np.zeros((3, 3), np.uint8)
    for colours, picture in ((wrong, small), (right, wrong)):
        with pytest.raises(ValueError, match="size"):
            screen.look(colours, picture)
    for colours, grays in ((wrong, right), (right, wrong)):
        with pytest.raises(ValueError, match="size"):
            screen.learn(colours, grays)


def test_a_changed_gray_counts() -> None:
    screen, colours, picture = _native.Screen(2, 2, 2, 2), np.full((2, 2), 7, np.uint8), np.empty((2, 2), np.uint8)
    for gray in (10, 20):
        screen.learn(colours, np.full((2, 2), gray, np.uint8))
        assert screen.look(colours, picture) and (picture == gray).all()
