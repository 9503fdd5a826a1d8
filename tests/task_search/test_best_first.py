"""Whole problems: relaxed plans and BFWS against their twins, GBFS and SIW by what they promise."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strategies import Op, Spec, any_tasks, model_of
from twin_best_first import BfwsTwin, RelaxedTwin
from twin_search import shortest
from widthwise import BFWS, GBFS, IHIW, IW, SIW, UsageError, _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.portfolio.registry import make_planner
from widthwise.task_search.guided import Guided
from widthwise.task_search.walks import Walks

LIMIT = 300
Stop = _native.Stop


def finish(search, pause_after=None, pause_seconds=None):
    stop, node = search.start()
    while stop is Stop.PAUSED:
        stop, node = search.resume(pause_after, pause_seconds)
    return stop, node


@settings(max_examples=150)
@given(any_tasks())
def test_relaxed_plans_of_the_twin(spec):
    model, twin = model_of(spec), RelaxedTwin(spec)
    relaxed = _native.Relaxed(model.operators, model.meter, model.goal_pos, model.goal_neg)
    state = spec.start()
    for op in [None, *spec.applicable(state)]:
        after = state if op is None else spec.apply(state, op)
        native = model.operators.state(sorted(after))
        result, plan = twin.evaluate(after), relaxed.plan(native)
        if result is None:
            assert plan is None
            assert relaxed.preferred(native) == []
            continue
        assert plan is not None and len(plan) == len(set(plan))
        assert set(plan) == result[0]
        assert set(relaxed.preferred(native)) == {
            op for op in result[0] if spec.ops[op].pos <= after and not spec.ops[op].neg & after
        }
        made_true, made_false = relaxed.effects(native)
        effects = twin.effects(after, result[1])
        assert {(atom, True) for atom in made_true} | {(atom, False) for atom in made_false} == effects


@settings(max_examples=150)
@given(any_tasks())
def test_merged_rules_reach_the_same_at_the_same_cost(spec):
    twin = RelaxedTwin(spec)
    merged, _ = twin.explore(spec.start())
    own = [
        (conditions, int(op is not None), [(fact, None) for fact in effects]) for conditions, effects, op in twin.given
    ]
    twin.rules = own
    assert twin.explore(spec.start())[0] == merged


@pytest.mark.parametrize("conditions", [5, 6])
def test_many_conditions_are_not_compared(conditions):
    # Both operators fire at the last atom, the first of them first, unless it is left out since the other needs less.
    goal = frozenset({conditions})
    needs = frozenset(range(conditions)), frozenset({conditions - 1})
    ops = tuple(Op(need, frozenset(), goal, frozenset(), ()) for need in needs)
    spec = Spec(conditions + 1, ops, (), needs[0], goal)
    model = model_of(spec)
    relaxed = _native.Relaxed(model.operators, model.meter, model.goal_pos, model.goal_neg)
    assert relaxed.plan(model.operators.first) == [1 if conditions == 5 else 0]
    assert RelaxedTwin(spec).evaluate(spec.start())[0] == {1 if conditions == 5 else 0}


@settings(max_examples=100)
@given(any_tasks())
def test_a_relaxed_dead_end_has_no_plan(spec):
    model = model_of(spec)
    relaxed = _native.Relaxed(model.operators, model.meter, model.goal_pos, model.goal_neg)
    if relaxed.plan(model.operators.first) is None:
        assert shortest(spec) is None
        for planner in (BFWS(), BFWS("k1"), GBFS()):
            outcome = planner.run(model_of(spec))
            assert outcome.status is Status.UNSOLVABLE
            assert "delete effects" in outcome.reason


def step(pre, add, delete=()):
    return Op(frozenset(pre), frozenset(), frozenset(add), frozenset(delete))


#: The first state after the root has nothing new, not even a pair, and another shows a pair that the root has shown.
LESS_THAN_THE_ROOT = Spec(
    5,
    (step([1, 2], [], [1, 2]), step([0], [1]), step([0], [3]), step([0, 3], [4])),
    init=frozenset({0, 1, 2}),
    goal_pos=frozenset({4}),
)


# Tasks with a state that is not novel where it is first met, and is on another way; by width.
MET_TWICE = {
    1: Spec(
        4,
        (step([], [0, 2, 3]), Op(frozenset(), frozenset({1}), frozenset(), frozenset({3})), step([], [0, 2], [1])),
        init=frozenset({0, 1}),
        goal_pos=frozenset({1, 2, 3}),
        goal_neg=frozenset({1, 3}),
    ),
    2: Spec(
        5,
        (
            step([], [3], [2]),
            step([], [0, 3], [4]),
            Op(frozenset({1, 2, 3}), frozenset({2}), frozenset(), frozenset({2, 4})),
        ),
        init=frozenset({2, 4}),
        goal_pos=frozenset({0}),
        goal_neg=frozenset({1, 3}),
    ),
}


@pytest.mark.parametrize("width", MET_TWICE)
def test_a_state_that_was_not_novel_has_another_chance(width):
    spec = MET_TWICE[width]
    model = model_of(spec)
    search = _native.Bfws(model.operators, model.meter, model.goal_pos, model.goal_neg, width=width)
    finish(search)
    moved = search.generated - search.pruned - search.node_count
    assert moved > 0


@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.parametrize("width", [1, 2])
@settings(max_examples=60)
@example(spec=LESS_THAN_THE_ROOT, limit=LIMIT, seed=None)
@example(spec=MET_TWICE[1], limit=LIMIT, seed=None)
@example(spec=MET_TWICE[2], limit=LIMIT, seed=None)
@given(spec=any_tasks(), limit=st.sampled_from([1, 2, 5, 20, LIMIT]), seed=st.none() | st.integers(0, 9))
def test_bfws_is_its_twin(width, prune, spec, limit, seed):
    model = model_of(spec, seed)

    def native(pause_after=None):
        goal = (model.goal_pos, model.goal_neg)
        search = _native.Bfws(model.operators, model.meter, *goal, width=width, prune=prune, max_nodes=limit)
        return search, finish(search, pause_after)

    search, (stop, node) = native()
    twin = BfwsTwin(spec, model.operators.order, width, prune, limit)
    assert (stop.name, node) == twin.run()
    assert (search.generated, search.expanded, search.pruned, search.dead_ends) == twin.counts()
    if search.node_count > 1:
        assert twin.rows() == [
            (*search.node(item)[:3], search.evaluation(item), search.state(item).atoms())
            for item in range(search.node_count)
        ]
    if stop is Stop.SOLVED:
        assert spec.is_plan(search.path(node))
    slices, end = native(1 + limit % 3)
    assert end == (stop, node)
    assert (slices.generated, slices.node_count) == (search.generated, search.node_count)


@settings(max_examples=100)
@given(any_tasks(), st.sampled_from([1, 5, 20, LIMIT]))
def test_greedy_search_counts_a_node_as_kept_or_as_pruned_but_not_twice(spec, limit):
    model = model_of(spec)
    search = _native.Greedy(model.operators, model.meter, model.goal_pos, model.goal_neg, max_nodes=limit)
    stop, _ = finish(search, None)
    assert search.node_count + search.pruned <= search.generated
    if stop is Stop.EXHAUSTED:
        assert search.node_count + search.pruned == search.generated


@settings(max_examples=100)
@given(any_tasks(), st.none() | st.integers(0, 9))
def test_complete_searches_decide(spec, seed):
    length = shortest(spec)
    for planner in (BFWS(), BFWS(width=1), GBFS()):
        outcome = planner.run(model_of(spec, seed))
        assert outcome.status is (Status.UNSOLVABLE if length is None else Status.SOLVED)
        assert outcome.path is None or spec.is_plan(outcome.path)


@settings(max_examples=100)
@given(any_tasks())
def test_pruned_searches_never_claim_too_much(spec):
    for planner in (BFWS("k1"), BFWS("k2"), SIW(1), SIW(2), SIW(IHIW(stuck="stop"))):
        outcome = planner.run(model_of(spec, max_nodes=2000))
        if outcome.path is not None:
            assert spec.is_plan(outcome.path)
        if outcome.status is Status.UNSOLVABLE:
            assert shortest(spec) is None


@settings(max_examples=60)
@given(any_tasks())
def test_siw_keeps_the_goals_it_has(spec):
    """With whole states as tuples every step is breadth-first search: it ends with all goals or truly cannot go on."""
    outcome = SIW(IW("n")).run(model_of(spec, max_nodes=3000))
    if outcome.status is Status.SOLVED:
        assert spec.is_plan(outcome.path)
    elif outcome.status is Status.EXHAUSTED:
        assert re.search(r"achieved \d+ of \d+ goals?", outcome.reason)


@settings(max_examples=40)
@given(spec=any_tasks(), limit=st.integers(1, 40))
def test_node_limits_are_kept(spec, limit):
    for planner in (BFWS(), BFWS("k2"), GBFS(), SIW(2), SIW(IHIW())):
        assert planner.run(model_of(spec, max_nodes=limit)).generated <= limit


def counting_task(bits=14):
    """A binary counter: its only plan runs through all its states."""
    ops = []
    for bit in range(bits):
        ops.append(([*range(bit)], [bit], [bit], [*range(bit)], 1.0, []))
    return _native.GroundedTask.build(bits, ops, [], [], [*range(bits)], [])


@pytest.mark.parametrize("planner", [BFWS(), GBFS()])
def test_memory_and_interrupts_end_a_search(planner):
    task = counting_task(24)
    operators = _native.Operators(task)
    small = _native.Meter(bytes=2_000_000)
    outcome = planner.run(Model(operators, task.goal_pos, [], small))
    assert outcome.status is Status.OUT_OF_MEMORY
    assert small.peak_bytes <= 2_000_000
    outcome.search = None
    assert small.bytes == 0
    stopped = _native.Meter()
    stopped.interrupt()
    assert planner.run(Model(operators, task.goal_pos, [], stopped)).status is Status.INTERRUPTED


def test_a_search_can_be_resumed_in_slices():
    task = counting_task(10)
    run = BFWS().begin(Model(_native.Operators(task), task.goal_pos, [], _native.Meter()))
    slices = 1
    while (outcome := run.resume(50)) is None:
        assert run.outcome().status is Status.OUT_OF_NODES
        slices += 1
    assert outcome.status is Status.SOLVED
    assert slices > 10
    assert outcome.path is not None and len(outcome.path) == 2**10 - 1


@pytest.mark.parametrize("kind", [_native.Bfws, _native.Greedy, _native.Guided, _native.Walks])
@settings(max_examples=60)
@given(spec=any_tasks(), limit=st.sampled_from([1, 5, 20, LIMIT]))
def test_pauses_by_the_clock_change_nothing(kind, spec, limit):
    model = model_of(spec)
    trees = []
    for seconds in (None, 0.0):  # none at all: a pause at every look at the clock
        search = kind(model.operators, model.meter, model.goal_pos, model.goal_neg, max_nodes=limit)
        end = finish(search, None, seconds)
        counts = (search.generated, search.expanded, search.pruned, search.dead_ends, search.work)
        trees.append((end, counts, [search.node(item) for item in range(search.node_count)]))
    assert trees[0] == trees[1]


@pytest.mark.parametrize("planner", [BFWS(), GBFS(), Guided()])
def test_whoever_watches_hears_of_a_search_though_it_has_few_nodes(planner, monkeypatch):
    monkeypatch.setattr(Model, "pause_seconds", 0.0)
    task = counting_task(6)
    heard = []
    model = Model(
        _native.Operators(task), task.goal_pos, [], _native.Meter(), watch=lambda s: heard.append(s.generated)
    )
    outcome = planner.run(model)
    assert outcome.status is Status.SOLVED
    assert heard == sorted(heard)
    assert len(set(heard)) > 10  # of fewer than a hundred nodes


def test_a_search_can_begin_elsewhere():
    task = counting_task(6)
    operators = _native.Operators(task)
    first = operators.state([1, 2, 3, 4, 5])
    for planner in (BFWS(), GBFS(), Walks(), IW("n"), SIW(IW("n"))):
        outcome = planner.run(Model(operators, task.goal_pos, [], _native.Meter(), first=first))
        assert outcome.status is Status.SOLVED
        assert outcome.path is not None and len(outcome.path) == 1


def test_names():
    assert make_planner("siw").name == "SIW(2)"
    assert make_planner("siw", (1, 1)).name == "SIW(IHIW(1,1))"
    assert make_planner("bfws").name == "BFWS(f5)"
    assert make_planner("gbfs").name == "GBFS"
    assert BFWS("k1").name == "1-BFWS(f5)"
    with pytest.raises(UsageError):
        make_planner("bfws", (1,))
    with pytest.raises(UsageError):
        make_planner("siw", (1, 1, 1))
