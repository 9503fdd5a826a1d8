"""`widthwise report --explore`: pages that show the search of single problems or goals, linked from the report."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from widthwise.core.budget import Budget
from widthwise.core.errors import InputError, OutputError, UsageError, WidthwiseError
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.classical.result import Result
    from widthwise.classical.task import Task
    from widthwise.reports.kinds import KindReport
    from widthwise.reports.page.origin import Run

#: The limits of a repeated search where its run had none.
SECONDS, MEGABYTES = 60.0, 2000.0
#: The goals of a problem that get pages if no goal is named: those that were not solved come first.
MOST_GOALS = 3

Problem = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A search of a run that is repeated: its planner and its limits, and how it ended in the run."""

    planner: str
    width: str
    seed: int | None
    budget: Budget
    goal: str | None  # none: the whole goal of the problem
    options: Mapping[str, Any]  # relevance and novelty, for a single goal
    status: str
    generated: int | None  # none: unknown, or the run searched on for a better plan

    @property
    def label(self) -> str:
        """What a reader sees: the planner, and the goal."""
        planner = f"{self.planner}:{self.width}" if self.width else self.planner
        return planner if self.goal is None else f"{planner} {self.goal}"


def explore_pages(
    wanted: Sequence[str], reports: Sequence[KindReport], benchmarks: Path | None, page: Path
) -> dict[Problem, list[tuple[str, str]]]:
    """Write a page for every planner of the problems that were asked for.

    Args:
        wanted: the problems, each as `ROW INSTANCE`, or `ROW INSTANCE GOAL` for a goal of a suite of single goals.
        reports: the reports that have them.
        benchmarks: the folder of the problem files; None for WIDTHWISE_BENCHMARKS.
        page: the page of the report; the pages go to a folder next to it.

    Returns:
        The links of the report, by problem: the planner and the address.

    Raises:
        UsageError: no run has the problem, or the problem does not have the goal.
        InputError: its files are not there.
    """
    problems = {f"{row} {instance}": (row, instance) for row, instance, _, _ in _lines(reports)}
    links: dict[Problem, list[tuple[str, str]]] = {}
    for text in wanted:
        place = text if text in problems else next((name for name in problems if text.startswith(f"{name} (")), None)
        if place is None:
            raise UsageError(
                f"--explore {text!r}: no run has this problem; write 'ROW INSTANCE' as the page lists it, or "
                "'ROW INSTANCE (GOAL)'"
            )
        problem, goal = problems[place], text[len(place) :].strip()
        own = [(line, run) for row, instance, line, run in _lines(reports) if (row, instance) == problem]
        repeats = _repeats(own, goal)
        if goal and not repeats:
            raise UsageError(f"--explore {text!r}: no run has this goal of {place}")
        task = _load(problem, *own[0], benchmarks)
        for repeat in repeats:
            link = _explore(task, problem, repeat, page)
            if link not in links.setdefault(problem, []):
                links[problem].append(link)
    return links


def _lines(reports: Sequence[KindReport]) -> Iterator[tuple[str, str, Mapping[str, Any], Run]]:
    for report in reports:
        for run in report.runs:
            for line in getattr(run, "lines", []):
                if "row" in line and "instance" in line:
                    yield line["row"], line["instance"], line, run


def _repeats(lines: Sequence[tuple[Mapping[str, Any], Run]], goal: str) -> list[Repeat]:
    """The searches by planners of Widthwise among some lines of a problem, each with its first seed."""
    from widthwise.portfolio.planner_names import NAMES

    repeats: dict[tuple[Any, ...], Repeat] = {}
    for line, run in lines:
        settings = run.config["settings"]
        if line["planner"] not in NAMES:
            continue
        if "limits" in settings:  # a suite of whole problems
            if not goal:
                status = "failed" if line["failure"] is not None else str(line["status"])
                add = Repeat(line["planner"], line["width"], line["seed"], _whole(settings), None, {}, status, None)
                repeats.setdefault((line["planner"], line["width"]), add)
            continue
        options = {"relevance": line["relevance"], "novelty": settings.get("novelty", "values")}
        budget = Budget(**{name: settings["budget"].get(name) for name in ("nodes", "seconds", "bytes")})
        for name, status, generated in _goals(line, goal):
            add = Repeat(line["planner"], line["width"], line["seed"], budget, name, options, status, generated)
            repeats.setdefault((line["planner"], line["width"], line["relevance"], name), add)
    if goal:
        return list(repeats.values())
    chosen = dict.fromkeys(_unsolved_first(list(repeats.values()))[:MOST_GOALS])
    return [repeat for repeat in repeats.values() if repeat.goal is None or repeat.goal in chosen]


