"""IHIW node for node: Algorithms 1 and 2 over a list of nodes, restructured by judging the whole tree again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_tasks import example
from strategies import Spec, any_tasks, finite_domain_tasks, tasks
from twin_ihiw import Incremental
from twin_search import native_counts, native_table
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW

LIMIT = 300
STATUS = {"SOLVED": Status.SOLVED, "EXHAUSTED": Status.EXHAUSTED, "OUT_OF_NODES": Status.OUT_OF_NODES}


def run_native(spec, planner, max_nodes=LIMIT, seed=0, order_seed=None):
    operators = spec.operators(order_seed)
    goal = sorted(spec.goal_pos), sorted(spec.goal_neg)
    model = Model(operators, *goal, _native.Meter(), max_nodes=max_nodes, seed=seed)
    return planner.run(model), operators.order


def compare(spec, high, low, max_nodes=LIMIT, seed=0, order_seed=None, **options):
    """Run both: the same features for the same reasons, the same tree, the same counts, the same end."""
    outcome, order = run_native(spec, IHIW(IW(*high), IW(*low), **options), max_nodes, seed, order_seed)
    twin = Incremental(
        spec,
        high[0],
        low[0],
        high_depth_first=high[1],
        low_depth_first=low[1],
        order=order,
        max_nodes=max_nodes,
        seed=seed,
        **options,
    )
    why = twin.run()
    assert outcome.features == twin.features
    story = [(item.feature, item.pruned_node, item.candidates, item.regions, item.generated) for item in outcome.story]
    assert story == twin.story
    for number, (mine, theirs) in enumerate(zip(native_table(outcome.search), twin.world.table(True), strict=True)):
        assert mine == theirs, f"node {number}"
    assert native_counts(outcome.search) == twin.world.counts()
    assert outcome.status is STATUS[why]
    if why != "SOLVED":
        assert outcome.high_level_nodes == twin.alive
    for chapter in outcome.story:
        assert chapter.feature in chapter.candidates
    return twin


level_settings = st.tuples(st.sampled_from([1, 1, 1, 2, "n"]), st.sampled_from([False, False, True]))


@pytest.mark.parametrize("rebuild", ["changed", "new"])
@pytest.mark.parametrize("kind", ["propositional", "plain", "finite"])
@settings(max_examples=70)
@given(
    data=st.data(),
    high=level_settings,
    low=level_settings,
    seed=st.integers(0, 9),
    order_seed=st.none() | st.integers(0, 3),
    entry_in_table=st.booleans(),
    negated=st.booleans(),
    goal=st.booleans(),
    stuck=st.sampled_from(["wake", "stop"]),
)
def test_same_story_as_the_twin(rebuild, kind, data, high, low, seed, order_seed, entry_in_table, negated, goal, stuck):
    strategy = {
        "propositional": tasks(),
        "plain": tasks(plain=True),
        "finite": finite_domain_tasks(goal=goal),
    }[kind]
    spec = data.draw(strategy | strategy.map(Spec.by_values))
    options = {"rebuild": rebuild, "entry_in_table": entry_in_table, "negated": negated, "stuck": stuck}
    compare(spec, high, low, seed=seed, order_seed=order_seed, **options)


EXAMPLES = [
    ("corridor", {"length": 4}),
    ("corridor", {"length": 7, "door": 1}),
    ("gripper", {"balls": 3}),
    ("blocks", {"blocks": 4}),
    ("ferry", {"harbours": 3, "cars": 3}),
    ("8puzzle", {}),
    ("elevator", {"floors": 4, "passengers": 3}),
    ("visit-all", {"width": 3, "height": 3}),
    ("logistics", {}),
]


@pytest.mark.parametrize(
    "options", [{}, {"stuck": "stop"}, {"rebuild": "new"}, {"negated": True}, {"entry_in_table": False}], ids=str
)
@pytest.mark.parametrize(("name", "sizes"), EXAMPLES, ids=lambda item: item if isinstance(item, str) else "")
def test_bundled_tasks(name, sizes, options):
    spec = Spec.of(example(name, **sizes).native)
    twin = compare(spec, (1, False), (1, False), max_nodes=1500, **options)
    if name == "corridor" and not options:
        assert twin.world.goal is not None


@pytest.mark.parametrize(("name", "sizes"), EXAMPLES[2:5], ids=lambda item: item if isinstance(item, str) else "")
@pytest.mark.parametrize("seed", [1, 2])
def test_bundled_tasks_with_an_unreachable_goal(name, sizes, seed):
    """Without a goal to find, many features are discovered and the tree is restructured again and again."""
    spec = Spec.of(example(name, **sizes).native)
    impossible = Spec(spec.atoms + 1, spec.ops, spec.axioms, spec.init, frozenset({spec.atoms}))
    twin = compare(impossible, (1, False), (1, False), max_nodes=1200, seed=seed, order_seed=seed)
    assert len(twin.features) > 1


@settings(max_examples=60)
@given(
    spec=any_tasks(),
    seed=st.integers(0, 9),
    negated=st.booleans(),
    rebuild=st.sampled_from(["changed", "new"]),
)
def test_a_random_pick_keeps_the_invariants(spec, seed, negated, rebuild):
    planner = IHIW(pick="random", negated=negated, rebuild=rebuild)
    outcome, _ = run_native(spec, planner, seed=seed)
    again, _ = run_native(spec, planner, seed=seed)
    search = outcome.search
    rows = native_table(search)
    assert rows == native_table(again.search)
    assert (outcome.features, outcome.status) == (again.features, again.status)
    assert len(set(outcome.features)) == len(outcome.features)
    assert search.generated == len(rows) <= LIMIT
    for number, (parent, _, depth, region, flags, state) in enumerate(rows):
        if parent is None:
            continue
        above = rows[parent]
        assert parent < number
        assert depth == above[2] + 1
        atoms = [max(feature, ~feature) for feature in outcome.features]
        differs = any((atom in state) != (atom in above[5]) for atom in atoms)
        assert bool(flags & _native.ENTRY) == differs
        if not differs:
            assert region == above[3]
        elif flags & _native.PRUNED:
            assert region is None
    for chapter in outcome.story:
        assert chapter.feature in chapter.candidates
        leaf = rows[chapter.pruned_node]
        assert set(chapter.candidates) <= spec.features(leaf[5]) & spec.features(rows[leaf[0]][5])
    if outcome.path is not None:
        state = spec.start()
        for op in outcome.path:
            assert op in spec.applicable(state)
            state = spec.apply(state, op)
        assert spec.is_goal(state)


def test_restructuring_generates_nothing():
    spec = Spec.of(example("blocks", blocks=4).native)
    outcome, _ = run_native(spec, IHIW(), max_nodes=2000)
    for before, after in zip(outcome.story, outcome.story[1:], strict=False):
        assert before.generated + before.search == after.generated
    assert outcome.search.generated == outcome.search.node_count


def test_restructuring_asks_for_a_level_and_a_fitting_table():
    operators = _native.Operators(_native.GroundedTask.build(3, [([0], [], [1], [0], 1.0, [])], [], [0], [2], []))
    flat = _native.Search(operators, _native.Meter(), [], [2], [])
    flat.start()
    with pytest.raises(ValueError, match="no such level"):
        flat.restructure([0], _native.NoveltyTable(_native.Meter(), 1, 1))
    search = _native.Search(operators, _native.Meter(), [[]], [2], [])
    search.start()
    with pytest.raises(ValueError, match="not over the features"):
        search.restructure([0, 2], _native.NoveltyTable(_native.Meter(), 1, 1))
    with pytest.raises(IndexError):
        search.restructure([6], _native.NoveltyTable(_native.Meter(), 1, 1))
    assert search.restructure([0], _native.NoveltyTable(_native.Meter(), 1, 1)) == [0]
    with pytest.raises(ValueError, match="not over the features"):
        search.resume(0, [_native.NoveltyTable(_native.Meter(), 0, 1)])
