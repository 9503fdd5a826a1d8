"""`solve` in Python: goals of one's own, their plans checked, and limits that make no sense refused."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

import widthwise as ww
from cli_tools import texts
from widthwise import _native
from widthwise.classical import reporter
from widthwise.core.model import Model
from widthwise.core.result import Outcome

DOMAIN = """
(define (domain lamps) (:predicates (dark) (lit) (warm) (red@night))
  (:action light :parameters () :precondition (dark) :effect (and (lit) (not (dark))))
  (:action heat :parameters () :effect (warm))
  (:action paint :parameters () :effect (red@night)))
"""
PROBLEM = "(define (problem two) (:domain lamps) (:init (dark)) (:goal (and (warm) (red@night))))"


@pytest.fixture
def task(tmp_path: Path) -> ww.Task:
    return ww.load(*texts(tmp_path, DOMAIN, PROBLEM))


def test_names_with_an_at_sign_are_goals_like_others(task: ww.Task) -> None:
    results = list(ww.solve_each_goal(task, "bfs"))
    assert [(result.goal, result.plan) for result in results] == [("(warm)", ["(heat)"]), ("(red@night)", ["(paint)"])]


def test_a_goal_may_have_any_name_and_several_atoms(task: ww.Task) -> None:
    goal = ww.Goal("a lamp, and no heat", (task.atom("(lit)"),), (task.atom("(warm)"), task.atom("(dark)")))
    for relevance in ("none", "goal"):
        assert ww.solve(task, "bfs", goal=goal, relevance=relevance).plan == ["(light)"]


def test_a_goal_that_is_no_part_of_the_whole_goal_is_not_cut_by_it(task: ww.Task) -> None:
    dark, lit, warm = (task.atom(name) for name in ("(dark)", "(lit)", "(warm)"))
    for goal in (ww.Goal("lit", (lit,)), ww.Goal("not dark", (), (dark,)), ww.Goal("not warm", (), (warm,))):
        with pytest.raises(ww.UsageError, match="not part of the goal of the task"):
            ww.solve(task, "bfs", goal=goal, relevance="task")
    assert ww.solve(task, "bfs", goal=ww.Goal("warm", (warm,)), relevance="task").plan == ["(heat)"]


def test_limits_beyond_all_numbers_are_no_limits(task: ww.Task) -> None:
    assert ww.solve(task, "iw", budget=ww.Budget(nodes=10**30, bytes=10**30)).status is ww.Status.SOLVED


@pytest.mark.parametrize("limit", [{"nodes": 1e4}, {"bytes": 0.5}, {"nodes": 0}, {"seconds": -1.0}])
def test_limits_that_make_no_sense_are_refused(limit: dict[str, float]) -> None:
    with pytest.raises(ww.UsageError):
        ww.Budget(**limit)  # type: ignore[arg-type]


def test_a_width_that_fits_no_key_is_refused_in_words(task: ww.Task) -> None:
    model = Model(task.ordered(None), [], [], ww.Budget().start())
    assert model.search(1000).start()
    for width in (3, 11):
        model.table(2000, width)
    with pytest.raises(ww.UsageError, match="use at most 11"):
        model.table(2000, 12)


class Late:
    """Finds a plan when it is too late: the meter says to stop before the plan is checked."""

    name, widths = "late", (1,)

    def __init__(self, stop: str) -> None:
        self.stop = stop

    def run(self, model: Model) -> Outcome:
        """Search, and then waste time."""
        result = ww.IW(2).run(replace(model, meter=_native.Meter()))
        if self.stop == "interrupted":
            model.meter.interrupt()
        while model.meter.poll() is _native.Halt.NONE:
            time.sleep(0.01)
        return result


@pytest.mark.parametrize("stop", ["interrupted", "out-of-time"])
@pytest.mark.parametrize("grace", [1.0, -1.0])
def test_a_check_that_takes_long_keeps_the_limits_and_a_short_one_loses_no_plan(
    task: ww.Task, stop: str, grace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporter, "GRACE", grace)
    messages: list[ww.Result] = []
    result = ww.solve(task, Late(stop), budget=ww.Budget(seconds=0.2), improve=True, on_plan=messages.append)
    if grace > 0:
        assert result.status == "solved"
        assert result.plan and len(messages) == len(result.plans) >= 1
    else:
        assert result.status == stop
        assert (result.plan, result.plans, messages) == (None, [], [])
        assert result.generated > 1
        assert "before its plan was checked" in result.reason


def test_a_better_plan_that_cannot_be_checked_in_time_leaves_the_one_before(
    task: ww.Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = reporter.Reporter(task, task, ww.IW(2), None, ww.Budget(), None, None)
    model = Model(_native.Operators(task.native), list(task.goal.positive), [], _native.Meter())
    outcome = ww.IW(2).run(model)
    assert outcome.path is not None
    meter = _native.Meter()
    result = report.ended(outcome, meter)
    before = (list(result.plan or ()), result.cost, list(result.plans))
    meter.interrupt()
    monkeypatch.setattr(reporter, "GRACE", -1.0)
    assert report.add_plan(result, outcome.path[:-1], "shorter", meter) is ww.Status.INTERRUPTED
    assert (result.plan, result.cost, result.plans) == before
    assert result.status == "solved"
