"""The theory by calls: the numbers of the paper, and the public searches of Theorem 2 against HIW and each other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widthwise as ww
from strategies import Spec, finite_domain_tasks, model_of
from theory_tasks import Plain, gated_grids, kept_states, key_tasks, vector
from widthwise.cli.main import main

# The table of the appendix: states in order, and the tuples that are printed in bold (f0f1 f0f2 f0f3 f1f2 f1f3 f2f3).
APPENDIX = [
    ("0000", "111111"),
    ("0001", "001011"),
    ("0011", "010101"),
    ("0010", "000001"),
    ("0110", "100110"),
    ("0111", "000010"),
    ("0101", "000100"),
    ("0100", "000000"),
    ("1100", "111000"),
    ("1101", "001000"),
    ("1111", "010000"),
    ("1110", "000000"),
    ("1010", "100000"),
    ("1011", "000000"),
    ("1001", "000000"),
    ("1000", "000000"),
]


def test_the_table_of_the_appendix_row_by_row() -> None:
    table = ww.theory.gray_code_table()
    rows = [("".join(map(str, row.state)), "".join(str(int(new)) for new in row.new)) for row in table.rows]
    assert rows == APPENDIX
    # The first part has N(n-1,d,w) novel states, the second (d-1) N(n-1,d,w-1).
    assert len(table.novel_without_first) == ww.theory.novel_states(3, 2, 2) == 7
    assert len(table.novel_with_first) == (2 - 1) * ww.theory.novel_states(3, 2, 1) == 4
    assert len(table.novel) == ww.theory.novel_states(4, 2, 2) == 11


@pytest.mark.parametrize(
    ("n", "d"), [(1, 2), (2, 2), (3, 2), (5, 2), (6, 2), (1, 3), (2, 3), (4, 3), (3, 4), (2, 7), (0, 2)]
)
def test_gray_code_reaches_the_bound_in_both_parts(n: int, d: int) -> None:
    states = ww.theory.gray_code(n, d)
    assert len(states) == len(set(states)) == d**n
    for state, following in pairwise(states):
        assert sorted(abs(a - b) for a, b in zip(state, following, strict=True))[-2:] in ([1], [0, 1])
    for w in range(1, n + 1):
        table = ww.theory.gray_code_table(n, d, w)
        assert len(table.novel) == ww.theory.novel_states(n, d, w)
        if w < n:
            assert len(table.novel_without_first) == ww.theory.novel_states(n - 1, d, w)
            assert len(table.novel_with_first) == (d - 1) * ww.theory.novel_states(n - 1, d, w - 1)


def test_the_example_of_the_paper_on_atari_memory() -> None:
    flat, hierarchy = ww.theory.novel_states(128, 256, 2), ww.theory.hierarchical_states([(1, 256, 1), (127, 256, 1)])
    assert f"{flat:.0e}" == "5e+08" and f"{hierarchy:.0e}" == "8e+06"
    assert ww.theory.flat_states([(1, 256, 1), (127, 256, 1)]) == flat


def test_wrong_arguments_are_refused() -> None:
    task = ww.example("corridor", length=2)
    for call in (
        lambda: ww.theory.gray_code(-1),
        lambda: ww.theory.gray_code(3, 0),
        lambda: ww.theory.gray_code(17, 2),
        lambda: ww.theory.gray_code(10**9, 2),
        lambda: ww.theory.gray_code_table(3, 2, 0),
        lambda: ww.theory.flat_states([]),
        lambda: ww.theory.restricted_iw(task, [], ["(at p0)"]),
        lambda: ww.theory.restricted_iw(task, ["(have-key)"], ["(at p0)"], 2),
        lambda: ww.theory.hierarchical_iw(task, ["(have-key)"], ["(at p0)"], 1, 0),
        lambda: ww.theory.hierarchical_iw(task, ["(have-keys)"], ["(at p0)"]),
        lambda: ww.theory.theorem_2(task, ["(have-key)"], ["(at p0)"], limit=2),
        lambda: ww.theory.restricted_iw(task, ["(have-key)"], ["(at p0)", "(at p1)"], limit=1),
    ):
        with pytest.raises(ww.UsageError):
            call()


def test_the_corridor_of_the_paper() -> None:
    """HIW(1,1) over the key visits the states of the restricted IW(2): every position with and without the key."""
    task = ww.example("corridor", length=6)
    places = [f"(at p{place})" for place in range(7)]
    shown = ww.theory.theorem_2(task, ["(have-key)"], places)
    assert shown.applies and shown.equivalent and len(shown.restricted) == 14
    assert not ww.theory.theorem_2(task, ["(at p3)"], places).applies


def features(spec: Spec, places: Any) -> list[Any]:
    return [lambda state, place=place: vector(spec, state)[place] for place in places]


@settings(max_examples=60)
@given(spec=key_tasks(), width=st.integers(1, 3))
def test_theorem_2_with_keys_by_one_call(spec: Spec, width: int) -> None:
    keys = range(1, len(spec.variables))
    width = min(width, len(keys))
    shown = ww.theory.theorem_2(Plain(spec), features(spec, keys), features(spec, [0]), width, 1)
    assert shown.applies and shown.equivalent
    planner = ww.HIW(lambda state: vector(spec, state)[1:], ww.IW(width), ww.IW(1), record=True)
    assert kept_states(planner.run(model_of(spec)).search) == shown.hierarchical


@pytest.mark.parametrize("low_width", [1, 2])
@settings(max_examples=40)
@given(spec=gated_grids())
def test_theorem_2_with_two_low_level_features_by_one_call(low_width: int, spec: Spec) -> None:
    shown = ww.theory.theorem_2(Plain(spec), features(spec, [0]), features(spec, [1, 2]), 1, low_width)
    assert shown.applies and shown.equivalent
    planner = ww.HIW(lambda state: vector(spec, state)[0], ww.IW(1), ww.IW(low_width), record=True)
    assert kept_states(planner.run(model_of(spec)).search) == shown.hierarchical


@settings(max_examples=60)
@given(spec=finite_domain_tasks(goal=False), high_width=st.integers(1, 2), low_width=st.integers(1, 2))
def test_theorem_3_bounds_the_reference_search(spec: Spec, high_width: int, low_width: int) -> None:
    high, low = spec.variables[:1], spec.variables[1:]
    high_width, low_width = min(high_width, len(high)), min(low_width, len(low))
    kept = ww.theory.hierarchical_iw(
        Plain(spec), features(spec, [0]), features(spec, range(1, len(spec.variables))), high_width, low_width
    )
    levels = [
        (len(high), max(map(len, high)), high_width),
        (len(low), max(map(len, low)), low_width),
    ]
    assert len(kept) <= ww.theory.hierarchical_states(levels)


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "4", "2", "2", "--table"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["state", "f0f1", "f0f2", "f0f3", "f1f2", "f1f3", "f2f3", "novel"]
    assert len(out) == 1 + 16 + 2 and out[-2].startswith("novel states: 11 of 16") and out[-1] == "N(4,2,2) = 11"
    assert main(["bounds", "40", "2", "2", "--table"]) == 2
    assert main(["bounds", "3", "2", "1", "--high", "1", "2", "1", "--table"]) == 2
    table = ww.theory.gray_code_table(2, 2, 1)
    assert table._repr_html_().count("<b>") == 3 + 4
