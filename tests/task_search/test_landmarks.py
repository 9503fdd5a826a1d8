"""Landmarks: exactly what no relaxed plan can do without, and so what every plan shows on its way."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strategies import Op, Spec, any_tasks, model_of
from twin_best_first import RelaxedTwin
from widthwise import GBFS, _native
from widthwise.core.result import Status


class LandmarksTwin:
    """Landmarks by their definition: without the fact, the goal is out of reach."""

    def __init__(self, spec, state):
        self.spec = spec
        self.relaxed = RelaxedTwin(spec)
        self.given = {(atom, True) for atom in state} | {(a, False) for a in self.relaxed.wanted if a not in state}
        self.reached = self.reach(None)
        rules = self.relaxed.given
        self.facts = self.given | {fact for _, effects, _ in rules for fact in effects}
        self.without = {fact: self.reach(fact) for fact in self.facts}
        self.all = sorted(
            fact for fact in self.facts if fact[0] != "broken" and not set(self.relaxed.goal) <= self.without[fact]
        )

    def reach(self, banned):
        reached = self.given - {banned}
        before = None
        while before != len(reached):
            before = len(reached)
            for conditions, effects, _ in self.relaxed.given:
                if conditions <= reached:
                    reached |= set(effects) - {banned}
        return reached

    def necessary(self, fact):
        """The landmarks that everything which can make a fact for the first time has among its conditions."""
        if fact in self.given:
            return set()
        makers = [
            conditions
            for conditions, effects, _ in self.relaxed.given
            if fact in effects and conditions <= self.without[fact]
        ]
        return set.intersection(*map(set, makers)) & set(self.all) if makers else set()

    def to_come(self, way):
        """How many are still to come, for every state of a way."""
        shown, counts = set(), []
        for state in way:
            now = {fact for fact in self.all if (fact[0] in state) == fact[1]}
            shown |= now
            hidden = set(self.all) - shown
            wanted = set(self.relaxed.goal).union(*(self.necessary(fact) for fact in hidden))
            counts.append(len(hidden) + len((shown - now) & wanted))
        return counts


def relaxed_of(model):
    return _native.Relaxed(model.operators, model.meter, model.goal_pos, model.goal_neg)


@settings(max_examples=150)
@given(any_tasks())
def test_landmarks_of_the_twin(spec):
    model = model_of(spec)
    twin = LandmarksTwin(spec, spec.start())
    result = relaxed_of(model).landmarks(model.operators.first)
    if not set(twin.relaxed.goal) <= twin.reached:
        assert result is None
    else:
        assert sorted(result) == twin.all


@settings(max_examples=100)
@given(any_tasks())
def test_every_plan_shows_every_landmark(spec):
    model = model_of(spec)
    result = relaxed_of(model).landmarks(model.operators.first)
    assume(result)
    for atom, holds in result:
        todo, seen = [spec.start()], set()
        while todo:  # all states that can be had without showing it
            state = todo.pop()
            if state in seen or (atom in state) == holds:
                continue
            seen.add(state)
            assert not spec.is_goal(state)
            todo += [spec.apply(state, op) for op in spec.applicable(state)]


@settings(max_examples=150)
@given(any_tasks(), st.data())
def test_what_is_to_come_along_a_way(spec, data):
    model = model_of(spec)
    way = [spec.start()]
    for _ in range(data.draw(st.integers(0, 8))):
        ops = list(spec.applicable(way[-1]))
        if not ops:
            break
        way.append(spec.apply(way[-1], data.draw(st.sampled_from(ops))))
    counts = relaxed_of(model).to_come([model.operators.state(sorted(state)) for state in way])
    assume(counts is not None)
    assert counts == LandmarksTwin(spec, spec.start()).to_come(way)
    assert [count == 0 for count in counts] == [spec.is_goal(state) for state in way]


def test_a_landmark_that_is_wanted_again_counts_again():
    # A key opens the door and breaks; a chest needs a key as well.
    key, door, chest = 0, 1, 2
    none = frozenset()
    take = Op(none, none, frozenset({key}), none)
    through = Op(frozenset({key}), none, frozenset({door}), frozenset({key}))
    into = Op(frozenset({key}), none, frozenset({chest}), frozenset({key}))
    spec = Spec(3, (take, through, into), (), none, frozenset({door, chest}))
    model = model_of(spec)
    states = [model.operators.state(atoms) for atoms in ([], [key], [door], [key, door], [door, chest])]
    assert relaxed_of(model).to_come(states) == [3, 2, 2, 1, 0]


def chain(length, atoms=None):
    """Every atom needs the one before it."""
    none = frozenset()
    ops = tuple(Op(frozenset({n}), none, frozenset({n + 1}), none) for n in range(length - 1))
    return Spec(atoms or length, ops, (), frozenset({0}), frozenset({length - 1}))


def test_more_landmarks_than_a_word_has_bits():
    spec = chain(150)
    model = model_of(spec)
    way = [model.operators.state(range(n + 1)) for n in range(150)]
    assert relaxed_of(model).to_come(way) == list(range(149, -1, -1))


def test_a_task_too_large_for_them_is_solved_without():
    spec = chain(5, atoms=25_000)  # the sets of all its facts would take 78 MB
    model = model_of(spec)
    assert relaxed_of(model).landmarks(model.operators.first) is None
    assert GBFS().run(model).status is Status.SOLVED


@pytest.mark.parametrize("way", [[], [None]])
def test_a_way_has_states(way):
    with pytest.raises(ValueError, match="at least one"):
        relaxed_of(model_of(chain(3))).to_come(way)


def test_memory_is_given_back():
    meter = _native.Meter(bytes=10_000_000)
    model = model_of(chain(100), meter=meter)
    relaxed = relaxed_of(model)
    before = meter.bytes
    assert len(relaxed.landmarks(model.operators.first)) == 100
    assert meter.bytes == before
    search = _native.Greedy(model.operators, meter, model.goal_pos, model.goal_neg)
    assert search.start()[0] is _native.Stop.PAUSED
    assert search.resume()[0] is _native.Stop.SOLVED
    assert search.resume()[0] is _native.Stop.EXHAUSTED  # nothing else to find
    del search
    assert meter.bytes == before


@settings(max_examples=60)
@given(any_tasks(), st.booleans())
def test_greedy_search_is_complete_with_and_without_them(spec, landmarks):
    outcome = GBFS(landmarks=landmarks).run(model_of(spec))
    if outcome.status is Status.SOLVED:
        assert spec.is_plan(outcome.path)
    else:
        assert outcome.status is Status.UNSOLVABLE
        assert not any(spec.is_goal(state) for state in spec.reachable())
