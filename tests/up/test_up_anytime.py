"""The anytime mode: each better plan once, as soon as it is found, and an end when the consumer or the time says so."""

from __future__ import annotations

import gc
import threading
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from unified_planning.engines import PlanGenerationResultStatus as PlanStatus
from unified_planning.shortcuts import MinimizeSequentialPlanLength

from up_problems import judge, lamp, metric_value, road, towers
from widthwise.classical.result import Result
from widthwise.classical.solve import solve
from widthwise.core.errors import WidthwiseError
from widthwise.up import WidthwiseEngine, runs

#: The first plan of a breadth-first search is the detour of one step, and there are two better ones.
DETOURS = ((0, 7, 30), (0, 3, 9), (3, 7, 9), (3, 5, 1))


def searches() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if isinstance(thread, runs._Search)]


def values(problem: Any, results: list[Any]) -> list[Any]:
    judged = [judge(problem, result.plan) for result in results]
    assert all(judged)
    return [metric_value(verdict) for verdict in judged]


def test_each_better_plan_is_yielded_once_and_the_last_is_the_best() -> None:
    problem = road(8, DETOURS)
    results = list(WidthwiseEngine(planner="bfs").get_solutions(problem))
    costs = values(problem, results)
    assert costs[0] == 30 and costs[-1] == 6
    assert len(costs) > 1 and all(later < earlier for earlier, later in pairwise(costs))
    assert [Fraction(result.metrics["cost"]) for result in results] == costs
    assert len({str(result.plan) for result in results}) == len(results)


def test_a_plan_is_intermediate_until_the_run_has_ended() -> None:
    problem = road(8, DETOURS)
    seen = []
    for result in WidthwiseEngine(planner="bfs").get_solutions(problem):
        seen.append((result, result.status))
    assert all(status is PlanStatus.INTERMEDIATE for _, status in seen)
    assert [result.status for result, _ in seen[:-1]] == [PlanStatus.INTERMEDIATE] * (len(seen) - 1)
    assert seen[-1][0].status is PlanStatus.SOLVED_OPTIMALLY
    assert "there is no cheaper plan" in " ".join(str(message) for message in seen[-1][0].log_messages)


def test_without_a_metric_the_last_plan_is_not_called_optimal() -> None:
    problem = lamp()
    assert [result.status for result in WidthwiseEngine().get_solutions(problem)] == [PlanStatus.INTERMEDIATE]
    assert list(WidthwiseEngine().get_solutions(problem))[-1].status is PlanStatus.SOLVED_SATISFICING
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    assert list(WidthwiseEngine().get_solutions(problem))[-1].status is PlanStatus.SOLVED_OPTIMALLY


def test_an_unsolvable_problem_yields_one_result_without_a_plan() -> None:
    problem = lamp()
    problem.add_goal(problem.environment.expression_manager.Not(problem.fluent("on")()))
    (result,) = WidthwiseEngine().get_solutions(problem)
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN and result.plan is None


def test_a_plan_arrives_before_the_improvement_ends() -> None:
    iterator: Any = WidthwiseEngine().get_solutions(towers())
    first = next(iterator)
    assert first.plan is not None and first.status is PlanStatus.INTERMEDIATE
    assert len(searches()) == 1  # it goes on while the consumer looks at the plan
    iterator.close()
    assert searches() == []
    assert first.status is PlanStatus.INTERMEDIATE


def test_the_search_ends_when_the_consumer_leaves_the_loop() -> None:
    for result in WidthwiseEngine().get_solutions(towers()):
        assert result.plan is not None
        break
    gc.collect()
    assert searches() == []


def test_the_search_ends_when_the_consumer_fails() -> None:
    with pytest.raises(ZeroDivisionError):
        for _ in WidthwiseEngine().get_solutions(towers()):
            raise ZeroDivisionError
    gc.collect()
    assert searches() == []


def test_the_timeout_ends_the_improvement_and_keeps_the_plan() -> None:
    (result,) = WidthwiseEngine().get_solutions(towers(), timeout=1)
    assert result.status is PlanStatus.SOLVED_SATISFICING and len(result.plan.actions) == 18
    assert "out-of-time" in result.log_messages[-1].message
    assert searches() == []


def test_node_limits_end_the_improvement() -> None:
    (result,) = WidthwiseEngine(max_nodes=20_000).get_solutions(towers())
    assert result.status is PlanStatus.SOLVED_SATISFICING
    assert "out-of-nodes" in result.log_messages[-1].message


def test_an_error_in_the_search_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Result:
        raise WidthwiseError("the search is broken")

    monkeypatch.setattr(runs, "solve", broken)
    results = [WidthwiseEngine().solve(lamp()), *WidthwiseEngine().get_solutions(lamp())]
    assert [result.status for result in results] == [PlanStatus.INTERNAL_ERROR] * 2
    assert all("the search is broken" in result.log_messages[0].message for result in results)


def test_an_error_after_a_plan_keeps_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaking(*args: Any, **kwargs: Any) -> Result:
        solve(*args, **kwargs)
        raise WidthwiseError("the improvement is broken")

    monkeypatch.setattr(runs, "solve", breaking)
    (result,) = list(WidthwiseEngine().get_solutions(lamp()))
    assert result.status is PlanStatus.SOLVED_SATISFICING and result.plan is not None
    assert "the improvement is broken" in result.log_messages[0].message


def test_other_exceptions_of_the_search_reach_the_consumer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Result:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "solve", broken)
    with pytest.raises(KeyboardInterrupt):
        list(WidthwiseEngine().get_solutions(lamp()))
