"""The greedy search along relaxed plans against a literal twin, node by node."""

from __future__ import annotations

import heapq

from hypothesis import given
from hypothesis import strategies as st

from strategies import any_tasks
from twin_best_first import ends_along_a_chain
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.task_search.guided import Guided

STOPS = {
    Status.SOLVED: _native.Stop.SOLVED,
    Status.EXHAUSTED: _native.Stop.EXHAUSTED,
    Status.OUT_OF_NODES: _native.Stop.OUT_OF_NODES,
}


class Twin:
    """The search as its header tells it; relaxed plans are asked for, everything else is done by hand."""

    def __init__(self, spec, operators, *, patience, novelty, max_nodes):
        self.spec, self.operators = spec, operators
        self.patience, self.novelty, self.max_nodes = patience, novelty, max_nodes
        pos, neg = sorted(spec.goal_pos), sorted(spec.goal_neg)
        self.relaxed = _native.Relaxed(operators, _native.Meter(), pos, neg)
        self.nodes, self.known, self.seen = [], set(), {}  # nodes are (parent, operator)
        self.states, self.generated, self.dead_ends = [], 0, 0
        self.helpful, self.others = [], []
        self.best, self.best_at, self.turn = float("inf"), 0, 0

    def plan(self, state):
        return self.relaxed.plan(self.operators.state(sorted(state)))

    def keep(self, state, parent, op):
        self.generated += 1
        if state in self.known:
            return None
        self.known.add(state)
        self.states.append(state)
        self.nodes.append((parent, op))
        return len(self.states) - 1

    def take(self, node):
        state = self.states[node]
        plan = self.plan(state)
        if plan is None:
            self.dead_ends += 1
            return
        seen = self.seen.setdefault(len(plan), set())
        features = self.spec.features(state)
        fresh = not self.novelty or not features <= seen
        seen |= features
        if len(plan) < self.best:
            self.best, self.best_at = len(plan), self.generated
        heapq.heappush(self.helpful, (len(plan), not fresh, node))

    def run(self):
        root = self.keep(self.spec.start(), None, None)
        if self.spec.is_goal(self.states[root]):
            return Status.SOLVED
        self.take(root)
        while self.helpful or self.others:
            impatient = False
            if self.generated - self.best_at > self.patience:
                self.turn += 1
                impatient = self.turn % 2 == 0
            others = not self.helpful or (impatient and bool(self.others))
            entry = heapq.heappop(self.others if others else self.helpful)
            state = self.states[entry[2]]
            plan = set(self.plan(state))
            for op in self.operators.applicable(self.operators.state(sorted(state))):
                if (op in plan) == others:
                    continue
                if self.generated >= self.max_nodes:
                    return Status.OUT_OF_NODES
                child = self.keep(self.spec.apply(state, op), entry[2], op)
                if child is None:
                    continue
                if self.spec.is_goal(self.states[child]):
                    return Status.SOLVED
                self.take(child)
            if not others:
                heapq.heappush(self.others, entry)
        return Status.EXHAUSTED


@given(any_tasks(), st.integers(0, 3), st.sampled_from([0, 2, 200]), st.booleans(), st.sampled_from([1, 5, 12, 10_000]))
def test_agrees_with_the_twin_node_for_node(spec, seed, patience, novelty, max_nodes):
    operators = spec.operators(seed)
    twin = Twin(spec, operators, patience=patience, novelty=novelty, max_nodes=max_nodes)
    ended = twin.run()
    goal = sorted(spec.goal_pos), sorted(spec.goal_neg)
    search = _native.Guided(operators, _native.Meter(), *goal, patience=patience, novelty=novelty, max_nodes=max_nodes)
    stop, node = search.start()
    while stop is _native.Stop.PAUSED:
        stop, node = search.resume(pause_after=3)
    assert stop is STOPS[ended]
    assert [search.node(item)[:2] for item in range(search.node_count)] == twin.nodes
    assert (search.generated, search.dead_ends) == (twin.generated, twin.dead_ends)
    if ended is Status.SOLVED:
        assert node == len(twin.nodes) - 1


@given(any_tasks())
def test_is_complete(spec):
    operators = spec.operators()
    model = Model(operators, sorted(spec.goal_pos), sorted(spec.goal_neg), _native.Meter())
    solvable = any(map(spec.is_goal, spec.reachable()))
    outcome = Guided().run(model)
    assert outcome.status is (Status.SOLVED if solvable else Status.UNSOLVABLE)
    if solvable:
        state = spec.start()
        for op in outcome.path:  # type: ignore[union-attr]
            assert op in spec.applicable(state) or spec.idle(spec.ops[op])
            state = spec.apply(state, op)
        assert spec.is_goal(state)


def test_memory_is_given_back_and_its_limit_kept():
    count = 200
    assert ends_along_a_chain(_native.Guided, count) == (count + 1, count, 1)


def test_a_given_first_state_is_where_it_begins():
    ops = [([n], [], [n + 1], [n], 1.0, []) for n in range(4)]
    operators = _native.Operators(_native.GroundedTask.build(5, ops, [], [0], [4], []))
    outcome = Guided().run(Model(operators, [4], [], _native.Meter(), first=operators.state([2])))
    assert outcome.path == [2, 3]
