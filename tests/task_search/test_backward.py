"""Backward search: the inverse task against its definition, and what it finds against a forward search."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import widthwise as ww
from example_tasks import example
from strategies import Op, Spec, finite_domain_tasks, model_of, tasks
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.portfolio.whole_problem import whole_problem
from widthwise.task_search.backward import Backward
from widthwise.task_search.bfws import BFWS, GBFS
from widthwise.task_search.siw import SIW


def inverse_of(model: Model, **limits) -> _native.Inverse:
    first = model.operators.first if model.first is None else model.first
    return _native.invert(model.operators, model.meter, model.goal_pos, model.goal_neg, first, **limits)


class Twin:
    """What has to hold before, as the header of the inverse task tells it, with sets."""

    def __init__(self, spec: Spec):
        negated = [*sorted(spec.goal_neg), *(atom for op in spec.ops for atom in sorted(op.neg))]
        self.negation = {atom: spec.atoms + place for place, atom in enumerate(dict.fromkeys(negated))}
        self.ops = [
            Op(
                op.pos | self.negated(op.neg),
                frozenset(),
                op.add | self.negated(op.delete - op.add),
                (op.delete - op.add) | self.negated(op.add),
            )
            for op in spec.ops
        ]
        self.first = spec.init | self.negated(frozenset(range(spec.atoms)) - spec.init)
        self.goal = spec.goal_pos | self.negated(spec.goal_neg)
        self.together = self.pairs()

    def negated(self, atoms):
        return frozenset(self.negation[atom] for atom in atoms if atom in self.negation)

    def pairs(self):
        """The pairs that h^2 cannot exclude, by sweeping over all operators until nothing is new."""
        together = set(product(self.first, repeat=2))
        while True:
            before = len(together)
            for op in self.ops:
                if not set(product(op.pos, repeat=2)) <= together:
                    continue
                together |= set(product(op.add, repeat=2))
                for atom in {first for first, other in together if first == other} - op.delete - op.add:
                    if all((atom, other) in together for other in op.pos):
                        together |= {(atom, added) for added in op.add} | {(added, atom) for added in op.add}
            if len(together) == before:
                return together

    def successors(self, wanted):
        """(operator, what has to hold before it) for all operators that lead to what is wanted."""
        for number, op in enumerate(self.ops):
            before = (wanted - op.add) | op.pos
            if wanted & (op.add - op.pos) and not wanted & op.delete and self.possible(before):
                yield number, before

    def possible(self, wanted):
        return set(product(wanted, repeat=2)) <= self.together


def ways_back(inverse: _native.Inverse, state: _native.State):
    assert inverse.operators is not None
    return [(inverse.operator_of[op], frozenset(then.atoms())) for op, then in inverse.operators.successors(state)]


plain_tasks = st.one_of(tasks(plain=True), finite_domain_tasks())


@given(plain_tasks, st.booleans(), st.sampled_from([None, 1, 7]))
def test_the_inverse_task_is_what_its_definition_says(spec, wide, seed):
    spec = spec.spread() if wide else spec
    inverse, twin = inverse_of(model_of(spec), seed=seed), Twin(spec)
    assert not inverse.large
    assert inverse.contradictory == (not twin.possible(twin.goal))
    if inverse.contradictory:
        assert inverse.operators is None and inverse.unwanted == []
        return
    assert inverse.operators is not None
    assert frozenset(inverse.unwanted) == {first for first, other in twin.together if first == other} - twin.first
    seen, layer = set(), [inverse.operators.first]
    for _ in range(3):
        following = []
        for state in layer:
            wanted = frozenset(state.atoms())
            result = ways_back(inverse, state)
            assert len(result) == len(set(result))
            assert set(result) == set(twin.successors(wanted))
            following += [then for _, then in inverse.operators.successors(state)]
        seen |= {tuple(state.atoms()) for state in layer}
        layer = [state for state in following if tuple(state.atoms()) not in seen][:20]


@given(plain_tasks, st.sampled_from([BFWS(width=1), BFWS(), GBFS()]), st.integers(0, 2))
def test_it_finds_a_plan_exactly_if_there_is_one(spec, search, seed):
    outcome = Backward(search).run(model_of(spec, seed=seed))
    if not any(map(spec.is_goal, spec.reachable())):
        assert outcome.status is Status.UNSOLVABLE
        assert "the task is unsolvable" in outcome.reason
        return
    assert outcome.status is Status.SOLVED
    assert spec.is_plan(outcome.path)


def paint(length: int) -> Spec:
    """A row of cells to be painted from a neighbour; nobody walks over paint, so the order matters."""

    def at(cell):
        return cell

    def painted(cell):
        return length + 1 + cell

    ops = []
    for cell in range(length + 1):
        for other in (cell - 1, cell + 1):
            if 0 <= other <= length:
                there = frozenset([at(cell)])
                dry = frozenset([painted(other)])
                ops.append(Op(there, dry, frozenset([at(other)]), there))
                ops.append(Op(there, dry, dry, frozenset()))
    goal = frozenset(painted(cell) for cell in range(1, length + 1))
    return Spec(2 * length + 2, tuple(ops), init=frozenset([at(0)]), goal_pos=goal)


def test_goals_that_must_come_in_one_order_are_met_in_it() -> None:
    spec = paint(12)
    outcome = Backward(BFWS("k1")).run(model_of(spec))
    assert outcome.status is Status.SOLVED and outcome.path is not None
    assert outcome.generated < 2_000
    assert outcome.search is None  # its tree is of another task
    assert spec.is_plan(outcome.path)


def test_a_given_first_state_is_where_the_plan_begins() -> None:
    spec = paint(3)
    model = model_of(spec)
    model.first = model.operators.state([1])
    outcome = Backward().run(model)
    assert outcome.status is Status.SOLVED and outcome.path is not None
    assert spec.is_plan(outcome.path, frozenset([1]))


def test_goals_that_exclude_each_other_are_reported_without_a_search() -> None:
    either = (Op(frozenset([0]), frozenset(), frozenset([1]), frozenset([0])),)
    both = Spec(2, either, init=frozenset([0]), goal_pos=frozenset([0, 1]))
    outcome = Backward().run(model_of(both))
    assert (outcome.status, outcome.generated) == (Status.UNSOLVABLE, 0)
    assert "no reachable state satisfies the goal" in outcome.reason


@pytest.mark.parametrize("planner", [Backward(), SIW(1)])
def test_a_first_state_in_which_nothing_holds_is_one(planner: Backward | SIW) -> None:
    spec = Spec(2, (Op(frozenset(), frozenset([0]), frozenset([1]), frozenset()),), init=frozenset([0]))
    model = model_of(spec)
    model.goal_pos, model.first = [1], model.operators.state([])
    outcome = planner.run(model)
    assert (outcome.status, outcome.path) == (Status.SOLVED, [0])
    model.first = None
    assert planner.run(model).status is not Status.SOLVED


@pytest.mark.parametrize("limit", ["most_words", "most_bytes"])
def test_what_is_too_large_is_left_to_others(limit: str) -> None:
    inverse = inverse_of(model_of(paint(4)), **{limit: 1})
    assert inverse.large and inverse.operators is None and inverse.operator_of == []


def test_conditional_effects_and_axioms_are_left_to_others() -> None:
    task = _native.GroundedTask.build(2, [([], [], [], [], 1.0, [([0], [], 1, True)])], [], [0], [1], [])
    model = Model(_native.Operators(task), [1], [], _native.Meter())
    assert not model.operators.plain
    with pytest.raises(ValueError, match="conditional effects or axioms"):
        inverse_of(model)
    outcome = Backward().run(model)
    assert outcome.status is Status.EXHAUSTED and "does not support tasks with conditional effects" in outcome.reason
    assert whole_problem().run(model).status is Status.SOLVED


def test_memory_is_given_back_and_its_limit_kept() -> None:
    spec = paint(30)
    model = model_of(spec)
    run = Backward().begin(model)
    assert run.resume(10) is None
    peak = model.meter.peak_bytes
    del run
    assert model.meter.bytes == 0
    for share in (0, peak // 4, peak // 2, peak - 1):
        small = model_of(spec)
        small.meter = _native.Meter(bytes=share)
        assert Backward().run(small).status is Status.OUT_OF_MEMORY
        assert small.meter.peak_bytes <= share
        assert small.meter.bytes == 0


def test_a_time_limit_and_a_request_to_stop_end_it() -> None:
    for meter, status in [(_native.Meter(seconds=0), Status.OUT_OF_TIME), (_native.Meter(), Status.INTERRUPTED)]:
        model = model_of(paint(40))
        model.meter = meter
        if status is Status.INTERRUPTED:
            meter.interrupt()
        assert Backward().run(model).status is status


def test_users_ask_for_it_by_name() -> None:
    result = ww.solve(example("blocks", blocks=4), "backward")
    assert result.status is Status.SOLVED
    assert result.planner == "backward BFWS(f5)"


@pytest.mark.parametrize("width", [1, 2])
def test_pauses_do_not_make_it_more_work(width) -> None:
    inverse = inverse_of(model_of(paint(8)))
    works = []
    for step in (None, 1):
        search = _native.Bfws(inverse.operators, _native.Meter(), [], inverse.unwanted, width=width)  # type: ignore[arg-type]
        stop, _ = search.start()
        while stop is _native.Stop.PAUSED:
            stop, _ = search.resume(pause_after=step)
        works.append((search.generated, search.work))
    assert works[0] == works[1] and works[0][1] > 0
