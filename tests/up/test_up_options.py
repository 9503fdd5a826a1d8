"""The options and limits of the engine in unified-planning, and the statuses and metrics of its results."""

from __future__ import annotations

import io
from typing import Any

import pytest
from unified_planning.engines import LogLevel
from unified_planning.engines import PlanGenerationResultStatus as PlanStatus
from unified_planning.exceptions import UPUsageError
from unified_planning.model import Fluent
from unified_planning.shortcuts import (
    MinimizeSequentialPlanLength,
    Not,
    OneshotPlanner,
)

import widthwise as ww
import widthwise.up
from up_examples import EXAMPLES
from up_problems import judge, lamp, road, towers
from widthwise.up import WidthwiseEngine
from widthwise.up.settings import Settings


@pytest.mark.parametrize(
    "options",
    [
        {"planner": "bfs"},
        {"planner": "iw", "width": 2},
        {"planner": "ihiw", "width": "1,1"},
        {"planner": "siw", "seed": 3},
        {"planner": ww.BFWS()},
        {"max_time": 60, "max_memory": 500, "max_nodes": 100_000},
    ],
)
def test_options_choose_planner_width_seed_and_limits(options: dict[str, Any]) -> None:
    problem = EXAMPLES["robot_loader_adv"].problem
    with OneshotPlanner(name="widthwise", params=options) as planner:
        result = planner.solve(problem)
    assert judge(problem, result.plan)
    wanted = ww.solve(ww.from_unified_planning(problem), Settings(**options).make_planner())
    assert result.metrics["planner"] == wanted.planner


def test_options_can_be_given_for_one_call() -> None:
    engine = WidthwiseEngine(planner="iw", width=1)
    problem = EXAMPLES["robot_loader"].problem
    assert (
        engine.solve(problem, planner="bfs", width=None).metrics["planner"] != engine.solve(problem).metrics["planner"]
    )
    assert next(iter(engine.get_solutions(problem, planner="bfs", width=None))).plan is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"planer": "iw"}, "no option 'planer'; its options are planner, width, seed"),
        ({"planner": "astar"}, "unknown planner 'astar'"),
        ({"planner": "iw", "width": "two"}, "'two' is not a width"),
        ({"planner": ww.IW(2), "width": 2}, "give the width to the planner itself"),
        ({"planner": ww.RolloutIW(1)}, "plans on simulators"),
        ({"max_nodes": 0}, "too small"),
        ({"max_memory": -1}, "too small"),
        ({"seed": -1}, "a seed must be a whole number"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UPUsageError, match=message):
        WidthwiseEngine(**options)


@pytest.mark.parametrize(
    ("options", "arguments", "status"),
    [
        ({}, {"timeout": 0}, PlanStatus.TIMEOUT),
        ({"max_time": 1e-9}, {}, PlanStatus.TIMEOUT),
        ({"max_memory": 0.01}, {}, PlanStatus.MEMOUT),
        ({"planner": "bfs", "max_nodes": 5}, {}, PlanStatus.UNSOLVABLE_INCOMPLETELY),
        ({"planner": "iw", "width": 1}, {}, PlanStatus.UNSOLVABLE_INCOMPLETELY),
    ],
)
def test_limits_and_exhausted_searches_have_the_statuses_of_unified_planning(
    options: dict[str, Any], arguments: dict[str, Any], status: PlanStatus
) -> None:
    engine = WidthwiseEngine(**options)
    results = [engine.solve(towers(), **arguments), *engine.get_solutions(towers(), **arguments)]
    assert [result.status for result in results] == [status, status]
    assert all(result.plan is None and result.log_messages for result in results)


def test_the_smaller_of_two_time_limits_applies() -> None:
    assert WidthwiseEngine(max_time=50).solve(lamp(), timeout=0).status is PlanStatus.TIMEOUT
    assert WidthwiseEngine(max_time=1e-9).solve(lamp(), timeout=50).status is PlanStatus.TIMEOUT


def test_an_unsolvable_problem_is_proved() -> None:
    problem = lamp()
    problem.add_goal(Not(problem.fluent("on")()))
    assert WidthwiseEngine().solve(problem).status is PlanStatus.UNSOLVABLE_PROVEN


def test_a_problem_with_undefined_values_is_not_called_unsolvable() -> None:
    problem = lamp()
    unknown = problem.add_fluent(Fluent("unknown"))
    problem.add_goal(unknown)
    assert WidthwiseEngine().solve(problem).status is PlanStatus.UNSOLVABLE_INCOMPLETELY


def test_a_plan_is_called_optimal_only_by_a_metric_and_a_proof() -> None:
    problem = lamp()
    assert WidthwiseEngine(improve=True).solve(problem).status is PlanStatus.SOLVED_SATISFICING
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    assert WidthwiseEngine().solve(problem).status is PlanStatus.SOLVED_SATISFICING
    assert WidthwiseEngine(improve=True).solve(problem).status is PlanStatus.SOLVED_OPTIMALLY


def test_metrics_and_messages_tell_what_the_search_did() -> None:
    stream = io.StringIO()
    problem = road(6)
    result = WidthwiseEngine(planner="bfs").solve(problem, output_stream=stream)
    direct = ww.solve(ww.from_unified_planning(problem), "bfs")
    for name in ("generated", "expanded", "pruned"):
        assert result.metrics[name] == str(getattr(direct, name))
    assert float(result.metrics["engine_internal_time"]) > 0 and result.metrics["cost"] == "5"
    assert all(isinstance(value, str) for value in result.metrics.values())
    assert result.log_messages[0].level is LogLevel.INFO
    assert "plan of cost 5" in result.log_messages[0].message
    assert stream.getvalue().splitlines() == [message.message for message in result.log_messages]


def test_the_same_seed_gives_the_same_plan() -> None:
    plans = [WidthwiseEngine(seed=7).solve(towers(6)).plan for _ in range(2)]
    assert str(plans[0]) == str(plans[1])


def test_arguments_that_are_ignored_are_named() -> None:
    with pytest.warns(UserWarning, match="widthwise ignores the argument heuristic"):
        WidthwiseEngine().solve(lamp(), heuristic=lambda state: 0.0)
