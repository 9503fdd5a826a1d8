"""A state of the PDDL world as the validator sees it, with derived predicates when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import TypeAlias

from widthwise.classical.derived import NEW, Circle, circles, take_apart
from widthwise.classical.pddl.syntax import (
    And,
    Args,
    Atom,
    Condition,
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
    """The facts of a state by predicate; rules of derived predicates are applied when somebody asks."""

    def __init__(self, domain: Domain, problem: Problem, poll: Callable[[], None] | None = None) -> None:
        self.domain = domain
        self.problem = problem
        self.poll: Callable[[], None] = poll or (lambda: None)  # raises when the work has to end
        self.facts: dict[str, set[Args]] = {name: set() for name in domain.predicates}
        for name, rows in problem.init.items():
            self.facts[name].update(rows)
        self._circles = circles(domain.derived)
        self._parts = [take_apart(rule, self._circles[rule.predicate][-1]) for rule in domain.derived]
        self._derived: set[str] = set()  # the derived predicates that are known for this state
        self._of_type: dict[Types, list[str]] = {}
        self._free: dict[int, tuple[Condition, tuple[str, ...]]] = {}
        self._index: dict[tuple[str, tuple[int, ...]], dict[Args, list[Args]]] = {}

    def change(self, added: list[tuple[str, Args]], deleted: list[tuple[str, Args]]) -> None:
        """Go on to the next state; what is both deleted and added is true there."""
        for name, args in deleted:
            self.facts[name].discard(args)
        for name, args in added:
            self.facts[name].add(args)
        if self._index:
            self._forget({name for name, _ in (*added, *deleted)})
        for name in self._derived:
            self.facts[name].clear()
        self._forget(self._derived)
        self._derived = set()

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

    def solutions(self, variables: tuple[Variable, ...], condition: Condition, binding: Binding) -> Iterator[Binding]:
        """Yield bindings of the variables, beside the given ones, that make the condition true; some twice.

        Positive atoms are looked up in their tables first, so that few values have to be tried.
        """
        free = {variable.name: variable.types for variable in variables}
        outer = {name: value for name, value in binding.items() if name not in free}
        yield from self._search([condition], outer, free)

    def _search(self, todo: list[Condition], binding: Binding, free: dict[str, Types]) -> Iterator[Binding]:
        """Yield the bindings of the free variables that make all of some conditions true."""
        atoms: list[Atom] = []
        waiting: list[Condition] = []
        stack = todo[::-1]
        while stack:
            condition = stack.pop()
            if isinstance(condition, And):
                stack.extend(reversed(condition.parts))
            elif isinstance(condition, Exists) and not any(
                v.name in free or v.name in binding for v in condition.variables
            ):
                free = {**free, **{v.name: v.types for v in condition.variables}}
                stack.append(condition.part)
            elif all(name not in free or name in binding for name in self._names(condition)):
                if not self.holds(condition, binding):
                    return
            elif isinstance(condition, Atom):
                atoms.append(condition)
            elif isinstance(condition, Equality) and (found := self._equal(condition, binding, free)):
                if self._right_types(found, free):
                    yield from self._search([*atoms, *waiting, *reversed(stack)], {**binding, **found}, free)
                return
            else:
                waiting.append(condition)
        if atoms:
            # The atom with the fewest unbound variables comes next, but new facts come first: they are few.
            best = min(
                atoms,
                key=lambda atom: (
                    not atom.predicate.endswith(NEW),
                    sum(arg in free and arg not in binding for arg in atom.args),
                ),
            )
            rest = [*(atom for atom in atoms if atom is not best), *waiting]
            for found in self._matches(best, binding, free):
                yield from self._search(rest, {**binding, **found}, free)
            return
        for condition in waiting:
            if isinstance(condition, Or):
                others = [other for other in waiting if other is not condition]
                for part in condition.parts:
                    yield from self._search([part, *others], binding, free)
                return
        unbound = next((name for name in free if name not in binding), None)
        if unbound is None:
            yield binding
            return
        for value in self.of_type(free[unbound]):
            yield from self._search(waiting, {**binding, unbound: value}, free)

    def _equal(self, equality: Equality, binding: Binding, free: dict[str, Types]) -> Binding:
        """Return the value that an equality gives to a variable, if one of its sides is known."""
        sides = [binding.get(side, side) for side in (equality.left, equality.right)]
        unbound = [side in free for side in sides]
        if all(unbound):
            return {}
        return {sides[0]: sides[1]} if unbound[0] else {sides[1]: sides[0]}

    def _right_types(self, found: Binding, free: dict[str, Types]) -> bool:
        fits, objects = self.domain.types.fits, self.problem.objects
        return all(fits(objects[value], free[name]) for name, value in found.items())

    def _matches(self, atom: Atom, binding: Binding, free: dict[str, Types]) -> Iterator[Binding]:
        """Yield the values of an atom's unbound variables for which it is true."""
        bound = tuple([n for n, arg in enumerate(atom.args) if arg not in free or arg in binding])
        key = tuple([binding.get(atom.args[n], atom.args[n]) for n in bound])
        unbound = [(n, arg) for n, arg in enumerate(atom.args) if n not in bound]
        for row in self._rows(atom.predicate, bound, key):
            found: Binding = {}
            if all(found.setdefault(arg, row[n]) == row[n] for n, arg in unbound) and self._right_types(found, free):
                yield found

    def _names(self, condition: Condition) -> tuple[str, ...]:
        """Return the free variables of a condition, found out once for each node of the syntax tree."""
        if isinstance(condition, Atom):
            return condition.args
        known = self._free.get(id(condition))
        if known is None:
            known = self._free[id(condition)] = (condition, tuple(sorted(_free_variables(condition))))
        return known[1]

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
        if predicate in self._circles and predicate not in self._derived:
            for circle in self._circles[predicate]:
                if self._derived.isdisjoint(circle):
                    self._derived |= circle  # first, so that rules may ask for what is being computed
                    self._fill(circle)
        return self.facts[predicate]

    def _fill(self, circle: Circle) -> None:
        """Apply the rules of predicates that define each other until nothing new follows."""
        parts = [one for one in self._parts if one.rule.predicate in circle]
        todo = [(one.rule, one.at_once) for one in parts if one.at_once is not None]
        while True:
            new: dict[str, set[Args]] = {name: set() for name in circle}
            for rule, condition in todo:
                self.poll()
                for found in self.solutions(rule.parameters, condition, {}):
                    new[rule.predicate].add(tuple([found[variable.name] for variable in rule.parameters]))
            for name, rows in new.items():
                rows -= self.facts[name]
                self.facts[name] |= rows
                self.facts[name + NEW] = rows
            self._forget({*circle, *(name + NEW for name in circle)})
            if not any(new.values()):
                return
            todo = [(one.rule, condition) for one in parts for condition in one.later]


def _free_variables(condition: Condition) -> set[str]:
    match condition:
        case Atom(_, args):
            return {arg for arg in args if arg[0] == "?"}
        case Equality(left, right):
            return {term for term in (left, right) if term[0] == "?"}
        case And(parts) | Or(parts):
            return set().union(*(_free_variables(part) for part in parts))
        case Not(part):
            return _free_variables(part)
        case Imply(left, right):
            return _free_variables(left) | _free_variables(right)
        case Forall(variables, part) | Exists(variables, part):
            return _free_variables(part) - {variable.name for variable in variables}
        case Truth():
            return set()


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
