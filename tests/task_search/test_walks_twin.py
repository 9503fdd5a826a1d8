"""Random walks along relaxed plans against a literal twin, node by node."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_tasks import example
from strategies import any_tasks
from twin_best_first import ends_along_a_chain
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.task_search.walks import Walks

STOPS = {
    Status.SOLVED: _native.Stop.SOLVED,
    Status.EXHAUSTED: _native.Stop.EXHAUSTED,
    Status.OUT_OF_NODES: _native.Stop.OUT_OF_NODES,
}
BITS = 2**64 - 1


class Twin:
    """The search as its header tells it; relaxed plans are asked for, everything else is done by hand."""

    def __init__(self, spec, operators, *, seed, walks, longest, ways, max_nodes):
        self.spec, self.operators, self.random = spec, operators, seed
        self.walks, self.longest, self.ways, self.max_nodes = walks, longest, ways, max_nodes
        self.relaxed = _native.Relaxed(operators, _native.Meter(), sorted(spec.goal_pos), sorted(spec.goal_neg))
        self.states, self.nodes = [spec.start()], [(None, None)]  # nodes are (parent, operator)
        self.generated, self.evaluated, self.dead_ends = 1, 0, 0

    def below(self, bound):
        self.random = self.random + 0x9E3779B97F4A7C15 & BITS
        mixed = self.random
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & BITS
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & BITS
        return ((mixed ^ mixed >> 31) >> 32) * bound >> 32

    def plan(self, state):
        self.evaluated += 1
        plan = self.relaxed.plan(self.operators.state(sorted(state)))
        self.dead_ends += plan is None
        return plan

    def way(self, node):
        """The nodes from the root to here."""
        parent = self.nodes[node][0]
        return [node] if parent is None else [*self.way(parent), node]

    def choose(self, state, plan):
        """As the native search does it: those of the plan are swapped to the front one by one."""
        choice, planned = [], 0
        for op in self.operators.applicable(self.operators.state(sorted(state))):
            choice.append(op)
            if op in plan:
                choice[planned], choice[-1] = choice[-1], choice[planned]
                planned += 1
        if not choice:
            return None
        along = planned > 0 and self.below(8) != 0
        return choice[self.below(planned if along else len(choice))]

    def walk(self, at, plan, steps):
        """The operators of a walk and where it ends; None if the nodes are used up."""
        taken, state = [], self.states[at]
        while len(taken) < steps:
            if self.generated >= self.max_nodes:
                return None
            op = self.choose(state, plan)
            if op is None:
                break
            state = self.spec.apply(state, op)
            taken.append(op)
            self.generated += 1
            if self.spec.is_goal(state):
                break
        return taken, state

    def run(self):
        if self.spec.is_goal(self.states[0]):
            return Status.SOLVED
        at, plan, tried = 0, self.plan(self.states[0]), 0
        if plan is None:
            return Status.EXHAUSTED
        remembered = [(len(plan), 0)]
        while True:
            if tried == self.walks:
                if len(remembered) < self.ways:
                    remembered.append((len(plan), at))
                else:
                    worst = max(range(self.ways), key=lambda way: remembered[way][0])
                    if len(plan) <= remembered[worst][0]:
                        remembered[worst] = len(plan), at
                way = self.way(remembered[self.below(len(remembered))][1])
                at, tried = way[self.below(len(way))], 0
                plan = self.plan(self.states[at])
            steps = 1 + (self.longest - 1) * tried // self.walks
            tried += 1
            walked = self.walk(at, plan, steps)
            if walked is None:
                return Status.OUT_OF_NODES
            taken, state = walked
            if not taken and at == 0:
                return Status.EXHAUSTED
            result = None if self.spec.is_goal(state) else self.plan(state)
            if not self.spec.is_goal(state) and (result is None or len(result) >= len(plan)):
                continue
            for op in taken:
                child = self.spec.apply(self.states[at], op)
                if child not in self.states:
                    self.states.append(child)
                    self.nodes.append((at, op))  # type: ignore[arg-type]
                at = self.states.index(child)
            if self.spec.is_goal(state):
                return Status.SOLVED
            plan, tried = result, 0


@given(
    any_tasks(),
    st.integers(0, 3),
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(1, 3),
    st.sampled_from([1, 5, 200]),
)
def test_agrees_with_the_twin_node_for_node(spec, seed, walks, longest, ways, max_nodes):
    operators = spec.operators(seed)
    options = {"seed": seed, "walks": walks, "longest": longest, "ways": ways, "max_nodes": max_nodes}
    twin = Twin(spec, operators, **options)
    ended = twin.run()
    search = _native.Walks(operators, _native.Meter(), sorted(spec.goal_pos), sorted(spec.goal_neg), **options)
    stop, node = search.start()
    while stop is _native.Stop.PAUSED:
        stop, node = search.resume(pause_after=3)
    assert stop is STOPS[ended]
    assert [search.node(item)[:2] for item in range(search.node_count)] == twin.nodes
    assert (search.generated, search.dead_ends) == (twin.generated, twin.dead_ends)
    assert search.evaluated == twin.evaluated
    if ended is Status.SOLVED:
        state = spec.start()
        for op in [search.node(item)[1] for item in twin.way(node)[1:]]:
            state = spec.apply(state, op)
        assert spec.is_goal(state)


def test_solves_a_task_with_one_hundred_steps() -> None:
    task = example("blocks", blocks=30)
    model = Model(_native.Operators(task.native), list(task.goal.positive), [], _native.Meter(), max_nodes=1_000_000)
    outcome = Walks().run(model)
    assert outcome.status is Status.SOLVED
    assert outcome.path is not None and len(outcome.path) >= 30


def test_where_nothing_leads_on_there_is_no_plan() -> None:
    task = _native.GroundedTask.build(2, [([1], [], [0], [], 1.0, [])], [], [], [0], [])
    outcome = Walks().run(Model(_native.Operators(task), [0], [], _native.Meter()))
    assert outcome.status is Status.UNSOLVABLE
    assert "no operator leads" in outcome.reason


def test_memory_is_given_back_and_its_limit_kept() -> None:
    *_, best = ends_along_a_chain(_native.Walks, 2_000)
    assert best == 1


@pytest.mark.parametrize("option", ["walks", "longest", "ways"])
def test_nothing_is_refused(option: str) -> None:
    operators = _native.Operators(_native.GroundedTask.build(1, [], [], [], [0], []))
    with pytest.raises(ValueError, match="at least one"):
        _native.Walks(operators, _native.Meter(), [0], [], **{option: 0})  # type: ignore[arg-type]
