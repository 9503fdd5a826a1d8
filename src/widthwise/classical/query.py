"""Conditions prepared for evaluation: existential blocks of constraints, with quantifiers as far inside as possible.

The validator evaluates conditions on the PDDL as it was read, so nothing here depends on the normal form that is
grounded. `forall` becomes the negation of `exists`, negations are pushed down to atoms and blocks, every quantified
variable has a unique name, and variables that do not occur are dropped. A block whose variable has no object is
false from the start, so that everywhere else all types have objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from widthwise.classical.pddl.syntax import (
    And,
    AndEffect,
    Args,
    Atom,
    Condition,
    Effect,
    Equality,
    Exists,
    Forall,
    ForallEffect,
    Imply,
    IncreaseCost,
    LiteralEffect,
    Not,
    Or,
    Truth,
    Variable,
    When,
)
from widthwise.classical.pddl.typetable import Types

Names: TypeAlias = Mapping[str, str]  # quantified variables as they are written, with their own names


class Literal:
    """An atom, or its negation."""

    __slots__ = ("args", "names", "positive", "predicate")

    def __init__(self, predicate: str, args: Args, positive: bool) -> None:
        self.predicate, self.args, self.positive = predicate, args, positive
        self.names = tuple(dict.fromkeys(arg for arg in args if arg[0] == "?"))


class Same:
    """Two terms are the same object, or are not."""

    __slots__ = ("left", "names", "positive", "right")

    def __init__(self, left: str, right: str, positive: bool) -> None:
        self.left, self.right, self.positive = left, right, positive
        self.names = tuple(dict.fromkeys(arg for arg in (left, right) if arg[0] == "?"))


class AnyOf:
    """At least one of some blocks is true; without blocks it is false."""

    __slots__ = ("names", "parts")

    def __init__(self, parts: tuple[Block, ...]) -> None:
        self.parts = parts
        self.names: tuple[str, ...] = tuple(dict.fromkeys(name for part in parts for name in part.names))


class NoneOf:
    """A block is false."""

    __slots__ = ("block", "names")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.names: tuple[str, ...] = block.names


Constraint: TypeAlias = Literal | Same | AnyOf | NoneOf


class Block:
    """There are values of the variables for which all constraints are true; `names` are its free variables."""

    __slots__ = ("constraints", "names", "variables")

    def __init__(self, variables: Mapping[str, Types], constraints: Iterable[Constraint]) -> None:
        self.variables = dict(variables)
        self.constraints = tuple(constraints)
        self.names: tuple[str, ...] = tuple(
            dict.fromkeys(
                name for constraint in self.constraints for name in constraint.names if name not in self.variables
            )
        )

    @property
    def false(self) -> bool:
        """Whether it is false in every state."""
        return any(isinstance(constraint, AnyOf) and not constraint.parts for constraint in self.constraints)


TRUE = Block({}, ())
FALSE = Block({}, (AnyOf(()),))


class FlatEffect:
    """One atom that an action adds or deletes, for all values of the variables of its condition."""

    __slots__ = ("args", "condition", "negated", "predicate")

    def __init__(self, predicate: str, args: Args, negated: bool, condition: Block) -> None:
        self.predicate, self.args, self.negated, self.condition = predicate, args, negated, condition


class Compiler:
    """Turns conditions into blocks; `exists` says whether a type has objects."""

    def __init__(self, exists: Callable[[Types], bool], poll: Callable[[], None]) -> None:
        self.exists = exists
        self.poll = poll
        self._count = 0

    def block(self, condition: Condition, positive: bool = True, names: Names | None = None) -> Block:
        """Return the block that is true where the condition is (or, not `positive`, where it is false)."""
        self.poll()
        own = names or {}
        match condition:
            case Atom(predicate, args):
                return Block({}, (Literal(predicate, tuple([own.get(arg, arg) for arg in args]), positive),))
            case Equality(left, right):
                return Block({}, (Same(own.get(left, left), own.get(right, right), positive),))
            case Truth():
                return TRUE if positive else FALSE
            case Not(part):
                return self.block(part, not positive, own)
            case And(parts):
                blocks = [self.block(part, positive, own) for part in parts]
                return all_of(blocks) if positive else any_of(blocks)
            case Or(parts):
                blocks = [self.block(part, positive, own) for part in parts]
                return any_of(blocks) if positive else all_of(blocks)
            case Imply(left, right):
                blocks = [self.block(left, not positive, own), self.block(right, positive, own)]
                return any_of(blocks) if positive else all_of(blocks)
            case Exists(variables, part):
                types, inner = self.rename(variables, own)
                block = self.some(types, self.block(part, True, inner))
                return block if positive else none_of(block)
            case Forall(variables, part):
                types, inner = self.rename(variables, own)
                block = self.some(types, self.block(part, False, inner))
                return none_of(block) if positive else block

    def rename(self, variables: Sequence[Variable], names: Names) -> tuple[dict[str, Types], Names]:
        """Give quantified variables unique names; no name in a file has a space."""
        self._count += 1
        own = {variable.name: f"{variable.name} {self._count}" for variable in variables}
        return {own[variable.name]: variable.types for variable in variables}, {**names, **own}

    def some(self, variables: Mapping[str, Types], block: Block) -> Block:
        """Return the block for which there are values of the variables."""
        if block.false or not all(self.exists(types) for types in variables.values()):
            return FALSE
        if len(block.constraints) == 1 and isinstance(block.constraints[0], AnyOf) and not block.variables:
            return any_of([self.some(variables, part) for part in block.constraints[0].parts])
        used = {name: variables[name] for name in block.names if name in variables}
        return Block({**used, **block.variables}, block.constraints)

    # Effects

    def effects(self, effect: Effect) -> list[FlatEffect]:
        """Return what an effect does, atom by atom, leaving out costs."""
        effects: list[FlatEffect] = []
        self._flatten(effect, {}, {}, TRUE, effects)
        return effects

    def _flatten(
        self, effect: Effect, variables: Mapping[str, Types], names: Names, condition: Block, effects: list[FlatEffect]
    ) -> None:
        self.poll()
        match effect:
            case LiteralEffect(atom, negated):
                args = tuple([names.get(arg, arg) for arg in atom.args])
                # The variables of the atom stay free in the condition: it decides for each of their values.
                own = {arg: variables[arg] for arg in args if arg in variables}
                others = {name: types for name, types in variables.items() if name not in own}
                scope = self.some(others, condition)
                if not scope.false and all(self.exists(types) for types in own.values()):
                    scope = Block({**own, **scope.variables}, scope.constraints)
                    effects.append(FlatEffect(atom.predicate, args, negated, scope))
            case AndEffect(parts):
                for part in parts:
                    self._flatten(part, variables, names, condition, effects)
            case ForallEffect(own, part):
                types, inner = self.rename(own, names)
                self._flatten(part, {**variables, **types}, inner, condition, effects)
            case When(when, part):
                both = all_of([condition, self.block(when, True, names)])
                self._flatten(part, variables, names, both, effects)
            case IncreaseCost():
                pass


def all_of(blocks: Sequence[Block]) -> Block:
    """Return the conjunction of blocks."""
    if len(blocks) == 1:
        return blocks[0]
    if any(block.false for block in blocks):
        return FALSE
    variables = {name: types for block in blocks for name, types in block.variables.items()}
    return Block(variables, [constraint for block in blocks for constraint in block.constraints])


def any_of(blocks: Sequence[Block]) -> Block:
    """Return the disjunction of blocks."""
    if any(not block.constraints for block in blocks):
        return TRUE
    parts = tuple([block for block in blocks if not block.false])
    return parts[0] if len(parts) == 1 else Block({}, (AnyOf(parts),))


def none_of(block: Block) -> Block:
    """Return the negation of a block; what shares no variable of the block is negated on its own."""
    if block.false:
        return TRUE
    return any_of([_no_component(block.variables, part) for part in components(block.constraints, block.variables)])


def _no_component(variables: Mapping[str, Types], constraints: Sequence[Constraint]) -> Block:
    own = {name: variables[name] for constraint in constraints for name in constraint.names if name in variables}
    if own:
        return Block({}, (NoneOf(Block(own, constraints)),))
    (constraint,) = constraints
    match constraint:
        case Literal():
            return Block({}, (Literal(constraint.predicate, constraint.args, not constraint.positive),))
        case Same():
            return Block({}, (Same(constraint.left, constraint.right, not constraint.positive),))
        case AnyOf():
            return all_of([none_of(part) for part in constraint.parts]) if constraint.parts else TRUE
        case NoneOf():
            return constraint.block


def components(constraints: Iterable[Constraint], variables: Mapping[str, object]) -> list[list[Constraint]]:
    """Return the constraints in groups that share none of the variables; one without any is a separate group."""
    leader: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := leader.setdefault(name, name)) != name:
            leader[name] = leader[above]
            name = above
        return name

    alone: list[list[Constraint]] = []
    joined: list[tuple[str, Constraint]] = []
    for constraint in constraints:
        names = [name for name in constraint.names if name in variables]
        if not names:
            alone.append([constraint])
            continue
        first = root(names[0])
        for name in names[1:]:
            leader[root(name)] = first
        joined.append((first, constraint))
    groups: dict[str, list[Constraint]] = {}
    for name, constraint in joined:
        groups.setdefault(root(name), []).append(constraint)
    return [*alone, *groups.values()]
