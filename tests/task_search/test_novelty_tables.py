"""Novelty tables against the set of all tuples."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import Spec
from twin_search import Tuples
from widthwise import _native
from widthwise.core.novelty import RestrictedTable, ValueTable

WIDTHS = [1, 2, 3, 4, "n"]


def native_width(width):
    return _native.ALL_FEATURES if width == "n" else width


@st.composite
def walks(draw, most=12):
    """States one after another, each usually a small change of an earlier one (its number, or None)."""
    count = draw(st.sampled_from([1, 2, 3, 7, 64, 65, 140]))
    atom = st.integers(0, count - 1)
    states = [frozenset(draw(st.lists(atom, max_size=6)))]
    steps = [(None, states[0])]
    for _ in range(draw(st.integers(0, most))):
        before = draw(st.integers(0, len(states) - 1))
        after = states[before] ^ frozenset(draw(st.lists(atom, max_size=3)))
        steps.append((before, after))
        states.append(after)
    return count, steps


def check_walk(walk, width, meter, use_before):
    count, steps = walk
    operators = _native.Operators(Spec(count, ()).native())
    table, twin = _native.NoveltyTable(meter, count, native_width(width)), Tuples(width)
    states = [operators.state(sorted(state)) for _, state in steps]
    for (before, state), native in zip(steps, states, strict=True):
        # Only a state that is in the table already may be named as the one before.
        known = before is not None and not twin.novel(steps[before][1])
        origin = states[before] if known and use_before else None
        assert table.novel(native, origin) == twin.novel(state)
        if not known or len(state) % 3:
            assert table.take(native, origin) == twin.novel(state)
            twin.add(state)
        assert table.novel(sorted(state)) == twin.novel(state)
    return table


@pytest.mark.parametrize("width", WIDTHS)
@given(walks(), st.booleans())
@settings(max_examples=60)
def test_tables_are_sets_of_tuples(width, walk, use_before):
    table = check_walk(walk, width, _native.Meter(), use_before)
    assert not table.sparse


@given(walks(), st.booleans())
@settings(max_examples=60)
def test_sparse_pair_tables_are_sets_of_pairs(walk, use_before):
    """With 3000 features the matrix does not fit into 2 MB, so pairs are kept in a hash set."""
    _, steps = walk
    table = check_walk(
        (3000, [(before, {21 * item for item in state}) for before, state in steps]),
        2,
        _native.Meter(bytes=2_000_000),
        use_before,
    )
    assert table.sparse


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 300])
def test_pair_table_that_would_not_fit_is_sparse(count):
    """What decides is whether the matrix takes more than half of what is free."""
    matrix = count * 8 * ((count + 63) // 64)
    assert not _native.NoveltyTable(_native.Meter(bytes=2 * matrix + 8), count, 3 if count == 1 else 2).sparse
    if count > 1:
        assert _native.NoveltyTable(_native.Meter(bytes=2 * matrix - 2), count, 2).sparse


@given(st.lists(st.lists(st.integers(0, 2999), max_size=5, unique=True), max_size=8), st.integers(3, 7))
@settings(max_examples=30)
def test_tuples_of_many_features(states, width):
    """Tuples that need more than 64 bits, and widths above the number of atoms that hold."""
    table, twin = _native.NoveltyTable(_native.Meter(), 3000, width), Tuples(width)
    for state in states:
        assert table.take(state) == twin.novel(state)
        twin.add(state)
    for state in states:
        assert not table.novel(state)


def test_tuples_that_fit_no_key_are_refused():
    with pytest.raises(ValueError, match="128 bits"):
        _native.NoveltyTable(_native.Meter(), 3000, 11)
    with pytest.raises(ValueError, match="at least 1"):
        _native.NoveltyTable(_native.Meter(), 3, 0)


def test_a_width_above_the_number_of_features_is_all_tuples():
    table = _native.NoveltyTable(_native.Meter(), 3, 50)
    assert table.take([0, 1, 2])
    assert not table.take([0, 1])
    assert not table.take([])


def test_tables_give_their_memory_back():
    for width in WIDTHS:
        meter = _native.Meter()
        table = _native.NoveltyTable(meter, 100, native_width(width))
        for start in range(90):
            table.insert(list(range(start, start + 5)))
        assert meter.bytes == table.bytes > 0
        del table
        assert meter.bytes == 0


@pytest.mark.parametrize("width", [2, 3, "n"])
def test_a_table_without_room_says_so(width):
    meter = _native.Meter(bytes=20_000)
    table = _native.NoveltyTable(meter, 1000, native_width(width))
    with pytest.raises(MemoryError):
        for start in range(1000):
            table.insert([(start * 7 + step * step) % 1000 for step in range(20)])
    assert meter.peak_bytes <= 20_000


vectors = st.lists(st.tuples(*[st.integers(0, 2)] * 4), max_size=25)


@given(vectors, st.sampled_from([1, 2, 3, 4, 9, "n"]))
def test_value_tables_are_sets_of_tuples(states, width):
    table, twin = ValueTable(width), Tuples(min(width, 4) if width != "n" else "n")
    for state in states:
        assert table.novel(state) == twin.novel(set(enumerate(state)))
        assert table.take(state) == twin.novel(set(enumerate(state)))
        twin.add(set(enumerate(state)))


@given(vectors, st.integers(1, 2), st.integers(1, 2))
def test_restricted_tables_look_at_both_sets_together(states, high, low):
    table, seen = RestrictedTable([0, 2], high, [1, 3], low), set()
    for state in states:
        tuples = {
            item
            for item in Tuples(high + low).tuples(set(enumerate(state)))
            if sum(place in (0, 2) for place, _ in item) == high and sum(place in (1, 3) for place, _ in item) == low
        }
        assert table.take(state) == (not tuples <= seen)
        seen |= tuples
