"""Counts for the report on whole problems, for all planners."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.reports.records import Record, SuiteRun, read_run

Problem = tuple[str, str]  # row, instance


@dataclass(frozen=True, slots=True)
class Whole:
    """The lines of several runs: by column and problem, one for each seed."""

    runs: list[SuiteRun]
    columns: list[str]
    problems: dict[str, list[str]]  # by row, in order
    lines: dict[tuple[str, str, str], list[Record]]  # by column, row and instance, with the number of the `run`

    def of(self, column: str, problem: Problem) -> list[Record]:
        """The lines of a column for a problem."""
        return self.lines.get((column, *problem), [])

    @property
    def all_problems(self) -> list[Problem]:
        """All problems, row by row."""
        return [(row, instance) for row, instances in self.problems.items() for instance in instances]


def read_whole(folders: Sequence[Path]) -> Whole:
    """Read run folders; planners of the same name that ran the same problems are distinguished by their folders."""
    runs = [read_run(folder) for folder in folders]
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise UsageError("a run folder is given twice")
    keys: dict[str, Counter[tuple[Any, ...]]] = defaultdict(Counter)
    for run in runs:
        for line in run.lines:
            keys[_name(line)][line["row"], line["instance"], line["seed"]] += 1
    twice = {name for name, counted in keys.items() if max(counted.values()) > 1}
    columns: dict[str, None] = {}
    problems: dict[str, dict[str, None]] = {}
    lines: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for number, run in enumerate(runs):
        # In the order of the settings, whatever came first.
        order = {text: place for place, text in enumerate(run.config["settings"]["planners"])}
        for line in sorted(run.lines, key=lambda record: order.get(_spec(record), len(order))):
            name = _name(line)
            column = f"{name} [{run.folder.resolve().name}]" if name in twice else name
            columns[column] = None
            lines[column, line["row"], line["instance"]].append({**line, "run": number})
        for row in run.config["rows"]:
            problems.setdefault(row["name"], {})
        for line in run.lines:
            problems.setdefault(line["row"], {})[line["instance"]] = None
    ordered = {row: sorted(instances, key=_natural) for row, instances in problems.items()}
    return Whole(runs, list(columns), ordered, dict(lines))


def _natural(name: str) -> list[tuple[int, str]]:
    """A sorting key that puts p2 before p10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]


def _spec(line: Record) -> str:
    return f"{line['planner']}:{line['width']}" if line["width"] else str(line["planner"])


def _name(line: Record) -> str:
    return f"{line['planner'].upper()}({line['width']})" if line["width"] else str(line["planner"])


def status_of(line: Record) -> str:
    """The status of a line; `failed` if it has no results."""
    return "failed" if line["failure"] is not None else str(line["status"])


def reason_of(line: Record) -> str:
    """The reason why a line has no plan."""
    return str(line["failure"]["reason"] if line["failure"] is not None else line["reason"])


def share(lines: Sequence[Record]) -> float:
    """The share of the seeds that solved a problem."""
    return sum(status_of(line) == "solved" for line in lines) / len(lines) if lines else 0.0


@dataclass(slots=True)
class RowCounts:
    """One domain: how many problems, how many each planner has tried and solved (a mean over seeds)."""

    name: str
    problems: int
    tried: dict[str, int]
    solved: dict[str, float]

    @property
    def best(self) -> float:
        """The number of problems that the best planner solves."""
        return max(self.solved.values(), default=0.0)

    def lost(self, column: str) -> bool:
        """Whether another planner solves more of the problems that this planner has tried."""
        return self.tried[column] == self.problems and self.solved[column] < self.best


@dataclass(slots=True)
class Totals:
    """One planner over all problems."""

    solved: float
    tried: int
    score: float  # for each problem the best known cost divided by this planner's, summed
    length: float | None  # mean plan length of the problems that all planners solve
    cpu_seconds: float
    median_seconds: float | None  # CPU until the plan was there, of the solved
    statuses: Counter[str] = field(default_factory=Counter)


def count_rows(whole: Whole) -> list[RowCounts]:
    """The table: every domain with what each planner solves."""
    return [
        RowCounts(
            row,
            len(instances),
            {
                column: sum(bool(whole.of(column, (row, instance))) for instance in instances)
                for column in whole.columns
            },
            {
                column: sum(share(whole.of(column, (row, instance))) for instance in instances)
                for column in whole.columns
            },
        )
        for row, instances in whole.problems.items()
        if instances
    ]


def count_totals(whole: Whole) -> dict[str, Totals]:
    """What each planner does over all problems."""
    best = {
        problem: min((cost for column in whole.columns for cost in _costs(whole.of(column, problem))), default=None)
        for problem in whole.all_problems
    }
    common = [
        problem
        for problem in whole.all_problems
        if all(share(whole.of(column, problem)) == 1.0 for column in whole.columns)
    ]
    totals = {}
    for column in whole.columns:
        own = [(problem, whole.of(column, problem)) for problem in whole.all_problems]
        lines = [line for _, runs in own for line in runs]
        times = [line["plan_seconds"] for line in lines if status_of(line) == "solved"]
        lengths = [line["plan_length"] for problem in common for line in whole.of(column, problem)]
        score = 0.0
        for problem, runs in own:
            known = best[problem]
            if known is not None:
                # A plan of cost 0 is as good as any.
                score += sum((known / cost if cost else 1.0) for cost in _costs(runs)) / len(runs or [0])
        totals[column] = Totals(
            solved=sum(share(runs) for _, runs in own),
            tried=sum(bool(runs) for _, runs in own),
            score=score,
            length=fmean(lengths) if lengths else None,
            cpu_seconds=sum(line.get("cpu_seconds", 0.0) for line in lines),
            median_seconds=median(times) if times else None,
            statuses=Counter(status_of(line) for line in lines),
        )
    return totals


def _costs(lines: Sequence[Record]) -> list[float]:
    return [line["cost"] for line in lines if status_of(line) == "solved"]


@dataclass(frozen=True, slots=True)
class Loss:
    """A domain that a planner loses, to whom, and the problems it lacks, each with the reason."""

    row: str
    solved: float
    winners: dict[str, float]
    problems: list[tuple[str, str]]


def losses(whole: Whole, rows: Sequence[RowCounts], column: str) -> list[Loss]:
    """The domains in which another planner solves more, with the statuses of this planner."""
    lost = []
    for row in rows:
        if not row.lost(column):
            continue
        lacking = []
        for instance in whole.problems[row.name]:
            own = whole.of(column, (row.name, instance))
            others = (share(whole.of(other, (row.name, instance))) for other in whole.columns if other != column)
            if own and share(own) < max(others, default=0.0):
                failed = next(line for line in own if status_of(line) != "solved")
                lacking.append((instance, status_of(failed)))
        winners = {name: count for name, count in row.solved.items() if count > row.solved[column]}
        lost.append(Loss(row.name, row.solved[column], winners, lacking))
    return lost
