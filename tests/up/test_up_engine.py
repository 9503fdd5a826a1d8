"""The engine in unified-planning: its registration, its modes, its options, its statuses and what it refuses."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from unified_planning.engines import CompilationKind, FailedValidationReason, LogLevel, ValidationResultStatus
from unified_planning.engines import PlanGenerationResultStatus as PlanStatus
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.engines.plan_validator import SequentialPlanValidator
from unified_planning.environment import Environment, get_environment
from unified_planning.exceptions import UPUsageError
from unified_planning.model import Fluent, InstantaneousAction, Object
from unified_planning.plans import ActionInstance, PlanKind, SequentialPlan
from unified_planning.shortcuts import (
    AnytimePlanner,
    Compiler,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    Not,
    OneshotPlanner,
    Oversubscription,
    PlanValidator,
    Replanner,
)
from unified_planning.test.examples import get_example_problems

import widthwise as ww
import widthwise.up
from up_problems import lamp, road, towers
from widthwise.up import WidthwiseEngine
from widthwise.up.settings import Settings

EXAMPLES = get_example_problems()
SUPPORTED = sorted(name for name, case in EXAMPLES.items() if WidthwiseEngine.supports(case.problem.kind))


@pytest.fixture(autouse=True)
def registered() -> None:
    widthwise.up.register()
    get_environment().credits_stream = None


def accepted(problem: Any, plan: Any) -> bool:
    """Whether UP's own validator accepts a plan, whatever the kind of the problem is."""
    validator = SequentialPlanValidator()
    validator.skip_checks = True
    return bool(validator.validate(problem, plan))


# Registration


def test_registration_adds_the_engine_and_its_meta_engines_once() -> None:
    factory = get_environment().factory
    widthwise.up.register()
    assert factory.engine("widthwise") is WidthwiseEngine
    assert factory.preference_list.count("widthwise") == 1
    assert {"replanner[widthwise]", "oversubscription[widthwise]"} <= set(factory.engines)


def test_registration_in_another_environment_leaves_the_global_one_alone() -> None:
    environment = Environment()
    assert "widthwise" not in environment.factory.engines
    widthwise.up.register(environment)
    assert environment.factory.engine("widthwise") is WidthwiseEngine


def test_a_file_up_ini_registers_the_engine(tmp_path: Path) -> None:
    (tmp_path / "up.ini").write_text(
        "[global]\nengine_preference_list: widthwise\n\n"
        "[engine widthwise]\nmodule_name: widthwise.up\nclass_name: WidthwiseEngine\n"
    )
    program = (
        "from unified_planning.shortcuts import *\nfrom unified_planning.test.examples import get_example_problems\n"
        "problem = get_example_problems()['robot_loader'].problem\n"
        "with OneshotPlanner(problem_kind=problem.kind) as planner:\n"
        "    print(planner.name, planner.solve(problem).status.name)\n"
    )
    (tmp_path / "script.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.rstrip().endswith("widthwise SOLVED_SATISFICING"), done.stderr


def test_the_credits_name_the_engine(tmp_path: Path) -> None:
    stream = io.StringIO()
    credits = WidthwiseEngine.get_credits()
    credits.write_credits(stream, True)
    assert "Widthwise" in stream.getvalue() and "MIT" in stream.getvalue()


def test_without_the_package_a_message_names_the_extra() -> None:
    program = (
        "import sys\nsys.modules['unified_planning'] = None\nimport importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'unified_planning' else real(name, *more)\n"
        "import widthwise as ww, widthwise.up\n"
        "task = ww.example('corridor')\n"
        "calls = [widthwise.up.register, lambda: widthwise.up.WidthwiseEngine, lambda: ww.from_unified_planning(1),\n"
        "         lambda: ww.to_unified_planning(task), lambda: widthwise.up.sequential_plan(1, [])]\n"
        "for call in calls:\n"
        "    try:\n        call()\n"
        "    except ww.WidthwiseError as error:\n        print(error, error.exit_code)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    lines = done.stdout.splitlines()
    assert len(lines) == 5, done.stderr
    assert all(line.endswith("needs unified-planning: pip install 'widthwise[up]' 34") for line in lines)


# Modes


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
        assert accepted(case.problem, result.plan)
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
    assert accepted(problem, plan)


# Options, limits and statuses


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
    assert accepted(problem, result.plan)
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


# What is not supported


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
    assert accepted(problem, WidthwiseEngine().solve(problem).plan)


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
