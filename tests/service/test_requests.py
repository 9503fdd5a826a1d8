"""Requests are checked before they are worked on, and the work needs nothing but the request."""

from __future__ import annotations

from typing import Any

import pytest

from cli_tools import LOCKED, TORN
from service_tools import texts
from widthwise import Plan, parse, validate
from widthwise.service.fields import KINDS, BadRequest, read_request
from widthwise.service.limits import ServiceLimits
from widthwise.service.work import perform

LIMITS = ServiceLimits(seconds=10, megabytes=500)


def work(kind: str, **data: Any) -> dict[str, Any]:
    """The answer to a request."""
    return perform(read_request(kind, data, LIMITS))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"domain": None}, "'domain' is missing"),
        ({"domain": ""}, "'domain' is empty"),
        ({"domain": 3}, "'domain' has to be a text"),
        ({"domain": "x" * 8_000_001}, "longer than 8,000,000 characters"),
        ({"problem": "\ud800"}, "'problem' is not Unicode text"),
        ({"planner": "magic"}, "'planner' has to be one of auto, bfs"),
        ({"planner": None}, "'planner' is null"),
        ({"max_time": 11}, "'max_time' is 11: the maximum is 10"),
        ({"max_time": 0}, "'max_time' is 0: give a number above 0"),
        ({"max_time": float("nan")}, "'max_time' has to be a number"),
        ({"max_time": float("inf")}, "'max_time' is inf: the maximum is 10"),
        ({"max_memory": 10**400}, "the maximum is 500"),
        ({"max_nodes": 0}, "'max_nodes' is 0: the minimum is 1"),
        ({"max_nodes": 1.5}, "'max_nodes' has to be a whole number"),
        ({"seed": True}, "'seed' has to be a whole number"),
        ({"improve": 1}, "'improve' has to be true or false"),
        ({"goals": "(at p0)"}, "'goals' has to be a list"),
        ({"goals": [1]}, "'goals' has an entry that has to be a text"),
        ({"goals": ["a"] * 1001}, "more than 1,000 entries"),
        ({"file": "/etc/passwd"}, "there is no field 'file'"),
    ],
)
def test_a_request_of_another_form_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=r"(?s).*") as caught:
        read_request("solve", {**texts(), **change}, LIMITS)
    assert message in str(caught.value)


@pytest.mark.parametrize("data", [None, [], "solve", 3])
def test_a_request_is_an_object(data: object) -> None:
    with pytest.raises(BadRequest, match="domain and problem"):
        read_request("solve", data, LIMITS)


def test_limits_are_in_every_job() -> None:
    for kind in KINDS:
        job = read_request(kind, {**texts(), "plan": ""}, LIMITS, ignore_unknown=True)
        assert (job["max_time"], job["max_memory"]) == (10, 500)


def test_a_plan_is_valid() -> None:
    answer = work("solve", **texts(length=4))
    assert answer["status"] == "solved" and answer["cost"] == 9
    task = parse(**texts(length=4))
    assert validate(task, Plan.parse(answer["plan_text"])).valid
    assert work("validate", **texts(length=4), plan=answer["plan_text"])["status"] == "valid"


def test_options_reach_the_planner() -> None:
    answer = work("solve", **texts(length=4), planner="hiw", width="1,1", high=["(have-key)"], goals=["(have-key)"])
    assert answer["planner"] == "HIW(1,1)" and answer["plan"][-1] == "(take-key p4)"
    assert work("solve", **texts(), planner="iw", width="2", max_nodes=5)["status"] == "out-of-nodes"
    assert work("solve", **texts(), planner="iw", max_time=1e-9)["status"] == "out-of-time"
    assert work("solve", **texts("blocks", blocks=30), planner="bfs", max_memory=2)["status"] == "out-of-memory"


def test_a_step_that_cannot_be_executed_is_named() -> None:
    answer = work("validate", **texts(length=4), plan="(walk p0 p1)\n(walk p0 p1)\n")
    assert (answer["status"], answer["step"]) == ("not-valid", 2)
    assert "(at p0)" in work("explain", **texts(length=4), plan="(walk p0 p1)\n(walk p0 p1)\n")["explanation"]


@pytest.mark.parametrize(
    ("kind", "name", "before", "after", "mistake"),
    [
        ("solve", "problem", "(at p0)", "(att p0)", "att"),
        ("solve", "domain", ":precondition", ":precondtion", ":precondtion"),
        ("explain", "problem", "(have-key)", "(have-kye)", "have-kye"),
        ("validate", "plan", "(walk p1 p2)", "(walk p1 p2", "(walk p1"),
    ],
)
def test_a_mistake_has_its_line_and_column(kind: str, name: str, before: str, after: str, mistake: str) -> None:
    data = {**texts(length=2), **({"plan": "(walk p0 p1)\n(walk p1 p2)"} if kind == "validate" else {})}
    data[name] = data[name].replace(before, after, 1)
    position = data[name].index(mistake)
    error = work(kind, **data)["error"]
    assert (error["kind"], error["where"]) == ("input", name)
    assert error["line"] == data[name][:position].count("\n") + 1
    assert error["column"] == position - data[name].rfind("\n", 0, position)
    assert error["message"].startswith(f"<{name}>:{error['line']}:{error['column']}: ")


def test_a_task_without_a_plan_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = texts()["domain"]
    locked = work("explain", domain=domain, problem=LOCKED)
    assert locked["status"] == "unsolvable" and "No plan reaches (at p2), even alone." in locked["explanation"]
    torn = work("explain", domain=domain, problem=TORN)
    assert torn["certified"] and "the goals exclude each other" in torn["explanation"]
    monkeypatch.setattr("widthwise.service.work.PROFILE_NODES", 1)  # too few to reach the goals alone
    unknown = work("explain", domain=domain, problem=TORN)
    assert any(goal["status"] != "solved" for goal in unknown["goals"])
    assert unknown["status"] == "unsolvable" and "exclude each other" not in unknown["explanation"]
    hard = work("explain", **texts("blocks", blocks=40), max_time=0.2)
    assert hard["status"] in ("solved", "out-of-time")
    assert work("explain", **texts())["status"] == "solved"


def test_a_profile_has_every_goal() -> None:
    answer = work("profile", **texts(length=4))
    assert {goal["goal"]: goal["width"] for goal in answer["goals"]} == {"(have-key)": "1", "(at p0)": "0"}


def test_nothing_of_a_request_is_read_from_a_file(tmp_path: Any) -> None:
    path = tmp_path / "domain.pddl"
    path.write_text(texts()["domain"], encoding="utf-8")
    for name in (str(path), "-", "/dev/stdin"):
        assert work("solve", domain=name, problem=texts()["problem"])["error"]["where"] == "domain"
