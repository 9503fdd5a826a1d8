"""States and operators: the native successor generator against the plain semantics of a task."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import any_tasks, tasks
from widthwise import _native


def some_states(spec, most=25):
    """States reachable from the first one, in breadth-first order."""
    seen = [spec.start()]
    for state in seen:
        for op in spec.applicable(state):
            after = spec.apply(state, op)
            if after not in seen and len(seen) < most:
                seen.append(after)
    return seen


@settings(max_examples=80)
@given(any_tasks())
def test_applicable_and_apply(spec):
    operators = spec.operators()
    for state in some_states(spec):
        native = operators.state(sorted(state))
        assert native.atoms() == sorted(state)
        assert operators.applicable(native) == spec.applicable(state)
        successors = operators.successors(native)
        assert [op for op, _ in successors] == spec.applicable(state)
        for op, after in successors:
            assert after.atoms() == sorted(spec.apply(state, op))
            assert operators.apply(native, op) == after


@given(tasks(), st.data())
def test_axioms_of_any_state(spec, data):
    """Derived atoms follow from the others, whatever the state claims about them."""
    operators = spec.operators()
    atoms = data.draw(st.lists(st.integers(0, spec.atoms - 1)))
    assert operators.state(atoms).atoms() == sorted(spec.derive(atoms))


@settings(max_examples=40)
@given(any_tasks(), st.integers(0, 2**64 - 1))
def test_a_seed_permutes_the_operators_once(spec, seed):
    task = spec.native()
    operators = _native.Operators(task, seed)
    order = operators.order
    assert sorted(order) == list(range(len(spec.ops)))
    assert _native.Operators(task, seed).order == order
    for state in some_states(spec, 10):
        possible = set(spec.applicable(state))
        assert operators.applicable(operators.state(sorted(state))) == [op for op in order if op in possible]


def test_seeds_differ():
    task = _native.GroundedTask.build(1, [([], [], [], [], 1.0, [])] * 30, [], [], [], [])
    orders = {tuple(_native.Operators(task, seed).order) for seed in range(20)}
    assert len(orders) == 20
    assert _native.Operators(task).order == list(range(30))


@pytest.mark.parametrize("seed", range(60))
def test_applicable_among_many_operators(seed):
    """Wide tasks: many operators behind the same literals, ranks beyond a machine word.

    Small tasks without negative conditions have masks over all operators, the others tries: 640 operators with
    three conditions are the last ones with masks.
    """
    random = Random(seed)
    atoms, count = random.choice([1, 5, 64, 65, 200]), random.choice([1, 63, 64, 65, 300, 640, 641, 5000])
    negative = seed % 2
    pick = lambda most: random.sample(range(atoms), min(atoms, random.randint(0, most)))  # noqa: E731
    ops = [(pick(3), pick(negative), pick(2), pick(2), 1.0, []) for _ in range(count)]
    task = _native.GroundedTask.build(atoms, ops, [], [], [], [])
    operators = _native.Operators(task, random.randint(0, 99))
    for _ in range(5):
        state = set(random.sample(range(atoms), random.randint(0, atoms)))
        expected = [
            op
            for op in operators.order
            if set(ops[op][0]) <= state
            and not set(ops[op][1]) & state
            and not (set(ops[op][2]) <= set(ops[op][0]) and set(ops[op][3]) - set(ops[op][2]) <= set(ops[op][1]))
        ]
        assert operators.applicable(operators.state(sorted(state))) == expected


def test_a_state_is_a_set():
    operators = _native.Operators(_native.GroundedTask.build(130, [], [], [], [], []))
    first, other = operators.state([129, 3, 64]), operators.state([3, 64, 129])
    assert first == other
    assert hash(first) == hash(other)
    assert list(first) == [3, 64, 129]
    assert len(first) == 3
    assert 64 in first
    assert 65 not in first
    assert first != operators.state([3])
    assert first != "a state"


def test_numbers_out_of_range_are_refused():
    operators = _native.Operators(_native.GroundedTask.build(3, [([0], [], [1], [], 1.0, [])], [], [0], [2], []))
    state = operators.state([0])
    with pytest.raises(IndexError):
        operators.state([3])
    with pytest.raises(IndexError):
        operators.apply(state, 1)
    with pytest.raises(IndexError):
        _native.Search(operators, _native.Meter(), [], [3], [])
    with pytest.raises(IndexError):
        _native.Search(operators, _native.Meter(), [[6]], [], [])
    search = _native.Search(operators, _native.Meter(), [], [2], [])
    search.start()
    for bad in (
        lambda: search.resume(1),
        lambda: search.state(1),
        lambda: search.node(1),
        lambda: search.path(1),
    ):
        with pytest.raises(IndexError):
            bad()
    assert state not in (None, 0)
    other = _native.Operators(_native.GroundedTask.build(200, [], [], [], [], []))
    with pytest.raises(ValueError, match="another task"):
        operators.applicable(other.state([]))


@pytest.mark.parametrize("call", ["candidates", "region_root", "abstract"])
def test_nodes_and_regions_out_of_range_are_refused(call):
    operators = _native.Operators(_native.GroundedTask.build(3, [([0], [], [1], [], 1.0, [])], [], [0], [2], []))
    search = _native.Search(operators, _native.Meter(), [[0]], [2], [])
    search.start()
    with pytest.raises(IndexError):
        getattr(search, call)(*((10**6, 0) if call == "abstract" else (10**6,)))