def _whole(settings: Mapping[str, Any]) -> Budget:
    """The limits of a suite of whole problems; those of time and memory are always set, as a trace is kept."""
    limits = settings["limits"]
    seconds = max(limits.get("wall") or 0.0, limits.get("cpu") or 0.0) or SECONDS
    return Budget(seconds=seconds, bytes=int((limits.get("megabytes") or MEGABYTES) * 1e6))


def _goals(line: Mapping[str, Any], goal: str) -> Iterator[tuple[str, str, int]]:
    """The goals of a line that can be searched for, or the one that is wanted: name, status and nodes."""
    if line["failure"] is not None:
        return
    columns = (line[name] for name in ("goal", "status", "generated", "true_at_start"))
    for name, status, generated, at_start in zip(*columns, strict=True):
        if name == goal or (not goal and not at_start):
            yield name, status, generated


def _unsolved_first(repeats: Sequence[Repeat]) -> list[str]:
    solved: dict[str, bool] = {}
    for repeat in repeats:
        if repeat.goal is not None:
            solved[repeat.goal] = solved.get(repeat.goal, True) and repeat.status == "solved"
    return sorted(solved, key=lambda name: solved[name])


def _load(problem: Problem, line: Mapping[str, Any], run: Run, benchmarks: Path | None) -> Task:
    from widthwise.classical.collection import domain_of, problems_in
    from widthwise.classical.load import load
    from widthwise.experiments.classical import load_instance
    from widthwise.experiments.rows import generated_instances

    folder = str(line.get("folder", problem[0]))
    rows = [row for row in run.config["rows"] if row["name"] == problem[0]]
    if rows and rows[0].get("source") == "generated":
        for instance in generated_instances(folder):
            if instance.name == problem[1]:
                return load_instance(instance, Budget())
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


def _explore(task: Task, problem: Problem, repeat: Repeat, page: Path) -> tuple[str, str]:
    """Search with a trace, write the page, and return its link."""
    from widthwise.explorer.explore import explore
    from widthwise.reports.page.content import name_of

    relevance = repeat.options.get("relevance", "")
    name = name_of(" ".join((*problem, repeat.label, relevance)))
    target = page.parent / f"{page.stem}-explore" / f"{name}.html"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError.of(target.parent, error) from None
    try:
        result = _search(task, repeat)
        shown = explore(result)
    except WidthwiseError as error:
        raise type(error)(f"--explore {' '.join(problem)}, {repeat.label}: {error}") from None
    if (difference := _difference(result, repeat)) is not None:
        shown.data["notes"].insert(0, difference)
    shown.save(target)
    print(f"{target}: the search of {repeat.label} on {' '.join(problem)}", file=sys.stderr)
    return f"explore {repeat.label}", quote(f"{target.parent.name}/{target.name}")


def _search(task: Task, repeat: Repeat) -> Result:
    from widthwise.classical.solve import solve
    from widthwise.portfolio.registry import make_planner, parse_widths

    planner = make_planner(repeat.planner, parse_widths(repeat.width) if repeat.width else None)
    goal = None
    if repeat.goal is not None:
        goal = next((goal for goal in task.goals if goal.name == repeat.goal), None)
        if goal is None:
            raise InputError(f"the problem file has no goal {repeat.goal}; is it the file of the run?")
    return solve(task, planner, budget=repeat.budget, seed=repeat.seed, goal=goal, trace=True, **repeat.options)


def _difference(result: Result, repeat: Repeat) -> str | None:
    """A sentence if the repeated search ended in another way than in the run."""
    same = repeat.status == result.status and repeat.generated in (None, result.generated)
    if same:
        return None
    nodes = "" if repeat.generated is None else f" after {counted(repeat.generated, 'node')}"
    return (
        f"The search was repeated for this page and ended differently: {result.status} after "
        f"{counted(result.generated, 'node')}, not {repeat.status}{nodes} as in the run."
    )
