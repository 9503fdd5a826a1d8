"""Results of Widthwise in the terms of unified-planning: statuses, metrics and log messages."""

from __future__ import annotations

from unified_planning.engines import LogLevel, LogMessage
from unified_planning.engines import PlanGenerationResultStatus as PlanStatus

from widthwise import _native
from widthwise.classical.plan import number_text
from widthwise.classical.result import Result
from widthwise.core.errors import OutOfMemory, OutOfTime, UnsupportedError
from widthwise.core.result import Status
from widthwise.core.showing import counted

_STATUSES = {
    Status.SOLVED: PlanStatus.SOLVED_SATISFICING,
    Status.UNSOLVABLE: PlanStatus.UNSOLVABLE_PROVEN,
    Status.EXHAUSTED: PlanStatus.UNSOLVABLE_INCOMPLETELY,
    Status.OUT_OF_NODES: PlanStatus.UNSOLVABLE_INCOMPLETELY,
    Status.OUT_OF_TIME: PlanStatus.TIMEOUT,
    Status.OUT_OF_MEMORY: PlanStatus.MEMOUT,
    Status.INTERRUPTED: PlanStatus.UNSOLVABLE_INCOMPLETELY,
    Status.FAILED: PlanStatus.INTERNAL_ERROR,
}


def final_status(result: Result, *, measured: bool, partial: bool) -> PlanStatus:
    """The status of a run that has ended.

    Without a quality metric (`measured`) no plan is called optimal. With values that are undefined (`partial`) nothing
    is proved: whether a quantified condition reads them depends on the order of the objects in unified-planning.
    """
    if result.plan is not None and measured and not partial and (result.optimal or not result.plan):
        return PlanStatus.SOLVED_OPTIMALLY
    if result.status is Status.UNSOLVABLE and partial:
        return PlanStatus.UNSOLVABLE_INCOMPLETELY
    return _STATUSES[result.status]


def metrics(result: Result, meter: _native.Meter) -> dict[str, str]:
    """The statistics of a run by name, as texts."""
    values: dict[str, object] = {
        "engine_internal_time": meter.seconds,
        "planner": result.planner,
        "width": result.width,
        "generated": result.generated,
        "expanded": result.expanded,
        "pruned": result.pruned,
        "high_level_nodes": result.high_level_nodes,
        "memory_mb": result.memory_mb,
        **{f"{part}_seconds": seconds for part, seconds in result.seconds.items()},
    }
    if result.cost is not None:
        values["cost"] = number_text(result.cost)
    return {name: str(value) for name, value in values.items()}


def messages(result: Result) -> list[LogMessage]:
    """How a run ended or what it has found so far, and which searches it ran."""
    nodes = f"{counted(result.generated, 'node')} generated, {result.pruned:,} pruned"
    if result.plan is None:
        text = f"{result.status}: {result.reason or result.planner}; {nodes}"
    else:
        last = result.plans[-1]
        text = f"plan of cost {number_text(last.cost)} after {last.seconds:.3f} s ({last.how}); {nodes}"
    logs = [LogMessage(LogLevel.INFO, text)]
    for stage in result.stages:
        spent = f"{counted(stage.generated, 'node')}, {stage.seconds:.3f} s"
        logs.append(LogMessage(LogLevel.DEBUG, f"{stage.planner}: {stage.reason}; {spent}, {stage.status}"))
    return logs


def failure(error: Exception) -> tuple[PlanStatus, list[LogMessage]]:
    """The status and the message of a run that ended without a result of the search."""
    match error:
        case OutOfTime():
            status, level = PlanStatus.TIMEOUT, LogLevel.INFO
        case OutOfMemory() | MemoryError():
            status, level = PlanStatus.MEMOUT, LogLevel.INFO
        case UnsupportedError():
            status, level = PlanStatus.UNSUPPORTED_PROBLEM, LogLevel.ERROR
        case _:
            status, level = PlanStatus.INTERNAL_ERROR, LogLevel.ERROR
    return status, [LogMessage(level, str(error) or type(error).__name__)]
