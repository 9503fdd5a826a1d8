"""A world in which nothing becomes false: what may be true, if every atom that was ever true stays so.

Conditions are evaluated optimistically: a positive atom that actions can change may hold where it is among the
facts, and a negative one may always hold. Under a negated quantifier the question is the opposite one, what certainly
holds: there a positive atom never does, and a negative one does where the atom is not among the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from widthwise.classical.derived import NEW
from widthwise.classical.matching import Binding
from widthwise.classical.pddl.syntax import Atom, Condition, DomainDefinition, Exists, Forall, ProblemDefinition
from widthwise.classical.pddl.typetable import Types
from widthwise.classical.query import FALSE, TRUE, Block, Compiler, Names
from widthwise.classical.world import World


class _Optimist(Compiler):
    """Compiles conditions for what may hold; `changing` are the predicates whose atoms may be true or false."""

    def __init__(self, exists: Callable[[Types], bool], poll: Callable[[], None], changing: Container[str]) -> None:
        super().__init__(exists, poll)
        self.changing = changing
        self.certain = False  # whether the question is what certainly holds

    def block(self, condition: Condition, positive: bool = True, names: Names | None = None) -> Block:
        """Return the block that is true where the condition may hold (or may be false)."""
        if isinstance(condition, Atom) and condition.predicate.removesuffix(NEW) in self.changing:
            if positive == self.certain:
                return FALSE if self.certain else TRUE
        elif isinstance(condition, Exists if not positive else Forall):
            # It becomes the negation of a block.
            self.certain = not self.certain
            try:
                return super().block(condition, positive, names)
            finally:
                self.certain = not self.certain
        return super().block(condition, positive, names)


class RelaxedWorld(World):
    """The facts that may be true, static ones and derived ones included."""

    def __init__(
        self,
        domain: DomainDefinition,
        problem: ProblemDefinition,
        changing: Container[str],
        poll: Callable[[], None] | None = None,
    ) -> None:
        """`changing` are the predicates that actions change, without the derived ones."""
        super().__init__(domain, problem, poll)
        names = domain.derived_names
        #: The predicates whose atoms may be true in one state and false in another.
        self.may_change = frozenset(name for name in domain.predicates if name in changing or name in names)
        self._compiler = _Optimist(lambda types: bool(self.of_type(types)), self.poll, self.may_change)

    def holds(self, condition: Condition, binding: Binding) -> bool:
        """Tell whether a condition may be true."""
        return self._matcher.true(self.block(condition), binding)
