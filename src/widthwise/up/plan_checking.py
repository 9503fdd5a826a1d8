"""The validator of Widthwise on problems and plans of unified-planning."""

from __future__ import annotations

import time
from typing import Any

from unified_planning.engines import FailedValidationReason, LogLevel, LogMessage, ValidationResult
from unified_planning.engines import ValidationResultStatus as Status
from unified_planning.exceptions import UPUsageError

from widthwise.classical.validate import replay
from widthwise.classical.world import World
from widthwise.core.errors import UnsupportedError
from widthwise.up.plans import step_of
from widthwise.up.problem_reader import read


def check(engine: str, problem: Any, plan: Any) -> ValidationResult:
    """Execute a plan on the problem, without grounding it, and evaluate the quality metric exactly."""
    start = time.perf_counter()
    try:
        definition, names, _ = read(problem)
    except UnsupportedError as error:
        raise UPUsageError(f"the problem {problem.name}: {error}") from None
    steps = [step_of(instance, problem, names) for instance in plan.actions]
    foreign = next((number for number, step in enumerate(steps) if step is None), None)
    known = [step for step in steps[:foreign] if step is not None]
    valid, reason, failed, cost = replay(World(definition.domain, definition), known, definition.goal)
    if foreign is not None and failed is None:
        valid, failed = False, foreign + 1
        reason = f"step {failed}, {plan.actions[foreign]}: this is not an action of the problem {problem.name}"
    metrics = {"engine_internal_time": str(time.perf_counter() - start)}
    logs = [LogMessage(LogLevel.INFO, reason)]
    if valid:
        # Without costs of actions every step costs 1, which is the length of the plan.
        evaluations = dict.fromkeys(problem.quality_metrics, cost) or None
        return ValidationResult(Status.VALID, engine, logs, evaluations, metrics=metrics)
    return ValidationResult(
        Status.INVALID,
        engine,
        logs,
        reason=FailedValidationReason.UNSATISFIED_GOALS
        if failed is None
        else FailedValidationReason.INAPPLICABLE_ACTION,
        inapplicable_action=None if failed is None else plan.actions[failed - 1],
        metrics=metrics,
    )
