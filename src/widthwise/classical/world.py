"""A state of the PDDL world as the validator sees it, with derived predicates when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from widthwise.classical.derived import NEW, Rules
from widthwise.classical.matching import Binding, Matcher
from widthwise.classical.pddl.syntax import (
    Action,
    And,
    Args,
    Atom,
    Condition,
    DomainDefinition,
    Equality,
    Exists,
    Forall,
    Imply,
    Not,
    Or,
    ProblemDefinition,
    Truth,
    Variable,
    show,
)
from widthwise.classical.pddl.typetable import Types
from widthwise.classical.query import Block, Compiler, FlatEffect
from widthwise.core.guard import Guard

Fact = tuple[str, Args]
#: Bytes that a fact takes in a table, and in an index of a table.
_ROW_BYTES, _INDEX_BYTES = 100, 250
_NOTHING: Mapping[Args, None] = {}


class World:
    """The facts of a state by predicate; derived predicates are computed when a condition needs them.

    `poll` is called at every step of a long computation and may raise what should end it.
    """

    def __init__(
        self, domain: DomainDefinition, problem: ProblemDefinition, poll: Callable[[], None] | None = None
    ) -> None:
        self.domain = domain
        self.problem = problem
        self.poll: Callable[[], None] = poll or (lambda: None)
        self.facts: dict[str, set[Args]] = {name: set() for name in domain.predicates}
        for name, rows in problem.init.items():
            self.poll()
            self.facts[name].update(rows)
        self._of_type: dict[Types, list[str]] = {}
        self._index: dict[str, dict[tuple[int, ...], dict[Args, dict[Args, None]]]] = {}
        self._compiler = Compiler(lambda types: bool(self.of_type(types)), self.poll)
        self._blocks: dict[int, tuple[Condition, Block]] = {}
        self._effects: dict[str, list[FlatEffect]] = {}
        self._matcher = Matcher(self)
        self._rules = Rules(domain.derived, self.poll)
        self._derived: set[str] = set()  # the derived predicates that are known for this state
        self._charge(_ROW_BYTES * sum(map(len, problem.init.values())))

    def _charge(self, amount: int) -> None:
        """Ask for memory where the poll is a guard of a budget; derived facts are charged again in every state."""
        if isinstance(self.poll, Guard):
            self.poll.charge(amount)

    def _release(self, amount: int) -> None:
        if isinstance(self.poll, Guard):
            self.poll.release(amount)

    def change(self, added: Iterable[Fact], deleted: Iterable[Fact]) -> None:
        """Continue in the next state; what is both deleted and added is true there."""
        for name, args in deleted:
            if args in self.facts[name]:
                self.facts[name].remove(args)
                for places, index in self._index.get(name, {}).items():
                    index[tuple([args[place] for place in places])].pop(args, None)
        for name, args in added:
            if args not in self.facts[name]:
                self.facts[name].add(args)
                for places, index in self._index.get(name, {}).items():
                    index.setdefault(tuple([args[place] for place in places]), {})[args] = None
        for name in self._derived:
            self._release(_ROW_BYTES * len(self.facts[name]))
            self._drop_index(name)
            self.facts[name].clear()
        self._derived = set()
        self._matcher.forget()

    def _drop_index(self, predicate: str) -> None:
        for index in self._index.pop(predicate, {}).values():
            self._release(_INDEX_BYTES * sum(map(len, index.values())))

    # Conditions

    def holds(self, condition: Condition, binding: Binding) -> bool:
        """Tell whether a condition is true in this state; all its free variables are bound."""
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
            case Exists() | Forall():
                return self._matcher.true(self.block(condition), binding)
            case Truth():
                return True

    def block(self, condition: Condition) -> Block:
        """Return a condition prepared for evaluation, once for each node of the syntax tree."""
        known = self._blocks.get(id(condition))
        if known is None:
            known = self._blocks[id(condition)] = (condition, self._compiler.block(condition))
        return known[1]

    def effects(self, action: Action) -> list[FlatEffect]:
        """Return the effects of an action, atom by atom, once for each action."""
        known = self._effects.get(action.name)
        if known is None:
            known = self._effects[action.name] = self._compiler.effects(action.effect)
        return known

    def happening(self, effect: FlatEffect, binding: Binding) -> Iterator[Args]:
        """Yield the arguments for which an effect happens in this state; some twice."""
        wanted = {arg: effect.condition.variables[arg] for arg in effect.args if arg in effect.condition.variables}
        for values in self._matcher.solutions(effect.condition, binding, wanted):
            yield tuple([values.get(arg, arg) for arg in effect.args])

    def changes(self, action: Action, binding: Binding) -> Iterator[tuple[Fact, bool]]:
        """Yield what an action adds, and what it deletes (True), in this state; some twice."""
        for effect in self.effects(action):
            for args in self.happening(effect, binding):
                yield (effect.predicate, args), effect.negated

    def failures(self, condition: Condition, binding: Binding) -> list[str]:
        """Return the smallest parts of a condition that are false, as PDDL."""
        if isinstance(condition, And):
            return [text for part in condition.parts for text in self.failures(part, binding)]
        if self.holds(condition, binding):
            return []
        text = show(substitute(condition, binding))
        if isinstance(condition, Forall):
            inner = self._counterexample(condition, binding)
            values = ", ".join(f"{v.name} = {inner[v.name]}" for v in condition.variables)
            text += f" (not for {values})"
        return [text]

    def _counterexample(self, condition: Forall, binding: Binding) -> Binding:
        """Return values for which a universal condition that is false fails."""
        own = {variable.name for variable in condition.variables}
        outer = {name: value for name, value in binding.items() if name not in own}
        block = self._compiler.block(condition.part, positive=False)
        wanted = {variable.name: variable.types for variable in condition.variables}
        return next(self._matcher.solutions(block, outer, wanted))

    # Values of variables

    def of_type(self, types: Types) -> list[str]:
        """Return the objects of a type."""
        known = self._of_type.get(types)
        if known is None:
            fits = self.domain.types.fits
            known = [name for name, own in self.problem.objects.items() if fits(own, types)]
            self._of_type[types] = known
        return known

    def fits(self, name: str, types: Types) -> bool:
        """Tell whether an object is of a type."""
        return self.domain.types.fits(self.problem.objects[name], types)

    def solutions(self, variables: Sequence[Variable], condition: Condition, binding: Binding) -> Iterator[Binding]:
        """Yield bindings of the variables, in addition to the given ones, that make the condition true; some twice."""
        wanted = {variable.name: variable.types for variable in variables}
        outer = {name: value for name, value in binding.items() if name not in wanted}
        return self._matcher.solutions(self.block(condition), outer, wanted)

    def rows(self, predicate: str, places: tuple[int, ...], values: Args) -> Mapping[Args, None]:
        """Return the facts of a predicate with these values at these places, in an order that no hash decides."""
        table = self.table(predicate)
        indices = self._index.setdefault(predicate, {})
        index = indices.get(places)
        if index is None:
            index = {}
            self._charge(_INDEX_BYTES * len(table))
            for number, row in enumerate(sorted(table)):
                if not number & 1023:
                    self.poll()
                index.setdefault(tuple([row[place] for place in places]), {})[row] = None
            indices[places] = index
        return index.get(values, _NOTHING)

    # Derived predicates

    def table(self, predicate: str) -> set[Args]:
        """Return the true facts of a predicate, derived ones after applying the rules."""
        if predicate in self._rules.circle_of and predicate not in self._derived:
            for circle in self._rules.needed(predicate, self._derived):
                self._derived.update(circle)  # first, so that rules may ask for what is being computed
                self._fill(circle)
        return self.facts[predicate]

    def _fill(self, circle: tuple[str, ...]) -> None:
        """Apply the rules of predicates that define each other until nothing new follows."""
        parts = [part for name in circle for part in self._rules.parts[name]]
        todo = [(part.rule, part.at_once) for part in parts if part.at_once is not None]
        while True:
            new: dict[str, set[Args]] = {name: set() for name in circle}
            for rule, condition in todo:
                self.poll()
                for values in self.solutions(rule.parameters, condition, {}):
                    new[rule.predicate].add(tuple([values[variable.name] for variable in rule.parameters]))
            for name, rows in new.items():
                rows -= self.facts[name]
                self._charge(_ROW_BYTES * len(rows))
                self.facts[name] |= rows
                self.facts[name + NEW] = rows
                self._drop_index(name)
                self._drop_index(name + NEW)
            self._matcher.forget()
            if not any(new.values()):
                return
            todo = [(part.rule, condition) for part in parts for condition in part.later]


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
