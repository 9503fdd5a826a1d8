"""A state of the PDDL world as the validator sees it: which conditions hold, with derived predicates when needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TypeAlias

from widthwise.classical.pddl.strata import layers
from widthwise.classical.pddl.syntax import (
    And,
    Args,
    Atom,
    Condition,
    Derived,
    Domain,
    Equality,
    Exists,
    Forall,
    Imply,
    Not,
    Or,
    Problem,
    Truth,
    Variable,
    show,
)
from widthwise.classical.pddl.typetable import Types

Binding: TypeAlias = dict[str, str]


class World:
    """The facts of a state by predicate; rules of derived predicates are applied only when somebody asks for one."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        self.domain = domain
        self.problem = problem
        self.facts: dict[str, set[Args]] = {name: set() for name in domain.predicates}
        for name, rows in problem.init.items():
            self.facts[name].update(rows)
        self._layer = layers(domain.derived, domain.source)
        self._computed = -1  # the highest layer of derived predicates that is known for this state
        self._of_type: dict[Types, list[str]] = {}
        self._index: dict[tuple[str, tuple[int, ...]], dict[Args, list[Args]]] = {}

    def change(self, added: list[tuple[str, Args]], deleted: list[tuple[str, Args]]) -> None:
        """Go on to the next state; what is both deleted and added is true there."""
        for name, args in deleted:
            self.facts[name].discard(args)
        for name, args in added:
            self.facts[name].add(args)
        if self._index:
            self._forget({name for name, _ in (*added, *deleted)})
        if self._computed >= 0:
            for name in self._layer:
                self.facts[name].clear()
            self._forget(set(self._layer))
            self._computed = -1

    def _forget(self, names: set[str]) -> None:
        for key in [key for key in self._index if key[0] in names]:
            del self._index[key]

    # Conditions

    def holds(self, condition: Condition, binding: Binding) -> bool:
        """Tell whether a condition is true in this state."""
        match condition:
            case Atom(predicate, args):
                return tuple([binding.get(arg, arg) for arg in args]) in self.table(predicate)
            case And(parts):
                return all(self.holds(part, binding) for part in parts)
            case Not(part):
                return not self.holds(part, binding)
            case Equality(left, right):
                return binding.get(left, left) == binding.get(right, right)
            case Or(parts):
                return any(self.holds(part, binding) for part in parts)
            case Imply(left, right):
                return not self.holds(left, binding) or self.holds(right, binding)
            case Exists(variables, part):
                return next(self.solutions(variables, part, binding), None) is not None
            case Forall():
                return self._counterexample(condition, binding) is None
            case Truth():
                return True

    def _counterexample(self, condition: Forall, binding: Binding) -> Binding | None:
        if isinstance(condition.part, Imply):
            found = self.solutions(condition.variables, condition.part.left, binding)
            return next((inner for inner in found if not self.holds(condition.part.right, inner)), None)
        values = self.values(condition.variables, binding)
        return next((inner for inner in values if not self.holds(condition.part, inner)), None)

    def failures(self, condition: Condition, binding: Binding) -> list[str]:
        """Return the smallest parts of a condition that are false, as PDDL."""
        if isinstance(condition, And):
            return [text for part in condition.parts for text in self.failures(part, binding)]
        if self.holds(condition, binding):
            return []
        text = show(substitute(condition, binding))
        if isinstance(condition, Forall):
            inner = self._counterexample(condition, binding)
            if inner is not None:
                values = ", ".join(f"{v.name} = {inner[v.name]}" for v in condition.variables)
                text += f" (not for {values})"
        return [text]

    # Values of variables

    def of_type(self, types: Types) -> list[str]:
        """Return the objects of a type."""
        known = self._of_type.get(types)
        if known is None:
            fits = self.domain.types.fits
            known = [name for name, own in self.problem.objects.items() if fits(own, types)]
            self._of_type[types] = known
        return known

    def values(self, variables: Iterable[Variable], binding: Binding) -> Iterator[Binding]:
        """Yield the binding extended by all values of the variables."""
        variables = tuple(variables)
        names = [variable.name for variable in variables]
        for chosen in product(*(self.of_type(variable.types) for variable in variables)):
            yield {**binding, **dict(zip(names, chosen, strict=True))}

    def solutions(
        self, variables: tuple[Variable, ...], condition: Condition, binding: Binding
    ) -> Iterator[Binding]:
        """Yield the binding extended by values of the variables that make the condition true.

        Positive atoms are looked up in their tables first, so that few values have to be tried.
        """
        parts = condition.parts if isinstance(condition, And) else (condition,)
        atoms = [part for part in parts if isinstance(part, Atom)]
        others = [part for part in parts if not isinstance(part, Atom)]
        shadowed = {variable.name for variable in variables}
        outer = {name: value for name, value in binding.items() if name not in shadowed}
        fits, objects = self.domain.types.fits, self.problem.objects
        for found in list(self._join(atoms, outer, shadowed)):
            given = [v for v in variables if v.name in found]
            if not all(fits(objects[found[v.name]], v.types) for v in given):
                continue
            missing = [v for v in variables if v.name not in found]
            for inner in self.values(missing, found) if missing else (found,):
                if all(self.holds(part, inner) for part in others):
                    yield inner

    def _join(self, atoms: list[Atom], binding: Binding, free: set[str]) -> Iterator[Binding]:
        if not atoms:
            yield binding
            return
        # The atom with the fewest unbound variables comes next.
        best = min(atoms, key=lambda atom: sum(arg in free and arg not in binding for arg in atom.args))
        rest = [atom for atom in atoms if atom is not best]
        bound = tuple(n for n, arg in enumerate(best.args) if arg not in free or arg in binding)
        key = tuple([binding.get(best.args[n], best.args[n]) for n in bound])
        for row in self._rows(best.predicate, bound, key):
            inner = dict(binding)
            if all(
                inner.setdefault(arg, row[n]) == row[n] for n, arg in enumerate(best.args) if n not in bound
            ):
                yield from self._join(rest, inner, free)

    def _rows(self, predicate: str, bound: tuple[int, ...], key: Args) -> Iterable[Args]:
        table = self.table(predicate)
        if not bound:
            return sorted(table)
        index = self._index.get((predicate, bound))
        if index is None:
            index = self._index[predicate, bound] = {}
            for row in sorted(table):
                index.setdefault(tuple([row[n] for n in bound]), []).append(row)
        return index.get(key, ())

    # Derived predicates

    def table(self, predicate: str) -> set[Args]:
        """Return the true facts of a predicate, derived ones after applying the rules."""
        layer = self._layer.get(predicate, -1)
        while self._computed < layer:
            self._computed += 1  # first, so that rules may ask for what is being computed
            self._fill(
                [rule for rule in self.domain.derived if self._layer[rule.predicate] == self._computed]
            )
        return self.facts[predicate]

    def _fill(self, rules: list[Derived]) -> None:
        """Apply the rules of one layer until nothing new follows."""
        changed = True
        while changed:
            changed = False
            for rule in rules:
                table = self.facts[rule.predicate]
                before = len(table)
                for condition in _alternatives(rule.condition):
                    # A quantifier in front of a rule's condition is the same as further variables of the rule.
                    variables = rule.parameters
                    while isinstance(condition, Exists):
                        if {v.name for v in variables} & {v.name for v in condition.variables}:
                            break
                        variables += condition.variables
                        condition = condition.part
                    for found in list(self.solutions(variables, condition, {})):
                        table.add(tuple([found[variable.name] for variable in rule.parameters]))
                if len(table) != before:
                    self._forget({rule.predicate})
                    changed = True


