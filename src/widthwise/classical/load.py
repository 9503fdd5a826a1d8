"""From PDDL to tasks: files, texts and bundled examples. A domain is read once and serves many problems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from widthwise import _native
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem, read_domain, read_problem
from widthwise.classical.pddl.syntax import And, Condition, DomainDefinition, ProblemDefinition
from widthwise.classical.task import Task
from widthwise.core.budget import Budget
from widthwise.core.guard import Guard
from widthwise.core.logs import LazyLogger
from widthwise.core.showing import counted

_log = LazyLogger(__name__)


class Domain:
    """A PDDL domain, read once for all of its problems.

    Args:
        path: The domain file, or `-` for standard input.
        meter: The meter of a run that the reading is a part of.

    Raises:
        InputError: The file cannot be read or is not a PDDL domain.
        UnsupportedError: The domain uses something that Widthwise does not support.

    Example:
        >>> domain = ww.Domain("corridor/domain.pddl")
        >>> domain.problem("corridor/problem.pddl").name
        'corridor-length-10-door-0'
    """

    def __init__(self, path: str | Path, *, meter: _native.Meter | None = None) -> None:
        meter = meter or Budget().start()
        start = meter.seconds
        self.path = Path(path)
        self.definition: DomainDefinition = read_domain(path, Guard(meter))
        self.seconds = meter.seconds - start

    def __repr__(self) -> str:
        return f"<Domain {self.name} from {self.path}: {counted(len(self.definition.actions), 'action')}>"

    @property
    def name(self) -> str:
        """The name of the domain."""
        return self.definition.name

    def problem(
        self,
        path: str | Path,
        *,
        goals: Sequence[str] = (),
        budget: Budget | None = None,
        meter: _native.Meter | None = None,
    ) -> Task:
        """Read and ground a problem of this domain.

        Args:
            path: The problem file, or `-` for standard input.
            goals: Conditions such as `(on a b)` that replace the goal of the problem. All of them have to hold.
            budget: Limits of time and memory.
            meter: The meter of a run that this is a part of, instead of `budget`.

        Returns:
            The task.

        Raises:
            InputError: The file or a goal cannot be read.
            UnsupportedError: The problem uses something that Widthwise does not support.
            OutOfTime, OutOfMemory: A limit was reached before the task was grounded.
        """
        meter = meter or (budget or Budget()).start()
        start = meter.seconds
        problem = read_problem(path, self.definition, Guard(meter))
        return _ground(self.definition, problem, goals, meter, start)


def load(
    domain: str | Path,
    problem: str | Path,
    *,
    goals: Sequence[str] = (),
    budget: Budget | None = None,
    meter: _native.Meter | None = None,
) -> Task:
    """Read and ground a task from a domain file and a problem file.

    Args:
        domain: The domain file.
        problem: The problem file. One of the two may be `-` for standard input.
        goals: Conditions such as `(on a b)` that replace the goal of the problem. All of them have to hold.
        budget: Limits of time and memory.
        meter: The meter of a run that this is a part of, instead of `budget`.

    Returns:
        The task.

    Raises:
        InputError: A file or a goal cannot be read.
        UnsupportedError: The files use something that Widthwise does not support.
        OutOfTime, OutOfMemory: A limit was reached before the task was grounded.

    Example:
        >>> task = ww.load("corridor/domain.pddl", "corridor/problem.pddl")
        >>> len(task.operators)
        21
    """
    meter = meter or (budget or Budget()).start()
    start = meter.seconds
    definition = read_domain(domain, Guard(meter))
    return _ground(definition, read_problem(problem, definition, Guard(meter)), goals, meter, start)


def parse(
    domain: str,
    problem: str,
    *,
    goals: Sequence[str] = (),
    budget: Budget | None = None,
    meter: _native.Meter | None = None,
) -> Task:
    """Read and ground a task from PDDL strings.

    Args:
        domain: The text of the domain.
        problem: The text of the problem.
        goals: Conditions such as `(on a b)` that replace the goal of the problem. All of them have to hold.
        budget: Limits of time and memory.
        meter: The meter of a run that this is a part of, instead of `budget`.

    Returns:
        The task.

    Raises:
        InputError: A string or a goal is not PDDL.
        UnsupportedError: The texts use something that Widthwise does not support.
        OutOfTime, OutOfMemory: A limit was reached before the task was grounded.

    Example:
        >>> switch = "(define (domain switch) (:predicates (on)) (:action press :parameters () :effect (on)))"
        >>> lamp = "(define (problem lamp) (:domain switch) (:init) (:goal (on)))"
        >>> ww.parse(switch, lamp).operators
        ['(press)']
    """
    meter = meter or (budget or Budget()).start()
    start = meter.seconds
    guard = Guard(meter)
    definition = parse_domain(domain, check=guard)
    return _ground(definition, parse_problem(problem, "<problem>", definition, guard), goals, meter, start)


def example(name: str, *, seed: int = 0, **sizes: int) -> Task:
    """A task of a bundled family, read and grounded.

    Args:
        name: The family: corridor, gripper, blocks, 8puzzle, ferry, logistics, visit-all or elevator.
        seed: Chooses the problem where the family has more than one of a size.
        sizes: The sizes of the family, such as `blocks=5`; `widthwise examples` lists them.

    Returns:
        The task.

    Raises:
        UsageError: There is no such family or size, or a value is out of range.

    Example:
        >>> ww.solve(ww.example("corridor", length=4), "ihiw").cost
        9
    """
    from widthwise.classical.examples import find

    family = find(name)
    return parse(family.domain(), family.problem(seed=seed, **sizes))


def _ground(
    domain: DomainDefinition, problem: ProblemDefinition, goals: Sequence[str], meter: _native.Meter, start: float
) -> Task:
    """Ground a problem; the task's time for parsing counts from `start`."""
    condition: Condition | None = None
    if goals:
        parts = tuple(parse_goal(text, domain, problem) for text in goals)
        condition = parts[0] if len(parts) == 1 else And(parts)
    read = meter.seconds - start
    task = Task.of(domain, problem, condition, meter)
    task.seconds["parse"] += read
    _log.debug("grounded %r", task)
    return task
