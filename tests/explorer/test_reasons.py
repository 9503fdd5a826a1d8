"""The reasons of pruning that a page derives from the recorded tree are those of the search, node for node."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_tasks import example
from explorer_tools import ENTRY, GOAL, OWNERS, PRUNED, VERDICTS, PlainNames, first_showings, scripts
from strategies import Op, Spec, any_tasks, finite_domain_tasks, model_of
from widthwise import _native
from widthwise.core.trace import Trace
from widthwise.explorer import first_showings as replayed
from widthwise.explorer.tree_data import Names, tree_data
from widthwise.task_search.hiw import HIW
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW

pytestmark = pytest.mark.browser
LIMIT = 250


def with_double_steps(spec):
    """A task whose operators also occur in pairs: an entry then shows atoms that its region may show later."""
    pairs = [
        Op(first.pos | second.pos, first.neg, first.add | second.add, first.delete | second.delete)
        for first, second in zip(spec.ops, spec.ops[2:], strict=False)
        if not (first.add | first.delete) & (second.add | second.delete)
    ]
    return replace(spec, ops=tuple(pairs) + spec.ops)


#: Tasks on which hierarchical searches are tried: values of variables make long branches.
FINITE = finite_domain_tasks(goal=False).map(with_double_steps)
FINITE |= FINITE.map(Spec.by_values)
LEVELS = st.tuples(st.sampled_from([1, 1, 2, "n"]), st.sampled_from([False, False, True]))


@pytest.fixture(scope="module")
def script_page(browser):
    """A blank page with the scripts that derive reasons."""
    page = browser.new_page()
    page.add_script_tag(content=scripts("tree", "reasons") + "\nObject.assign(window, {SearchTree, Reasons, GOAL});")
    yield page
    page.close()


def traced(spec, planner, seed=0):
    model = model_of(spec, seed, max_nodes=LIMIT, trace=Trace())
    model.seed = seed
    outcome = planner.run(model)
    return outcome, model.trace.searches


def replayed_rows(search, names):
    """What is stored for the nodes of a sample, here for all nodes: by node and tuple, the first node, or -1."""
    showings = replayed.first_showings(search, range(search.search.node_count))
    assert showings.unknown == 0 and not any(showings.left.values())
    return {
        (node, () if isinstance(key, frozenset) else tuple(sorted(map(names.number, key)))): -1
        if owner == node
        else owner
        for node, shown in showings.first.items()
        for key, owner in shown
    }


def agree(page, spec, search):
    """The replay has the verdict of the search for every node at every chapter, and the owners of the twin."""
    names = Names(PlainNames(spec.atoms))
    data, _ = tree_data(search, names, LIMIT)
    data["features"] = names.all()
    woken = any(not colouring.added for colouring in search.colourings)
    seen = set()
    for chapter, node, verdict, flags, region in page.evaluate(VERDICTS, data):
        if verdict is None:
            continue
        if flags & ENTRY and (woken or (region < 0 and not flags & PRUNED)):  # resumed without novelty; not opened yet
            continue
        expected = "pruned" if flags & PRUNED else "kept"
        assert verdict == expected, f"chapter {chapter}, node {node}: {verdict}, but the search has {expected}"
        seen.add(verdict)
    rows = page.evaluate(OWNERS, data)
    assert replayed_rows(search, names) == {(node, tuple(sorted(shown or []))): first for node, shown, first in rows}
    if not search.keeps_tables:
        twin = first_showings(spec, search, names)
        if search.widths[-1] == _native.ALL_FEATURES:
            assert {node: first for node, _, first in rows} == {node: first for (node, _), first in twin.items()}
        else:
            assert {(node, frozenset(features)): first for node, features, first in rows} == twin
    return seen


@settings(max_examples=60)
@given(spec=any_tasks(), width=st.sampled_from([1, 2, 3, "n"]), depth_first=st.booleans())
def test_flat_searches(script_page, spec, width, depth_first):
    _, (search,) = traced(spec, IW(width, depth_first=depth_first))
    agree(script_page, spec, search)


@settings(max_examples=70)
@given(data=st.data(), spec=FINITE, levels=st.lists(LEVELS, min_size=2, max_size=3), function=st.booleans())
def test_hierarchies_with_given_features(script_page, data, spec, levels, function):
    *above, (low_width, low_order) = levels
    atoms = st.lists(st.integers(0, spec.atoms - 1), min_size=1, max_size=4, unique=True)
    planner: IW | HIW = IW(low_width, depth_first=low_order)
    for width, order in above:
        chosen = data.draw(atoms)
        features = chosen
        if function:
            features = lambda state, chosen=chosen: tuple(atom in state for atom in chosen)  # noqa: E731
        planner = HIW(features, high=IW(width, depth_first=order), low=planner, entry_in_table=data.draw(st.booleans()))
    _, (search,) = traced(spec, planner)
    agree(script_page, spec, search)


@pytest.mark.parametrize("rebuild", ["changed", "new"])
@settings(max_examples=50)
@given(
    spec=FINITE,
    high=LEVELS,
    low=LEVELS,
    seed=st.integers(0, 9),
    pick=st.sampled_from(["last", "random"]),
    entry_in_table=st.booleans(),
    negated=st.booleans(),
    stuck=st.sampled_from(["wake", "stop"]),
)
def test_incremental_hierarchies_at_every_chapter(
    script_page, rebuild, spec, high, low, seed, pick, entry_in_table, negated, stuck
):
    options = {"rebuild": rebuild, "pick": pick, "entry_in_table": entry_in_table, "negated": negated, "stuck": stuck}
    planner = IHIW(IW(high[0], depth_first=high[1]), IW(low[0], depth_first=low[1]), **options)
    outcome, (search,) = traced(spec, planner, seed)
    agree(script_page, spec, search)
    assert [colouring.proposer for colouring in search.colourings if colouring.added] == [
        chapter.pruned_node for chapter in outcome.story
    ]


def test_both_verdicts_occur_in_the_corridor(script_page):
    task = example("corridor")
    spec = Spec.of(task.native)
    for planner, solves in ((IW(1), False), (IW(2), True), (HIW([task.atom("(have-key)")]), True), (IHIW(), True)):
        _, (search,) = traced(spec, planner)
        assert agree(script_page, spec, search) == {"kept", "pruned"}
        assert any(search.search.node(node)[4] & GOAL for node in range(search.search.node_count)) == solves
