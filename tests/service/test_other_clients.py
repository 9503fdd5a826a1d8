"""Clients of solver.planning.domains and of planning-as-a-service get what those services send."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from service_tools import Running, endless, eventually, serving, texts
from widthwise import Plan, parse, validate


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with serving("--max-time", "5", "--workers", "2", "--allow-origin", "http://editor.planning.domains") as running:
        yield running


def result_of(service: Running, data: dict[str, Any], adaptor: str | None = None) -> dict[str, Any]:
    """What a client of planning-as-a-service does: begin a job, then ask for its result until it is there."""
    link = service.post("/package/widthwise/solve", data).json()["result"]
    body = None if adaptor is None else {"adaptor": adaptor}
    while True:
        answer: dict[str, Any] = service.post(link, body).json() if body else service.get(link).json()
        if answer["status"] != "PENDING":
            return answer
        time.sleep(0.05)


def test_solver_planning_domains(service: Running) -> None:
    answer = service.post("/solve", texts(length=2)).json()
    assert answer["status"] == "ok"
    result = answer["result"]
    assert (result["parse_status"], result["type"], result["length"]) == ("ok", "full", 5)
    assert validate(parse(**texts(length=2)), [step["name"] for step in result["plan"]]).valid
    assert result["plan"][2]["action"] == (
        "(:action take-key\n  :parameters (p2)\n  :precondition (and (at p2) (key-at p2))\n"
        "  :effect (and (not (key-at p2)) (have-key))\n)"
    )


def test_solver_planning_domains_takes_forms(service: Running) -> None:
    answer = httpx.post(f"{service.url}/solve-and-validate", data=texts(length=2), timeout=60).json()
    assert answer["status"] == "ok"
    assert {"val_status": "valid", "error": False, "cost": 5}.items() <= answer["result"].items()


def test_solver_planning_domains_validates(service: Running) -> None:
    plan = service.post("/api/solve", texts(length=2)).json()["plan_text"]
    good = service.post("/validate", {**texts(length=2), "plan": plan}).json()
    assert good["status"] == "ok" and good["result"]["val_status"] == "valid" and good["result"]["cost"] == 5
    bad = service.post("/validate", {**texts(length=2), "plan": "(walk p1 p2)"}).json()
    assert bad["status"] == "error" and bad["result"]["error"] == "Plan is invalid."
    assert "step 1" in bad["result"]["val_stdout"]


def test_failures_have_the_form_of_solver_planning_domains(service: Running) -> None:
    wrong = service.post("/solve", {**texts(), "domain": "(define"})
    assert wrong.status_code == 200 and wrong.json()["status"] == "error"
    assert "<domain>:1:" in wrong.json()["result"]["error"]
    missing = service.post("/solve", {"domain": "(define)"}).json()
    assert missing["status"] == "error" and "'problem' is missing" in missing["result"]["error"]


@pytest.mark.parametrize("more", [{"is_url": True}, {"probID": 12}])
def test_nothing_is_loaded_from_the_network(service: Running, more: dict[str, Any]) -> None:
    answer = service.post("/solve", {**texts(), **more}).json()
    assert answer["status"] == "error" and "loads nothing from the network" in answer["result"]["error"]


def test_planning_as_a_service(service: Running) -> None:
    offered = service.get("/package").json()["widthwise"]
    names = [argument["name"] for argument in offered["endpoint"]["services"]["solve"]["args"]]
    assert names[:2] == ["domain", "problem"]
    assert service.get("/package/widthwise/solve").json() == offered
    answer = result_of(service, {**texts(length=2), "planner": "bfws", "persistent": True})
    assert answer["status"] == "ok" and answer["result"]["stderr"] == ""
    plan = Plan.parse(answer["result"]["output"]["plan"])
    assert plan.cost == 5 and validate(parse(**texts(length=2)), plan).valid


def test_the_adaptor_of_the_planning_editor(service: Running) -> None:
    answer = result_of(service, texts(length=2), "planning_editor_adaptor")
    (plan,) = answer["plans"]
    assert answer["status"] == plan["status"] == "ok" and plan["result"]["length"] == 5
    failed = result_of(service, {**texts(), "domain": "(define"}, "planning_editor_adaptor")
    assert failed["status"] == "error" and "<domain>" in failed["result"]["error"]
    raw = result_of(service, {**texts(), "domain": "(define"})
    assert "<domain>" in raw["result"]["stderr"] and raw["result"]["output"] == {}


def test_what_is_not_there_is_named(service: Running) -> None:
    assert "does not exist" in service.post("/package/lama/solve", texts()).json()["Error"]
    assert "does not contain" in service.post("/package/widthwise/fly", texts()).json()["Error"]
    assert "missing" in service.post("/package/widthwise/solve", {}).json()["Error"]
    assert service.get("/check/nothing").status_code == 404


def test_a_job_can_be_ended(service: Running) -> None:
    link = service.post("/package/widthwise/solve", endless()).json()["result"]
    eventually(lambda: service.metric("widthwise_running") == 1)
    assert service.get(link).json() == {"status": "PENDING"}
    assert httpx.delete(service.url + link).json() == {"status": "deleted"}
    eventually(lambda: service.metric("widthwise_running") == 0)
    assert service.get(link).status_code == 404


def test_pages_of_an_allowed_site_may_send_requests(service: Running) -> None:
    site = {"Origin": "http://editor.planning.domains"}
    asked = {**site, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    allowed = httpx.options(f"{service.url}/solve", headers=asked)
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == site["Origin"]
    answer = service.post("/solve", texts(length=2), headers=site)
    assert answer.headers["access-control-allow-origin"] == site["Origin"] and answer.json()["status"] == "ok"
    assert service.post("/solve", texts(), headers={"Origin": "http://evil.example"}).status_code == 403
