"""Grounding: from a task in normal form to the propositional task that searches work on.

The work is done by native code, which handles numbers only. This module packs a task into one array of
integers and one of costs, and gives names back to what can go wrong.

The packed form, each list after its length: number of objects; predicates (arity, kind); domains (objects);
per predicate the count and the arguments of its initial facts; cost tables (arity, count, arguments; values
among the numbers); actions (domains of parameters, shown, precondition, effects (domains, condition,
literal), tables of the cost (table, number of arguments, arguments); constant among the numbers); axioms
(domains, head, condition); goal. A literal is predicate, 1 if negated, arguments.
"""

from __future__ import annotations

from array import array

from widthwise import _native
from widthwise.classical.pddl.normal import NormalAction, NormalLiteral, NormalTask
from widthwise.classical.pddl.numbers import Number
from widthwise.core.errors import InputError, Interrupted, OutOfBudget, OutOfMemory, OutOfTime, RunInterrupted

_ENDS: dict[_native.Halt, type[OutOfBudget]] = {
    _native.Halt.TIME: OutOfTime,
    _native.Halt.MEMORY: OutOfMemory,
    _native.Halt.INTERRUPTED: Interrupted,
}
_MESSAGES = {
    _native.Halt.TIME: "the time limit was reached while grounding",
    _native.Halt.MEMORY: "the memory limit was reached while grounding",
    _native.Halt.INTERRUPTED: "interrupted while grounding",
}


class MissingCost(InputError):
    """A cost that an action needs has no value in the initial state."""

    def __init__(self, function: str, names: list[str]) -> None:
        self.term = f"({' '.join((function, *names))})"
        self.function = function
        super().__init__(f"the cost {self.term} has no initial value")


def ground(normal: NormalTask, meter: _native.Meter) -> _native.GroundedTask:
    """Ground a task: all atoms and operators that can be reached when deletes are ignored.

    Atoms are ordered by predicate and arguments, operators by schema and arguments. Static conditions are
    evaluated away, negative conditions on atoms out of reach are dropped, and so are operators without
    effects. Operators that differ only in parameters that are not shown are all there. The meter stays
    charged with the memory of the result.
    """
    words, numbers = _pack(normal)
    outcome = _native.ground(words, numbers, meter)
    if isinstance(outcome, _native.GroundedTask):
        return outcome
    if isinstance(outcome, _native.Halt):
        raise RunInterrupted() if meter.signalled else _ENDS[outcome](_MESSAGES[outcome])
    cost_is_missing, number, objects = outcome
    names = [normal.objects[index] for index in objects]
    if cost_is_missing:
        raise MissingCost(normal.table_names[number] if normal.table_names else f"number {number}", names)
    atom = " ".join([normal.predicates[number].name, *names])
    raise InputError(f"derived predicates depend on their own negation: ({atom})")


#: Above it, costs are scaled down for the searches.
LARGEST_COST = 2**800


def _cost_scale(normal: NormalTask) -> Number:
    """By what costs are multiplied, so that sums of huge ones stay within doubles; 1 for all but absurd costs."""
    amounts = [action.cost.constant for action in normal.actions]
    amounts += [value for table in normal.tables for value in table.values()]
    largest = max(amounts, default=0)
    if largest < LARGEST_COST:
        return 1
    from fractions import Fraction

    return Fraction(1, 2**200)


def _pack(normal: NormalTask) -> tuple[array[int], array[float]]:
    """The task as arrays; costs become doubles, by which searches compare plans (reported costs are exact)."""
    scale = _cost_scale(normal)
    words = [len(normal.objects), len(normal.predicates)]
    numbers = array("d")
    for predicate in normal.predicates:
        words += (predicate.arity, predicate.kind)
    words.append(len(normal.domains))
    for domain in normal.domains:
        words.append(len(domain))
        words += domain
    for predicate, facts in zip(normal.predicates, normal.init, strict=True):
        # A predicate without arguments has none to count its fact by: any entry means that it is true.
        words.append(len(facts) // predicate.arity if predicate.arity else min(len(facts), 1))
        if predicate.arity:
            words += facts
    words.append(len(normal.tables))
    for table in normal.tables:
        words += (len(next(iter(table), ())), len(table))
        for args in table:
            words += args
        numbers.extend(float(value * scale) for value in table.values())
    words.append(len(normal.actions))
    for action in normal.actions:
        _pack_action(action, words)
        numbers.append(float(action.cost.constant * scale))
    words.append(len(normal.axioms))
    for axiom in normal.axioms:
        words.append(len(axiom.parameters))
        words += axiom.parameters
        words += (axiom.head.predicate, axiom.head.negated, *axiom.head.args)
        _pack_literals(axiom.condition, words)
    _pack_literals(normal.goal, words)
    return array("i", words), numbers


def _pack_action(action: NormalAction, words: list[int]) -> None:
    words.append(len(action.parameters))
    words += action.parameters
    words.append(action.shown)
    _pack_literals(action.precondition, words)
    words.append(len(action.effects))
    for effect in action.effects:
        words.append(len(effect.parameters))
        words += effect.parameters
        _pack_literals(effect.condition, words)
        literal = effect.literal
        words += (literal.predicate, literal.negated, *literal.args)
    words.append(len(action.cost.tables))
    for table, args in action.cost.tables:
        words += (table, len(args), *args)


def _pack_literals(literals: tuple[NormalLiteral, ...], words: list[int]) -> None:
    words.append(len(literals))
    for literal in literals:
        words += (literal.predicate, literal.negated, *literal.args)
