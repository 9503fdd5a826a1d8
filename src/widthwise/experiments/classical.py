"""The classical suite: single goals of PDDL tasks, solved by several planners with several seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from widthwise.classical.collection import domain_of
from widthwise.classical.pddl.lexer import read_text
from widthwise.classical.pddl.parser import parse_domain, parse_problem
from widthwise.classical.solve import Result, solve, wished_relevance
from widthwise.classical.task import Goal, Relevance, Task
from widthwise.core.budget import Budget, check
from widthwise.core.errors import UsageError
from widthwise.experiments.jobs import Job, Outcome, Part
from widthwise.experiments.rows import Instance, Row
from widthwise.planners.registry import Planner, make_planner, parse_widths

#: What tells one line of the suite from another.
KEYS = ("row", "instance", "planner", "width", "seed", "relevance")
_WITHOUT_WIDTH = ("auto", "bfs")


@dataclass(frozen=True, slots=True)
class Setup:
    """What a suite runs on every instance."""

    planners: Sequence[str] = ("iw:1", "iw:2", "ihiw:1,1")
    seeds: int = 3
    relevance: Relevance | None = None  # none: what the planner wishes, or what matters for the whole goal
    budget: Budget = field(default_factory=lambda: Budget(nodes=10_000))

    def __post_init__(self) -> None:
        """Refuse what would fail in every single job."""
        if self.seeds < 1:
            raise UsageError(f"--seeds counts seeds from 1 up, so it cannot be {self.seeds}")
        written = [planner_of(text)[1:] for text in self.planners]
        for text, names in zip(self.planners, written, strict=True):
            if written.count(names) > 1:
                raise UsageError(f"the planner {text} is given twice")

    def settings(self) -> dict[str, Any]:
        """What must not change when a run is resumed."""
        return {
            "planners": list(self.planners),
            "seeds": list(range(self.seeds)),
            "relevance": self.relevance or "default",
            "budget": self.budget.describe(),
        }


def planner_of(text: str) -> tuple[Planner, str, str]:
    """A planner written as `iw:2` or `ihiw:1,1`: the planner, its name, its widths."""
    name, colon, widths = text.partition(":")
    planner = make_planner(name, parse_widths(widths) if colon else None)
    return planner, name, "" if name in _WITHOUT_WIDTH else ",".join(map(str, planner.widths))


def jobs_of(rows: Sequence[Row], setup: Setup, *, ship: bool) -> Iterator[Job]:
    """One job per instance, with a part for each seed and planner.

    `ship` sends the texts of the files along, for workers that do not see our disk.
    """
    named = [planner_of(text) for text in setup.planners]
    budget = setup.budget.describe()
    for row in rows:
        for instance in row.instances:
            parts = [
                {
                    "row": row.name,
                    "folder": row.folder,
                    "instance": instance.name,
                    "planner": name,
                    "width": width,
                    "seed": seed,
                    "relevance": setup.relevance or wished_relevance(planner, "task"),
                }
                for seed in range(setup.seeds)
                for planner, name, width in named
            ]
            payload = {"instance": _with_texts(instance) if ship else instance, "budget": budget}
            yield Job(f"{__name__}:prepare", payload, parts, instance.weight * len(parts))


def prepare(payload: Mapping[str, Any]) -> Callable[[Part], Outcome]:
    """Read and ground an instance; returns what runs one planner with one seed on all its goals."""
    budget = Budget(**payload["budget"])
    task = _load(payload["instance"], budget)
    smaller: dict[str, Task] = {}

    def run(part: Part) -> Outcome:
        relevance: Relevance = part["relevance"]
        if relevance == "task" and not smaller:
            smaller["task"] = task.restricted()
        searched = smaller["task"] if relevance == "task" else task
        planner = make_planner(part["planner"], parse_widths(part["width"]) if part["width"] else None)
        results = []
        for goal in searched.goals:
            if relevance == "goal":
                small, wanted = _cut(task, goal)
                result = solve(small, planner, budget=budget, seed=part["seed"], goal=wanted, relevance="none")
            else:
                result = solve(searched, planner, budget=budget, seed=part["seed"], goal=goal, relevance="none")
            result.search = None  # gives its memory back before the next goal takes some
            results.append(result)
        return _line(searched, results)

    return run


def _cut(task: Task, goal: Goal) -> tuple[Task, Goal]:
    """The part of a task that matters for one goal, and the goal in its numbers."""
    if not goal.reachable:
        return task, goal
    small = task.restricted(goal)
    return small, Goal(goal.name, tuple(small.native.goal_pos), tuple(small.native.goal_neg))


def _line(task: Task, results: Sequence[Result]) -> Outcome:
    return {
        "atoms": task.native.atom_count,
        "operators": task.native.operator_count,
        "goal": [result.goal for result in results],
        "status": [str(result.status) for result in results],
        "generated": [result.generated for result in results],
        "plan_length": [None if result.plan is None else len(result.plan) for result in results],
        "true_at_start": [int(result.true_at_start) for result in results],
        "high_level_nodes": [result.high_level_nodes for result in results],
        "features": [len(result.features) for result in results],
        "seconds": [round(result.seconds["search"], 6) for result in results],
        "load_seconds": round(task.seconds["parse"] + task.seconds["ground"], 6),
    }


def _load(instance: Instance, budget: Budget) -> Task:
    instance = _with_texts(instance)
    meter = budget.start()
    assert instance.domain_text is not None and instance.problem_text is not None
    domain = parse_domain(instance.domain_text, instance.domain_name, lambda: check(meter))
    problem = parse_problem(instance.problem_text, instance.problem_name, domain, lambda: check(meter))
    read = meter.seconds
    task = Task.of(domain, problem, None, meter)
    task.seconds["parse"] += read
    return task


def _with_texts(instance: Instance) -> Instance:
    """An instance that carries the texts of its files."""
    if instance.problem_text is not None:
        return instance
    problem = Path(instance.path)
    domain = domain_of(problem)
    return Instance(
        instance.name,
        instance.weight,
        instance.path,
        read_text(domain)[0],
        read_text(problem)[0],
        str(domain),
        str(problem),
    )
