"""What the paper proves, run: bounds on novel states, splitting features, and the corridor."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_tasks import example
from strategies import Op, Spec, finite_domain_tasks, model_of
from theory_tasks import Plain, gated_grids, kept_states, key_tasks, vector
from twin_search import native_table
from widthwise import _native
from widthwise.core.errors import UsageError
from widthwise.core.novelty import RestrictedTable, ValueTable
from widthwise.core.result import Status
from widthwise.task_search.hiw import HIW
from widthwise.task_search.iw import IW
from widthwise.theory.splitting import is_splitting


@cache
def most(n, d, w):
    """N(n,d,w) by the recursion of the paper's proposition."""
    if w == 0:
        return 1
    if w >= n:
        return d**n
    return (d - 1) * most(n - 1, d, w - 1) + most(n - 1, d, w)


def restricted_iw(spec, vector_of, table):
    """Flat breadth-first search that prunes by a table over values: the states it keeps."""
    queue = [spec.start()]
    kept = set(queue)
    table.take(vector_of(queue[0]))
    for state in queue:
        for op in spec.applicable(state):
            after = spec.apply(state, op)
            if table.take(vector_of(after)):
                kept.add(after)
                queue.append(after)
    return kept


# --- Theorem 1


GRAY = [0b0000, 0b0001, 0b0011, 0b0010, 0b0110, 0b0111, 0b0101, 0b0100]
GRAY += [0b1000 | code for code in reversed(GRAY)]


def test_the_appendix_run_in_gray_code():
    """Sixteen states in Gray code, eleven of them novel at width 2: the table of the appendix, state by state."""
    table = ValueTable(2)
    novel = [code for code in GRAY if table.take([code >> 3 & 1, code >> 2 & 1, code >> 1 & 1, code & 1])]
    assert len(GRAY) == len(set(GRAY)) == 16
    assert len(novel) == 11 == most(4, 2, 2)
    assert novel == [0b0000, 0b0001, 0b0011, 0b0010, 0b0110, 0b0111, 0b0101, 0b1100, 0b1101, 0b1111, 0b1010]


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 4), st.data())
def test_no_run_finds_more_novel_states(n, d, w, data):
    table = ValueTable(w)
    states = data.draw(st.lists(st.tuples(*[st.integers(0, d - 1)] * n), max_size=60))
    assert sum(table.take(state) for state in states) <= most(n, d, w)


@pytest.mark.parametrize("w", [1, 2, 3])
@settings(max_examples=50)
@given(spec=finite_domain_tasks(goal=False))
def test_iw_keeps_no_more_than_the_bound(w, spec):
    model = model_of(spec)
    outcome = IW(w).run(model)
    assert outcome.search is not None
    d = max(len(atoms) for atoms in spec.variables)
    assert outcome.search.node_count <= most(len(spec.variables), d, w)
    assert len(kept_states(outcome.search)) == outcome.search.node_count


@pytest.mark.parametrize(
    ("n", "d", "w"), [(2, 2, 1), (3, 2, 1), (3, 2, 2), (4, 2, 2), (4, 2, 3), (5, 2, 3), (2, 3, 1), (3, 3, 2)]
)
def test_iw_reaches_the_bound(n, d, w):
    """A task that walks through all states in reflected Gray code makes IW(w) keep N(n,d,w) states.

    A pruned state ends the walk, so every state may also be entered from the start, in the same order.
    """
    order: list[tuple[int, ...]] = [()]
    for _ in range(n):
        order = [(value, *rest) for value in range(d) for rest in (order if value % 2 == 0 else order[::-1])]
    atoms = lambda state: frozenset(d * place + value for place, value in enumerate(state))  # noqa: E731
    everything = frozenset(range(n * d))
    start = atoms(order[0])
    ops = tuple(Op(start, frozenset(), atoms(state), everything - atoms(state)) for state in order[1:])
    spec = Spec(n * d + 1, ops, (), start, frozenset({n * d}))
    outcome = IW(w).run(model_of(spec))
    assert outcome.search is not None
    assert outcome.status is Status.EXHAUSTED
    assert outcome.search.node_count == most(n, d, w)


# --- splitting features and Theorem 2


def test_splitting_in_the_corridor():
    task = example("corridor", length=4)
    assert is_splitting(task, "(have-key)")
    assert is_splitting(task, task.atom("(have-key)"))
    assert is_splitting(task, lambda state: task.atom("(have-key)") in state)
    assert not is_splitting(task, "(at p2)")  # the walker stands left or right of it
    assert is_splitting(task, lambda state: 0)
    door = example("corridor", length=4, door=1)
    assert is_splitting(door, "(have-key)")  # opening the door cannot be undone, but every way in leads there
    assert is_splitting(door, "(open)")
    with pytest.raises(UsageError, match="more than 3 states"):
        is_splitting(task, "(have-key)", limit=3)
    with pytest.raises(UsageError, match="has no names"):
        is_splitting(Plain(Spec(1, ())), "(have-key)")


def test_direction_matters_for_splitting():
    """A one-way street, entered at its end, cannot be seen as a whole."""
    step = lambda old, new: Op(frozenset({old}), frozenset(), frozenset({new}), frozenset({old}))  # noqa: E731
    inside = {1, 2, 3}
    feature = lambda state: bool(state & inside)  # noqa: E731
    one_way = (step(0, 1), step(1, 2), step(2, 3))
    assert is_splitting(Plain(Spec(4, one_way, (), frozenset({0}))), feature)
    assert not is_splitting(Plain(Spec(4, (*one_way, step(0, 3)), (), frozenset({0}))), feature)
    assert is_splitting(Plain(Spec(4, (*one_way, step(0, 3), step(3, 1)), (), frozenset({0}))), feature)


