"""`validate` and `verify_certificate` take what `load`, `solve` and `certify` return, and files."""

from __future__ import annotations

from pathlib import Path

import pytest

import widthwise as ww
from cli_tools import files


@pytest.fixture
def paths(tmp_path: Path) -> tuple[str, str]:
    domain, problem = files(tmp_path, "corridor", length=3)
    return str(domain), str(problem)


def test_a_plan_may_be_given_in_every_form(paths: tuple[str, str], tmp_path: Path) -> None:
    task = ww.load(*paths)
    result = ww.solve(task, "ihiw")
    assert result.plan is not None
    result.plan.write(tmp_path / "plan.txt")
    for plan in (result, result.plan, list(result.plan), iter(result.plan), tmp_path / "plan.txt"):
        verdict = ww.validate(task, plan)
        assert verdict and verdict.valid and verdict.cost == result.cost
    assert ww.validate(task, str(tmp_path / "plan.txt")).valid
    assert ww.validate(task, plan=result).valid
    for domain, problem in (paths, (task.domain, task.problem)):
        assert ww.validate(domain, problem, result).valid
        assert ww.validate(domain, problem, result.plan, "(have-key)").valid
    assert not ww.validate(task, result.plan[:-1])
    assert ww.validate(task, ["(walk p0 p1)", "(walk p0 p1)"]).step == 2


def test_the_goal_is_that_of_the_result_unless_another_is_given(paths: tuple[str, str]) -> None:
    task = ww.load(*paths)
    result = ww.solve(task, "iw", goal="(have-key)")
    assert ww.validate(task, result).valid
    assert result.plan is not None and not ww.validate(task, result.plan).valid
    assert ww.validate(task, result.plan, goal="(have-key)").valid
    assert ww.validate(task, result.plan, goal=["(have-key)", "(at p3)"]).valid
    assert not ww.validate(task, result, goal="(at p0)").valid
    for goal in task.goals:
        single = ww.solve(task, "bfs", goal=goal)
        assert ww.validate(task, single).valid and ww.validate(task, single.plan or [], goal=goal).valid


def test_a_task_with_another_goal_is_checked_with_that_goal(paths: tuple[str, str]) -> None:
    task = ww.load(*paths, goals=["(at p2)"])
    result = ww.solve(task)
    assert ww.validate(task, result).valid and result.cost == 2
    small = task.restricted()
    assert ww.validate(small, ww.solve(small)).valid


def test_wrong_arguments_are_refused(paths: tuple[str, str]) -> None:
    task = ww.load(*paths)
    failed = ww.solve(task, ww.IW(1))
    with pytest.raises(ww.UsageError, match="no plan, its status is exhausted"):
        ww.validate(task, failed)
    with pytest.raises(ww.UsageError, match=r"validate\(task, plan\)"):
        ww.validate(task)  # type: ignore[call-overload]
    with pytest.raises(ww.UsageError, match="not a task"):
        ww.validate(3, 4, 5)  # type: ignore[call-overload]
    with pytest.raises(ww.UsageError, match="not a problem"):
        ww.validate(paths[0], 4, [])  # type: ignore[call-overload]
    with pytest.raises(ww.UsageError, match="needs a plan"):
        ww.validate(*paths)  # type: ignore[call-overload]
    with pytest.raises(ww.UsageError, match="needs its task"):
        ww.validate(*paths, [], task.goals[0])
    with pytest.raises(ww.InputError, match="nowhere"):
        ww.validate(task, "nowhere.txt")
    with pytest.raises(ww.InputError, match="<goal>"):
        ww.validate(task, [], goal="(have-keys)")


def test_a_check_obeys_its_budget(paths: tuple[str, str]) -> None:
    task = ww.load(*paths)
    with pytest.raises(ww.OutOfTime):
        ww.validate(task, ww.solve(task), budget=ww.Budget(seconds=1e-9))


def test_certificates_of_tasks_and_files(paths: tuple[str, str]) -> None:
    task = ww.load(*paths, goals=["(at p0)", "(at p1)"])
    certificate = ww.certify(task)
    assert certificate is not None
    assert ww.verify_certificate(task, certificate).valid
    assert ww.verify_certificate(task, certificate=certificate).valid
    assert not ww.verify_certificate(*paths, certificate).valid  # the goal of the file has a plan
    assert ww.verify_certificate(*paths, certificate, "(and (at p0) (at p1))").valid
    assert not ww.verify_certificate(task, certificate, goal="(at p1)").valid
    with pytest.raises(ww.UsageError, match="not a certificate"):
        ww.verify_certificate(task, "proof.json")  # type: ignore[call-overload]
