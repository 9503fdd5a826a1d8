"""A grounded task with names: atoms, operators, states, successors, goals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from widthwise import _native
from widthwise.classical.atom_names import canonical, fact_text, matching, suggestion
from widthwise.classical.goal import Goal, goal_text
from widthwise.classical.goal_parts import split_goal
from widthwise.classical.ground import MissingCost, ground
from widthwise.classical.pddl.errors import PddlError
from widthwise.classical.pddl.normal import NormalLiteral, NormalTask, PredicateKind
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_goal
from widthwise.classical.pddl.syntax import Condition, DomainDefinition, ProblemDefinition, show
from widthwise.classical.relevance import Restricted, restrict
from widthwise.core import notebook
from widthwise.core.budget import halt_error
from widthwise.core.errors import OutOfMemory, UsageError
from widthwise.core.guard import Guard
from widthwise.core.model import Novelty
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.classical.simulator import TaskSimulator

Relevance = Literal["none", "task", "goal"]


@dataclass(eq=False, repr=False)
class Task:
    """A planning task, read and grounded. `load`, `parse` and `example` make tasks.

    States are immutable sets of atom numbers; `atoms[number]` is the name of an atom. `successors(state)` expands a
    state in one native call, which is fast enough for a planner in Python.

    Args:
        domain: The domain as it was read.
        problem: The problem as it was read.
        normal: The task in normal form.
        native: The grounded task.
        condition: A goal that replaces the goal of the problem.
        seconds: How long reading and grounding took.
        bytes: The memory that a restricted task was charged for.
        parts: The parts of the goal, one for each of its literals.
        cut: For a restricted task, the numbers it had before.

    Example:
        >>> task = ww.example("corridor", length=2)
        >>> [task.operators[operator] for operator, state in task.successors(task.init)]
        ['(walk p0 p1)']
    """

    domain: DomainDefinition
    problem: ProblemDefinition
    normal: NormalTask
    native: _native.GroundedTask
    condition: Condition | None = None  # a goal given by hand instead of the problem's own
    seconds: dict[str, float] = field(default_factory=dict)
    bytes: int = 0  # of a restricted task: what a meter was charged with
    parts: tuple[Condition, ...] = field(default=(), repr=False)  # of the goal, one for each of its literals
    _ordered: tuple[tuple[object, ...], _native.Operators] | None = field(default=None, repr=False)
    _complements: dict[tuple[int, ...], list[int]] = field(default_factory=dict, repr=False)
    cut: Restricted | None = field(default=None, repr=False)  # of a restricted task: its numbers before
    _whole: Task | None = field(default=None, repr=False)  # what it was restricted from

    @classmethod
    def of(
        cls,
        domain: DomainDefinition,
        problem: ProblemDefinition,
        condition: Condition | None = None,
        meter: _native.Meter | None = None,
    ) -> Task:
        """Normalise and ground a problem that was read."""
        meter = meter or _native.Meter()
        start = meter.seconds
        guard = Guard(meter)
        parts = split_goal(problem, problem.goal if condition is None else condition, guard)
        normal = normalize(domain, problem, condition, guard, parts=parts)
        normalized = meter.seconds
        try:
            native = ground(normal, meter)
        except MissingCost as missing:
            raise _missing_cost(domain, problem, missing) from None
        seconds = {"parse": normalized - start, "ground": meter.seconds - normalized}
        return cls(domain, problem, normal, native, condition, seconds, parts=parts)

    @property
    def name(self) -> str:
        """The problem's name."""
        return self.normal.name

    def __repr__(self) -> str:
        native = self.native
        sizes = (
            counted(native.atom_count, "atom"),
            counted(native.operator_count, "operator"),
            counted(len(self.goals), "goal"),
        )
        return f"<Task {self.name} of the domain {self.domain.name}: {', '.join(sizes)}>"

    def _repr_html_(self) -> str:
        native = self.native
        rows: list[tuple[str, object]] = [
            ("domain", self.domain.name),
            ("atoms", f"{native.atom_count:,}"),
            ("operators", f"{native.operator_count:,}"),
            ("costs", "general" if self.normal.uses_costs else "unit"),
            ("goal", notebook.listing(counted(len(self.goals), "goal"), [goal.name for goal in self.goals])),
        ]
        return notebook.table(f"Task {self.name}", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds what was read; the task is grounded again from it, with the same numbers."""
        if self.cut is not None:
            return Task.restricted, self.uncut()
        read = ("domain", "problem", "normal", "condition", "seconds", "parts")
        return _grounded_again, ({name: getattr(self, name) for name in read},)

    @cached_property
    def atoms(self) -> list[str]:
        """The names of the atoms, such as `(on a b)`."""
        if self._whole is not None and self.cut is not None:
            names = self._whole.atoms
            return [names[atom] for atom in self.cut.atoms]
        predicates, objects, native = self.normal.predicates, self.normal.objects, self.native
        return [
            fact_text(predicates[predicate].name, [objects[index] for index in native.atom_args(atom)])
            for atom, predicate in enumerate(native.atom_predicate)
        ]

    @cached_property
    def operators(self) -> list[str]:
        """The names of the operators, such as `(move a b)`."""
        return [self.operator_name(op) for op in range(self.native.operator_count)]

    def operator_name(self, op: int) -> str:
        """The name of an operator."""
        schema = self.normal.actions[self._schemas[op]]
        shown = self.native.operator_args(op)[: schema.shown]
        return fact_text(schema.name, [self.normal.objects[index] for index in shown])

    @cached_property
    def _schemas(self) -> list[int]:
        return self.native.operator_schema

    @property
    def _operators(self) -> _native.Operators:
        return self.ordered(None)

    def complements(self, goal: Goal | None = None) -> list[int]:
        """The atoms whose falsehood is an additional feature if novelty uses values.

        They occur negated in a precondition, in the condition of an effect, in an axiom or in the goal, which is the
        whole goal unless another is given.
        """
        negative = (goal or self.goal).negative
        known = self._complements.get(negative)
        if known is None:
            known = self._complements[negative] = _native.wanted_false(self.native, list(negative))
        return known

    def feature_count(self, goal: Goal | None = None, novelty: Novelty = "values") -> int:
        """The number of features of novelty: the atoms, and with `values` those of `complements` once more."""
        return self.native.atom_count + (len(self.complements(goal)) if _checked(novelty) == "values" else 0)

    def ordered(
        self,
        seed: int | None,
        meter: _native.Meter | None = None,
        *,
        goal: Goal | None = None,
        novelty: Novelty = "values",
    ) -> _native.Operators:
        """The operators in the order of the files, or permuted by a seed, with the features for a goal.

        The last operators asked for are kept.
        """
        goal = goal or self.goal
        complements = self.complements(goal) if _checked(novelty) == "values" else []
        key = (seed, goal.negative if complements else None)
        if self._ordered is None or self._ordered[0] != key:
            try:
                self._ordered = (key, _native.Operators(self.native, seed, meter, complements))
            except InterruptedError:
                assert meter is not None
                raise halt_error(meter.poll(), meter) from None
            except MemoryError:
                raise OutOfMemory("the memory limit was reached before the search could begin") from None
        return self._ordered[1]

    @property
    def init(self) -> _native.State:
        """The initial state."""
        return self._operators.state(self.native.init)

    def state(self, atoms: Iterable[int | str]) -> _native.State:
        """The state in which exactly these atoms hold, given by number or name."""
        return self._operators.state([atom if isinstance(atom, int) else self.atom(atom) for atom in atoms])

    def applicable(self, state: _native.State) -> list[int]:
        """The operators that apply in a state, except those that change no state."""
        return self._operators.applicable(state)

    def apply(self, state: _native.State, op: int) -> _native.State:
        """The state after an operator."""
        return self._operators.apply(state, op)

    def successors(self, state: _native.State) -> list[tuple[int, _native.State]]:
        """All (operator, state after it) of a state."""
        return self._operators.successors(state)

    def is_goal(self, state: _native.State) -> bool:
        """Whether the whole goal holds in a state."""
        goal = self.goal
        return (
            goal.reachable
            and all(atom in state for atom in goal.positive)
            and not any(atom in state for atom in goal.negative)
        )

    def novelty_table(self, width: int, novelty: Novelty = "values") -> _native.NoveltyTable:
        """An empty novelty table for this task's states.

        With `values` it also uses the falsehood of the atoms in `complements`, as the planners do; with
        `true-atoms` it uses true atoms only.
        """
        if _checked(novelty) == "values":
            return _native.NoveltyTable(_native.Meter(), self._operators, width)
        return _native.NoveltyTable(_native.Meter(), self.native.atom_count, width)

    @cached_property
    def atom_numbers(self) -> dict[str, int]:
        """The numbers of the atoms by name."""
        return {name: number for number, name in enumerate(self.atoms)}

    def atom(self, name: str) -> int:
        """The number of an atom by its name."""
        wanted = canonical(name)
        number = self.atom_numbers.get(wanted)
        if number is None:
            raise UsageError(f"{wanted} is not a reachable atom of this task{suggestion(wanted, self.atoms)}")
        return number

    def find_atoms(self, pattern: str) -> list[int]:
        """The atoms that a pattern such as `(at robot *)` stands for, in order."""
        return matching(pattern, self.atoms)

    @cached_property
    def goal(self) -> Goal:
        """The whole goal."""
        native = self.native
        return Goal("goal", tuple(native.goal_pos), tuple(native.goal_neg), native.goal_reachable)

    @cached_property
    def goals(self) -> list[Goal]:
        """The goal's parts, each a separate goal, in the order of the file.

        A part is an atom, a negated atom, or a condition that cannot be split, such as a disjunction. Universal
        conditions are expanded over the objects.
        """
        return [self._single(literal, part) for literal, part in zip(self.normal.goal, self.parts, strict=True)]

    def _single(self, literal: NormalLiteral, part: Condition) -> Goal:
        normal = self.normal
        predicate = normal.predicates[literal.predicate]
        objects = [~term for term in literal.args]
        number = self.atom_numbers.get(fact_text(predicate.name, [normal.objects[index] for index in objects]))
        if number is not None:
            positive, negative = ((), (number,)) if literal.negated else ((number,), ())
            return Goal(show(part), positive, negative, condition=part)
        # Not among the atoms: it never changes, so it holds always or never.
        true = predicate.kind is PredicateKind.STATIC and self._static_fact(literal.predicate, objects)
        return Goal(show(part), (), (), reachable=bool(true) != literal.negated, condition=part)

    def _static_fact(self, predicate: int, objects: Sequence[int]) -> bool:
        if predicate == 0:
            return objects[0] == objects[1]
        facts, arity = self.normal.init[predicate], self.normal.predicates[predicate].arity
        if arity == 0:
            return bool(facts)
        wanted = list(objects)
        return any(facts[start : start + arity] == wanted for start in range(0, len(facts), arity))

    def as_simulator(self, *, limit: int | None = None, reward: Literal["goal", "cost"] = "goal") -> TaskSimulator:
        """The task as a simulator, which is what `simulator(task)` makes of it."""
        from widthwise.classical.simulator import TaskSimulator

        return TaskSimulator(self, limit=limit, reward=reward)

    def with_goal(self, goal: str | Sequence[str], meter: _native.Meter | None = None) -> Task:
        """The same task with another goal, in PDDL such as `(on a b)`; of several, all have to hold.

        Raises:
            InputError: The text is not a condition over the predicates and objects of the task.
        """
        condition = parse_goal(goal_text(goal), self.domain, self.problem)
        task = Task.of(self.domain, self.problem, condition, meter)
        for part, seconds in self.seconds.items():
            task.seconds[part] += seconds
        return task

    def restricted(self, goal: Goal | None = None, meter: _native.Meter | None = None) -> Task:
        """The same task without the atoms and operators that are irrelevant to a goal.

        A meter is charged with its `bytes`; the caller that gave the meter releases them.
        """
        goal = goal or self.goal
        try:
            small = restrict(self.native, list(goal.positive), list(goal.negative), meter)
        except MemoryError:
            raise OutOfMemory("the memory limit was reached while removing irrelevant atoms and operators") from None
        task = Task(self.domain, self.problem, self.normal, small.task, self.condition, dict(self.seconds))
        task.parts = self.parts
        task.cut, task._whole = small, self
        task.bytes = small.bytes
        return task

    def uncut(self) -> tuple[Task, Goal]:
        """Of a restricted task: the task it was restricted from, and its goal in the numbers of that task."""
        assert self.cut is not None and self._whole is not None
        numbers = self.cut.atoms
        positive, negative = (
            tuple(numbers[atom] for atom in atoms) for atoms in (self.goal.positive, self.goal.negative)
        )
        return self._whole, Goal("goal", positive, negative)

    def renumbered(self, goal: Goal) -> Goal:
        """A goal of the task that this one was restricted from, in the numbers of this one.

        It must be part of the goal that was restricted to, so that all its atoms are left.
        """
        assert self.cut is not None
        numbers = {old: new for new, old in enumerate(self.cut.atoms)}
        return replace(
            goal,
            positive=tuple(numbers[atom] for atom in goal.positive),
            negative=tuple(numbers[atom] for atom in goal.negative),
        )


def _missing_cost(domain: DomainDefinition, problem: ProblemDefinition, missing: MissingCost) -> PddlError:
    """The same error with the place where the cost is needed, and that where its value belongs."""
    at = next(term.at for term in domain.cost_terms if term.name == missing.function)
    return PddlError(
        str(missing),
        domain.source,
        at,
        hint=f"add (= {missing.term} 1), with the right number, to the initial state at "
        f"{problem.source.where(problem.init_at)}",
    )


def _grounded_again(read: dict[str, Any]) -> Task:
    """A task from its pickle."""
    return Task(native=ground(read["normal"], _native.Meter()), **read)


def _checked(novelty: Novelty) -> Novelty:
    if novelty not in ("values", "true-atoms"):
        raise UsageError(f"novelty={novelty!r} is unknown; use 'values' or 'true-atoms'")
    return novelty
