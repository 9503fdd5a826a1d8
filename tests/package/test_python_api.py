"""In Python: short representations, goals in PDDL, errors in Python's terms, one clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from cli_tools import files
from widthwise import _native
from widthwise.cli.main import main
from widthwise.core.errors import command_line_advice


@pytest.fixture
def task(tmp_path: Path) -> ww.Task:
    return ww.load(*files(tmp_path, "blocks", blocks=20))


def test_representations_are_short_and_say_what_there_is(task: ww.Task, tmp_path: Path) -> None:
    result = ww.solve(task)
    agent = ww.OnlinePlanner(ww.simulator("maze-small"), ww.RolloutIW(1), max_steps=2)
    values: list[Any] = [task, task.init, result, ww.Plan(tuple(result.plan or ()), result.cost or 0)]
    values += [ww.Domain(tmp_path / "domain.pddl"), task.domain, task.problem, task.normal, ww.Budget(nodes=3)]
    values += [ww.IW(2), ww.IHIW(), ww.SIW(), ww.Auto(), ww.BFWS(), ww.GBFS(), ww.Backward(), ww.BFS()]
    values += [ww.HIW(ww.Tiles(4, 4), high=ww.CountRolloutIW(1), low=ww.RolloutIW(1))]
    values += [agent.simulator.reset(0), agent.run(0)]
    for value in values:
        assert len(repr(value)) < 160, repr(value)
        assert " at 0x" not in repr(value) and "\n" not in repr(value)
    assert repr(ww.IW(2)) == "IW(2)"
    assert repr(ww.IHIW(negated=True)) == "IHIW(negated=True)"
    assert repr(ww.HIW(["(a)"], low=ww.IW(2))) == "HIW(['(a)'], low=IW(2))"
    assert repr(ww.Budget(nodes=3, seconds=1.5)) == "Budget(nodes=3, seconds=1.5)"
    assert f"{len(result.plan or ())} steps" in repr(result)
    assert str(task.native.atom_count) in repr(task)


def test_representations_of_planners_make_the_same_planner() -> None:
    for planner in (
        ww.IW(2, depth_first=True),
        ww.HIW(["(a)"], high=ww.IW("n")),
        ww.IHIW(pick="random"),
        ww.SIW(ww.IHIW()),
        ww.BFWS("k1"),
        ww.CountRolloutIW(2, temperature=1.0),
        ww.Budget(steps=4),
    ):
        assert eval(repr(planner), vars(ww) | {name: getattr(ww, name) for name in ww.__all__}) == planner


def test_a_goal_is_a_text_or_several(tmp_path: Path) -> None:
    task = ww.load(*files(tmp_path, "corridor"))
    result = ww.solve(task, "bfs", goal="(have-key)")
    assert (result.goal, result.cost) == ("(have-key)", 11)
    both = ww.solve(task, "bfs", goal=["(have-key)", "(at p9)"])
    assert both.cost == 12 and both.goal == "(and (have-key) (at p9))"
    assert ww.solve(task, "bfs", goal="(exists (?p) (and (at ?p) (not (= ?p p0))))").cost == 1
    assert ww.solve(task, "bfs", goal="(not (at p0))", relevance="goal").cost == 1
    assert ww.solve(task, "bfs", goal=task.goals[1]).cost == ww.solve(task, "bfs", goal=task.goals[1].name).cost
    assert ww.solve(task, "bfs").cost == 21  # the task's own goal is as it was


@pytest.mark.parametrize("goal", ["(have-keys)", "(have-key", "", "(at p99)"])
def test_a_goal_that_makes_no_sense_is_refused_with_the_place(goal: str, tmp_path: Path) -> None:
    task = ww.load(*files(tmp_path, "corridor"))
    with pytest.raises(ww.InputError, match="<goal>:1:"):
        ww.solve(task, goal=goal)


def test_what_is_no_goal_and_no_task_is_refused(task: ww.Task) -> None:
    for goal in (3, [], [3]):
        with pytest.raises(ww.UsageError, match="PDDL such as"):
            ww.solve(task, goal=goal)  # type: ignore[arg-type]
    with pytest.raises(ww.UsageError, match="load"):
        ww.solve("domain.pddl", "problem.pddl")  # type: ignore[arg-type]


def test_planners_for_simulators_are_refused_in_terms_of_python(task: ww.Task) -> None:
    for planner in (ww.RolloutIW(1), ww.CountRolloutIW(1)):
        for solve in (ww.solve, lambda *arguments: list(ww.solve_each_goal(*arguments))):
            with pytest.raises(ww.UsageError, match="OnlinePlanner"):
                solve(task, planner)  # type: ignore[arg-type]
    with pytest.raises(ww.UsageError, match="simulators"):
        ww.solve(task, ww.HIW(ww.Tiles(2, 2), high=ww.CountRolloutIW(1), low=ww.RolloutIW(1)))
    for planner in (ww.IW, 3, None):  # type: ignore[assignment]
        with pytest.raises(ww.UsageError, match=r"is not a planner|is a class"):
            ww.solve(task, planner)  # type: ignore[arg-type]


def test_advice_is_in_the_terms_of_where_it_is_read(
    task: ww.Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ww.UsageError, match=r"ww\.HIW") as raised:
        ww.solve(task, "hiw")
    assert "--" not in str(raised.value)
    with command_line_advice():
        assert "--high" in str(raised.value) and "ww." not in str(raised.value)
    paths = [str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]
    assert main(["solve", *paths, "--planner", "hiw"]) == 2
    assert "--high" in capsys.readouterr().err
    assert "--" not in str(raised.value)  # the command line is over


def test_messages_about_simulators_are_in_the_terms_of_where_they_are_read() -> None:
    import broken_simulators as broken
    import dice_simulators as dice

    def chance() -> str:
        report = ww.check_simulator(dice.Dice(), seconds=0.2)
        return next(str(check) for check in report.checks if "planning needs" in str(check))

    assert "chance='reseed'" in chance() and "--chance" not in chance()
    planner = ww.HIW(high=ww.RolloutIW(1), low=ww.RolloutIW(1))
    with pytest.raises(ww.UsageError) as raised:
        ww.OnlinePlanner(broken.Walk(), planner, features=lambda step: b"")
    assert "give HIW(features=...)" in str(raised.value) and "--" not in str(raised.value)
    with command_line_advice():
        assert "--chance reseed" in chance()
        assert "give --high-features WHAT" in str(raised.value) and "HIW(" not in str(raised.value)


def test_moments_are_counted_from_one_origin(task: ww.Task) -> None:
    result = ww.solve(task, improve=True, budget=ww.Budget(seconds=2))
    assert len(result.plans) > 1
    read = task.seconds["parse"] + task.seconds["ground"]
    moments = [plan.seconds for plan in result.plans]
    assert moments == sorted(moments)
    assert read < moments[0]  # reading and grounding are on the clock
    assert moments[-1] <= result.elapsed_seconds == sum(result.seconds.values())
    assert sum(stage.seconds for stage in result.stages) <= result.seconds["search"]


def test_the_clock_of_a_run_stands_still_between_load_and_solve(tmp_path: Path) -> None:
    meter = _native.Meter()
    task = ww.load(*files(tmp_path, "corridor"), meter=meter)
    loaded = meter.seconds
    while meter.seconds < 2 * loaded + 0.05:
        pass
    begun = meter.seconds
    result = ww.solve(task, "ihiw", meter=meter)
    assert result.elapsed_seconds <= loaded + meter.seconds - begun
    assert sum(task.seconds.values()) < result.plans[0].seconds <= result.elapsed_seconds


def test_a_goal_that_is_grounded_again_is_counted_once(tmp_path: Path) -> None:
    task = ww.load(*files(tmp_path, "corridor"))
    meter = _native.Meter()
    begun = meter.seconds
    result = ww.solve(task, "ihiw", goal="(have-key)", meter=meter)
    assert result.seconds["ground"] > task.seconds["ground"]
    assert result.elapsed_seconds <= sum(task.seconds.values()) + meter.seconds - begun + 1e-9


def test_a_plan_is_on_the_clock_when_it_is_reported(task: ww.Task) -> None:
    seen: list[tuple[float, float]] = []
    ww.solve(task, on_plan=lambda result: seen.append((result.plans[-1].seconds, result.elapsed_seconds)))
    assert seen and all(moment == elapsed for moment, elapsed in seen)


def test_an_episode_without_a_score_says_in_the_terms_of_python_what_to_try() -> None:
    poor = ww.Episode(actions=[0], rewards=[0.0], terminated=True)
    assert poor.advice is not None and "budget=Budget(steps=" in poor.advice and "features=" in poor.advice
    assert "--" not in poor.advice and "docs/guide/choosing.md" in poor.advice
    assert str(poor) == f"{poor!r}\n{poor.advice}"
    for episode in (
        ww.Episode(actions=[0], rewards=[1.0], terminated=True),
        ww.Episode(actions=[0], rewards=[0.0]),  # not at its end
        ww.Episode(terminated=True),  # over at reset: nothing was planned
    ):
        assert episode.advice is None and str(episode) == repr(episode)
    assert "advice" not in poor.describe()
