"""The parts of a goal: what `--each-goal`, `profile` and the suites solve separately.

A goal is a conjunction of parts. Each part is an atom, a negated atom, or a condition that cannot be split: a
disjunction, an implication or an existential condition. Universal conditions are expanded over the objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod

from widthwise.classical.pddl.changes import changed_predicates
from widthwise.classical.pddl.syntax import (
    And,
    Atom,
    Condition,
    Equality,
    Exists,
    Forall,
    Imply,
    Not,
    Or,
    ProblemDefinition,
    Truth,
    Variable,
)
from widthwise.classical.world import substitute

#: A universal condition with more instances than this stays whole, as one part.
MOST_INSTANCES = 10_000
_FALSE = Or(())


def split_goal(
    problem: ProblemDefinition, goal: Condition, check: Callable[[], None] = lambda: None
) -> tuple[Condition, ...]:
    """Return the parts of a goal in the order of the file, without repetitions.

    Instances that hold whatever happens, such as those that compare an object with itself, are left out. An atom that
    is written in the goal is a part even if it never changes.
    """
    return _Splitter(problem, check).split(goal)


class _Splitter:
    """Splits one goal over the objects of its problem."""

    def __init__(self, problem: ProblemDefinition, check: Callable[[], None]) -> None:
        self.problem = problem
        self.check = check
        self.changing = changed_predicates(problem.domain) | problem.domain.derived_names
        self.facts = {name: set(rows) for name, rows in problem.init.items() if name not in self.changing}
        self.parts: dict[Condition, None] = {}

    def split(self, goal: Condition) -> tuple[Condition, ...]:
        self.visit(goal, negated=False, derived=False)
        return tuple(self.parts)

    def visit(self, condition: Condition, *, negated: bool, derived: bool) -> None:
        """Collect the parts of a condition or of its negation; `derived`: it is not written in the goal as it is."""
        match condition:
            case Not(part):
                self.visit(part, negated=not negated, derived=derived)
            case Atom() | Equality():
                value = self.value(condition) if derived else None
                if value is None or value == negated:
                    self.parts[Not(condition) if negated else condition] = None
            case Truth():
                if negated:
                    self.parts[_FALSE] = None
            case And(parts) if not negated:
                for part in parts:
                    self.visit(part, negated=False, derived=derived)
            case Or(parts) if negated:
                for part in parts:
                    self.visit(part, negated=True, derived=True)
            case Imply(left, right) if negated:
                self.visit(left, negated=False, derived=True)
                self.visit(right, negated=True, derived=True)
            case Forall() | Exists() if isinstance(condition, Exists) == negated and self.small(condition.variables):
                for instance in self.instances(condition):
                    self.visit(instance, negated=negated, derived=True)
            case _:
                self.whole(Not(condition) if negated else condition)

    def whole(self, condition: Condition) -> None:
        """Add a condition that cannot be split, unless facts that never change leave something simpler of it."""
        simple = self.simplified(condition, False)
        if simple == _FALSE:
            self.parts[_FALSE] = None
        elif isinstance(simple, Or | Exists) or (isinstance(simple, Forall) and not self.small(simple.variables)):
            self.parts[condition] = None
        else:
            self.visit(simple, negated=False, derived=True)

    def simplified(self, condition: Condition, negated: bool) -> Condition:
        """Return a condition, or its negation, without what is known to hold always or never."""
        match condition:
            case Not(part):
                return self.simplified(part, not negated)
            case Truth():
                return _FALSE if negated else condition
            case Atom() | Equality():
                value = self.value(condition)
                if value is None:
                    return Not(condition) if negated else condition
                return Truth() if value != negated else _FALSE
            case Imply(left, right):
                return self.simplified(Or((Not(left), right)), negated)
            case And(parts) | Or(parts):
                simplified_parts = [self.simplified(part, negated) for part in parts]
                return _all_of(simplified_parts) if isinstance(condition, And) != negated else _any_of(simplified_parts)
            case Forall(variables, part) | Exists(variables, part):
                universal = isinstance(condition, Forall) != negated
                inner = self.simplified(part, negated)
                empty = not all(self.of_type(variable) for variable in variables)
                if empty or inner in (Truth(), _FALSE):
                    holds = universal if empty else inner == Truth()
                    return Truth() if holds else _FALSE
                return Forall(variables, inner) if universal else Exists(variables, inner)

    def value(self, literal: Atom | Equality) -> bool | None:
        """Return whether a ground atom holds always (true) or never (false); None if it may change."""
        if isinstance(literal, Equality):
            if literal.left == literal.right:
                return True
            return None if "?" in (literal.left[0], literal.right[0]) else False
        if literal.predicate in self.changing or any(arg[0] == "?" for arg in literal.args):
            return None
        return literal.args in self.facts.get(literal.predicate, ())

    def of_type(self, variable: Variable) -> list[str]:
        fits = self.problem.domain.types.fits
        return [name for name, own in self.problem.objects.items() if fits(own, variable.types)]

    def small(self, variables: tuple[Variable, ...]) -> bool:
        return prod(len(self.of_type(variable)) for variable in variables) <= MOST_INSTANCES

    def instances(self, condition: Forall | Exists) -> Iterator[Condition]:
        """Yield the body of a quantified condition for all values of its variables."""
        names = [variable.name for variable in condition.variables]
        for values in product(*(self.of_type(variable) for variable in condition.variables)):
            self.check()
            yield substitute(condition.part, dict(zip(names, values, strict=True)))


def _all_of(parts: list[Condition]) -> Condition:
    if _FALSE in parts:
        return _FALSE
    left = tuple(part for part in parts if part != Truth())
    return left[0] if len(left) == 1 else And(left) if left else Truth()


def _any_of(parts: list[Condition]) -> Condition:
    if Truth() in parts:
        return Truth()
    left = tuple(part for part in parts if part != _FALSE)
    return left[0] if len(left) == 1 else Or(left)
