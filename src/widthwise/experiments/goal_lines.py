"""The line of a part of the single-goal suite: columns with one entry per goal, and its plans as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from widthwise.classical.result import Result
from widthwise.classical.task import Task
from widthwise.core.result import Status
from widthwise.core.showing import counted
from widthwise.experiments.jobs import Outcome

Fields = dict[str, Any]
#: Characters of the plans of a line that are kept, and of the errors of its goals.
MOST_PLANS, MOST_ERRORS = 16_000, 20_000


def goal_fields(result: Result, prepared: float | None = None) -> Fields:
    """What a line keeps of one goal; the seconds of preparing a task for this goal alone count as its own."""
    searched = result.seconds["search"]
    fields = {
        "goal": result.goal,
        "status": str(result.status),
        "generated": result.generated,
        "plan_length": None if result.plan is None else len(result.plan),
        "true_at_start": int(result.true_at_start),
        "high_level_nodes": result.high_level_nodes,
        "features": len(result.features),
        "seconds": round(searched + (prepared or 0.0), 6),
        "plan": result.plan,  # not a column: `line_of` makes a file of the plans
    }
    if result.status is Status.FAILED:
        fields["error"] = result.reason
    return fields if prepared is None else {**fields, "relevance_seconds": round(prepared, 6)}


def line_of(task: Task, goals: Sequence[Fields]) -> Outcome:
    """The line of a part: what is true of the task, a column per field of its goals, and the errors of its goals.

    Its `files` are the plans of its goals, and a log if a goal failed.
    """
    plans = _plans(goals)
    errors = {goal["goal"]: goal.pop("error") for goal in goals if "error" in goal}
    for goal in goals:
        del goal["plan"]
    columns: dict[str, Any] = {name: [goal[name] for goal in goals] for name in (goals[0] if goals else _NO_GOALS)}
    log = "\n".join(f"{name}: failed: {reason}" for name, reason in errors.items())
    files = {**({"plan": plans} if plans else {}), **({"log": f"{log[:MOST_ERRORS]}\n"} if log else {})}
    return {
        "atoms": task.native.atom_count,
        "operators": task.native.operator_count,
        **columns,
        **({"errors": errors} if errors else {}),
        **({"files": files} if files else {}),
        "load_seconds": round(task.seconds["parse"] + task.seconds["ground"], 6),
    }


def _plans(goals: Sequence[Fields]) -> str:
    """The plans of goals, one after another, each below a comment with its goal; empty if no goal has a plan."""
    if all(goal["plan"] is None for goal in goals):
        return ""
    parts, left = ["; The plans of single goals. Each starts in the initial state.\n"], MOST_PLANS
    for goal in goals:
        steps = goal["plan"]
        if goal["true_at_start"]:
            head, body = "it holds in the initial state", ""
        elif steps is None:
            head, body = f"{goal['status']} after {counted(goal['generated'], 'node')}", ""
        else:
            head, body = counted(len(steps), "step"), "".join(f"{step}\n" for step in steps)
        if len(body) > left:
            head, body = f"{head}, left out: the plans of a file have at most {MOST_PLANS:,} characters", ""
        left -= len(body)
        parts.append(f"; goal {goal['goal']}: {head}\n{body}")
    return "".join(parts)


_NO_GOALS = (
    *("goal", "status", "generated", "plan_length", "true_at_start", "high_level_nodes"),
    *("features", "seconds"),
)
