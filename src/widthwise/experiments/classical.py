"""The classical suite: single goals of PDDL tasks, solved by several planners with several seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from widthwise.classical.collection import domain_of
from widthwise.classical.pddl.lexer import read_text
from widthwise.classical.pddl.parser import parse_domain, parse_problem
from widthwise.classical.solve import solve_or_fail, wished_relevance
from widthwise.classical.task import Relevance, Task
from widthwise.core import run_shapes
from widthwise.core.budget import Budget
from widthwise.core.errors import UsageError
from widthwise.core.guard import Guard
from widthwise.core.model import Novelty
from widthwise.core.run_folder import CONFIG, read_json
from widthwise.core.shape import anything, both, fields, table
from widthwise.experiments.cutting import try_parts
from widthwise.experiments.goal_lines import goal_fields, line_of
from widthwise.experiments.jobs import Job, Outcome, Part
from widthwise.experiments.rows import Instance, Row
from widthwise.portfolio.registry import Planner, make_planner, parse_widths

#: The fields that distinguish one line of the suite from another.
KEYS = ("row", "instance", "planner", "width", "seed", "relevance")
_WITHOUT_WIDTH = ("auto", "bfs")


@dataclass(frozen=True, slots=True)
class Setup:
    """What a suite runs on every instance."""

    planners: Sequence[str] = ("iw:1", "iw:2", "ihiw:1,1")
    seeds: int = 3
    relevance: Relevance | None = None  # none: what the planner wishes, or what matters for the whole goal
    budget: Budget = field(default_factory=lambda: Budget(nodes=10_000))
    novelty: Novelty = "values"

    def __post_init__(self) -> None:
        """Refuse what would fail in every single job."""
        if self.seeds < 1:
            raise UsageError(f"--seeds must be at least 1, not {self.seeds}")
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
            "novelty": self.novelty,
            "budget": self.budget.describe(),
        }


def upgrade_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a suite of single goals; version 0.1 had no choice of novelty and looked at true atoms."""
    return {"novelty": "true-atoms", **settings}


def novelty_of(folder: Path) -> Novelty:
    """The features of novelty with which the suite in a folder was begun; the default where there is none yet."""
    began = folder / CONFIG
    if not began.exists():
        return Setup().novelty
    settings = read_json(began, both(run_shapes.config, fields({"settings": table(anything)})))["settings"]
    return "true-atoms" if upgrade_settings(settings)["novelty"] == "true-atoms" else "values"


def planner_of(text: str) -> tuple[Planner, str, str]:
    """A planner written as `iw:2` or `ihiw:1,1`: the planner, its name, its widths."""
    name, colon, widths = text.partition(":")
    planner = make_planner(name, parse_widths(widths) if colon else None)
    return planner, name, "" if name in _WITHOUT_WIDTH else ",".join(map(str, planner.widths))


def jobs_of(rows: Sequence[Row], setup: Setup, *, ship: bool) -> Iterator[Job]:
    """One job per instance (two where some planners need it cut to each goal), a part for each seed and planner.

    `ship` sends the texts of the files along, for workers without access to this disk.
    """
    wishes = {
        (name, width): setup.relevance or wished_relevance(planner, otherwise="task")
        for planner, name, width in map(planner_of, setup.planners)
    }
    budget = setup.budget.describe()
    for row in rows:
        for instance in row.instances:
            parts = [
                {**part, "relevance": wishes[part["planner"], part["width"]]}
                for part in row.parts(instance, wishes, range(setup.seeds))
            ]
            sent = with_texts(instance) if ship else instance
            payload = {"instance": sent, "budget": budget, "novelty": setup.novelty}
            for cut in (False, True):  # what is cut to its goals is cut once for all of its parts
                selected = [part for part in parts if (part["relevance"] == "goal") is cut]
                function = f"{__name__}:{'prepare_cut' if cut else 'prepare'}"
                if selected:
                    yield Job(function, payload, selected, instance.weight * len(selected), together=cut)


def prepare(payload: Mapping[str, Any]) -> Callable[[Part], Outcome]:
    """Read and ground an instance; returns what runs one planner with one seed on all its goals."""
    budget = Budget(**payload["budget"])
    novelty: Novelty = payload["novelty"]
    task = load_instance(payload["instance"], budget)
    smaller: dict[str, Task] = {}

    def run(part: Part) -> Outcome:
        if part["relevance"] == "task" and not smaller:
            smaller["task"] = task.restricted()
        searched = smaller.get("task", task)
        planner = _planner(part)
        options: dict[str, Any] = {"budget": budget, "seed": part["seed"], "relevance": "none", "novelty": novelty}
        goals = [goal_fields(solve_or_fail(searched, planner, goal, **options)) for goal in searched.goals]
        return line_of(searched, goals)

    return run


def prepare_cut(payload: Mapping[str, Any]) -> Callable[[Sequence[Part]], list[Outcome]]:
    """Read and ground an instance; returns what runs all parts on its goals, each goal in a separate task."""
    budget = Budget(**payload["budget"])
    task = load_instance(payload["instance"], budget)

    def run(parts: Sequence[Part]) -> list[Outcome]:
        tried = try_parts(task, parts, [_planner(part) for part in parts], budget, payload["novelty"])
        return [attempt.failure or line_of(task, attempt.goals) for attempt in tried]

    return run


def _planner(part: Part) -> Planner:
    return make_planner(part["planner"], parse_widths(part["width"]) if part["width"] else None)


def load_instance(instance: Instance, budget: Budget) -> Task:
    """Read and ground an instance, the seconds of both in its `seconds`."""
    meter = budget.start()
    guard = Guard(meter)
    instance = with_texts(instance, guard)
    assert instance.domain_text is not None and instance.problem_text is not None
    domain = parse_domain(instance.domain_text, instance.domain_name, guard)
    problem = parse_problem(instance.problem_text, instance.problem_name, domain, guard)
    read = meter.seconds
    task = Task.of(domain, problem, None, meter)
    task.seconds["parse"] += read
    return task


def with_texts(instance: Instance, guard: Guard | None = None) -> Instance:
    """An instance that carries the texts of its files; a guard limits what reading them takes."""
    if instance.problem_text is not None:
        return instance
    problem = Path(instance.path)
    domain = domain_of(problem)
    return Instance(
        instance.name,
        instance.weight,
        instance.path,
        read_text(domain, guard)[0],
        read_text(problem, guard)[0],
        str(domain),
        str(problem),
    )
