"""Tracing changes nothing: a traced run has the nodes, the counts and the plan of the same run without a trace."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widthwise as ww
from strategies import any_tasks, model_of
from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.trace import Trace

PLANNERS = (
    *(ww.IW(1), ww.IW(2), ww.IW("n"), ww.IW(1, depth_first=True), ww.IHIW(), ww.IHIW(pick="random", negated=True)),
    *(ww.SIW(2), ww.SIW(ww.IHIW()), ww.BFWS(), ww.BFWS("k1"), ww.GBFS(), ww.Auto(), ww.Backward()),
)


def counts(outcome: ww.Outcome) -> tuple[object, ...]:
    story = [(chapter.feature, chapter.pruned_node, chapter.generated) for chapter in outcome.story]
    stages = [(stage.planner, stage.generated, stage.status) for stage in outcome.stages]
    numbers = (outcome.generated, outcome.expanded, outcome.pruned, outcome.depth, outcome.high_level_nodes)
    return (outcome.status, outcome.path, *numbers, story, stages)


def kept(search: _native.Search) -> list[tuple[object, ...]]:
    """The nodes of a width search that were not pruned: the operators to them, their depth, region and flags."""
    nodes = [(node, search.node(node)) for node in range(search.node_count)]
    return [(search.path(node), *columns[2:]) for node, columns in nodes if not columns[4] & _native.PRUNED]


@settings(max_examples=80)
@given(spec=any_tasks(), planner=st.sampled_from(PLANNERS), seed=st.none() | st.integers(0, 3))
def test_a_traced_run_has_the_same_nodes_and_the_same_plan(spec, planner, seed):
    traced, plain = model_of(spec, seed, max_nodes=300, trace=Trace()), model_of(spec, seed, max_nodes=300)
    traced.seed = plain.seed = seed or 0
    with_trace, without = planner.run(traced), planner.run(plain)
    assert counts(with_trace) == counts(without)
    if isinstance(without.search, _native.Search) and isinstance(with_trace.search, _native.Search):
        assert kept(with_trace.search) == kept(without.search)


@settings(max_examples=40)
@given(data=st.data(), spec=any_tasks(), widths=st.lists(st.sampled_from([1, 2, "n"]), min_size=2, max_size=3))
def test_a_traced_hierarchy_has_the_same_nodes_and_the_same_plan(data, spec, widths):
    atoms = st.lists(st.integers(0, spec.atoms - 1), min_size=1, max_size=3, unique=True)
    planner: ww.IW | ww.HIW = ww.IW(widths[-1])
    for width in widths[:-1]:
        planner = ww.HIW(data.draw(atoms), high=ww.IW(width), low=planner)
    with_trace = planner.run(model_of(spec, max_nodes=300, trace=Trace()))
    without = planner.run(model_of(spec, max_nodes=300))
    assert counts(with_trace) == counts(without)
    assert isinstance(with_trace.search, _native.Search) and isinstance(without.search, _native.Search)
    assert kept(with_trace.search) == kept(without.search)


def test_the_columns_are_those_of_single_nodes():
    for planner in (ww.IHIW(), ww.BFWS()):
        search = ww.solve(ww.example("corridor"), planner, trace=True).search
        assert search is not None
        columns = [np.frombuffer(column, dtype="<i4") for column in search.columns()]
        for node in range(search.node_count):
            row = [None if column[node] == -1 else int(column[node]) for column in columns]
            own = search.node(node)
            assert row == (list(own) if len(own) == 5 else [*own[:3], 0, own[3]])


def test_a_trace_of_auto_has_every_search_that_can_be_shown():
    result = ww.solve(ww.example("gripper", balls=4), trace=True)
    assert result.traced is not None
    assert [search.planner for search in result.traced.trace.searches] == ["IW(1)", "1-BFWS(f5)"]
    assert sum(search.search.generated for search in result.traced.trace.searches) == result.generated


def test_a_result_without_a_trace_is_repeated_and_a_copy_is_refused():
    result = ww.solve(ww.example("corridor"), "ihiw", seed=2)
    assert result.traced is None
    assert ww.explore(result).data["generated"] == result.generated
    with pytest.raises(UsageError, match="copy without its search"):
        ww.explore(pickle.loads(pickle.dumps(result)))


def test_what_is_neither_a_result_nor_an_episode_is_refused():
    with pytest.raises(UsageError, match=r"cannot be explored: give a result of solve or of OnlinePlanner\.run"):
        ww.explore("corridor")
