"""Plan improvement: better plans, never worse ones, never invalid ones; the kernels agree with a literal twin."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twin_improve as twin
from example_tasks import example
from strategies import Op, Spec, any_tasks
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.portfolio.improve import improve, lightest_is_cheapest, weights


@st.composite
def plans(draw):
    """A task, a plan for it made by walking about, and what its operators cost."""
    spec = draw(any_tasks())
    state, plan = spec.start(), []
    for _ in range(draw(st.integers(0, 12))):
        choices = spec.applicable(state)
        if not choices:
            break
        plan.append(draw(st.sampled_from(choices)))
        state = spec.apply(state, plan[-1])
    names = sorted({atom for op in spec.ops for atom in op.add | op.delete})
    wanted = draw(st.frozensets(st.sampled_from(names), max_size=3)) if names else frozenset()
    spec = replace(spec, goal_pos=wanted & state, goal_neg=wanted - state)
    costs = [float(draw(st.integers(1, 4))) for _ in spec.ops]
    return spec, plan, costs


def kernel(spec, costs, meter=None):
    operators = spec.operators()
    return _native.Improver(operators, meter or _native.Meter(), costs, sorted(spec.goal_pos), sorted(spec.goal_neg))


@settings(max_examples=60)
@given(plans(), st.booleans())
def test_elimination_agrees_with_its_twin(case, greedy):
    spec, plan, costs = case
    result = kernel(spec, costs).eliminate(plan, greedy)
    assert result == twin.eliminate(spec, costs, plan, greedy)
    assert twin.valid(spec, result)


@settings(max_examples=60)
@given(plans())
def test_gathering_agrees_with_its_twin_and_keeps_the_plan_valid(case):
    spec, plan, costs = case
    gathered = kernel(spec, costs).gather(plan)
    assert gathered == (plan if spec.axioms else twin.gather(spec, plan))
    assert Counter(gathered) == Counter(plan)
    assert twin.valid(spec, gathered)


@settings(max_examples=60)
@given(plans(), st.data())
def test_a_blind_window_finds_the_cheapest_way(case, data):
    spec, plan, costs = case
    begin = data.draw(st.integers(0, len(plan)))
    end = data.draw(st.integers(begin, len(plan)))
    stop, result, _ = kernel(spec, costs).replace(plan, begin, end, 2**40, 0.0)
    assert twin.valid(spec, result)
    assert (result[:begin], result[len(result) - len(plan) + end :]) == (plan[:begin], plan[end:])
    best = twin.cheapest(spec, costs, twin.run(spec, spec.start(), plan[:begin]), plan[end:])
    now = twin.cost(costs, result[begin : len(result) - len(plan) + end])
    plain = not spec.axioms and not any(op.effects for op in spec.ops)
    if plain or end == len(plan):
        assert now == best
    assert best <= now <= twin.cost(costs, plan[begin:end])
    assert (stop is _native.Stop.SOLVED) == (result != plan)


@settings(max_examples=60)
@given(plans(), st.integers(1, 40), st.sampled_from([0.0, 0.5, 1.0]))
def test_windows_with_few_nodes_keep_their_limit(case, nodes, weight):
    spec, plan, costs = case
    improver = kernel(spec, costs)
    stop, result, generated = improver.replace(plan, 0, len(plan), nodes, weight)
    assert generated <= nodes
    assert twin.valid(spec, result)
    assert twin.cost(costs, result) <= twin.cost(costs, plan)
    if stop is not _native.Stop.SOLVED:  # the same question is answered without a search
        assert improver.replace(plan, 0, len(plan), nodes, weight) == (stop, plan, 0)


@st.composite
def walks(draw):
    """A task, some plans for it that begin alike, and what its operators cost."""
    spec = draw(any_tasks())
    names = sorted({atom for op in spec.ops for atom in op.add | op.delete})
    result = [[]]
    for _ in range(draw(st.integers(2, 4))):
        plan = result[-1][: draw(st.integers(0, len(result[-1])))]
        for _ in range(draw(st.integers(1, 8))):
            if choices := spec.applicable(twin.run(spec, spec.start(), plan)):
                plan = [*plan, draw(st.sampled_from(choices))]
        result.append(plan)
    ends = [twin.run(spec, spec.start(), plan) for plan in result[1:]]
    always = frozenset(atom for atom in names if all(atom in end for end in ends))
    never = frozenset(atom for atom in names if not any(atom in end for end in ends))
    spec = replace(spec, goal_pos=always, goal_neg=never)
    return spec, result[1:], [float(draw(st.integers(1, 4))) for _ in spec.ops]


@settings(max_examples=120)
@given(walks(), st.sampled_from([3, 20, 500]), st.data())
def test_windows_of_a_plan_that_changes_are_those_of_a_fresh_start(case, nodes, data):
    """What is kept along a plan from window to window never differs from what replaying all of it would say."""
    spec, choices, costs = case
    lasting = kernel(spec, costs)
    plan = choices[0]
    for _ in range(data.draw(st.integers(2, 8))):
        begin = data.draw(st.integers(0, len(plan)))
        end = data.draw(st.integers(begin, len(plan)))
        stop, result, generated = kernel(spec, costs).replace(plan, begin, end, nodes, 0.0)
        again = lasting.replace(plan, begin, end, nodes, 0.0)
        assert again[:2] == (stop, result)
        assert again[2] in (generated, 0)  # 0: it remembers having looked there
        plan = data.draw(st.sampled_from([result, lasting.gather(result), lasting.eliminate(result, True), *choices]))


def test_what_a_conditional_effect_needs_is_asked_anew_where_the_states_have_changed():
    none = frozenset()
    ways = tuple((frozenset({way}), none, 2, True) for way in (0, 1))  # either of them makes the goal true
    makers = [Op(none, none, frozenset({way}), none) for way in (0, 1, 1)]
    spec = Spec(3, (*makers, Op(none, none, none, none, ways)), goal_pos=frozenset({2}))
    improver = kernel(spec, [1.0, 3.0, 2.0, 1.0])
    assert improver.replace([0, 3], 0, 1, 100, 0.0)[0] is _native.Stop.EXHAUSTED
    assert improver.replace([1, 3], 0, 1, 100, 0.0)[:2] == (_native.Stop.SOLVED, [2, 3])


def test_a_window_replays_only_what_has_changed():
    task, model, _, path = detour()
    improver = _native.Improver(
        model.operators, model.meter, [1.0] * len(task.native.cost), model.goal_pos, model.goal_neg
    )
    windows = [(begin, begin + 2) for begin in range(len(path) - 2)]
    worked = []
    for _ in range(2):
        before = improver.work
        for begin, end in windows:
            improver.replace(path, begin, end, 1)
        worked.append(improver.work - before)
    assert worked[0] > 0
    assert worked[1] == 0


@settings(max_examples=60)
@given(plans())
def test_improvement_ends_with_a_cheapest_plan_of_a_small_task(case):
    spec, plan, costs = case
    messages = []
    operators = spec.operators()
    model = Model(operators, sorted(spec.goal_pos), sorted(spec.goal_neg), _native.Meter(), costs=costs)
    done = improve(model, plan, lambda path, how: messages.append((path, how)), allowance=None)
    assert done.status is Status.EXHAUSTED
    assert done.optimal == lightest_is_cheapest(costs, done.path, len(plan))
    assert twin.cost(costs, done.path) == twin.cheapest(spec, costs, spec.start(), [])
    assert all(twin.valid(spec, path) and how for path, how in messages)
    totals = [(twin.cost(costs, path), len(path)) for path in [plan, *(path for path, _ in messages)]]
    assert totals == sorted(set(totals), reverse=True)
    assert done.path == (messages[-1][0] if messages else plan)


def detour(blocks=5):
    """Blocks, and a plan that picks a block up and puts it down again before it begins and after it has ended."""
    task = example("blocks", blocks=blocks)
    model = Model(
        task.ordered(None), list(task.goal.positive), list(task.goal.negative), _native.Meter(bytes=50_000_000)
    )
    search = model.search(_native.ALL_FEATURES)
    search.start()
    _, node, _ = search.resume(0)
    shortest = search.path(node)  # type: ignore[arg-type]
    state, lost = task.init, []
    for _ in range(3):
        pick = next(op for op, held in task.successors(state) if state in dict(map(reversed, task.successors(held))))
        held = task.apply(state, pick)
        back = next(op for op, after in task.successors(held) if after == state)
        lost += [pick, back]
    return task, model, shortest, lost + shortest


@pytest.mark.parametrize(
    "limits", [{}, {"allowance": 1}, {"nodes": 1}, {"bytes": 1}, {"seconds": 1e-9}, {"stop": True}]
)
def test_a_limit_ends_improvement_with_the_best_plan_so_far(limits):
    _, model, shortest, path = detour()
    model.meter = _native.Meter(limits.get("seconds"), limits.get("bytes"))
    model.max_nodes = limits.get("nodes")
    if "stop" in limits:
        model.meter.interrupt()
    messages = []
    done = improve(model, path, lambda path, how: messages.append(path), allowance=limits.get("allowance", 10**9))
    ends = {
        "allowance": Status.OUT_OF_TIME,
        "nodes": Status.OUT_OF_NODES,
        "bytes": Status.OUT_OF_MEMORY,
        "seconds": Status.OUT_OF_TIME,
        "stop": Status.INTERRUPTED,
    }
    assert done.status is next((ends[name] for name in limits), Status.EXHAUSTED)
    assert done.path == ([path, *messages][-1])
    assert len(shortest) <= len(done.path) <= len(path)
    if not limits:
        assert len(done.path) == len(shortest)
    assert limits.get("bytes") is None or model.meter.peak_bytes <= limits["bytes"]


@pytest.mark.parametrize(("limits", "stop"), [({"seconds": 1e-9}, "OUT_OF_TIME"), ({}, "INTERRUPTED")])
def test_every_window_looks_at_the_meter_however_few_its_nodes(limits, stop):
    task, model, _, path = detour()
    meter = _native.Meter(**limits)
    if not limits:
        meter.interrupt()
    weight = [1.0] * len(task.native.cost)
    improver = _native.Improver(model.operators, meter, weight, model.goal_pos, model.goal_neg)
    assert improver.replace(path, 0, 2, 100) == (getattr(_native.Stop, stop), path, 0)


def test_of_two_plans_of_one_cost_the_shorter_is_lighter():
    first, second, free = weights([1.0, 2.0, 0.0], 3, 7)
    assert first < second
    assert first + 7 * free < second
    assert weights(None, 3, 7) == [1.0, 1.0, 1.0]


def test_that_no_plan_is_cheaper_is_said_only_where_it_is_proved():
    assert lightest_is_cheapest(None, [0, 0], 2)
    assert lightest_is_cheapest([3.0, 5.0], [0, 1], 2)
    assert lightest_is_cheapest([0.0, 5.0], [], 2)
    assert not lightest_is_cheapest([0.0, 5.0], [1], 1)  # many free steps may weigh more than what they save
    assert not lightest_is_cheapest([1.0, 100.0], [1], 1)  # so may many cheap ones
    assert not lightest_is_cheapest([0.5, 0.75], [0], 1)


def test_a_shorter_plan_that_costs_a_fraction_more_is_not_better():
    def move(start, end):
        return Op(frozenset({start}), frozenset(), frozenset({end}), frozenset({start}))

    spec = Spec(3, (move(0, 1), move(1, 2), move(0, 2)), init=frozenset({0}), goal_pos=frozenset({2}))
    model = Model(_native.Operators(spec.native()), [2], [], _native.Meter(), costs=[0.01, 0.01, 0.03])
    done = improve(model, [0, 1], lambda path, how: None, allowance=None)
    assert (done.path, done.optimal) == ([0, 1], False)


def test_improvement_is_the_same_every_time():
    ends = []
    for _ in range(2):
        _, model, _, path = detour(6)
        messages = []
        improve(model, path, lambda path, how, into=messages: into.append((path, how)), allowance=20_000_000)  # type: ignore[misc]
        ends.append(messages)
    assert ends[0] == ends[1]
    assert ends[0]
