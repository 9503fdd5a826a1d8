"""auto on whole problems: turns under one budget, plans told as they come, limits that leave the plan standing."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import widthwise as ww
from cli_tools import environment, files
from example_tasks import example
from widthwise import _native
from widthwise.cli.main import main
from widthwise.core.errors import OutOfMemory
from widthwise.core.result import Status


def test_many_goals_are_solved_where_width_one_fails() -> None:
    task = example("blocks", blocks=12)
    assert ww.solve(task, ww.IW(1)).status is Status.EXHAUSTED
    result = ww.solve(task)
    assert result.status is Status.SOLVED
    assert [stage.planner for stage in result.stages][:2] == ["IW(1)", "1-BFWS(f5)"]
    assert result.generated == sum(stage.generated for stage in result.stages)
    assert result.reason == f"solved by {result.stages[-1].planner}"


@pytest.mark.parametrize("nodes", [1, 2, 50, 500])
def test_turns_share_one_node_limit(nodes: int) -> None:
    result = ww.solve(example("8puzzle", side=4), budget=ww.Budget(nodes=nodes))
    assert result.generated <= nodes
    assert result.status is Status.OUT_OF_NODES


def test_improvement_is_reported_plan_by_plan_and_is_the_same_every_time() -> None:
    runs = []
    for _ in range(2):
        messages: list[tuple[float | None, tuple[str, ...]]] = []
        result = ww.solve(
            example("blocks", blocks=9),
            "gbfs",
            improve=True,
            on_plan=lambda result, into=messages: into.append((result.cost, tuple(result.plan or ()))),  # type: ignore[misc]
        )
        assert [plan.cost for plan in result.plans] == [cost for cost, _ in messages]
        assert (result.cost, tuple(result.plan or ())) == messages[-1]
        assert result.stages[-1].planner == "improvement"
        runs.append(messages)
    assert runs[0] == runs[1]
    costs = [cost for cost, _ in runs[0]]
    assert costs == sorted(set(costs), reverse=True)  # type: ignore[type-var]


def test_a_goal_that_holds_already_is_the_empty_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path, "corridor", length=4)
    assert main(["solve", *paths, "--goal", "(and (at p0) (key-at p4))", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["plan"], data["cost"]) == ([], 0)
    assert [item["cost"] for item in data["plans"]] == [0]


def test_plans_are_saved_and_printed_as_they_come(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths, out = files(tmp_path, "blocks", blocks=9), tmp_path / "plan.txt"
    assert main(["solve", *paths, "--plan-out", str(out), "--verbose"]) == 0
    messages = capsys.readouterr()
    assert out.read_text(encoding="utf-8") == messages.out
    assert "plan of cost " in messages.err
    assert "- improvement: " in messages.err
    assert main(["solve", *paths, "--first"]) == 0
    assert "plan of cost " not in capsys.readouterr().err


def test_a_limit_during_improvement_leaves_the_plan_solved() -> None:
    task = example("blocks", blocks=9)
    first = ww.solve(task)
    result = ww.solve(task, budget=ww.Budget(nodes=first.generated + 10), improve=True)
    assert result.status is Status.SOLVED
    assert result.stages[-1].generated <= 10
    meter = _native.Meter()
    stopped = ww.solve(task, meter=meter, improve=True, on_plan=lambda result: meter.interrupt())
    assert stopped.status is Status.SOLVED
    assert stopped.plan == first.plan


def test_cutting_a_task_and_its_operators_are_charged() -> None:
    task = example("blocks", blocks=12)
    for act in (lambda meter: task.restricted(None, meter), lambda meter: task.ordered(3, meter)):
        meter = _native.Meter(bytes=1000)
        with pytest.raises(OutOfMemory):
            act(meter)
        assert meter.bytes == 0
    meter = _native.Meter()
    small = task.restricted(None, meter)
    assert 0 < meter.bytes == small.bytes < meter.peak_bytes
    assert ww.solve(task, relevance="goal", meter=(used := _native.Meter())).status is Status.SOLVED
    assert used.bytes == 0


@pytest.mark.resident
@pytest.mark.skipif(sys.platform != "linux", reason="limits address space")
def test_memory_that_the_system_refuses_is_a_status(tmp_path: Path) -> None:
    paths = files(tmp_path, "8puzzle", side=4)
    limit = 300_000_000
    ended = subprocess.run(
        [sys.executable, "-m", "widthwise", "solve", *paths, "--planner", "bfs", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert ended.returncode == 22
    assert json.loads(ended.stdout)["status"] == "out-of-memory"
