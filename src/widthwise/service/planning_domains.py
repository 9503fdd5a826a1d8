"""Answers in the form of other planning services, so that their clients work with this one.

`solver.planning.domains` (cloud-solver): `/solve`, `/validate`, `/solve-and-validate`. Its answers have the HTTP code
200 and their own `status`, `ok` or `error`. `planning-as-a-service` of planutils: a job and a link to its result.
"""

from __future__ import annotations

from typing import Any

from widthwise.service.fields import BadRequest
from widthwise.service.limits import ServiceLimits
from widthwise.service.work import Answer

PACKAGE = "widthwise"
ADAPTOR = "planning_editor_adaptor"


def check_texts(data: object) -> None:
    """Refuse requests that name a task instead of containing it: the service reads no files and loads no pages."""
    if isinstance(data, dict) and (data.get("probID") is not None or data.get("is_url") not in (None, False, "false")):
        raise BadRequest("this service loads nothing from the network: send the texts of domain and problem")


def solved(answer: Answer) -> Answer:
    """An answer of `solve` in the form of cloud-solver."""
    if answer["status"] != "solved":
        return failed(reason(answer))
    return {"status": "ok", "result": _full(answer)}


def failed(message: str) -> Answer:
    """A failure in the form of cloud-solver."""
    return {"status": "error", "result": {"parse_status": "err", "error": message, "output": message}}


def validated(answer: Answer) -> Answer:
    """An answer of `validate` in the form of cloud-solver."""
    if answer["status"] == "valid":
        return {"status": "ok", "result": _valid(answer["cost"])}
    message = "Plan is invalid." if answer["status"] == "not-valid" else "The plan was not checked."
    result = {"val_status": "err", "error": message, "val_stdout": reason(answer), "val_stderr": ""}
    return {"status": "error", "result": result}


def solved_and_validated(answer: Answer) -> Answer:
    """An answer of `solve` as from solving and validating; every plan is validated before it is returned."""
    whole = solved(answer)
    if whole["status"] == "ok":
        whole["result"] |= _valid(answer["cost"])
    return whole


def _valid(cost: float) -> Answer:
    return {"val_status": "valid", "error": False, "val_stdout": f"{cost:g}\n", "val_stderr": "", "cost": cost}


def reason(answer: Answer) -> str:
    """Why an answer has no plan, or is not valid."""
    if "error" in answer:
        return str(answer["error"]["message"])
    return f"{answer['status']}: {answer.get('reason', '')}"


def _full(answer: Answer) -> Answer:
    steps = zip(answer["plan"], answer["actions"], strict=True)
    return {
        "parse_status": "ok",
        "type": "full",
        "length": len(answer["plan"]),
        "plan": [{"name": step, "action": action} for step, action in steps],
        "cost": answer["cost"],
        "output": f"{answer['reason']}; cost {answer['cost']:g}, {answer['generated']} nodes generated.",
        "planPath": "plan",
        "logPath": "log",
    }


def manifest(limits: ServiceLimits, planners: list[str]) -> dict[str, Any]:
    """What planning-as-a-service says about a package: its services and their arguments."""
    choices = [{"display_value": name, "value": name} for name in planners]
    return {
        PACKAGE: {
            "name": "Widthwise",
            "package_name": PACKAGE,
            "description": "Width-based planning: IW, HIW, IHIW, BFWS and a portfolio of them.",
            "install-size": "20M",
            "runnable": True,
            "dependencies": [],
            "endpoint": {
                "services": {
                    "solve": {
                        "args": [
                            {"name": "domain", "type": "file", "description": "domain file"},
                            {"name": "problem", "type": "file", "description": "problem file"},
                            {
                                "name": "planner",
                                "type": "categorical",
                                "description": "the planner",
                                "choices": choices,
                                "default": planners[0],
                            },
                            {
                                "name": "max_time",
                                "type": "int",
                                "description": "seconds",
                                "default": int(limits.seconds) or 1,
                            },
                        ],
                        "call": "widthwise solve {domain} {problem} --planner {planner} --max-time {max_time}",
                        "return": {"type": "generic", "files": "plan"},
                    }
                }
            },
        }
    }


def package_result(answer: Answer) -> Answer:
    """The result of a job in the form of planning-as-a-service: a plan in `output`, or a message in `stderr`."""
    done = answer["status"] == "solved"
    result = {
        "stdout": f"{answer['reason']}; cost {answer['cost']:g}.\n" if done else "",
        "stderr": "" if done else reason(answer),
        "call": "widthwise solve",
        # The extension of Visual Studio Code takes the cost of a plan from the line before it.
        "output": {"plan": f"; Metric: {answer['cost']:g}\n{answer['plan_text']}"} if done else {},
        "output_type": "generic",
    }
    return {"status": "ok", "result": result}


def adapted_result(answer: Answer) -> Answer:
    """The result of a job as the adaptor of the planning editor returns it."""
    if answer["status"] != "solved":
        return failed(reason(answer))
    return {"status": "ok", "plans": [{"status": "ok", "result": _full(answer)}]}
