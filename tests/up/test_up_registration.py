"""The registration of the engine in unified-planning, its credits, and the message without the package."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

from unified_planning.environment import Environment, get_environment

import widthwise.up
from widthwise.up import WidthwiseEngine


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
