"""`widthwise report --explore`: pages that show the search of single problems, linked from the report."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from widthwise.core.errors import InputError, OutputError, UsageError, WidthwiseError

if TYPE_CHECKING:
    from widthwise.classical.task import Task
    from widthwise.reports.kinds import KindReport

#: The limits of a search that is repeated for a page.
SECONDS, NODES = 60.0, 200_000

Problem = tuple[str, str]
Planner = tuple[str, str, int | None]  # its name, its widths, the seed


def explore_pages(
    wanted: Sequence[str], reports: Sequence[KindReport], benchmarks: Path | None, page: Path
) -> dict[Problem, list[tuple[str, str]]]:
    """Write a page for every planner of the problems that were asked for.

    Args:
        wanted: the problems, each as `ROW INSTANCE`.
        reports: the reports that have them.
        benchmarks: the folder of the problem files; None for WIDTHWISE_BENCHMARKS.
        page: the page of the report; the pages go to a folder beside it.

    Returns:
        The links of the report, by problem: the planner and the address.

    Raises:
        UsageError: no run has the problem.
        InputError: its files are not there.
    """
    problems = {f"{row} {instance}": (row, instance) for row, instance, _ in _lines(reports)}
    links: dict[Problem, list[tuple[str, str]]] = {}
    for text in wanted:
        if text not in problems:
            raise UsageError(f"--explore {text!r}: no run has this problem; write 'ROW INSTANCE' as the page lists it")
        problem = problems[text]
        own = [line for row, instance, line in _lines(reports) if (row, instance) == problem]
        task = _load(problem, str(own[0].get("folder", problem[0])), benchmarks)
        links[problem] = [_explore(task, problem, planner, page) for planner in _planners(own)]
    return links


def _lines(reports: Sequence[KindReport]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for report in reports:
        for run in report.runs:
            for line in getattr(run, "lines", []):
                if "row" in line and "instance" in line:
                    yield line["row"], line["instance"], line


def _planners(lines: Sequence[Mapping[str, Any]]) -> list[Planner]:
    """The planners of Widthwise among those of some lines, each with its first seed."""
    from widthwise.portfolio.planner_names import NAMES

    planners: dict[tuple[str, str], Planner] = {}
    for line in lines:
        name, width = line["planner"], line["width"]
        if name in NAMES:
            planners.setdefault((name, width), (name, width, line["seed"]))
    return list(planners.values())


def _load(problem: Problem, folder: str, benchmarks: Path | None) -> Task:
    from widthwise.classical.collection import domain_of, problems_in
    from widthwise.classical.load import load

    root = benchmarks or Path(os.environ.get("WIDTHWISE_BENCHMARKS", ""))
    if not str(root) or not root.is_dir() or root == Path():
        raise UsageError("--explore needs the problem files: give --benchmarks DIR, or set WIDTHWISE_BENCHMARKS")
    # The folder is named by the run, which may come from others: it cannot lead out of the benchmarks.
    inside = [root, *([root / folder] if folder == Path(folder).name else [])]
    for place in reversed(inside):
        for path in problems_in(place) if place.is_dir() else []:
            if path.stem == problem[1]:
                return load(domain_of(path), path)
    raise InputError(f"{root / folder}: there is no problem {problem[1]} to explore")


def _explore(task: Task, problem: Problem, planner: Planner, page: Path) -> tuple[str, str]:
    """Search with a trace, write the page, and return its link."""
    from widthwise.classical.solve import solve
    from widthwise.core.budget import Budget
    from widthwise.explorer.explore import explore
    from widthwise.portfolio.registry import make_planner, parse_widths
    from widthwise.reports.page.content import name_of

    name, width, seed = planner
    label = f"{name}:{width}" if width else name
    target = page.parent / f"{page.stem}-explore" / f"{name_of(f'{problem[0]} {problem[1]} {label}')}.html"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError.of(target.parent, error) from None
    try:
        made = make_planner(name, parse_widths(width) if width else None)
        budget = Budget(nodes=NODES, seconds=SECONDS)
        explore(solve(task, made, budget=budget, seed=seed, trace=True)).save(target)
    except WidthwiseError as error:
        raise type(error)(f"--explore {' '.join(problem)}, {label}: {error}") from None
    print(f"{target}: the search of {label} on {' '.join(problem)}", file=sys.stderr)
    return f"explore {label}", quote(f"{target.parent.name}/{target.name}")
