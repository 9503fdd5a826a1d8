"""Depth-based novelty: the native table against a literal one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin_rollouts import LiteralTable
from widthwise import _native

WIDTHS: list[tuple[int | str, int]] = [(1, 1), (2, 2), ("n", 0)]


@pytest.mark.parametrize("width, number", WIDTHS)
@settings(max_examples=60)
@given(data=st.data())
def test_the_table_agrees_with_a_literal_one(width, number, data) -> None:
    count = data.draw(st.integers(1, 5))
    vector = st.lists(st.integers(0, 2), min_size=count, max_size=count).map(bytes)
    table, literal = _native.DepthTable(number), LiteralTable(width)
    for node in range(data.draw(st.integers(1, 25))):
        values, depth = data.draw(vector), data.draw(st.integers(0, 5))
        novel, losers = table.insert(values, depth, node)
        expected, former = literal.insert(values, depth, node)
        assert (novel, sorted(losers)) == (expected, sorted(former))
        assert len(table) == len(literal.seen)


@pytest.mark.parametrize("width, number", WIDTHS)
@settings(max_examples=60)
@given(data=st.data())
def test_what_the_parent_showed_may_be_skipped(width, number, data) -> None:
    count = data.draw(st.integers(1, 100))
    size = data.draw(st.sampled_from([1, 2, 4]))
    whole, short = _native.DepthTable(number, size), _native.DepthTable(number, size)

    def pack(values: list[int]) -> bytes:
        return b"".join(value.to_bytes(size, "little") for value in values)

    before = [0] * count
    for depth in range(8):
        values = list(before)
        for place in data.draw(st.lists(st.integers(0, count - 1), max_size=3)):
            values[place] = data.draw(st.integers(0, 3))
        full = whole.insert(pack(values), depth, depth)
        assert full == (short.insert(pack(values), depth, depth, pack(before) if depth else b""))
        before = values


def test_by_hand() -> None:
    table = _native.DepthTable(1)
    assert table.insert(b"\x01\x02", 3, 10) == (2, [])
    assert table.insert(b"\x01\x02", 3, 11) == (0, [])  # the same depth is not novel
    assert table.insert(b"\x01\x03", 2, 12) == (2, [10])  # a smaller depth is; 10 keeps its other value
    assert table.depths(b"\x01\x02") == [2, 3]
    table.clear()
    assert len(table) == 0
    assert table.insert(b"\x01\x02", 9, 13) == (2, [])


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match="widths 1, 2 and n"):
        _native.DepthTable(3)
    with pytest.raises(ValueError, match="1, 2 or 4 bytes"):
        _native.DepthTable(1, 3)
    with pytest.raises(ValueError, match="half a value"):
        _native.DepthTable(1, 2).insert(b"\x01", 0, 0)
