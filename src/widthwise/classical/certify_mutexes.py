"""Finds mutexes that prove a task unsolvable: sets of literals, the goal among them, that are never all true.

The search runs backwards. A set of literals can only become true by an operator that makes one of them true and none of
them false; what has to hold before the operator must then contain a mutex as well. Pairs that exclude each other by h^2
are preferred, because they end most branches at once. What remains is a set of mutexes each of which follows from the
others, which is usually far smaller than the set of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from widthwise import _native
from widthwise.classical.task import Task
from widthwise.classical.verify import CERTIFICATE
from widthwise.classical.verify_mutexes import MutexIndex
from widthwise.core.budget import halt_error
from widthwise.core.errors import OutOfMemory
from widthwise.core.guard import Guard

#: The most mutexes of a certificate, and the most sets of literals that are looked at.
MOST_MUTEXES, MOST_SETS = 20_000, 400_000


def find_mutexes(task: Task, guard: Guard, meter: _native.Meter, *, pairs_only: bool) -> list[tuple[int, ...]] | None:
    """Find mutexes, in numbers of atoms of the task, that exclude the goal.

    Args:
        task: The task.
        guard: Polled repeatedly; ends the search at a limit.
        meter: The meter that memory is charged to.
        pairs_only: Give up unless two literals of the goal exclude each other.

    Returns:
        The mutexes; None if the task has conditional effects or axioms, or if none were found within the limits.

    Raises:
        OutOfTime, OutOfMemory: A limit of the meter was reached first.
    """
    if not task.ordered(None).plain:
        return None
    goal = [*task.goal.positive, *(~atom for atom in task.goal.negative)]
    try:
        pairs = _native.Mutexes(
            task.ordered(None), meter, list(task.goal.positive), list(task.goal.negative), task.init
        )
    except InterruptedError:
        raise halt_error(meter.poll(), meter, CERTIFICATE) from None
    except MemoryError:
        raise OutOfMemory(f"the memory limit was reached before {CERTIFICATE}") from None
    if not pairs.complete or (pairs_only and pairs.among(goal) is None):
        return None
    return _Regression(task, pairs, guard).mutexes(frozenset(goal))


class _Regression:
    """Collects the mutexes that a goal and its predecessors need."""

    def __init__(self, task: Task, pairs: _native.Mutexes, guard: Guard) -> None:
        self.pairs, self.guard = pairs, guard
        self.initial = frozenset(task.native.init)
        self.index = MutexIndex()
        self.listed: list[frozenset[int]] = []
        self.sets = 0
        self.before: list[frozenset[int]] = []  # per operator, its preconditions
        self.after: list[frozenset[int]] = []  # per operator, the literals that it makes true
        self.makers: dict[int, list[int]] = {}
        native = task.native
        for op in range(native.operator_count):
            guard()
            self.before.append(_literals(native.pre_pos(op), native.pre_neg(op)))
            self.after.append(_literals(native.add(op), native.delete(op)))
            for literal in self.after[op]:
                self.makers.setdefault(literal, []).append(op)

    def mutexes(self, goal: frozenset[int]) -> list[tuple[int, ...]] | None:
        """Return mutexes that exclude the goal; None if there are none, or too many."""
        if not self.exclude(goal):
            return None
        for mutex in self.listed:  # grows meanwhile
            for literal in sorted(mutex):
                for op in self.makers.get(literal, ()):
                    undone = any(~other in self.after[op] for other in mutex)
                    if not undone and not self.exclude((mutex - self.after[op]) | self.before[op]):
                        return None
        return [tuple(sorted(mutex)) for mutex in self.listed]

    def exclude(self, literals: frozenset[int]) -> bool:
        """See to it that these literals contain a mutex; False if that is impossible or takes too much work."""
        self.guard()
        self.sets += 1
        if self.index.excludes(literals):
            return True
        pair = self.pairs.among(sorted(literals))
        if pair is None and all((max(literal, ~literal) in self.initial) == (literal >= 0) for literal in literals):
            return False  # they hold in the initial state
        if len(self.listed) >= MOST_MUTEXES or self.sets > MOST_SETS:
            return False
        mutex = literals if pair is None else frozenset(pair)
        self.index.add(mutex)
        self.listed.append(mutex)
        return True


def _literals(positive: Sequence[int], negative: Sequence[int]) -> frozenset[int]:
    return frozenset([*positive, *(~atom for atom in negative)])
