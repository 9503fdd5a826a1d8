"""Values of variables that make a block of constraints true, found by joins instead of enumeration.

Positive atoms bind variables from their tables, the atom with the fewest matching rows first. Negative atoms leave
values out. Constraints that share no open variable are solved one after another and not in combination, and what
was found to have no solution is remembered for the state. The search keeps its own stack, so that the number of
variables is not limited by recursion, and polls at every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import Protocol, TypeAlias

from widthwise.classical.pddl.syntax import Args
from widthwise.classical.pddl.typetable import Types
from widthwise.classical.query import AnyOf, Block, Constraint, Literal, NoneOf, Same, components

Binding: TypeAlias = dict[str, str]
#: How many failures are remembered before all of them are forgotten.
MOST_FAILURES = 100_000


class Tables(Protocol):
    """A state as the search sees it."""

    poll: Callable[[], None]

    def table(self, predicate: str) -> set[Args]:
        """Return the true facts of a predicate."""

    def rows(self, predicate: str, places: tuple[int, ...], values: Args) -> Mapping[Args, None]:
        """Return the facts of a predicate with these values at these places, in an order that no hash decides."""

    def of_type(self, types: Types) -> Sequence[str]:
        """Return the objects of a type."""

    def fits(self, name: str, types: Types) -> bool:
        """Tell whether an object is of a type."""


class _Node:
    """Constraints that are left, with the values found so far and the types of all variables."""

    __slots__ = ("binding", "constraints", "types")

    def __init__(self, constraints: Sequence[Constraint], binding: Binding, types: Mapping[str, Types]) -> None:
        self.constraints, self.binding, self.types = constraints, binding, types


class _Level:
    """A node on the stack: the branches that are left, and what to remember if none of them succeeds."""

    __slots__ = ("branches", "decided", "key", "solutions")

    def __init__(self, branches: Iterator[_Node], key: object, decided: bool, solutions: int) -> None:
        self.branches, self.key, self.decided, self.solutions = branches, key, decided, solutions


class Matcher:
    """Searches for values of variables in one state; `forget` has to be called when the state changes."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._failures: set[object] = set()

    def forget(self) -> None:
        """Forget what was found out about the state."""
        self._failures.clear()

    def true(self, block: Block, binding: Binding) -> bool:
        """Tell whether a block is true; all its free variables are bound."""
        return next(self.solutions(block, binding), None) is not None

    def solutions(self, block: Block, binding: Binding, wanted: Mapping[str, Types] | None = None) -> Iterator[Binding]:
        """Yield the bindings of the wanted variables, in addition to the given ones, for which a block is true.

        Some may come twice. Other variables of the block may be bound as well or not.
        """
        wanted = wanted or {}
        if not all(self.tables.of_type(types) for types in wanted.values()):
            return iter(())
        return self._search(block.constraints, dict(binding), {**block.variables, **wanted}, wanted)

    def _search(
        self,
        constraints: Sequence[Constraint],
        binding: Binding,
        types: Mapping[str, Types],
        wanted: Mapping[str, Types],
    ) -> Iterator[Binding]:
        node: _Node | None = _Node(constraints, binding, types)
        stack: list[_Level] = []
        solutions = 0
        while True:
            self.tables.poll()
            rest = None if node is None else self._settle(node, wanted)
            if rest is not None:
                missing = [name for name in wanted if name not in rest.binding]
                if rest.constraints:
                    key = _key(rest)
                    if key not in self._failures:
                        stack.append(_Level(self._branches(rest), key, not missing, solutions))
                elif missing:
                    stack.append(_Level(self._values(rest, missing[0], ()), None, False, solutions))
                else:
                    solutions += 1
                    yield rest.binding
                    while stack and stack[-1].decided:  # another solution would have the same wanted values
                        stack.pop()
            while stack:
                node = next(stack[-1].branches, None)
                if node is not None:
                    break
                level = stack.pop()
                if level.key is not None and level.solutions == solutions:
                    if len(self._failures) >= MOST_FAILURES:
                        self._failures.clear()
                    self._failures.add(level.key)
            else:
                return

    # What follows without choosing

    def _settle(self, node: _Node, wanted: Mapping[str, Types]) -> _Node | None:
        """Check what is bound, follow equalities, and solve apart what can be; none if something is false."""
        binding, types = node.binding, node.types
        todo: Sequence[Constraint] = node.constraints
        changed = True
        while changed:
            changed = False
            rest: list[Constraint] = []
            for constraint in todo:
                if all(name in binding for name in constraint.names):
                    if not self._check(constraint, binding):
                        return None
                elif isinstance(constraint, Same) and constraint.positive:
                    left, right = (
                        binding.get(constraint.left, constraint.left),
                        binding.get(constraint.right, constraint.right),
                    )
                    if left[0] == "?" and right[0] == "?":
                        if left != right:
                            rest.append(constraint)
                        continue
                    name, value = (left, right) if left[0] == "?" else (right, left)
                    if not self.tables.fits(value, types[name]):
                        return None
                    binding[name] = value
                    changed = True
                elif isinstance(constraint, AnyOf):
                    parts = self._open_parts(constraint, binding)
                    if parts is None:
                        continue
                    if not parts:
                        return None
                    if len(parts) > 1:
                        rest.append(constraint)
                        continue
                    types = {**types, **parts[0].variables}
                    rest.extend(parts[0].constraints)
                    changed = True
                else:
                    rest.append(constraint)
            todo = rest
        return self._split(_Node(todo, binding, types), wanted)

    def _split(self, node: _Node, wanted: Mapping[str, Types]) -> _Node | None:
        """Solve groups of constraints without a common open variable on their own, all but the largest."""
        if len(node.constraints) < 2:
            return node
        binding = node.binding
        open_names = {name: None for each in node.constraints for name in each.names if name not in binding}
        groups = components(node.constraints, open_names)
        if len(groups) == 1:
            return node
        groups.sort(key=len)
        remaining: list[Constraint] = []
        for number, group in enumerate(groups, 1):
            has_wanted = any(name in wanted and name not in binding for each in group for name in each.names)
            if has_wanted or (number == len(groups) and not remaining):
                remaining += group
            elif next(self._search(group, dict(binding), node.types, {}), None) is None:
                return None
        return _Node(remaining, binding, node.types)

    def _check(self, constraint: Constraint, binding: Binding) -> bool:
        """Tell whether a constraint is true; all its variables are bound."""
        match constraint:
            case Literal():
                row = tuple([binding.get(arg, arg) for arg in constraint.args])
                return (row in self.tables.table(constraint.predicate)) == constraint.positive
            case Same():
                left, right = constraint.left, constraint.right
                return (binding.get(left, left) == binding.get(right, right)) == constraint.positive
            case AnyOf():
                return any(self.true(part, binding) for part in constraint.parts)
            case NoneOf():
                return not self.true(constraint.block, binding)

    def _open_parts(self, constraint: AnyOf, binding: Binding) -> list[Block] | None:
        """Return the parts that may still be true; none if one is true already."""
        parts: list[Block] = []
        for part in constraint.parts:
            if not all(name in binding for name in part.names):
                parts.append(part)
            elif self.true(part, binding):
                return None
        return parts

    # Choices

    def _branches(self, node: _Node) -> Iterator[_Node]:
        """Choose what to decide next, and yield what is left for each decision."""
        binding = node.binding
        best: tuple[int, Literal, tuple[int, ...], Mapping[Args, None]] | None = None
        for constraint in node.constraints:
            if isinstance(constraint, Literal) and constraint.positive:
                places, rows = self._rows(constraint, binding)
                if best is None or len(rows) < best[0]:
                    best = (len(rows), constraint, places, rows)
        if best is not None:
            return self._matches(node, *best[1:])
        open_names = list(
            dict.fromkeys(name for each in node.constraints for name in each.names if name not in binding)
        )
        choices = [constraint for constraint in node.constraints if isinstance(constraint, AnyOf)]
        if choices:
            by_values = sum(log2(len(self.tables.of_type(node.types[name]))) for name in open_names)
            if sum(log2(len(constraint.parts)) for constraint in choices) <= by_values:
                return self._parts(node, min(choices, key=lambda constraint: len(constraint.parts)))
        decided: dict[str, list[Constraint]] = {}  # the constraints that the last open variable of each decides
        for constraint in node.constraints:
            left = [name for name in constraint.names if name not in binding]
            if len(left) == 1:
                decided.setdefault(left[0], []).append(constraint)
        name = min(
            open_names,
            key=lambda name: (-len(decided.get(name, ())), len(self.tables.of_type(node.types[name]))),
        )
        return self._values(node, name, decided.get(name, ()))

    def _rows(self, literal: Literal, binding: Binding) -> tuple[tuple[int, ...], Mapping[Args, None]]:
        """Return the places of open variables in an atom, and the rows that agree with it elsewhere."""
        args = [binding.get(arg, arg) for arg in literal.args]
        bound = tuple([place for place, arg in enumerate(args) if arg[0] != "?"])
        rows = self.tables.rows(literal.predicate, bound, tuple([args[place] for place in bound]))
        return tuple([place for place, arg in enumerate(args) if arg[0] == "?"]), rows

    def _matches(
        self, node: _Node, literal: Literal, places: tuple[int, ...], rows: Mapping[Args, None]
    ) -> Iterator[_Node]:
        rest = [constraint for constraint in node.constraints if constraint is not literal]
        fits = self.tables.fits
        for row in rows:
            values: Binding = {}
            if all(values.setdefault(literal.args[place], row[place]) == row[place] for place in places) and all(
                fits(value, node.types[name]) for name, value in values.items()
            ):
                yield _Node(rest, {**node.binding, **values}, node.types)
            else:
                self.tables.poll()

    def _parts(self, node: _Node, choice: AnyOf) -> Iterator[_Node]:
        rest = [constraint for constraint in node.constraints if constraint is not choice]
        for part in choice.parts:
            yield _Node([*part.constraints, *rest], dict(node.binding), {**node.types, **part.variables})

    def _values(self, node: _Node, name: str, decided: Iterable[Constraint]) -> Iterator[_Node]:
        """Yield a node for every value of a variable that no negative atom excludes."""
        excluded: set[str] = set()
        checked: list[Constraint] = []
        for constraint in decided:
            if isinstance(constraint, Literal) and constraint.args.count(name) == 1:
                (place,), rows = self._rows(constraint, node.binding)
                excluded.update(row[place] for row in rows)
                checked.append(constraint)
        rest = [each for each in node.constraints if not any(each is other for other in checked)]
        for value in self.tables.of_type(node.types[name]):
            if value not in excluded:
                yield _Node(rest, {**node.binding, name: value}, node.types)
            else:
                self.tables.poll()


def _key(node: _Node) -> object:
    """Return what the solutions of a node depend on, within a state."""
    binding = node.binding
    names = {name: None for constraint in node.constraints for name in constraint.names if name in binding}
    return frozenset(map(id, node.constraints)), frozenset((name, binding[name]) for name in names)
