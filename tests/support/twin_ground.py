"""The grounder's twin: all instantiations by itertools.product, fixpoints by going round and round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from widthwise import _native
from widthwise.classical.pddl.normal import EQUALITY, NormalLiteral, NormalTask, PredicateKind
from widthwise.core.errors import InputError

Atom = tuple[int, tuple[int, ...]]


@dataclass
class Grounded:
    """All that a grounded task holds, as plain values in their order."""

    atoms: list[Atom]
    derived: list[int]
    init: list[int]
    goal: tuple[list[int], list[int], bool]
    # (schema, arguments, pre_pos, pre_neg, add, delete, cost, effects), an effect: (pos, neg, atom, adds)
    operators: list[tuple[object, ...]]
    axioms: list[tuple[int, list[int], list[int], int]]


def describe(task: _native.GroundedTask) -> Grounded:
    """A native task as plain values."""
    predicates, schemas, costs = task.atom_predicate, task.operator_schema, task.cost
    return Grounded(
        [(predicates[a], tuple(task.atom_args(a))) for a in range(task.atom_count)],
        task.derived,
        task.init,
        (task.goal_pos, task.goal_neg, task.goal_reachable),
        [
            (
                schemas[op],
                tuple(task.operator_args(op)),
                task.pre_pos(op),
                task.pre_neg(op),
                task.add(op),
                task.delete(op),
                costs[op],
                task.effects(op),
            )
            for op in range(task.operator_count)
        ],
        [task.axiom(axiom) for axiom in range(task.axiom_count)],
    )


class Twin:
    """Grounds one task, literally."""

    def __init__(self, normal: NormalTask) -> None:
        self.normal = normal
        self.facts: set[Atom] = set()
        for number, predicate in enumerate(normal.predicates):
            flat = normal.init[number]
            if predicate.arity == 0 and flat:
                self.facts.add((number, ()))
            for start in range(0, len(flat) if predicate.arity else 0, predicate.arity or 1):
                self.facts.add((number, tuple(flat[start : start + predicate.arity])))
        self.reached = {atom for atom in self.facts if self.kind(atom[0]) is PredicateKind.FLUENT}

    def kind(self, predicate: int) -> PredicateKind:
        return self.normal.predicates[predicate].kind

    def values(self, parameters: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        return product(*(self.normal.domains[domain] for domain in parameters))

    def holds(self, literal: NormalLiteral, values: tuple[int, ...]) -> bool:
        """Whether a literal bars an instance: negative fluent literals never do."""
        atom = instance(literal, values)
        if atom[0] == EQUALITY:
            return (atom[1][0] == atom[1][1]) != literal.negated
        if self.kind(atom[0]) is PredicateKind.STATIC:
            return (atom in self.facts) != literal.negated
        return literal.negated or atom in self.reached

    def all_hold(self, condition: tuple[NormalLiteral, ...], values: tuple[int, ...]) -> bool:
        return all(self.holds(literal, values) for literal in condition)

    def reach(self) -> None:
        before = -1
        while before != len(self.reached):
            before = len(self.reached)
            for action in self.normal.actions:
                for values in self.values(action.parameters):
                    if not self.all_hold(action.precondition, values):
                        continue
                    for effect in action.effects:
                        for more in self.values(effect.parameters):
                            every = values + more
                            if not effect.literal.negated and self.all_hold(effect.condition, every):
                                self.reached.add(instance(effect.literal, every))
            for axiom in self.normal.axioms:
                for values in self.values(axiom.parameters):
                    if self.all_hold(axiom.condition, values):
                        self.reached.add(instance(axiom.head, values))

    def condition(self, literals: tuple[NormalLiteral, ...], values: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """The numbers of the fluent atoms of a condition, positive and negative."""
        sides: tuple[set[int], set[int]] = (set(), set())
        for literal in literals:
            number = self.numbers.get(instance(literal, values))
            if number is not None:
                sides[literal.negated].add(number)
        return sorted(sides[0]), sorted(sides[1])

    def ground(self) -> Grounded:
        self.reach()
        atoms = sorted(self.reached)
        self.numbers = {atom: number for number, atom in enumerate(atoms)}
        derived = [n for n, atom in enumerate(atoms) if self.kind(atom[0]) is PredicateKind.DERIVED]
        init = [n for n, atom in enumerate(atoms) if atom in self.facts and n not in derived]
        goal_pos, goal_neg = self.condition(self.normal.goal, ())
        reachable = all(self.holds(literal, ()) for literal in self.normal.goal)
        operators = self.operators()
        axioms = self.axioms(set(derived))
        return Grounded(atoms, derived, init, (goal_pos, goal_neg, reachable), operators, axioms)

    def operators(self) -> list[tuple[object, ...]]:
        operators: list[tuple[object, ...]] = []
        for schema, action in enumerate(self.normal.actions):
            for values in sorted(self.values(action.parameters)):
                if not self.all_hold(action.precondition, values):
                    continue
                effects = set()
                for effect in action.effects:
                    for more in self.values(effect.parameters):
                        every = values + more
                        number = self.numbers.get(instance(effect.literal, every))
                        if number is not None and self.all_hold(effect.condition, every):
                            pos, neg = self.condition(effect.condition, every)
                            effects.add((number, tuple(pos), tuple(neg), not effect.literal.negated))
                if not effects:
                    continue
                effects -= {(a, p, n, False) for a, p, n, adds in effects if adds}
                always = [(a, adds) for a, p, n, adds in sorted(effects) if not p and not n]
                cost = action.cost.constant
                for table, args in action.cost.tables:
                    key = tuple(values[t] if t >= 0 else ~t for t in args)
                    if key not in self.normal.tables[table]:
                        raise InputError("no cost")
                    cost += self.normal.tables[table][key]
                operators.append(
                    (
                        schema,
                        values[: action.shown],
                        *self.condition(action.precondition, values),
                        [a for a, adds in always if adds],
                        [a for a, adds in always if not adds],
                        cost,
                        [(list(p), list(n), a, adds) for a, p, n, adds in sorted(effects) if p or n],
                    )
                )
        return operators

    def axioms(self, derived: set[int]) -> list[tuple[int, list[int], list[int], int]]:
        axioms = []
        for axiom in self.normal.axioms:
            for values in sorted(self.values(axiom.parameters)):
                if self.all_hold(axiom.condition, values):
                    head = self.numbers[instance(axiom.head, values)]
                    axioms.append((head, *self.condition(axiom.condition, values)))
        layer = dict.fromkeys(derived, 0)
        changed = True
        while changed:
            changed = False
            for head, pos, neg in axioms:
                needed = [layer[a] for a in pos if a in derived] + [layer[a] + 1 for a in neg if a in derived]
                if max(needed, default=0) > layer[head]:
                    layer[head] = max(needed)
                    changed = True
                if layer[head] > len(derived):
                    raise InputError("a negative loop")
        return sorted(((h, p, n, layer[h]) for h, p, n in axioms), key=lambda axiom: axiom[3])


def instance(literal: NormalLiteral, values: tuple[int, ...]) -> Atom:
    """The ground atom of a literal."""
    return literal.predicate, tuple(values[t] if t >= 0 else ~t for t in literal.args)