@settings(max_examples=150)
@given(spec=finite_domain_tasks(most_variables=3, goal=False))
def test_theorem_2_with_whole_low_level_states(spec):
    """One high-level feature, all of the rest below: HIW sees what the restricted IW sees if the feature splits."""
    high = lambda state: vector(spec, state)[0]  # noqa: E731
    low = range(1, len(spec.variables))
    table = RestrictedTable([0], 1, low, len(low))
    flat = restricted_iw(spec, lambda state: vector(spec, state), table)
    assert flat == spec.reachable()
    seen = kept_states(HIW(high, IW(1), IW("n"), record=True).run(model_of(spec)).search)
    assert seen <= flat
    if is_splitting(Plain(spec), high):
        assert seen == flat


def test_without_splitting_theorem_2_may_fail():
    """Two rooms whose halves are joined only through the other room: the second visit is pruned as known."""
    step = lambda old, new: Op(frozenset(old), frozenset(), frozenset(new), frozenset(old) - frozenset(new))  # noqa: E731
    ops = (step({0, 2}, {1, 2}), step({1, 2}, {1, 3}), step({1, 3}, {0, 3}), step({0, 3}, {0, 4}))
    spec = Spec(6, ops, (), frozenset({0, 2}), frozenset({5}), frozenset(), ((0, 1), (2, 3, 4)))
    high = lambda state: vector(spec, state)[0]  # noqa: E731
    assert not is_splitting(Plain(spec), high)
    seen = kept_states(HIW(high, IW(1), IW("n"), record=True).run(model_of(spec)).search)
    assert len(seen) == 3 < len(spec.reachable()) == 5


@settings(max_examples=150)
@given(spec=key_tasks(), width=st.integers(1, 3))
def test_theorem_2_with_keys(spec, width):
    """HIW(w_h,1) over the keys, positions below, against tuples of w_h keys and the position."""
    keys = range(1, len(spec.variables))
    width = min(width, len(keys))
    for key in keys:
        assert is_splitting(Plain(spec), lambda state, key=key: vector(spec, state)[key])  # type: ignore[misc]
    table = RestrictedTable(keys, width, [0], 1)
    flat = restricted_iw(spec, lambda state: vector(spec, state), table)
    planner = HIW(lambda state: vector(spec, state)[1:], IW(width), IW(1), record=True)
    outcome = planner.run(model_of(spec))
    assert kept_states(outcome.search) == flat


@pytest.mark.parametrize("low_width", [1, 2])
@settings(max_examples=80)
@given(spec=gated_grids())
def test_theorem_2_with_two_low_level_features(low_width, spec):
    """The low level prunes too: HIW(1,1) and HIW(1,2) over the floor of a position (x, y)."""
    floor = lambda state: vector(spec, state)[0]  # noqa: E731
    assert is_splitting(Plain(spec), floor)
    flat = restricted_iw(spec, lambda state: vector(spec, state), RestrictedTable([0], 1, [1, 2], low_width))
    outcome = HIW(floor, IW(1), IW(low_width), record=True).run(model_of(spec))
    assert kept_states(outcome.search) == flat


# --- Theorem 3


@settings(max_examples=100)
@given(
    spec=finite_domain_tasks(goal=False),
    high_count=st.integers(1, 2),
    high_width=st.integers(1, 2),
    low_width=st.integers(1, 2),
)
def test_theorem_3_bounds_hiw(spec, high_count, high_width, low_width):
    """HIW never keeps more than N(n_h,d_h,w_h) * N(n_l,d_l,w_l) states, nor more high-level ones than the first."""
    high_count = min(high_count, len(spec.variables) - 1)
    planner = HIW(lambda state: vector(spec, state)[:high_count], IW(high_width), IW(low_width), record=True)
    outcome = planner.run(model_of(spec))
    high, low = spec.variables[:high_count], spec.variables[high_count:]
    above = most(len(high), max(map(len, high)), high_width)
    below = most(len(low), max(map(len, low)), low_width)
    assert outcome.high_level_nodes <= above
    kept = [row for row in native_table(outcome.search) if row[3] is not None and not row[4] & _native.PRUNED]
    assert len(kept) <= above * below


# --- the corridor


@pytest.mark.parametrize("length", [2, 4, 9])
def test_the_corridor(length):
    """IW(1) fails, IW(2) solves, HIW(1,1) over the key solves with two low-level searches.

    The states that IW(2) and HIW(1,1) keep are the same: every position without the key, and every position with it.
    """
    task = example("corridor", length=length)
    spec = Spec.of(task.native)
    assert IW(1).run(model_of(spec)).status is Status.EXHAUSTED
    flat = IW(2).run(model_of(spec))
    assert flat.status is Status.SOLVED
    outcome = HIW([task.atom("(have-key)")]).run(model_of(spec))
    assert outcome.status is Status.SOLVED
    assert outcome.high_level_nodes == outcome.search.region_count == 2  # type: ignore[union-attr]
    at = [task.atom(f"(at p{place})") for place in range(length + 1)]
    key, lies = task.atom("(have-key)"), task.atom(f"(key-at p{length})")
    everywhere = {frozenset({place, item}) for place in at for item in (key, lies)}
    assert kept_states(flat.search) == kept_states(outcome.search) == everywhere == spec.reachable()
    assert len(outcome.path) == len(flat.path) == 2 * length + 1  # type: ignore[arg-type]
