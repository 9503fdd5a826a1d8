"""The PDDL extension of Visual Studio Code reads what `solve --vscode` and the service print, by its own parser.

The parser is the package `pddl-workspace` of npm, which is installed under build/ once.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli_tools import LOCKED, call, files, texts
from places import ROOT, SUPPORT
from service_tools import serving
from service_tools import texts as request_texts
from widthwise import Plan, load, validate

PACKAGE, VERSION = "pddl-workspace", "11.3.0"
COSTLY = """
(define (domain shop) (:requirements :action-costs) (:predicates (have)) (:functions (total-cost))
  (:action buy :parameters () :effect (and (have) (increase (total-cost) 12.5))))
"""
SHOPPING = """
(define (problem shopping) (:domain shop) (:init (= (total-cost) 0)) (:goal (have)) (:metric minimize (total-cost)))
"""


@pytest.fixture(scope="module")
def workspace() -> Path:
    """The installed package."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm is not installed: install Node.js to check the output with the parser of the extension")
    folder = ROOT / "build" / "npm"
    package = folder / "node_modules" / PACKAGE
    about = package / "package.json"
    if not about.exists() or json.loads(about.read_text(encoding="utf-8"))["version"] != VERSION:
        folder.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder)]
        ended = subprocess.run([*install, f"{PACKAGE}@{VERSION}"], capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            pytest.skip(f"npm cannot install {PACKAGE} {VERSION}: {ended.stderr.strip()[-300:]}")
    return package


def plans_in(output: str, paths: list[str], workspace: Path) -> list[dict[str, Any]]:
    """The plans that the extension finds in what a planner prints."""
    script = ["node", str(SUPPORT / "parse_plans.js"), str(workspace), *paths]
    ended = subprocess.run(script, input=output, capture_output=True, text=True, check=True)
    plans: list[dict[str, Any]] = json.loads(ended.stdout)["plans"]
    return plans


def test_every_plan_is_read_with_its_metric(tmp_path: Path, workspace: Path) -> None:
    paths = files(tmp_path, "logistics")
    ended = call("solve", *paths, "--vscode", "--max-time", "20")
    assert ended.code == 0 and ended.err == ""
    plans = plans_in(ended.out, paths, workspace)
    assert len(plans) == ended.out.count("; Plan ") >= 2
    task = load(*paths)
    for plan in plans:
        verdict = validate(task, Plan(plan["steps"]))
        assert verdict.valid and plan["metric"] == verdict.cost and plan["states"] > 0
    costs = [plan["metric"] for plan in plans]
    assert costs == sorted(costs, reverse=True)


def test_without_the_option_the_extension_reads_another_metric(tmp_path: Path, workspace: Path) -> None:
    """The reason for the option; it goes if the extension learns to read the line of plan files."""
    paths = files(tmp_path, "corridor", length=4)
    (plan,) = plans_in(call("solve", *paths).out, paths, workspace)
    assert len(plan["steps"]) == 9 and plan["metric"] != 9


@pytest.mark.parametrize("planner", ["iw", "bfs", "ihiw", "gbfs"])
def test_single_planners_print_their_plan(tmp_path: Path, workspace: Path, planner: str) -> None:
    paths = files(tmp_path, "corridor", length=4)
    width = ["--width", "2"] if planner == "iw" else []
    (plan,) = plans_in(call("solve", *paths, "--vscode", "--planner", planner, *width).out, paths, workspace)
    assert len(plan["steps"]) == plan["metric"] == 9


def test_costs_that_are_not_whole_are_read(tmp_path: Path, workspace: Path) -> None:
    paths = texts(tmp_path, COSTLY, SHOPPING)
    (plan,) = plans_in(call("solve", *paths, "--vscode").out, paths, workspace)
    assert plan["steps"] == ["(buy)"] and plan["metric"] == 12.5


def test_a_task_without_a_plan_gives_no_steps(tmp_path: Path, workspace: Path) -> None:
    paths = texts(tmp_path, request_texts()["domain"], LOCKED)
    ended = call("solve", *paths, "--vscode")
    assert ended.code == 11 and all(line.startswith(";") for line in ended.out.splitlines())
    assert all(plan["steps"] == [] for plan in plans_in(ended.out, paths, workspace))


def test_a_plan_of_the_service_is_read_with_its_metric(tmp_path: Path, workspace: Path) -> None:
    paths = files(tmp_path, "corridor", length=4)
    with serving("--workers", "1") as service:
        link = service.post("/package/widthwise/solve", request_texts(length=4)).json()["result"]
        while (answer := service.get(link).json())["status"] == "PENDING":
            time.sleep(0.05)
    (plan,) = plans_in(answer["result"]["output"]["plan"], paths, workspace)
    assert len(plan["steps"]) == plan["metric"] == 9


def test_the_output_without_the_parser(tmp_path: Path) -> None:
    """What the extension relies on, also where npm is missing: the cost ends the line before the plan."""
    ended = call("solve", *files(tmp_path, "corridor", length=4), "--vscode", "--planner", "ihiw")
    assert re.search(r"^; Metric: 9\n\(walk p0 p1\)\n", ended.out, re.MULTILINE)
    assert "; solved by IHIW(1,1)" in ended.out and ended.err == ""


@pytest.mark.parametrize("other", ["--json", "--each-goal"])
def test_other_outputs_are_refused_beside_it(tmp_path: Path, other: str) -> None:
    ended = call("solve", *files(tmp_path, "corridor"), "--vscode", other)
    assert ended.code == 2 and "give only one of them" in ended.err


def test_the_settings_of_the_guide_run_the_planner(tmp_path: Path, workspace: Path) -> None:
    """The command that the extension makes from the settings, as it makes it."""
    page = (ROOT / "docs" / "guide" / "vscode.md").read_text(encoding="utf-8")
    settings = json.loads(re.findall(r"```json\n(.*?)```", page, re.DOTALL)[0])
    (planner,) = settings["pddl.planners"]
    assert planner["title"] == settings["pddl.selectedPlanner"]
    paths = files(tmp_path, "corridor", length=4)
    values = {"planner": f'"{sys.executable}" -m widthwise', "options": "--planner ihiw"}
    values |= {"domain": f'"{paths[0]}"', "problem": f'"{paths[1]}"'}
    command = re.sub(r"\$\((\w+)\)", lambda name: values[name[1]], planner["syntax"])
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    (plan,) = plans_in(ended.stdout, paths, workspace)
    assert plan["metric"] == 9
    debugging = f"{command} {planner['searchDebuggerCommandLineSyntax'].replace('$(port)', '1')}"
    refused = subprocess.run(["sh", "-c", debugging], capture_output=True, text=True, check=False)
    assert "no search debugger answers at http://127.0.0.1:1" in refused.stderr
