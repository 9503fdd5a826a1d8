"""From files to tasks: a domain is read once and serves many problems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from widthwise import _native
from widthwise.classical.pddl.parser import parse_goal, read_domain, read_problem
from widthwise.classical.pddl.syntax import And, Condition
from widthwise.classical.task import Task
from widthwise.core.budget import Budget
from widthwise.core.guard import Guard
from widthwise.core.showing import counted


class Domain:
    """A PDDL domain that was read once: `Domain(path).problem(path)` gives a task for each of its problems."""

    def __init__(self, path: str | Path, *, meter: _native.Meter | None = None) -> None:
        meter = meter or Budget().start()
        start = meter.seconds
        self.path = Path(path)
        self.syntax = read_domain(path, Guard(meter))
        self.seconds = meter.seconds - start

    def __repr__(self) -> str:
        return f"<Domain {self.name} from {self.path}: {counted(len(self.syntax.actions), 'action')}>"

    @property
    def name(self) -> str:
        """The domain's name."""
        return self.syntax.name

    def problem(
        self,
        path: str | Path,
        *,
        goals: Sequence[str] = (),
        budget: Budget | None = None,
        meter: _native.Meter | None = None,
    ) -> Task:
        """Read and ground a problem; `goals` such as `(on a b)` replace its own goal."""
        meter = meter or (budget or Budget()).start()
        start = meter.seconds
        problem = read_problem(path, self.syntax, Guard(meter))
        condition: Condition | None = None
        if goals:
            parts = tuple(parse_goal(text, self.syntax, problem) for text in goals)
            condition = parts[0] if len(parts) == 1 else And(parts)
        read = meter.seconds - start
        task = Task.of(self.syntax, problem, condition, meter)
        task.seconds["parse"] += read
        return task


def load(
    domain: str | Path,
    problem: str | Path,
    *,
    goals: Sequence[str] = (),
    budget: Budget | None = None,
    meter: _native.Meter | None = None,
) -> Task:
    """Read and ground a task from a domain file and a problem file."""
    meter = meter or (budget or Budget()).start()
    read = Domain(domain, meter=meter)
    task = read.problem(problem, goals=goals, meter=meter)
    task.seconds["parse"] += read.seconds
    return task
