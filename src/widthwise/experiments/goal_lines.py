"""The line of a part of the single-goal suite: columns with one entry per goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from widthwise.classical.result import Result
from widthwise.classical.task import Task
from widthwise.core.result import Status
from widthwise.experiments.jobs import Outcome

Fields = dict[str, Any]


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
    }
    if result.status is Status.FAILED:
        fields["error"] = result.reason
    return fields if prepared is None else {**fields, "relevance_seconds": round(prepared, 6)}


def line_of(task: Task, goals: Sequence[Fields]) -> Outcome:
    """The line of a part: what is true of the task, a column per field of its goals, and the errors of its goals."""
    errors = {goal["goal"]: goal.pop("error") for goal in goals if "error" in goal}
    columns: dict[str, Any] = {name: [goal[name] for goal in goals] for name in (goals[0] if goals else _NO_GOALS)}
    return {
        "atoms": task.native.atom_count,
        "operators": task.native.operator_count,
        **columns,
        **({"errors": errors} if errors else {}),
        "load_seconds": round(task.seconds["parse"] + task.seconds["ground"], 6),
    }


_NO_GOALS = (
    *("goal", "status", "generated", "plan_length", "true_at_start", "high_level_nodes"),
    *("features", "seconds"),
)
