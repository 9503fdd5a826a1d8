"""A plan is a list of texts with a cost: it behaves as both."""

from __future__ import annotations

import copy
import json
import operator
import pickle

import pytest

import widthwise as ww

STEPS = ["(move a b)", "(move b c)"]


def test_a_plan_can_be_used_as_a_list_of_texts() -> None:
    plan = ww.Plan(STEPS, 5, unit_cost=False)
    assert operator.eq(plan, STEPS) and operator.eq(STEPS, plan) and not operator.ne(plan, STEPS)
    assert isinstance(plan, list) and plan[0] == STEPS[0] and plan[-1:] == STEPS[-1:]
    assert (
        [*plan] == STEPS and len(plan) == 2 and STEPS[1] in plan and operator.add(plan, ["(end)"]) == [*STEPS, "(end)"]
    )
    assert json.loads(json.dumps({"plan": plan})) == {"plan": STEPS}
    assert plan.steps == tuple(STEPS)


def test_plans_are_equal_if_steps_and_costs_are() -> None:
    assert ww.Plan(STEPS) == ww.Plan(STEPS, 2) != ww.Plan(STEPS, 3)
    assert ww.Plan(STEPS, 2, unit_cost=False) != ww.Plan(STEPS, 2)
    assert ww.Plan(STEPS) != ww.Plan(STEPS[:1]) and ww.Plan(STEPS) != tuple(STEPS)


def test_copies_keep_steps_and_cost() -> None:
    plan = ww.Plan(STEPS, 2.5, unit_cost=False)
    for again in (pickle.loads(pickle.dumps(plan)), copy.copy(plan), copy.deepcopy(plan)):
        assert type(again) is ww.Plan and again == plan and (again.cost, again.unit_cost) == (2.5, False)


def test_it_reads_well_in_a_terminal() -> None:
    assert repr(ww.Plan(STEPS)) == "<Plan of 2 steps, cost 2: (move a b) ... (move b c)>"
    assert str(ww.Plan(STEPS)) == "(move a b)\n(move b c)\n; cost = 2 (unit cost)"
    assert ww.Plan.parse(str(ww.Plan(STEPS, 7, unit_cost=False))) == ww.Plan(STEPS, 7, unit_cost=False)


def test_a_text_is_not_a_plan() -> None:
    with pytest.raises(ww.UsageError, match=r"Plan\.parse"):
        ww.Plan("(move a b)")


def test_the_plan_of_a_result_is_a_plan_with_the_cost_of_the_result() -> None:
    result = ww.solve(ww.example("corridor", length=3), "ihiw")
    assert isinstance(result.plan, ww.Plan) and result.plan.cost == result.cost == 7
    assert type(result.to_json()["plan"]) is list
    assert pickle.loads(pickle.dumps(result)).plan == result.plan
