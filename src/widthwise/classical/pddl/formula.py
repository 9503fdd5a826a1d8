"""Conditions on their way to normal form: negation normal form first, then disjunctive normal form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import TypeAlias

from widthwise.classical.pddl.node import Node
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
    Truth,
    Variable,
)
from widthwise.classical.pddl.typetable import Types
from widthwise.core.guard import Guard

TypeMap: TypeAlias = dict[str, Types]  # the variables used so far in an action or a rule, with their types


class Lit(Node):
    """A literal; equality is the predicate `=`."""

    predicate: str
    args: tuple[str, ...]
    negated: bool = False


class Conj(Node):
    """A conjunction; the empty conjunction is true."""

    parts: tuple[Formula, ...]


class Disj(Node):
    """A disjunction; the empty disjunction is false."""

    parts: tuple[Formula, ...]


class Some(Node):
    """An existential condition."""

    variables: tuple[tuple[str, Types], ...]
    part: Formula


class All(Node):
    """A universal condition."""

    variables: tuple[tuple[str, Types], ...]
    part: Formula


Formula: TypeAlias = Lit | Conj | Disj | Some | All

TRUE = Conj(())
FALSE = Disj(())


def conjunction(parts: list[Formula]) -> Formula:
    """Build a conjunction without nested conjunctions and constants."""
    flat: list[Formula] = []
    for part in parts:
        if isinstance(part, Conj):
            flat += part.parts
        elif part == FALSE:
            return FALSE
        else:
            flat.append(part)
    return flat[0] if len(flat) == 1 else Conj(tuple(flat))


def disjunction(parts: list[Formula]) -> Formula:
    """Build a disjunction without nested disjunctions and constants."""
    flat: list[Formula] = []
    for part in parts:
        if isinstance(part, Disj):
            flat += part.parts
        elif part == TRUE:
            return TRUE
        else:
            flat.append(part)
    return flat[0] if len(flat) == 1 else Disj(tuple(flat))


def quantified(universal: bool, variables: tuple[tuple[str, Types], ...], part: Formula) -> Formula:
    """Build a quantified condition, unless its value is the same whatever objects there are.

    Over a type without objects, `forall` holds even for what is false, and `exists` fails even for what is true.
    """
    if part == (TRUE if universal else FALSE) or not variables:
        return part
    return All(variables, part) if universal else Some(variables, part)


def negation_normal_form(condition: Condition, negated: bool = False) -> Formula:
    """Push negations down to the atoms and simplify what needs no objects to be simplified."""
    match condition:
        case Atom(predicate, args):
            return Lit(predicate, args, negated)
        case Equality(left, right):
            return Lit("=", (left, right), negated)
        case Not(part):
            return negation_normal_form(part, not negated)
        case Truth():
            return FALSE if negated else TRUE
        case And(parts):
            normal_parts = [negation_normal_form(part, negated) for part in parts]
            return disjunction(normal_parts) if negated else conjunction(normal_parts)
        case Or(parts):
            normal_parts = [negation_normal_form(part, negated) for part in parts]
            return conjunction(normal_parts) if negated else disjunction(normal_parts)
        case Imply(left, right):
            normal_parts = [negation_normal_form(left, not negated), negation_normal_form(right, negated)]
            return conjunction(normal_parts) if negated else disjunction(normal_parts)
        case Forall(variables, part) | Exists(variables, part):
            universal = isinstance(condition, Forall) != negated
            return quantified(universal, pairs(variables), negation_normal_form(part, negated))


def pairs(variables: tuple[Variable, ...]) -> tuple[tuple[str, Types], ...]:
    """Return names and types of variables."""
    return tuple((variable.name, variable.types) for variable in variables)


def negate(formula: Formula) -> Formula:
    """Return the negation of a formula, again in negation normal form."""
    match formula:
        case Lit(predicate, args, negated):
            return Lit(predicate, args, not negated)
        case Conj(parts):
            return disjunction([negate(part) for part in parts])
        case Disj(parts):
            return conjunction([negate(part) for part in parts])
        case Some(variables, part):
            return All(variables, negate(part))
        case All(variables, part):
            return Some(variables, negate(part))


def fresh(name: str, types: Types, used: TypeMap) -> str:
    """Enter a variable into `used`, under another name if its own is taken."""
    if name in used:
        name = next(f"{name}{n}" for n in count(1) if f"{name}{n}" not in used)
    used[name] = types
    return name


def rename(formula: Formula, used: TypeMap, renaming: Mapping[str, str]) -> Formula:
    """Give every quantified variable a unique name, so that quantifiers can be moved freely."""
    match formula:
        case Lit(predicate, args, negated):
            return Lit(predicate, tuple([renaming.get(arg, arg) for arg in args]), negated) if renaming else formula
        case Conj(parts):
            return Conj(tuple([rename(part, used, renaming) for part in parts]))
        case Disj(parts):
            return Disj(tuple([rename(part, used, renaming) for part in parts]))
        case Some(variables, part) | All(variables, part):
            names = tuple((fresh(name, types, used), types) for name, types in variables)
            inner = {**renaming, **{old: new for (old, _), (new, _) in zip(variables, names, strict=True)}}
            return type(formula)(names, rename(part, used, inner))


def free_variables(formula: Formula) -> set[str]:
    """Return the variables that no quantifier of the formula binds; to be sorted before it is iterated."""
    match formula:
        case Lit(_, args, _):
            return {arg for arg in args if arg[0] == "?"}
        case Conj(parts) | Disj(parts):
            return set().union(*(free_variables(part) for part in parts))
        case Some(variables, part) | All(variables, part):
            return free_variables(part) - {name for name, _ in variables}


def has_universal(formula: Formula) -> bool:
    """Tell whether there is a universal condition anywhere in the formula."""
    match formula:
        case Lit():
            return False
        case Conj(parts) | Disj(parts):
            return any(has_universal(part) for part in parts)
        case Some(_, part):
            return has_universal(part)
        case All():
            return True


#: Bytes of a clause in addition to its literals.
_CLAUSE_BYTES = 200
Clause: TypeAlias = tuple[tuple[tuple[str, Types], ...], tuple[Lit, ...]]


def clauses(formula: Formula, check: Callable[[], None]) -> list[Clause]:
    """Return existential variables and literals of each disjunct of a formula without universals."""
    match formula:
        case Lit():
            return [((), (formula,))]
        case Disj(parts):
            return [clause for part in parts for clause in clauses(part, check)]
        case Some(variables, part):
            return [(variables + inner, literals) for inner, literals in clauses(part, check)]
        case All():
            raise AssertionError("universal conditions become axioms first")
        case Conj(parts):
            product: list[Clause] = [((), ())]
            for part in parts:
                inner = clauses(part, check)
                combined: list[Clause] = []
                for v, a in product:
                    check()
                    if isinstance(check, Guard) and len(inner) > 1:
                        check.charge(len(inner) * (_CLAUSE_BYTES + 16 * len(a)))
                    combined += [(v + w, a + b) for w, b in inner]
                product = combined
            return product
