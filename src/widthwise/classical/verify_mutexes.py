"""Checks certificates that list mutexes: sets of literals that are never all true in a reachable state.

The states of such a certificate are those in which no other atom than the listed ones is true and no mutex is
satisfied. Whether an action leads out of that set is decided action by action, from the literals that have to hold in
every state in which its precondition and the condition of an effect hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from math import prod

from widthwise.classical.atom_names import fact_text
from widthwise.classical.matching import Binding
from widthwise.classical.pddl.syntax import Action, Args, Condition
from widthwise.classical.pddl.typetable import Types
from widthwise.classical.query import AnyOf, Block, Compiler, Constraint, FlatEffect, Literal, NoneOf, Same
from widthwise.classical.relaxed_world import RelaxedWorld
from widthwise.classical.world import Fact

#: For mutexes whose literals can become true in more ways than this, the ways are not combined.
MOST_WAYS = 64
#: A quantifier with more instances than this is not expanded; it then implies nothing.
MOST_INSTANCES = 10_000
#: Literals that hold wherever a condition holds: n for the atom with the number n, ~n for its negation. None stands for
#: a condition that holds in no state of the certificate.
Implied = frozenset[int] | None
_NOTHING: frozenset[int] = frozenset()


class MutexIndex:
    """Mutexes by their literals."""

    def __init__(self, mutexes: Iterable[Collection[int]] = ()) -> None:
        self._partners: dict[int, set[int]] = {}  # of the mutexes with one or two literals
        self._larger: dict[int, list[frozenset[int]]] = {}  # the others, by their smallest literal
        self._containing: dict[int, list[frozenset[int]]] = {}
        for mutex in mutexes:
            self.add(frozenset(mutex))

    def add(self, mutex: frozenset[int]) -> None:
        """Add a mutex, which has at least one literal."""
        for literal in mutex:
            self._containing.setdefault(literal, []).append(mutex)
        if len(mutex) <= 2:
            left, right = min(mutex), max(mutex)
            self._partners.setdefault(left, set()).add(right)
            self._partners.setdefault(right, set()).add(left)
        else:
            self._larger.setdefault(min(mutex), []).append(mutex)

    def containing(self, literal: int) -> list[frozenset[int]]:
        """Return the mutexes that contain a literal."""
        return self._containing.get(literal, [])

    def excludes(self, literals: frozenset[int]) -> bool:
        """Tell whether literals contradict each other, or contain a mutex."""
        for literal in literals:
            if ~literal in literals or not self._partners.get(literal, _NOTHING).isdisjoint(literals):
                return True
        return any(mutex <= literals for literal in literals for mutex in self._larger.get(literal, ()))


def mutex_fault(
    world: RelaxedWorld, goal: Condition, facts: list[Fact], initial: Collection[Fact], mutexes: list[frozenset[int]]
) -> str | None:
    """Return why mutexes do not prove that the goal is unreachable; None if they do.

    Args:
        world: A world in which all of `facts` may be true.
        goal: The goal.
        facts: The atoms of the certificate.
        initial: Those that are true in the initial state.
        mutexes: The mutexes of the certificate, as numbers of facts.
    """
    check = _MutexCheck(world, facts, mutexes)
    return check.initial_fault(initial) or check.action_fault() or check.goal_fault(goal)


def step_text(action: Action, binding: Binding) -> str:
    """Write an action with its arguments."""
    return fact_text(action.name, [binding[variable.name] for variable in action.parameters])


class _MutexCheck:
    """Checks the mutexes of one certificate."""

    def __init__(self, world: RelaxedWorld, facts: list[Fact], mutexes: list[frozenset[int]]) -> None:
        self.world = world
        self.facts = facts
        self.number = {fact: place for place, fact in enumerate(facts)}
        self.mutexes = mutexes
        self.index = MutexIndex(mutexes)
        self.compiler = Compiler(lambda types: bool(world.of_type(types)), world.poll)

    def initial_fault(self, initial: Collection[Fact]) -> str | None:
        for mutex in self.mutexes:
            if all((self.facts[max(literal, ~literal)] in initial) == (literal >= 0) for literal in mutex):
                return f"the initial state satisfies the mutex {self.text(mutex)}"
        return None

    def goal_fault(self, goal: Condition) -> str | None:
        return None if self.block(self.compiler.block(goal), {}) is None else "the goal may hold without a mutex"

    def action_fault(self) -> str | None:
        for action in self.world.domain.actions:
            precondition = self.compiler.block(action.precondition)
            effects = self.compiler.effects(action.effect)
            for binding in self.world.solutions(action.parameters, action.precondition, {}):
                fault = self.step_fault(effects, binding, self.block(precondition, binding))
                if fault is not None:
                    return f"{step_text(action, binding)} {fault}"
        return None

    def step_fault(self, effects: list[FlatEffect], binding: Binding, before: Implied) -> str | None:
        """Return how an action may lead out of the set of states."""
        if before is None:
            return None
        made: dict[int, list[frozenset[int]]] = {}  # per literal, what holds before each effect that makes it true
        removed: set[int] = set()  # literals that are false after the action
        for effect in effects:
            for args, required, certain in self.instances(effect, binding, before):
                number = self.number.get((effect.predicate, args))
                if number is None and not effect.negated:
                    return f"may add {fact_text(effect.predicate, args)}, which is not among the atoms"
                if number is not None:
                    literal = ~number if effect.negated else number
                    made.setdefault(literal, []).append(required)
                    if certain:
                        removed.add(~literal)
        removed -= {literal for literal in removed if literal >= 0 and literal in made}  # it is added as well
        for literal in made:
            for mutex in self.index.containing(literal):
                if removed.isdisjoint(mutex) and not self.impossible(mutex, literal, made):
                    return f"may satisfy the mutex {self.text(mutex)}"
        return None

    def impossible(self, mutex: frozenset[int], literal: int, made: Mapping[int, list[frozenset[int]]]) -> bool:
        """Tell whether no state of the set leads to one with the mutex by an action that makes this literal true."""
        others = mutex - {literal}
        # Each of the other literals becomes true as well, or is true before.
        choices = [[frozenset([other]), *made.get(other, ())] for other in others]
        if prod(map(len, choices)) > MOST_WAYS:  # assume nothing about those that may become true
            choices = [[frozenset([other])] for other in others if other not in made]
        return all(
            self.index.excludes(frozenset().union(way, *chosen))
            for way in made[literal]
            for chosen in product(*choices)
        )

    def instances(
        self, effect: FlatEffect, binding: Binding, before: frozenset[int]
    ) -> Iterator[tuple[Args, frozenset[int], bool]]:
        """Yield the arguments of an effect that may happen, what holds before it, and whether it certainly happens."""
        condition = effect.condition
        own = {name: types for name, types in condition.variables.items() if name in effect.args}
        others = {name: types for name, types in condition.variables.items() if name not in own}
        inner = Block(others, condition.constraints)
        for values in self.values(own, binding):
            implied = self.block(inner, values)
            if implied is None or self.index.excludes(before | implied):
                continue
            otherwise = self.constraint(NoneOf(inner), values)
            certain = otherwise is None or self.index.excludes(before | otherwise)
            yield tuple([values.get(arg, arg) for arg in effect.args]), before | implied, certain

    # What conditions imply

    def block(self, block: Block, binding: Binding) -> Implied:
        """Return what is implied by a block whose free variables are bound."""
        if not self.small(block.variables):
            return _NOTHING
        return self.any_of(
            self.all_of(self.constraint(constraint, values) for constraint in block.constraints)
            for values in self.values(block.variables, binding)
        )

    def constraint(self, constraint: Constraint, binding: Binding) -> Implied:
        match constraint:
            case Literal():
                return self.literal(constraint, binding)
            case Same():
                left, right = (binding.get(term, term) for term in (constraint.left, constraint.right))
                return _NOTHING if (left == right) == constraint.positive else None
            case AnyOf():
                return self.any_of(self.block(part, binding) for part in constraint.parts)
            case NoneOf():
                return self.none_of(constraint.block, binding)

    def literal(self, literal: Literal, binding: Binding) -> Implied:
        fact = (literal.predicate, tuple([binding.get(arg, arg) for arg in literal.args]))
        number = self.number.get(fact)
        if number is not None:
            return self.all_of([frozenset([number if literal.positive else ~number])])
        true = fact[1] in self.world.table(literal.predicate)
        if true and literal.predicate in self.world.may_change:
            return _NOTHING  # a derived atom that may be true
        return _NOTHING if true == literal.positive else None

    def none_of(self, block: Block, binding: Binding) -> Implied:
        if not self.small(block.variables):
            return _NOTHING
        return self.all_of(
            self.any_of(self.negation(constraint, values) for constraint in block.constraints)
            for values in self.values(block.variables, binding)
        )

    def negation(self, constraint: Constraint, binding: Binding) -> Implied:
        match constraint:
            case Literal():
                return self.literal(Literal(constraint.predicate, constraint.args, not constraint.positive), binding)
            case Same():
                return self.constraint(Same(constraint.left, constraint.right, not constraint.positive), binding)
            case AnyOf():
                return self.all_of(self.none_of(part, binding) for part in constraint.parts)
            case NoneOf():
                return self.block(constraint.block, binding)

    def all_of(self, parts: Iterable[Implied]) -> Implied:
        """Return what is implied by conditions that all hold."""
        literals: frozenset[int] = _NOTHING
        for part in parts:
            if part is None:
                return None
            literals |= part
        return None if self.index.excludes(literals) else literals

    def any_of(self, parts: Iterable[Implied]) -> Implied:
        """Return what is implied by conditions of which at least one holds."""
        common: Implied = None
        for part in parts:
            if part is not None:
                common = part if common is None else common & part
                if not common:
                    break
        return common

    def small(self, variables: Mapping[str, Types]) -> bool:
        return prod(len(self.world.of_type(types)) for types in variables.values()) <= MOST_INSTANCES

    def values(self, variables: Mapping[str, Types], binding: Binding) -> Iterator[Binding]:
        """Yield a binding with each combination of values of some variables."""
        for values in product(*(self.world.of_type(types) for types in variables.values())):
            self.world.poll()
            yield {**binding, **dict(zip(variables, values, strict=True))}

    def text(self, mutex: Iterable[int]) -> str:
        facts = {literal: fact_text(*self.facts[max(literal, ~literal)]) for literal in sorted(mutex)}
        return ", ".join(fact if literal >= 0 else f"(not {fact})" for literal, fact in facts.items())