def _alternatives(condition: Condition) -> Iterator[Condition]:
    """Yield the parts of a disjunction, also under existential quantifiers in front of it."""
    if isinstance(condition, Or):
        for part in condition.parts:
            yield from _alternatives(part)
    elif isinstance(condition, Exists):
        for part in _alternatives(condition.part):
            yield Exists(condition.variables, part, condition.at)
    else:
        yield condition


def substitute(condition: Condition, binding: Binding) -> Condition:
    """Return a condition with the values of its free variables."""
    match condition:
        case Atom(predicate, args):
            return Atom(predicate, tuple(binding.get(arg, arg) for arg in args), condition.at)
        case Equality(left, right):
            return Equality(binding.get(left, left), binding.get(right, right), condition.at)
        case And(parts):
            return And(tuple(substitute(part, binding) for part in parts), condition.at)
        case Or(parts):
            return Or(tuple(substitute(part, binding) for part in parts), condition.at)
        case Not(part):
            return Not(substitute(part, binding), condition.at)
        case Imply(left, right):
            return Imply(substitute(left, binding), substitute(right, binding), condition.at)
        case Forall(variables, part) | Exists(variables, part):
            own = {variable.name for variable in variables}
            inner = {name: value for name, value in binding.items() if name not in own}
            return type(condition)(variables, substitute(part, inner), condition.at)
        case Truth():
            return condition
