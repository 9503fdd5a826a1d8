"""The suite of whole problems: every problem solved by every planner in separate processes, within limits.

A planner is one of ours, by name, or any command that reads a domain and a problem and writes a plan file. What
counts is a plan file that the validator accepts; the status that a planner reports only explains why there is none.
"""

from __future__ import annotations

import json
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from widthwise.classical.collection import domain_of
from widthwise.classical.pddl.parser import read_domain, read_problem
from widthwise.classical.plan import Plan
from widthwise.classical.validate import check_plan
from widthwise.core.budget import Budget
from widthwise.core.errors import Interrupted, OutOfBudget, UsageError, WidthwiseError
from widthwise.core.guard import PLAN, Guard
from widthwise.core.result import Status
from widthwise.experiments.classical import with_texts
from widthwise.experiments.jobs import Job, Outcome, Part
from widthwise.experiments.limited import Ended, Limits, run_limited
from widthwise.experiments.rows import Instance, Row
from widthwise.experiments.scratch import scratch_folder
from widthwise.experiments.systems import System, filled, label

#: The fields that distinguish one line of the suite from another.
KEYS = ("row", "instance", "planner", "width", "seed")
#: In addition to the statuses of a search: it ended for another reason, its plan was refused, or its plan could not be
#: checked within the limits.
FAILED, INVALID, UNCHECKED = "failed", "invalid", "unchecked"
#: Seconds and megabytes for the check of a plan where the run has no limits.
CHECK_SECONDS, CHECK_MEGABYTES = 300.0, 4000.0
#: Characters of each stream that a log keeps, and bytes of the largest plan that is kept.
KEPT, MOST_PLAN = 20_000, 4_000_000

# Exit codes as Fast Downward numbers them, its translator's included.
_STATUS_OF_CODE = {
    10: Status.UNSOLVABLE,
    11: Status.UNSOLVABLE,
    12: Status.EXHAUSTED,
    20: Status.OUT_OF_MEMORY,
    21: Status.OUT_OF_TIME,
    22: Status.OUT_OF_MEMORY,
    23: Status.OUT_OF_TIME,
}
_LIMITS = {
    "cpu": (Status.OUT_OF_TIME, "the limit of CPU time was reached"),
    "wall": (Status.OUT_OF_TIME, "the time limit was reached"),
    "memory": (Status.OUT_OF_MEMORY, "the memory limit was reached"),
}


@dataclass(frozen=True, slots=True)
class WholeSetup:
    """What the suite runs on every problem."""

    systems: Sequence[System]
    limits: Limits
    seeds: Sequence[int | None] = (None,)

    def __post_init__(self) -> None:
        """Refuse two columns of one name."""
        names = [(system.name, system.width) for system in self.systems]
        for name, width in names:
            if names.count((name, width)) > 1:
                raise UsageError(f"the planner {name}{':' + width if width else ''} is given twice")

    def settings(self) -> dict[str, Any]:
        """What must not change when a run is resumed."""
        return {
            "planners": {label(system.name, system.width): shlex.join(system.command) for system in self.systems},
            "seeds": list(self.seeds),
            "limits": asdict(self.limits),
        }


def jobs_of(rows: Sequence[Row], setup: WholeSetup, *, ship: bool) -> Iterator[Job]:
    """One job per problem, with a part for each planner and seed, so that planners take turns on every problem."""
    commands = {(system.name, system.width): system.command for system in setup.systems}
    payload = {"limits": asdict(setup.limits), "commands": commands}
    for row in rows:
        for instance in row.instances:
            parts = row.parts(instance, commands, setup.seeds)
            sent = with_texts(instance) if ship else instance
            # A hard problem takes no longer than the limit, so all have the same weight.
            yield Job(f"{__name__}:prepare", {**payload, "instance": sent}, parts, float(len(parts)))


def prepare(payload: Mapping[str, Any]) -> Callable[[Part], Outcome]:
    """Returns what runs one planner on a problem, in a folder that is thrown away."""
    instance: Instance = payload["instance"]
    limits = Limits(**payload["limits"])

    def run(part: Part) -> Outcome:
        with scratch_folder() as folder:
            domain, problem = _files(instance, folder)
            plan = folder / "plan.txt"
            holes = {"python": sys.executable, "domain": domain, "problem": problem, "plan": plan, "seed": part["seed"]}
            command = filled(payload["commands"][part["planner"], part["width"]], holes)
            scratch = folder / "scratch"
            scratch.mkdir()
            ended = run_limited(command, limits, scratch, plan)
            return {**outcome_of(ended, domain, problem, plan, limits), "files": _kept(command, ended, plan)}

    return run


def _kept(command: Sequence[str], ended: Ended, plan: Path) -> dict[str, str]:
    """The files that a run keeps of a command: the end of what it printed, and its plan, whether valid or not."""
    parts = [shlex.join(command), f"exit code {ended.code}"]
    for name, text in (("stdout", ended.out), ("stderr", ended.err)):
        parts.append(f"--- {name}{' (the end)' if len(text) > KEPT else ''} ---\n{text[-KEPT:]}")
    kept = {"log": "\n".join(parts)}
    if ended.seen is not None and plan.is_file() and plan.stat().st_size <= MOST_PLAN:
        kept["plan"] = plan.read_text(encoding="utf-8", errors="replace")
    return kept


