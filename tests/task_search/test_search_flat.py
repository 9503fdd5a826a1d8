"""Flat searches node for node: IW of every width, breadth-first and depth-first search."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import Spec, any_tasks, finite_domain_tasks
from twin_search import flat, native_counts, native_table, shortest
from widthwise import _native

LIMIT = 400  # nodes; the twin is slow


def native_width(width):
    return _native.ALL_FEATURES if width == "n" else width


def native_search(spec, width, operators=None, meter=None, **options):
    operators = operators or spec.operators()
    return _native.Search(
        operators,
        meter or _native.Meter(),
        [],
        sorted(spec.goal_pos),
        sorted(spec.goal_neg),
        width=native_width(width),
        **options,
    )


def run(search, pause_after=None):
    """Start and resume until it ends."""
    stop, node, _ = search.start()
    while stop is _native.Stop.PAUSED:
        before = search.generated
        stop, node, _ = search.resume(0, pause_after=pause_after)
        assert pause_after is None or search.generated <= before + pause_after
    return stop, node


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("depth_first", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3, "n"])
@settings(max_examples=60)
@given(
    spec=any_tasks() | any_tasks().map(Spec.spread),
    limit=st.sampled_from([1, 2, 3, 10, 50, LIMIT]),
    seed=st.none() | st.integers(0, 9),
)
def test_same_tree_as_the_twin(width, depth_first, record, spec, limit, seed):
    operators = spec.operators(seed)
    options = {"depth_first": depth_first, "record_pruned": record, "max_nodes": limit}
    search = native_search(spec, width, operators, **options)
    stop, node = run(search)
    world, why = flat(spec, width, depth_first, operators.order, limit)
    assert stop.name == why
    assert native_table(search) == world.table(record)
    assert native_counts(search) == world.counts()
    if why == "SOLVED":
        assert node == search.node_count - 1
        state = operators.state(spec.native().init)
        for op in search.path(node):
            assert op in operators.applicable(state)
            state = operators.apply(state, op)
        assert state == search.state(node)
        assert spec.is_goal(frozenset(state))

    slices = native_search(spec, width, operators, **options)
    assert run(slices, pause_after=1 + limit % 3) == (stop, node)
    assert native_table(slices) == native_table(search)
    assert native_counts(slices) == native_counts(search)


@settings(max_examples=30)
@given(spec=any_tasks(), seed=st.none() | st.integers(0, 9))
def test_sparse_pairs_make_the_same_tree(spec, seed):
    """A memory limit that forbids the matrix changes the table, not the tree."""
    operators = spec.operators(seed)
    dense = native_search(spec, 2, operators, max_nodes=LIMIT)
    # The tree takes its first chunks before the table is made; the table then sees little room.
    filler = _native.Meter(bytes=10**9)
    assert filler.charge(10**9 - 600_000)
    wide = [([spec.atoms + 2600], [], [], [], 1.0, [])]  # never applicable, but makes the matrix large
    task = _native.GroundedTask.build(
        spec.atoms + 2700,
        [
            (
                sorted(op.pos),
                sorted(op.neg),
                sorted(op.add),
                sorted(op.delete),
                1.0,
                [(sorted(p), sorted(n), atom, adds) for p, n, atom, adds in op.effects],
            )
            for op in spec.ops
        ]
        + wide,
        [(head, sorted(pos), sorted(neg), layer) for head, pos, neg, layer in spec.axioms],
        sorted(spec.init),
        sorted(spec.goal_pos),
        sorted(spec.goal_neg),
    )
    sparse = native_search(
        spec, 2, _native.Operators(task, None, None, sorted(spec.complements)), filler, max_nodes=LIMIT
    )
    if seed is None:
        assert run(sparse)[0] == run(dense)[0]
        assert native_table(sparse) == native_table(dense)
    world, why = flat(spec, 2, order=None, max_nodes=LIMIT)
    if seed is not None:
        assert run(sparse)[0].name == why
    assert native_table(sparse) == world.table(False)
    assert native_counts(sparse) == world.counts()


def test_a_wide_search_continues_when_memory_is_freed():
    """Wide states are built when they are expanded; where there is no room for one, it is built next time."""
    gap, switches = 20_000, 12  # a state of 30 KB
    ops = [([bit * gap], [], [(bit + 1) * gap], [], 1.0, []) for bit in range(switches - 1)]
    operators = _native.Operators(_native.GroundedTask.build(gap * switches, ops, [], [0], [1], []))
    meter = _native.Meter(bytes=10**6)
    assert meter.charge(800_000)
    search = _native.Search(operators, meter, [], [1], [], width=1)
    stop, _, _ = search.start()
    ends = 0
    while stop is not _native.Stop.EXHAUSTED:
        stop, _, _ = search.resume(0)
        if stop is _native.Stop.OUT_OF_MEMORY:
            ends += 1
            meter.release(20_000)
    assert ends >= switches - 3
    assert [search.state(node).atoms() for node in range(search.node_count)] == [
        [bit * gap for bit in range(node + 1)] for node in range(switches)
    ]


@settings(max_examples=60)
@given(st.one_of(any_tasks(), finite_domain_tasks()))
def test_breadth_first_plans_are_shortest(spec):
    search = native_search(spec, "n", max_nodes=3000)
    stop, node = run(search)
    if stop is _native.Stop.OUT_OF_NODES:
        return
    length = shortest(spec)
    assert (None if node is None else len(search.path(node))) == length
    assert (stop is _native.Stop.SOLVED) == (length is not None)


@settings(max_examples=60)
@given(spec=any_tasks())
def test_a_wider_search_keeps_no_less(spec):
    """Every state that IW(w) keeps is a state that breadth-first search keeps, and none is kept twice."""

    def states(width):
        search = native_search(spec, width, max_nodes=LIMIT)
        run(search)
        kept = [tuple(row[-1]) for row in native_table(search) if not row[4] & _native.GOAL]
        assert len(kept) == len(set(kept))
        return set(kept)

    reachable = states("n")
    if len(reachable) < LIMIT // 20:
        assert states(1) | states(2) <= reachable | {tuple(sorted(spec.start()))}


def test_a_goal_is_seen_even_in_a_pruned_child():
    """Atoms 0 and 1 are both seen when their conjunction comes up at last; IW(1) would prune it."""
    ops = [
        ([], [], [0], [1], 1.0, []),
        ([], [], [1], [0], 1.0, []),
        ([1], [], [0], [], 1.0, []),
    ]
    task = _native.GroundedTask.build(2, ops, [], [], [0, 1], [])
    search = _native.Search(_native.Operators(task), _native.Meter(), [], [0, 1], [], width=1)
    stop, node = run(search)
    assert stop is _native.Stop.SOLVED
    assert len(search.path(node)) == 2


def test_the_root_may_be_the_goal():
    task = _native.GroundedTask.build(1, [([], [], [0], [], 1.0, [])], [], [0], [0], [])
    search = _native.Search(_native.Operators(task), _native.Meter(), [], [0], [])
    assert search.start() == (_native.Stop.SOLVED, 0, 0)
    assert native_counts(search) == (1, 0, 0, 0, 0)
    assert search.path(0) == []


def test_no_node_at_all():
    task = _native.GroundedTask.build(1, [], [], [0], [0], [])
    search = _native.Search(_native.Operators(task), _native.Meter(), [], [0], [], max_nodes=0)
    assert search.start()[0] is _native.Stop.OUT_OF_NODES
    assert search.node_count == 0
