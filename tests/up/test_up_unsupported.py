"""What the engine in unified-planning refuses, with the name of the feature."""

from __future__ import annotations

import warnings

import pytest
from unified_planning.engines import LogLevel
from unified_planning.engines import PlanGenerationResultStatus as PlanStatus
from unified_planning.exceptions import UPUsageError
from unified_planning.model import Object
from unified_planning.shortcuts import (
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
)

import widthwise as ww
import widthwise.up
from up_examples import EXAMPLES, SUPPORTED
from up_problems import judge, lamp, road
from widthwise.up import WidthwiseEngine


def test_an_unsupported_problem_is_refused_by_name() -> None:
    problem = EXAMPLES["robot_fluent_of_user_type"].problem
    plan = EXAMPLES["robot_fluent_of_user_type"].valid_plans[0]
    engine = WidthwiseEngine()
    wanted = "not supported: OBJECT_FLUENTS .CompilationKind.USERTYPE_FLUENTS_REMOVING removes OBJECT_FLUENTS"
    for call in (
        lambda: engine.solve(problem),
        lambda: list(engine.get_solutions(problem)),
        lambda: engine.validate(problem, plan),
    ):
        with pytest.raises(UPUsageError, match=wanted):
            call()
    with pytest.raises(ww.UnsupportedError, match=wanted):
        ww.from_unified_planning(problem)


def test_without_checks_an_unsupported_problem_has_the_status_unsupported() -> None:
    refused = 0
    for name, case in EXAMPLES.items():
        if name in SUPPORTED or not hasattr(case.problem, "fluents"):
            continue
        engine = WidthwiseEngine()
        engine.skip_checks = True
        result = engine.solve(case.problem, timeout=60)
        assert result.status is PlanStatus.UNSUPPORTED_PROBLEM, name
        assert result.log_messages[0].level is LogLevel.ERROR
        assert result.log_messages[0].message.startswith("not supported: "), name
        refused += 1
    assert refused >= 20


def test_a_warning_instead_of_an_error_leads_to_the_same_status() -> None:
    engine = WidthwiseEngine()
    engine.error_on_failed_checks = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = engine.solve(EXAMPLES["robot"].problem)
    assert result.status is PlanStatus.UNSUPPORTED_PROBLEM


def test_a_negative_cost_is_refused() -> None:
    problem = lamp()
    problem.add_quality_metric(MinimizeActionCosts({problem.action("press"): -1}))
    result = WidthwiseEngine().solve(problem)
    assert result.status is PlanStatus.UNSUPPORTED_PROBLEM
    assert "a negative cost" in result.log_messages[0].message


def test_two_metrics_are_refused() -> None:
    problem = lamp()
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    problem.add_quality_metric(MinimizeActionCosts({}, default=1))
    assert WidthwiseEngine().solve(problem).status is PlanStatus.UNSUPPORTED_PROBLEM


def test_objects_without_a_type_in_use_do_no_harm() -> None:
    problem = road(3)
    problem.add_object(Object("stranger", problem.environment.type_manager.UserType("Stranger")))
    assert judge(problem, WidthwiseEngine().solve(problem).plan)
