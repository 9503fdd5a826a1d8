"""HIW node for node against nested searches, each with a tree of its own, as the paper tells it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import Op, Spec, any_tasks, finite_domain_tasks
from twin_search import HierarchyTwin, World, atoms_of, flat, native_counts, native_table, values_of
from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.task_search.hiw import HIW
from widthwise.task_search.iw import IW

LIMIT = 250
WIDTHS = st.sampled_from([1, 2, "n"])
STATUS = {"SOLVED": Status.SOLVED, "EXHAUSTED": Status.EXHAUSTED, "OUT_OF_NODES": Status.OUT_OF_NODES}


def model_of(spec, seed=None, max_nodes=LIMIT):
    operators = spec.operators(seed)
    return Model(operators, sorted(spec.goal_pos), sorted(spec.goal_neg), _native.Meter(), max_nodes=max_nodes)


@st.composite
def level_settings(draw):
    return draw(WIDTHS), draw(st.booleans())


def stack(levels, features, low, entry_in_table, record):
    """HIW of any number of levels, the highest first."""
    planner = IW(*low)
    for (width, depth_first), level_features in zip(reversed(levels), reversed(features), strict=True):
        planner = HIW(level_features, IW(width, depth_first), planner, entry_in_table, record)  # type: ignore[assignment]
    return planner


def compare(spec, levels, low, planner, seed, record, entry_in_table):
    """Run both; the same nodes in the same order, the same high-level nodes, the same counts, the same end."""
    model = model_of(spec, seed)
    outcome = planner.run(model)
    world = World(spec, model.operators.order, LIMIT)
    why = HierarchyTwin(world, levels, *low, entry_in_table).run()  # type: ignore[call-arg]
    assert outcome.status is STATUS[why]
    search = outcome.search
    mine, twin = native_table(search), world.table(record)
    counts, twin_counts = native_counts(search), world.counts()
    assert mine == twin
    assert counts == twin_counts
    assert outcome.high_level_nodes == world.regions
    roots = [index for index, row in enumerate(twin) if row[3] is not None and (index == 0 or row[4] & _native.ENTRY)]
    if why != "SOLVED":
        assert [search.region_root(region) for region in range(world.regions)] == sorted(
            roots, key=lambda index: twin[index][3]
        )
    if why == "SOLVED":
        assert spec.is_goal(frozenset(search.state(search.node_count - 1)))
    return world


@pytest.mark.parametrize("record", [False, True])
@settings(max_examples=120)
@given(
    spec=any_tasks(),
    data=st.data(),
    high=level_settings(),
    low=level_settings(),
    entry_in_table=st.booleans(),
    seed=st.none() | st.integers(0, 5),
)
def test_two_levels_of_atoms(record, spec, data, high, low, entry_in_table, seed):
    features = data.draw(st.lists(st.integers(0, spec.atoms - 1), max_size=4, unique=True))
    features += [atom for op in spec.ops[:2] for atom in sorted(op.add) if atom not in features]
    features = list(dict.fromkeys(features))
    planner = stack([high], [features], low, entry_in_table, record)
    compare(spec, [(*high, atoms_of(features, spec))], low, planner, seed, record, entry_in_table)


@settings(max_examples=120)
@given(
    spec=finite_domain_tasks(),
    levels=st.tuples(level_settings(), level_settings()),
    low=level_settings(),
    entry_in_table=st.booleans(),
    seed=st.none() | st.integers(0, 5),
)
def test_three_levels_of_atoms(spec, levels, low, entry_in_table, seed):
    features = [list(spec.variables[0]), list(spec.variables[1])]
    planner = stack(levels, features, low, entry_in_table, True)
    twin = [(*level, atoms_of(atoms, spec)) for level, atoms in zip(levels, features, strict=True)]
    compare(spec, twin, low, planner, seed, True, entry_in_table)


def values(spec, variables):
    """The values of some variables as a vector: a feature function."""
    chosen = [spec.variables[variable] for variable in variables]
    return lambda state: tuple(next(n for n, atom in enumerate(atoms) if atom in state) for atoms in chosen)


@settings(max_examples=80)
@given(
    spec=finite_domain_tasks(),
    high=level_settings(),
    low=level_settings(),
    entry_in_table=st.booleans(),
    pair=st.booleans(),
)
def test_two_levels_of_a_function(spec, high, low, entry_in_table, pair):
    function = values(spec, [0, 1] if pair else [0])
    planner = stack([high], [function], low, entry_in_table, True)
    compare(spec, [(*high, values_of(function))], low, planner, None, True, entry_in_table)


@settings(max_examples=60)
@given(spec=finite_domain_tasks(), levels=st.tuples(level_settings(), level_settings()), low=level_settings())
def test_three_levels_of_atoms_and_functions(spec, levels, low):
    """A function above atoms, and atoms above a function."""
    function, atoms = values(spec, [0]), list(spec.variables[1])
    for features, twins in (
        ([function, atoms], [values_of(function), atoms_of(atoms, spec)]),
        ([atoms, function], [atoms_of(atoms, spec), values_of(function)]),
    ):
        planner = stack(levels, features, low, True, True)
        twin = [(*level, first) for level, first in zip(levels, twins, strict=True)]
        compare(spec, twin, low, planner, None, True, True)


@settings(max_examples=60)
@given(spec=finite_domain_tasks(), low=level_settings(), width=WIDTHS)
def test_a_function_is_as_good_as_atoms(spec, low, width):
    """One variable as a function of the state or as its atoms: the same search."""
    first = HIW(list(spec.variables[0]), IW(width), IW(*low), record=True).run(model_of(spec))
    other = HIW(values(spec, [0]), IW(width), IW(*low), record=True).run(model_of(spec))
    assert native_table(first.search) == native_table(other.search)
    assert (first.status, first.generated, first.expanded) == (other.status, other.generated, other.expanded)
    assert first.high_level_nodes == other.high_level_nodes


@settings(max_examples=60)
@given(spec=any_tasks(), low=level_settings(), width=WIDTHS, levels=st.integers(1, 2))
def test_without_features_it_is_flat(spec, low, width, levels):
    world, why = flat(spec, *low, max_nodes=LIMIT)  # type: ignore[misc]
    for features in ([], lambda state: 0, lambda state: ("constant", 1)):
        planner = stack([(width, False)] * levels, [features] * levels, low, True, True)
        outcome = planner.run(model_of(spec))
        assert outcome.status is STATUS[why]
        assert native_table(outcome.search) == world.table(True)
        assert native_counts(outcome.search) == world.counts()
        assert outcome.high_level_nodes == 1


def test_what_a_function_must_return():
    with pytest.raises(UsageError, match="a feature function must return"):
        HIW(lambda state: {"a": 1}).run(model_of(tiny()))


def test_an_error_in_a_function_comes_out():
    def broken(state):
        raise KeyError("my own mistake")

    with pytest.raises(KeyError, match="my own mistake"):
        HIW(broken).run(model_of(tiny()))


def tiny():
    step = Op(frozenset({0}), frozenset(), frozenset({1}), frozenset({0}))
    return Spec(3, (step,), (), frozenset({0}), frozenset({2}))
