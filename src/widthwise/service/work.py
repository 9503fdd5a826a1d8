"""The work on one request: plain data in, plain data out. It runs in a worker process.

A job comes from `read_request`. It contains texts and numbers; nothing in it is a path, a name of a module or code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from widthwise import _native
from widthwise.classical.load import parse
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem
from widthwise.classical.pddl.syntax import And, Condition
from widthwise.classical.plan import Plan
from widthwise.classical.profile import profile, profile_status
from widthwise.classical.result import Result
from widthwise.classical.solve import solve
from widthwise.classical.task import Task
from widthwise.classical.validate import Verdict, check_plan
from widthwise.core.budget import Budget
from widthwise.core.errors import InputError, OutOfBudget, UnsupportedError, WidthwiseError, command_line_advice
from widthwise.core.guard import PLAN, Guard
from widthwise.core.result import Status
from widthwise.portfolio.registry import make_planner, parse_widths
from widthwise.service.ground_actions import GroundActions

Job = dict[str, Any]
Answer = dict[str, Any]

#: The beginning of a message that has a place: `<domain>:3:7: ...`.
_PLACE = re.compile(r"<(\w+)>:(\d+):(\d+): ")
PROFILE_NODES = 100_000


def perform(job: Job) -> Answer:
    """Do the work of one job.

    Args:
        job: What `read_request` returned.

    Returns:
        The answer as plain data. It has a `status`; an input that cannot be read has the status `error` and an `error`
        with the message and, in PDDL and plans, the place.

    Example:
        >>> from widthwise.service.work import perform
        >>> perform({"kind": "solve", "domain": "(", "problem": "", "max_time": 1, "max_memory": 100})["error"]["line"]
        1
    """
    budget = Budget(seconds=job["max_time"], bytes=int(job["max_memory"] * 1_000_000))
    meter = budget.start()
    try:
        with command_line_advice():
            answer = _WORK[job["kind"]](job, budget, meter)
    except OutOfBudget as ended:
        answer = {"status": str(Status(ended.status)), "reason": str(ended)}
    except WidthwiseError as error:
        return {"status": "error", "error": describe(error)}
    except MemoryError:
        answer = {"status": str(Status.OUT_OF_MEMORY), "reason": "the memory limit was reached"}
    return {**answer, "work_seconds": round(meter.seconds, 6), "memory_mb": round(meter.peak_bytes / 1e6, 1)}


def describe(error: WidthwiseError) -> Answer:
    """An error as plain data: its kind, its message, and its place if it has one."""
    if isinstance(error, UnsupportedError):
        kind = "unsupported"
    else:
        kind = "input" if isinstance(error, InputError) else "request"
    data: Answer = {"kind": kind, "message": str(error)}
    place = _PLACE.match(data["message"])
    if place is not None:
        data |= {"where": place[1], "line": int(place[2]), "column": int(place[3])}
    for name in ("expected", "hint"):
        if getattr(error, name, None):
            data[name] = getattr(error, name)
    return data


def _task(job: Job, meter: _native.Meter) -> Task:
    return parse(job["domain"], job["problem"], goals=job.get("goals") or (), meter=meter)


def _solve(job: Job, budget: Budget, meter: _native.Meter) -> Answer:
    width = job.get("width")
    planner = make_planner(
        job.get("planner") or "auto", None if width is None else parse_widths(width), _levels(job.get("high"))
    )
    result = solve(
        _task(job, meter),
        planner,
        budget=Budget(nodes=job.get("max_nodes"), seconds=budget.seconds, bytes=budget.bytes),
        seed=job.get("seed"),
        meter=meter,
        improve=bool(job.get("improve")),
    )
    data = result.to_json()
    data["plan_text"] = None if result.plan is None else result.plan.text()
    if job.get("show_actions") and result.plan is not None:
        actions = GroundActions(job["domain"])
        data["actions"] = [actions.text(step) for step in result.plan]
    return data


def _levels(high: list[str] | None) -> list[list[str]]:
    return [high] if high else []


def _validate(job: Job, budget: Budget, meter: _native.Meter) -> Answer:
    plan, verdict = _verdict(job, meter)
    return {
        "status": "valid" if verdict.valid else "not-valid",
        "reason": verdict.reason,
        "step": verdict.step,
        "steps": len(plan),
        "cost": verdict.cost,
    }


def _verdict(job: Job, meter: _native.Meter) -> tuple[Plan, Verdict]:
    guard = Guard(meter, PLAN)
    domain = parse_domain(job["domain"], check=guard)
    problem = parse_problem(job["problem"], "<problem>", domain, guard)
    parts: list[Condition] = [parse_goal(text, domain, problem) for text in job.get("goals") or ()]
    plan = Plan.parse(job["plan"], "<plan>", guard)
    return plan, check_plan(domain, problem, plan, And(tuple(parts)) if parts else None, poll=guard)


def _profile(job: Job, budget: Budget, meter: _native.Meter) -> Answer:
    task = _task(job, meter)
    each = Budget(nodes=job.get("max_nodes") or PROFILE_NODES, seconds=budget.seconds, bytes=budget.bytes)
    goals = list(profile(task, budget=each, seed=job.get("seed"), meter=meter))
    return {
        "status": str(profile_status(goals)),
        "goal_count": len(task.goals),
        "goals": [goal.to_json() for goal in goals],
    }


def _explain(job: Job, budget: Budget, meter: _native.Meter) -> Answer:
    if job.get("plan") is not None:
        plan, verdict = _verdict(job, meter)
        if verdict.valid:
            return {"status": "valid", "explanation": f"The plan of {len(plan)} steps is valid, cost {verdict.cost:g}."}
        return {"status": "not-valid", "explanation": f"The plan is not valid: {verdict.reason}.", "step": verdict.step}
    task = _task(job, meter)
    # Half of the time that is left for the whole goal; single goals get the other half.
    whole = Budget(seconds=max(0.01, (job["max_time"] - meter.seconds) / 2), bytes=budget.bytes)
    result = solve(task, budget=whole, certificate=True)
    if result.status is Status.SOLVED:
        return {
            "status": "solved",
            "explanation": f"The task is solvable: a plan of {len(result.plan or ())} steps, cost {result.cost:g}.",
            "plan": list(result.plan or ()),
        }
    each = Budget(nodes=PROFILE_NODES, seconds=budget.seconds, bytes=budget.bytes)
    goals = [
        {"goal": goal.goal, "status": str(goal.status), "width": goal.width}
        for goal in profile(task, budget=each, meter=meter)
    ]
    return {
        "status": str(result.status),
        "explanation": _sentences(result, goals, len(task.goals)),
        "goals": goals,
        "certified": result.certificate is not None,
    }


def _sentences(result: Result, goals: list[dict[str, str]], count: int) -> str:
    """Why a task was not solved, in words."""
    sentences = [f"The task was not solved ({result.status}): {result.reason}."]
    alone = [goal["goal"] for goal in goals if goal["status"] == "unsolvable"]
    if alone:
        sentences.append(f"No plan reaches {', '.join(alone[:8])}, even alone.")
    elif (
        result.status is Status.UNSOLVABLE
        and len(goals) == count > 1
        and all(goal["status"] == "solved" for goal in goals)
    ):
        sentences.append("No goal is proved unsolvable alone: the goals exclude each other.")
    if result.certificate is not None:
        sentences.append(f"A certificate proves it: {result.certificate.summary}.")
    if result.status in (Status.OUT_OF_TIME, Status.OUT_OF_NODES, Status.OUT_OF_MEMORY):
        left = [goal["goal"] for goal in goals if goal["status"] not in ("solved", "unsolvable")]
        if left:
            sentences.append(f"The limit was also too small for {', '.join(left[:8])} alone.")
    return " ".join(sentences)


_WORK: dict[str, Callable[[Job, Budget, _native.Meter], Answer]] = {
    "solve": _solve,
    "validate": _validate,
    "profile": _profile,
    "explain": _explain,
}