def outcome_of(ended: Ended, domain: Path, problem: Path, plan: Path, limits: Limits | None = None) -> Outcome:
    """The line of a command that ended: its plan, if there is one that the validator accepts, or why there is none.

    The check has the limits of the run once more, for itself.
    """
    printed = _printed_result(ended.out)
    line: Outcome = {
        "status": str(Status.SOLVED),
        "reason": str(printed.get("reason") or ""),
        "plan_length": None,
        "cost": None,
        "generated": printed.get("generated"),
        "expanded": printed.get("expanded"),
        "exit_code": ended.code,
        "memory_mb": round(ended.peak_mb, 1),
        "plan_seconds": None,
        "cpu_seconds": round(ended.cpu, 3),
        "wall_seconds": round(ended.wall, 3),
    }
    refused = ""
    if ended.seen is not None:
        budget = _check_budget(limits or Limits())
        try:
            guard = Guard(budget.start(), PLAN)
            steps = Plan.read(plan, guard)
            read = read_domain(domain, guard)
            verdict = check_plan(read, read_problem(problem, read, guard), steps, poll=guard)
        except Interrupted:
            raise KeyboardInterrupt from None
        except OutOfBudget as error:
            allowed = f"{budget.seconds:g} s and {(budget.bytes or 0) / 1e6:g} MB"
            return {**line, "status": UNCHECKED, "reason": f"its plan was not checked within {allowed}: {error}"}
        except WidthwiseError as error:
            refused = f"its plan cannot be checked: {error}"
        else:
            if verdict.valid:
                return {**line, "plan_length": len(steps), "cost": verdict.cost, "plan_seconds": round(ended.seen, 3)}
            refused = f"the validator refuses its plan: {verdict.reason}"
    status, reason = _why_not(ended, printed, refused)
    return {**line, "status": str(status), "reason": reason}


def _check_budget(limits: Limits) -> Budget:
    """What the check of a plan may use."""
    seconds = max(limits.wall or 0.0, limits.cpu or 0.0) or CHECK_SECONDS
    return Budget(seconds=seconds, bytes=int((limits.megabytes or CHECK_MEGABYTES) * 1e6))


def _why_not(ended: Ended, printed: Mapping[str, Any], refused: str) -> tuple[str, str]:
    """Why a command has no valid plan: a limit, a plan that was refused, the status it printed, or how it ended."""
    if ended.stopped:
        return _LIMITS[ended.stopped]
    if refused:
        return INVALID, refused
    if printed.get("status") in list(Status) and printed["status"] != Status.SOLVED:
        return str(printed["status"]), str(printed.get("reason") or "")
    words = f": {ended.last_words}" if ended.last_words else ""
    if ended.code in _STATUS_OF_CODE:
        return _STATUS_OF_CODE[ended.code], f"it ended with exit code {ended.code}"
    if ended.code < 0:
        name = signal.Signals(-ended.code).name if -ended.code in list(signal.Signals) else str(-ended.code)
        return FAILED, f"it was ended by signal {name}{words}"
    if ended.code == 0:
        return FAILED, f"it ended without a plan{words}"
    return FAILED, f"it ended with exit code {ended.code}{words}"


def _printed_result(text: str) -> Mapping[str, Any]:
    """What `solve --json` printed, if that is what the text is."""
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _files(instance: Instance, folder: Path) -> tuple[Path, Path]:
    if instance.domain_text is None or instance.problem_text is None:
        return domain_of(Path(instance.path)), Path(instance.path)
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(instance.domain_text, encoding="utf-8")
    problem.write_text(instance.problem_text, encoding="utf-8")
    return domain, problem


def summarize(rows: Sequence[str], lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What was solved by each planner, in all and row by row, whatever the order of the lines."""
    planners: dict[str, dict[str, Any]] = {}
    for line in sorted(lines, key=lambda line: (line["planner"], line["width"])):
        empty: dict[str, Any] = {"solved": 0, "statuses": {}, "rows": dict.fromkeys(rows, 0), "cpu_seconds": 0.0}
        totals = planners.setdefault(label(line["planner"], line["width"]), empty)
        status = FAILED if line["failure"] is not None else line["status"]
        totals["statuses"][status] = totals["statuses"].get(status, 0) + 1
        if status == Status.SOLVED:
            totals["solved"] += 1
            totals["rows"][line["row"]] += 1
        totals["cpu_seconds"] = round(totals["cpu_seconds"] + line.get("cpu_seconds", 0.0), 3)
    for totals in planners.values():
        totals["statuses"] = dict(sorted(totals["statuses"].items()))
    problems = {(line["row"], line["instance"]) for line in lines}
    return {"lines": len(lines), "problems": len(problems), "planners": planners}
