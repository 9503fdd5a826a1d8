"""The schedule for single goals: shares, turns, resumption, what it tells, and how it ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import widthwise as ww
from example_tasks import example
from strategies import any_tasks, model_of
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.portfolio.auto import Auto
from widthwise.portfolio.schedule import Turn
from widthwise.portfolio.single_goal import GROWTH, ROUND, TURNS, TURNS_IN_TIME, SingleGoal, single_goal_in_time
from widthwise.task_search.guided import Guided
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW


def ladder(count):
    """A task whose goal is so many steps away, with a choice at every step that helps nothing."""
    ops = [([n], [], [n + 1], [n], 1.0, []) for n in range(count)]
    ops += [([n], [], [count + 1 + n], [], 1.0, []) for n in range(count)]
    return _native.GroundedTask.build(2 * count + 1, ops, [], [0], [count], [])


def run(task, planner, max_nodes=None, **more):
    model = Model(_native.Operators(task), task.goal_pos, task.goal_neg, _native.Meter(), max_nodes=max_nodes, **more)
    return planner.run(model)


@given(any_tasks(), st.sampled_from([None, 1, 7, 40, 300]))
def test_the_budget_is_kept_and_the_stages_add_up(spec, nodes):
    outcome = SingleGoal().run(model_of(spec, max_nodes=nodes))
    assert outcome.generated == sum(stage.generated for stage in outcome.stages)
    assert nodes is None or outcome.generated <= nodes
    assert all(stage.reason and stage.planner for stage in outcome.stages)
    if nodes is None:
        assert outcome.status in (Status.SOLVED, Status.UNSOLVABLE)  # guided search is complete
    if outcome.status is Status.OUT_OF_NODES:
        assert outcome.generated == nodes
    if outcome.status is Status.SOLVED:
        assert outcome.reason == f"solved by {outcome.stages[-1].planner}"
        state = spec.start()
        for op in outcome.path:  # type: ignore[union-attr]
            state = spec.apply(state, op)
        assert spec.is_goal(state)


def test_a_search_that_is_cut_off_continues_where_it_was():
    task = ladder(60)
    flat = run(task, IW(1))
    turns = (Turn(IW(1), 0.001, "little"), Turn(IHIW(), 0.001, "as little"))
    outcome = run(task, SingleGoal(turns))
    assert outcome.status is Status.SOLVED
    by = {}
    for stage in outcome.stages:
        by.setdefault(stage.planner, []).append(stage)
    assert sum(stage.generated for stage in by["IW(1)"]) <= flat.generated
    assert [stage.reason for stage in by["IW(1)"][1:]] == ["continues from its previous turn"] * (len(by["IW(1)"]) - 1)
    assert [stage.generated for stage in by["IW(1)"][:-1]] == [
        ROUND // 1000 * GROWTH**n for n in range(len(by["IW(1)"]) - 1)
    ]
    assert "another choice of features" in by["IHIW(1,1)"][1].reason


def test_shares_are_of_the_limit_where_that_is_less_than_a_round():
    turns = (Turn(IW(1), 0.5, "half"), Turn(Guided(), 0.5, "half"))
    outcome = run(ladder(200), SingleGoal(turns), max_nodes=100)
    assert [(stage.planner, stage.generated) for stage in outcome.stages] == [("IW(1)", 50), ("guided search", 50)]
    assert outcome.status is Status.OUT_OF_NODES


def test_one_search_out_of_memory_leaves_the_others_their_turn():
    task = ladder(40)
    need = _native.Meter()
    Guided().run(Model(_native.Operators(task), task.goal_pos, [], need))
    # Enough for the guided search, not for what breadth-first search keeps.
    meter = _native.Meter(bytes=need.peak_bytes + 1_000)
    turns = (Turn(IW("n"), 0.9, "all states"), Turn(Guided(), 0.5, "thrifty"))
    outcome = SingleGoal(turns).run(Model(_native.Operators(task), task.goal_pos, [], meter))
    assert [stage.status for stage in outcome.stages] == [Status.OUT_OF_MEMORY, Status.SOLVED]
    small = _native.Meter(bytes=2_000)
    outcome = SingleGoal(turns).run(Model(_native.Operators(task), task.goal_pos, [], small))
    assert outcome.status is Status.OUT_OF_MEMORY


def test_time_and_ctrl_c_end_all_searches():
    meter = _native.Meter()
    meter.interrupt()
    task = ladder(50)
    outcome = SingleGoal().run(Model(_native.Operators(task), task.goal_pos, [], meter))
    assert outcome.status is Status.INTERRUPTED and len(outcome.stages) == 1


@pytest.mark.parametrize("name", ["8puzzle", "blocks", "gripper", "logistics", "visit-all"])
def test_auto_solves_every_single_goal_of_the_examples(name):
    task = example(name)
    for result in ww.solve_each_goal(task, budget=ww.Budget(nodes=10_000), seed=0):
        assert result.status is ww.Status.SOLVED
        assert result.stages[-1].status is Status.SOLVED


def test_auto_leaves_out_what_cannot_matter_for_a_single_goal():
    task = example("logistics")
    goal = task.goals[0]
    narrow = ww.solve(task, goal=goal)
    asked = ww.solve(task, goal=goal, relevance="goal")
    wide = ww.solve(task, goal=goal, relevance="none")
    assert narrow.generated == asked.generated < wide.generated
    assert narrow.plan is not None and wide.plan is not None


def test_the_same_seed_gives_the_same_run():
    task = example("blocks")
    first, second = (list(ww.solve_each_goal(task, seed=3)) for _ in range(2))
    assert [(item.plan, item.generated) for item in first] == [(item.plan, item.generated) for item in second]


def test_without_a_limit_of_nodes_time_counts_and_all_searches_have_turns() -> None:
    assert sum(turn.share for turn in TURNS_IN_TIME if turn.rounds is None) == pytest.approx(1.0)
    task = ladder(3_000)
    counted, timed = run(task, Auto(), max_nodes=50), run(task, Auto())
    assert {stage.planner for stage in counted.stages} <= {turn.planner.name for turn in TURNS}
    assert timed.status is Status.SOLVED
    same = run(task, single_goal_in_time())
    assert [(stage.planner, stage.generated) for stage in timed.stages] == [
        (stage.planner, stage.generated) for stage in same.stages
    ]


def test_goals_that_pairs_of_atoms_exclude_are_reported_though_there_is_one_goal() -> None:
    # Either 1 or 2, and the goal needs both; a third atom has so many values that no search ends soon.
    ops = [([0], [], [1], [0], 1.0, []), ([0], [], [2], [0], 1.0, []), ([1, 2], [], [3], [], 1.0, [])]
    ops += [([], [], [atom], [], 1.0, []) for atom in range(4, 30)] + [
        ([atom], [], [], [atom], 1.0, []) for atom in range(4, 30)
    ]
    task = _native.GroundedTask.build(30, ops, [], [0], [3], [])
    outcome = run(task, Auto())
    assert outcome.status is Status.UNSOLVABLE
    assert "pairs of atoms" in outcome.reason
