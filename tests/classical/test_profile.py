"""Width profiles: what they say of each goal, the command, its limits, its exit codes, its picture."""

from __future__ import annotations

import json
import sys

import pytest

import widthwise as ww
from cli_tools import LOCKED, files, texts
from example_tasks import example
from widthwise import _native
from widthwise.classical.examples import EXAMPLES
from widthwise.classical.profile import AT_START, Attempt, GoalProfile, profile
from widthwise.cli.main import main
from widthwise.core.result import Status

CORRIDOR_GOALS = ["(at p0)", "(have-key)"]


def attempts(*pairs):
    return [Attempt(planner, status, 1, 0.0) for planner, status in pairs]


@pytest.mark.parametrize(
    ("message", "solved_by", "width"),
    [
        ([("IW(1)", Status.SOLVED)], "IW(1)", "1"),
        ([("IW(1)", Status.SOLVED)], AT_START, "0"),
        ([("IW(1)", Status.EXHAUSTED), ("IHIW(1,1)", Status.SOLVED)], "IHIW(1,1)", ">1"),
        ([("IW(1)", Status.EXHAUSTED), ("IW(2)", Status.SOLVED)], "IW(2)", "2"),
        ([("IW(1)", Status.OUT_OF_NODES), ("IW(2)", Status.SOLVED)], "IW(2)", "<=2"),
        ([("IW(1)", Status.OUT_OF_NODES), ("IHIW(1,1)", Status.SOLVED)], "IHIW(1,1)", "?"),
        (
            [("IW(1)", Status.EXHAUSTED), ("IW(2)", Status.EXHAUSTED), ("IW(3)", Status.OUT_OF_NODES)],
            None,
            ">2",
        ),
    ],
)
def test_says_no_more_of_the_width_than_the_searches_have_shown(message, solved_by, width):
    assert GoalProfile("(g)", attempts(*message), solved_by).width == width


def test_finds_the_smallest_width_of_each_goal():
    task = example("blocks", blocks=6)
    for item in profile(task, relevance="none"):
        wanted = next(goal for goal in task.goals if goal.name == item.goal)
        flat = ww.solve(task, ww.IW(1), goal=wanted)
        if item.solved_by in ("IW(1)", AT_START):
            assert flat.status is ww.Status.SOLVED and item.generated == flat.generated
            assert item.plan == flat.plan
        else:
            assert flat.status is ww.Status.EXHAUSTED and item.attempts[0].generated == flat.generated


@pytest.mark.parametrize("relevance", ["none", "task", "goal"])
def test_relevance_changes_nodes_not_what_is_solved(relevance):
    result = list(profile(example("gripper", balls=3), relevance=relevance))
    assert all(item.solved_by is not None and item.plan for item in result)


def test_prints_a_table(tmp_path, capsys):
    assert main(["profile", *files(tmp_path, "corridor")]) == 0
    ended = capsys.readouterr()
    lines = ended.out.splitlines()
    assert lines[0].split() == ["goal", "solved", "by", "width", "nodes", "plan", "seconds"]
    assert [line.split(")")[0] + ")" for line in lines[1:]] == CORRIDOR_GOALS
    assert "true at start" in lines[1] and "IW(1)" in lines[2]
    assert "2 of 2 goals solved: true at start 1, IW(1) 1" in ended.err


def test_prints_json(tmp_path, capsys):
    assert main(["profile", *files(tmp_path, "gripper", balls=2), "--json", "--seed", "1"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "solved" and data["seed"] == 1 and data["relevance"] == "goal"
    assert data["budget"] == {"nodes": 100_000} and data["goal_count"] == len(data["goals"]) == 2
    for goal in data["goals"]:
        assert goal["attempts"][-1]["planner"] == goal["solved_by"]
        assert goal["attempts"][-1]["generated"] == goal["generated"] and goal["plan"]


def test_exit_codes(tmp_path, capsys):
    assert main(["profile", *files(tmp_path / "a", "gripper", balls=4), "--max-nodes", "3"]) == 12
    assert "out-of-nodes" in capsys.readouterr().out
    domain = EXAMPLES["corridor"].domain()
    assert main(["profile", *texts(tmp_path / "b", domain, LOCKED)]) == 11
    assert "unsolvable" in capsys.readouterr().out
    assert main(["profile", *files(tmp_path / "c", "blocks"), "--max-time", "1e-9"]) == 23
    assert main(["profile", *files(tmp_path / "d", "blocks"), "--max-memory", "1e-6"]) == 22
    capsys.readouterr()
    assert main(["profile", str(tmp_path / "none.pddl"), str(tmp_path / "none.pddl")]) == 31
    assert main(["profile", *files(tmp_path / "e", "blocks"), "--plot", str(tmp_path / "e" / "plot.bmp")]) == 2
    assert ".png, .svg, .pdf" in capsys.readouterr().err


def test_ctrl_c_shows_what_is_there(tmp_path, capsys, monkeypatch):
    from widthwise.classical import profile as module

    def cut_short(task, *, meter, **more):
        for item in profile(task, meter=meter, **more):
            yield item
            meter.interrupt()

    monkeypatch.setattr(module, "profile", cut_short)
    assert main(["profile", *files(tmp_path, "gripper", balls=3)]) == 130
    ended = capsys.readouterr()
    assert len(ended.out.splitlines()) == 3  # the head, the first goal, and the one that was being worked on
    assert "interrupted" in ended.out and "1 goal not tried" in ended.err


def test_draws_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    paths = files(tmp_path, "blocks", blocks=6)
    for name in ("one.png", "one.svg", "two.svg"):
        assert main(["profile", *paths, "--plot", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert (tmp_path / "one.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_names_the_extra_that_draws(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["profile", *files(tmp_path, "corridor"), "--plot", str(tmp_path / "plot.png")]) == 34
    assert "pip install 'widthwise[plot]'" in capsys.readouterr().err


@pytest.mark.parametrize("relevance", ["none", "task", "goal"])
def test_a_meter_gets_back_what_it_was_charged_with_and_no_more(relevance):
    task, meter = example("blocks", blocks=4), _native.Meter()
    assert meter.charge(1_000_000)  # as if for the task itself
    profiled = sum(1 for _ in profile(task, relevance=relevance, meter=meter))
    solved = sum(1 for _ in ww.solve_each_goal(task, "iw", relevance=relevance, meter=meter))
    assert profiled == solved == len(task.goals)
    assert ww.solve(task.restricted(), "iw", meter=meter).plan is None
    assert meter.bytes == 1_000_000


def test_the_help_names_the_usual_limit_of_nodes(capsys):
    with pytest.raises(SystemExit):
        main(["profile", "--help"])
    messages = " ".join(capsys.readouterr().out.split())
    assert "in each search (default 100,000)" in messages
    assert "none by default" not in messages
