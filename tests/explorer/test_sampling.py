"""Which nodes of a large tree a page has, and what it says about the others."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import widthwise as ww
from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.explorer import best_first_data, first_showings
from widthwise.explorer import task_data as module
from widthwise.explorer import tree_data as tree_module
from widthwise.explorer.sampling import select, shares
from widthwise.explorer.sprites import MOST_PIXELS, SIDE, FrameSheet, png
from widthwise.explorer.tree_data import Names, tree_data

NONE = 2**32 - 1


@given(data=st.data(), count=st.integers(1, 300), most=st.integers(1, 200))
def test_a_selection_is_a_tree_with_the_plan_and_a_complete_beginning(data, count, most):
    parents = [NONE] + [data.draw(st.integers(max(0, node - 9), node - 1)) for node in range(1, count)]
    goal = data.draw(st.integers(0, count - 1))
    path = [goal]
    while parents[path[-1]] != NONE:
        path.append(parents[path[-1]])
    entries = [node for node in range(1, count) if node % 7 == 0]
    chosen = select(parents, path[::-1], entries, most)
    shown = set(chosen.nodes)
    assert list(chosen.nodes) == sorted(shown)
    assert {0, *path} <= shown and set(range(chosen.complete)) <= shown
    assert all(parents[node] in shown for node in shown if node)
    assert len(shown) <= max(most, len(path))
    assert (chosen.note == "") == (len(shown) == count == chosen.total)
    if chosen.note:
        assert f"{count:,} nodes" in chosen.note and f"shows {len(shown):,} of them" in chosen.note
        assert chosen == select(parents, path[::-1], entries, most)


def test_a_page_of_a_large_tree_says_what_it_leaves_out(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 1_000)
    result = ww.solve(ww.example("gripper", balls=6), "bfs")
    data = ww.explore(result).data
    tree = data["trees"]["0"]
    assert len(tree["parent"]) <= 1_000 < tree["total"]
    assert tree["numbers"][: tree["complete"]] == list(range(tree["complete"]))
    assert [tree["numbers"][step["node"]] for step in data["plan"]][-1] == tree["numbers"][tree["goal"]]
    (note,) = data["notes"]
    assert f"The tree has {tree['total']:,} nodes. This page shows {len(tree['parent']):,} of them" in note


def test_the_trees_of_several_searches_are_chosen():
    result = ww.solve(ww.example("gripper", balls=3), "siw", trace=True)
    assert result.traced is not None
    searches = result.traced.trace.searches
    assert len(searches) > 2
    plan = ww.explore(result).data
    assert {int(number) for number in plan["trees"]} == {step["tree"] for step in plan["plan"]}
    assert len(plan["trees"]) < len(searches)
    assert len(ww.explore(result, stages="all").data["trees"]) == len(searches)
    assert list(ww.explore(result, stages=1).data["trees"]) == ["0"]
    with pytest.raises(UsageError, match="there is no search 99: the run had"):
        ww.explore(result, stages=99)


@given(sizes=st.lists(st.integers(0, 60), max_size=12), most=st.integers(12, 300))
def test_trees_share_the_nodes_of_a_page(sizes, most):
    limits = shares(sizes, most)
    assert sum(limits) <= most
    largest = max(limits, default=0)
    assert all(limit == max(size, 1) or limit >= largest - 1 for size, limit in zip(sizes, limits, strict=True))
    if sum(sizes) <= most - len(sizes):
        assert limits == [max(size, 1) for size in sizes]


def test_all_trees_of_a_page_together_have_at_most_the_nodes_it_promises(monkeypatch):
    result = ww.solve(ww.example("gripper", balls=3), "siw", trace=True)
    whole = ww.explore(result, stages="all").data["trees"]
    most = sum(tree["total"] for tree in whole.values()) // 2
    monkeypatch.setattr(module, "MOST_NODES", most)
    trees = ww.explore(result, stages="all").data["trees"]
    assert trees.keys() == whole.keys()
    assert most // 2 < sum(len(tree["parent"]) for tree in trees.values()) <= most
    assert all(tree["parent"][0] == -1 for tree in trees.values())


def test_few_states_are_held_and_the_changes_are_the_same(monkeypatch):
    result = ww.solve(ww.example("gripper", balls=3), "siw", trace=True)
    assert result.traced is not None
    search = max(result.traced.trace.searches, key=lambda traced: traced.search.node_count)
    whole, _ = tree_data(search, Names(result.traced.task), 10_000)
    held = []

    class Counted(tree_module._Changes):
        def names(self):
            held.append(self.features.cache_info().currsize)
            return super().names()

    monkeypatch.setattr(tree_module, "_Changes", Counted)
    monkeypatch.setattr(tree_module, "_MOST_STATES", 2)
    assert tree_data(search, Names(result.traced.task), 10_000)[0] == whole
    assert held == [2]


def test_goals_and_costs_follow_the_plan():
    data = ww.explore(ww.solve(ww.example("corridor", length=3), "bfs")).data
    held = {goal["name"]: goal["ranges"] for goal in data["goals"]}
    assert held == {"(at p0)": [[0, 0], [7, 7]], "(have-key)": [[4, 7]]}
    assert [step["cost"] for step in data["plan"]] == [0.0, *[1.0] * 7]


def test_a_page_is_the_same_bytes_every_time():
    budget = ww.Budget(nodes=2_000)
    pages = [ww.explore(ww.solve(ww.example("logistics"), "ihiw", seed=1, budget=budget)).html() for _ in range(2)]
    assert pages[0] == pages[1]


@pytest.mark.parametrize("planner", ["bfws", "gbfs", "auto"])
def test_a_best_first_search_lists_the_successors_that_are_no_nodes(planner):
    result = ww.solve(ww.example("blocks", blocks=5), planner, trace=True)
    assert result.traced is not None
    data = ww.explore(result).data
    (number,) = [name for name, tree in data["trees"].items() if not tree["widths"]]
    tree, search = data["trees"][number], result.traced.trace.searches[int(number)]
    assert "A best-first search (" in data["notes"][0] and "did not become its children" in data["notes"][0]
    states = [search.search.state(node) for node in range(search.search.node_count)]
    children: dict[int | None, set[str]] = {node: set() for node in range(len(states))}
    for node in range(1, len(states)):
        children[search.search.node(node)[0]].add(tree["operators"][tree["changes"][tree["change"][node]][0]])
    names = [result.traced.task.operator_name(op) for op in range(result.traced.operators.count)]
    duplicates = 0
    for node, state in enumerate(states):
        if not tree["flags"][node] & _native.EXPANDED:
            assert node not in tree["dropped"]["of"]
            continue
        dropped = {tree["operators"][op]: owner for op, owner in tree["dropped"]["of"].get(node, [])}
        after = {names[op]: following for op, following in search.operators.successors(state)}
        assert set(after) == set(dropped) | children[node] and not set(dropped) & children[node]
        for operator, owner in dropped.items():
            assert (owner == -1) == (after[operator] not in states)
            assert owner == -1 or states[owner] == after[operator]
            duplicates += owner >= 0
    assert duplicates > 5
    assert (tree["judged"] is None) == (planner == "gbfs")
    if tree["judged"] is not None:
        assert len(tree["judged"]) == len(states)


def test_the_work_for_duplicates_is_bounded(monkeypatch):
    result = ww.solve(ww.example("blocks", blocks=5), "bfws", trace=True)
    monkeypatch.setattr(best_first_data, "MOST_SUCCESSORS", 30)
    tree = ww.explore(result).data["trees"]["0"]
    assert 0 < tree["dropped"]["examined"] < len(tree["parent"])
    assert max(tree["dropped"]["of"]) < tree["dropped"]["examined"]
    monkeypatch.setattr(best_first_data, "MOST_STATES", 5)
    data = ww.explore(result).data
    assert data["trees"]["0"]["dropped"] is None and "too many nodes to compute" in data["notes"][0]


def test_a_plan_without_a_tree_is_shown():
    backward = ww.explore(ww.solve(ww.example("corridor"), "backward")).data
    assert backward["trees"] == {} and "cannot be shown as a tree" in backward["notes"][0]
    assert len(backward["plan"]) == 22


def test_nodes_of_a_sample_have_reasons_within_the_limits(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 600)
    result = ww.solve(ww.example("blocks", blocks=7), ww.IW(2), trace=True)
    assert result.traced is not None
    whole = first_showings.first_showings(result.traced.trace.searches[0], range(result.generated))
    data = ww.explore(result).data
    tree = data["trees"]["0"]
    behind = [place for place, number in enumerate(tree["numbers"]) if number >= tree["complete"]]
    assert len(tree["parent"]) <= 600 and len(tree["first"]) > 50
    assert tree["first"].keys() <= set(behind)
    for place, rows in tree["first"].items():
        assert sorted(owner for _, owner in rows) == sorted(owner for _, owner in whole.first[tree["numbers"][place]])
    (note,) = data["notes"]
    assert f"for {len(tree['first']):,} of the others" in note
    owners = {owner for rows in tree["first"].values() for _, owner in rows}
    assert len(owners & set(tree["numbers"])) > len(owners) / 2
    # With less work, fewer nodes have reasons, and those are the same.
    for limit, most in (("MOST_TUPLES", 40), ("MOST_STATES", 30)):
        with monkeypatch.context() as patch:
            patch.setattr(first_showings, limit, most)
            less = ww.explore(result).data
            shown = less["trees"]["0"]
            assert len(shown["first"]) < len(tree["first"])
            assert "it is not: the work for a page is limited" in less["notes"][0]
            for place, rows in shown["first"].items():
                number = shown["numbers"][place]
                assert sorted(owner for _, owner in rows) == sorted(owner for _, owner in whole.first[number])


def test_sprites_are_bounded_and_equal_frames_are_stored_once():
    frames = FrameSheet()
    picture = np.arange(84 * 84, dtype=np.uint32).astype(np.uint8).reshape(84, 84)
    assert [frames.number(image, executed=False) for image in (picture, picture.copy(), 255 - picture)] == [0, 0, 1]
    assert frames.number(np.zeros(3), executed=False) == -1
    large = np.zeros((600, 400, 3), dtype=np.uint8)
    assert frames.number(large, executed=True) == 2
    assert max(frames.pictures[2].shape[:2]) <= SIDE
    rng = np.random.default_rng(0)
    for _ in range(MOST_PIXELS // 7056):
        frames.number(rng.integers(0, 256, (84, 84), dtype=np.uint8), executed=False)
    assert frames.left_out > 0 and frames.pixels <= MOST_PIXELS
    assert frames.number(rng.integers(0, 256, (84, 84), dtype=np.uint8), executed=True) >= 0


@pytest.mark.parametrize("shape", [(5, 7), (4, 3, 3)])
def test_a_png_is_read_back_by_another_program(shape, tmp_path):
    image = pytest.importorskip("PIL.Image")
    picture = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    path = tmp_path / "picture.png"
    path.write_bytes(png(picture))
    assert np.array_equal(np.asarray(image.open(path)), picture)


def test_data_cannot_end_the_element_it_stands_in():
    page = ww.explore(ww.solve(ww.example("corridor"), "ihiw"))
    page.data["problem"] = "</script><script>alert(1)</script><!--\u2028"
    text = page.html()
    assert text.count("</script>") == 2 and "<!--" not in text and "\u2028" not in text
    begin = text.index('id="data">') + len('id="data">')
    assert json.loads(text[begin : text.index("</script>", begin)])["problem"] == page.data["problem"]
