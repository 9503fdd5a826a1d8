"""Relevance analysis: against a literal twin, and that it loses no goal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widthwise import _native
from widthwise.classical.relevance import restrict

ATOMS = 7
State = frozenset[int]
ids = st.lists(st.integers(0, ATOMS - 2), max_size=2, unique=True)
effects = st.tuples(ids, ids, st.integers(0, ATOMS - 3), st.booleans())
operators = st.tuples(
    ids, ids,
    st.lists(st.integers(0, ATOMS - 3), max_size=2, unique=True),
    st.lists(st.integers(0, ATOMS - 3), max_size=2, unique=True),
    st.just(1.0),
    st.lists(effects, max_size=2),
)  # fmt: skip


@st.composite
def ground_tasks(draw: st.DrawFn) -> _native.GroundedTask:
    """Random grounded tasks whose last two atoms are derived, the very last from the one before it."""
    lower = st.lists(st.integers(0, ATOMS - 3), max_size=2, unique=True)
    axioms = [(ATOMS - 2, pos, neg, 0) for pos, neg in draw(st.lists(st.tuples(lower, lower), max_size=2))]
    axioms += [(ATOMS - 1, pos, neg, 1) for pos, neg in draw(st.lists(st.tuples(ids, ids), max_size=2))]
    init = draw(st.lists(st.integers(0, ATOMS - 3), max_size=3, unique=True))
    goal = draw(st.tuples(*[st.lists(st.integers(0, ATOMS - 1), max_size=2, unique=True)] * 2))
    if not axioms:  # then nothing is derived: the two atoms are just never true
        goal = ([a for a in goal[0] if a < ATOMS - 2], goal[1])
    return _native.GroundedTask.build(ATOMS, draw(st.lists(operators, max_size=5)), axioms, init, *goal)


def twin(task: _native.GroundedTask, goal_pos: list[int], goal_neg: list[int]) -> tuple[list[int], list[int]]:
    """What matters, by going round until nothing changes."""
    wanted = {(atom, True) for atom in goal_pos} | {(atom, False) for atom in goal_neg}
    used: set[int] = set()

    def condition(pos: list[int], neg: list[int], truth: bool) -> set[tuple[int, bool]]:
        return {(atom, truth) for atom in pos} | {(atom, not truth) for atom in neg}

    size = -1
    while size != len(wanted) + len(used):
        size = len(wanted) + len(used)
        for op in range(task.operator_count):
            helps = any((a, True) in wanted for a in task.add(op))
            helps |= any((a, False) in wanted for a in task.delete(op))
            helps |= any((a, adds) in wanted for _, _, a, adds in task.effects(op))
            if not helps:
                continue
            used.add(op)
            wanted |= condition(task.pre_pos(op), task.pre_neg(op), True)
            for pos, neg, atom, adds in task.effects(op):
                if (atom, adds) in wanted:
                    wanted |= condition(pos, neg, True)
                if (atom, not adds) in wanted:
                    wanted |= condition(pos, neg, False)
        for number in range(task.axiom_count):
            head, pos, neg, _ = task.axiom(number)
            for truth in (True, False):
                if (head, truth) in wanted:
                    wanted |= condition(pos, neg, truth)
    return sorted({atom for atom, _ in wanted}), sorted(used)


@settings(max_examples=300, deadline=None)
@given(ground_tasks())
def test_like_the_twin(task: _native.GroundedTask) -> None:
    part = restrict(task, task.goal_pos, task.goal_neg)
    assert (part.atoms, part.operators) == twin(task, task.goal_pos, task.goal_neg)
    # What is kept is kept whole: the same rows under the old numbers, without the atoms that do not matter.
    small, kept = part.task, set(part.atoms)

    def old(row: list[int]) -> list[int]:
        return [part.atoms[atom] for atom in row]

    assert (small.atom_count, small.operator_count) == (len(part.atoms), len(part.operators))
    assert small.cost == [task.cost[op] for op in part.operators]
    for new, op in enumerate(part.operators):
        for rows in ("pre_pos", "pre_neg", "add", "delete"):
            assert old(getattr(small, rows)(new)) == [a for a in getattr(task, rows)(op) if a in kept]
        assert [(old(p), old(n), part.atoms[a], adds) for p, n, a, adds in small.effects(new)] == [
            effect for effect in task.effects(op) if effect[2] in kept
        ]
    axioms = [small.axiom(k) for k in range(small.axiom_count)]
    assert [(part.atoms[h], old(p), old(n), layer) for h, p, n, layer in axioms] == [
        task.axiom(k) for k in range(task.axiom_count) if task.axiom(k)[0] in kept
    ]
    assert old(small.init) == [a for a in task.init if a in kept]
    assert (old(small.goal_pos), old(small.goal_neg)) == (task.goal_pos, task.goal_neg)
    assert old(small.derived) == [a for a in task.derived if a in kept]


def close(task: _native.GroundedTask, state: State) -> State:
    """A state with its derived atoms."""
    holds = set(state)
    for layer in (0, 1):
        for _ in range(ATOMS):
            for number in range(task.axiom_count):
                head, pos, neg, own = task.axiom(number)
                if own == layer and holds.issuperset(pos) and holds.isdisjoint(neg):
                    holds.add(head)
    return frozenset(holds)


def solvable(task: _native.GroundedTask) -> bool:
    """Whether breadth-first search finds the goal."""
    first = frozenset(task.init)
    seen, todo = {first}, [first]
    while todo:
        state = todo.pop()
        holds = close(task, state)
        if holds.issuperset(task.goal_pos) and holds.isdisjoint(task.goal_neg):
            return True
        for op in range(task.operator_count):
            if not (holds.issuperset(task.pre_pos(op)) and holds.isdisjoint(task.pre_neg(op))):
                continue
            add, delete = set(task.add(op)), set(task.delete(op))
            for pos, neg, atom, adds in task.effects(op):
                if holds.issuperset(pos) and holds.isdisjoint(neg):
                    (add if adds else delete).add(atom)
            after = frozenset(state - delete | add)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return False


@settings(max_examples=300, deadline=None)
@given(ground_tasks())
def test_the_goal_is_as_solvable_as_before(task: _native.GroundedTask) -> None:
    assert solvable(restrict(task, task.goal_pos, task.goal_neg).task) == solvable(task)


def test_what_is_far_from_the_goal_goes() -> None:
    chain = [([k], [], [k + 1], [k], 1.0, []) for k in range(4)]
    task = _native.GroundedTask.build(5, chain, [], [0], [4], [])
    part = restrict(task, [2])
    assert (part.atoms, part.operators, part.task.goal_pos) == ([0, 1, 2], [0, 1], [2])


def test_a_goal_that_is_no_atom_is_refused() -> None:
    task = _native.GroundedTask.build(2, [], [], [0], [1], [])
    with pytest.raises(ValueError, match="goal atom"):
        restrict(task, [2])
