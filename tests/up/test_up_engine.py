"""The modes of the engine in unified-planning: planning, validation, meta engines, and the suite for engines."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from unified_planning.engines import CompilationKind, FailedValidationReason, ValidationResultStatus
from unified_planning.engines import PlanGenerationResultStatus as PlanStatus
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.environment import get_environment
from unified_planning.model import InstantaneousAction
from unified_planning.plans import ActionInstance, PlanKind, SequentialPlan
from unified_planning.shortcuts import (
    AnytimePlanner,
    Compiler,
    Not,
    OneshotPlanner,
    Oversubscription,
    PlanValidator,
    Replanner,
)

from up_examples import EXAMPLES, SUPPORTED
from up_problems import judge, lamp, road
from widthwise.up import WidthwiseEngine


def test_the_kinds_and_guarantees_are_those_of_the_modes() -> None:
    assert WidthwiseEngine.is_oneshot_planner() and WidthwiseEngine.is_anytime_planner()
    assert WidthwiseEngine.is_plan_validator() and not WidthwiseEngine.is_compiler()
    assert WidthwiseEngine.satisfies(OptimalityGuarantee.SATISFICING)
    assert not WidthwiseEngine.satisfies(OptimalityGuarantee.SOLVED_OPTIMALLY)
    assert WidthwiseEngine.ensures(AnytimeGuarantee.INCREASING_QUALITY)
    assert not WidthwiseEngine.ensures(AnytimeGuarantee.OPTIMAL_PLANS)
    assert WidthwiseEngine.supports_plan(PlanKind.SEQUENTIAL_PLAN)
    assert not WidthwiseEngine.supports_plan(PlanKind.TIME_TRIGGERED_PLAN)


def test_unified_planning_chooses_the_engine_by_the_kind_of_a_problem() -> None:
    problem = road(4)
    factory = get_environment().factory
    before, factory.preference_list = factory.preference_list, ["widthwise"]
    try:
        with AnytimePlanner(problem_kind=problem.kind, anytime_guarantee=AnytimeGuarantee.INCREASING_QUALITY) as chosen:
            assert chosen.name == "widthwise"
        with PlanValidator(problem_kind=problem.kind, plan_kind=PlanKind.SEQUENTIAL_PLAN) as chosen:
            assert chosen.name == "widthwise"
    finally:
        factory.preference_list = before


@pytest.mark.parametrize("name", SUPPORTED)
def test_examples_of_unified_planning_are_solved(name: str) -> None:
    case = EXAMPLES[name]
    result = WidthwiseEngine().solve(case.problem, timeout=60)
    assert (result.plan is not None) == case.solvable
    assert result.status is (PlanStatus.SOLVED_SATISFICING if case.solvable else PlanStatus.UNSOLVABLE_PROVEN)
    if result.plan is not None:
        assert judge(case.problem, result.plan)
        assert WidthwiseEngine().validate(case.problem, result.plan)


def test_enough_examples_of_unified_planning_are_supported() -> None:
    assert len(SUPPORTED) >= 20
    assert {"basic_with_costs", "basic_undef_bool", "hierarchical_blocks_world", "safe_road"} <= set(SUPPORTED)


def test_the_validator_judges_plans_of_examples_as_they_are_known_to_be() -> None:
    judged = 0
    for name in SUPPORTED:
        case = EXAMPLES[name]
        for plans, status in (
            (case.valid_plans, ValidationResultStatus.VALID),
            (case.invalid_plans, ValidationResultStatus.INVALID),
        ):
            for plan in plans:
                assert WidthwiseEngine().validate(case.problem, plan).status is status, (name, plan)
                judged += 1
    assert judged >= 20


def test_the_validator_says_what_fails() -> None:
    problem = road(4, shortcuts=((0, 2, Fraction(5, 3)),))
    manager = problem.environment.expression_manager
    drive, places = problem.action("drive"), [problem.object(f"p{number}") for number in range(4)]

    def plan(*stops: int) -> Any:
        pairs = [(manager.ObjectExp(places[a]), manager.ObjectExp(places[b])) for a, b in pairwise(stops)]
        return SequentialPlan([ActionInstance(drive, pair) for pair in pairs])

    engine = WidthwiseEngine()
    good = engine.validate(problem, plan(0, 2, 3))
    assert good and good.metric_evaluations == {problem.quality_metrics[0]: Fraction(8, 3)}
    short = engine.validate(problem, plan(0, 1))
    assert short.reason is FailedValidationReason.UNSATISFIED_GOALS and short.inapplicable_action is None
    jump = plan(0, 3)
    broken = engine.validate(problem, jump)
    assert broken.reason is FailedValidationReason.INAPPLICABLE_ACTION
    assert broken.inapplicable_action == jump.actions[0]
    assert "(connected p0 p3)" in broken.log_messages[0].message


def test_an_action_of_another_problem_makes_a_plan_invalid() -> None:
    problem, foreign = lamp(), InstantaneousAction("press")
    result = WidthwiseEngine().validate(problem, SequentialPlan([ActionInstance(foreign)]))
    assert result.status is ValidationResultStatus.INVALID
    assert "is not an action of the problem" in result.log_messages[0].message


def test_the_replanner_follows_a_changed_problem() -> None:
    problem = road(4)
    with Replanner(problem=problem, name="replanner[widthwise]") as replanner:
        assert len(replanner.resolve().plan.actions) == 3
        replanner.update_initial_value(problem.fluent("at")(problem.object("p2")), True)
        replanner.remove_goal(problem.fluent("at")(problem.object("p3")))
        assert replanner.resolve().plan.actions == []


def test_optional_goals_are_planned_by_the_oversubscription_engine() -> None:
    problem = lamp()
    problem.clear_goals()
    light = problem.fluent("on")
    problem.add_quality_metric(Oversubscription({light(): 5, Not(light()): 3}))
    with OneshotPlanner(name="oversubscription[widthwise]") as planner:
        result = planner.solve(problem)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY and len(result.plan.actions) == 1


def test_several_engines_run_in_parallel() -> None:
    params = [{"planner": "iw", "width": 1}, {"seed": 1}]
    with OneshotPlanner(names=["widthwise", "widthwise"], params=params) as planner:
        result = planner.solve(lamp())
    assert result.status is PlanStatus.SOLVED_SATISFICING


def test_object_fluents_are_removed_by_a_compiler() -> None:
    problem = EXAMPLES["robot_fluent_of_user_type"].problem
    with Compiler(problem_kind=problem.kind, compilation_kind=CompilationKind.USERTYPE_FLUENTS_REMOVING) as compiler:
        compiled = compiler.compile(problem)
    result = WidthwiseEngine().solve(compiled.problem)
    plan = result.plan.replace_action_instances(compiled.map_back_action_instance)
    assert judge(problem, plan)


# The suite of unified-planning


FOLDER = os.environ.get("WIDTHWISE_UP_TEST_CASES")


@pytest.mark.slow
@pytest.mark.up_suite
@pytest.mark.skipif(FOLDER is None, reason="WIDTHWISE_UP_TEST_CASES is not set to the folder up_test_cases")
@pytest.mark.parametrize("mode", ["oneshot", "anytime", "validation"])
@pytest.mark.parametrize("engine", ["widthwise", "oversubscription[widthwise]"])
def test_the_report_of_unified_planning_finds_no_error(mode: str, engine: str, tmp_path: Path) -> None:
    """Runs `report.py` of the tests that unified-planning has for engines, which are in its repository."""
    assert FOLDER is not None
    (tmp_path / "up.ini").write_text("[engine widthwise]\nmodule_name: widthwise.up\nclass_name: WidthwiseEngine\n")
    done = subprocess.run(
        [sys.executable, "report.py", engine, "--modes", mode, "--timeout", "10", "--extra-packages", "performance"],
        cwd=FOLDER,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Err(" not in done.stdout and "CRASH" not in done.stdout and "WARN(" not in done.stdout
    cases = done.stdout.count("OK(Valid)") + done.stdout.count("OK(Invalid)")
    assert cases >= {"widthwise": 30, "oversubscription[widthwise]": 0}[engine]
