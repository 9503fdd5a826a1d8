"""The normal form: from the syntax tree of a domain and a problem to integers.

What depends on the domain alone is done once per domain and kept with it. The steps are those of Helmert
(2009): negation normal form, universal conditions become axioms, disjunctions are split, existential
variables become parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from widthwise.classical.pddl.cursor import no_check
from widthwise.classical.pddl.flatten import flatten
from widthwise.classical.pddl.formula import (
    FALSE,
    TRUE,
    All,
    Conj,
    Disj,
    Formula,
    Lit,
    Some,
    TypeMap,
    clauses,
    conjunction,
    disjunction,
    free_variables,
    fresh,
    has_universal,
    negate,
    negation_normal_form,
    pairs,
    rename,
)
from widthwise.classical.pddl.lexer import Check
from widthwise.classical.pddl.normal import (
    NormalAction,
    NormalAxiom,
    NormalCost,
    NormalEffect,
    NormalLiteral,
    NormalPredicate,
    NormalTask,
    PredicateKind,
)
from widthwise.classical.pddl.numbers import Number
from widthwise.classical.pddl.syntax import Action, And, Atom, Condition, DomainDefinition, Not, ProblemDefinition
from widthwise.classical.pddl.typetable import Types
from widthwise.core.guard import Guard

_CACHE = "normal form"
_OBJECT_BYTES = 120  # of an object in the tables of the normal form
_UNIT = NormalCost(1)


class _Builder:
    """Collects the normal form of a domain, and can continue with a copy for the goal of a problem."""

    def __init__(self, domain: DomainDefinition, check: Check) -> None:
        self.check = check
        self.objects = {name: ~number for number, name in enumerate(domain.constants)}
        self.predicates = ["=", *domain.predicates]
        self.arities = [2, *(len(predicate.parameters) for predicate in domain.predicates.values())]
        self.numbers = {name: number for number, name in enumerate(self.predicates)}
        self.kinds = [PredicateKind.STATIC] * len(self.predicates)
        self.types: dict[Types, int] = {}
        self.functions = {name: number for number, name in enumerate(domain.functions)}
        self.actions: list[NormalAction] = []
        self.axioms: list[NormalAxiom] = []
        self.new_axioms: dict[tuple[Formula, tuple[tuple[str, Types], ...]], str] = {}
        self.counter = 0
        self._literals: dict[tuple[int, tuple[int, ...], bool], NormalLiteral] = {}
        self._plain: dict[NormalLiteral, NormalEffect] = {}

    def for_goal(self, objects: dict[str, int]) -> _Builder:
        """Return a copy that includes the objects of a problem and can be changed without harm."""
        copy = object.__new__(_Builder)
        copy.__dict__.update(self.__dict__)
        copy.objects = objects
        for name in ("predicates", "arities", "kinds", "axioms"):
            setattr(copy, name, list(getattr(self, name)))
        for name in ("numbers", "types", "new_axioms"):
            setattr(copy, name, dict(getattr(self, name)))
        copy._literals = {}
        return copy

    # Small things

    def domain_number(self, types: Types) -> int:
        return self.types.setdefault(types, len(self.types))

    def literal(self, predicate: str, args: tuple[str, ...], negated: bool, terms: dict[str, int]) -> NormalLiteral:
        objects = self.objects
        numbers = tuple([terms[arg] if arg in terms else objects[arg] for arg in args]) if args else ()
        key = (self.numbers[predicate], numbers, negated)
        known = self._literals.get(key)
        if known is None:
            known = self._literals[key] = NormalLiteral(*key)
        return known

    def literals(self, lits: tuple[Lit, ...], terms: dict[str, int]) -> tuple[NormalLiteral, ...]:
        return tuple([self.literal(lit.predicate, lit.args, lit.negated, terms) for lit in lits])

    # Universal conditions

    def without_universals(self, formula: Formula, used: TypeMap) -> Formula:
        """Replace each universal condition by the negation of an axiom that holds where it fails."""
        match formula:
            case Lit():
                return formula
            case Conj(parts):
                return conjunction([self.without_universals(part, used) for part in parts])
            case Disj(parts):
                return disjunction([self.without_universals(part, used) for part in parts])
            case Some(variables, part):
                return Some(variables, self.without_universals(part, used))
            case All():
                violated = negate(formula)
                parameters = tuple((name, used[name]) for name in sorted(free_variables(violated)))
                name = self.new_axioms.get((violated, parameters))
                if name is None:
                    key = (violated, parameters)
                    name = self.add_axiom(parameters, self.without_universals(violated, used))
                    self.new_axioms[key] = name
                return Lit(name, tuple(parameter for parameter, _ in parameters), True)

    def add_axiom(self, parameters: tuple[tuple[str, Types], ...], condition: Formula) -> str:
        """Define a new derived predicate by a condition and return its name."""
        name = f"new-axiom@{self.counter}"
        self.counter += 1
        self.numbers[name] = len(self.predicates)
        self.predicates.append(name)
        self.arities.append(len(parameters))
        self.kinds.append(PredicateKind.DERIVED)
        self.axiom(name, parameters, condition)
        return name

    def axiom(self, name: str, parameters: tuple[tuple[str, Types], ...], condition: Formula) -> None:
        """Add the axioms that a condition without universals amounts to."""
        for extra, lits in clauses(condition, self.check):
            variables = (*parameters, *extra)
            terms = {variable: number for number, (variable, _) in enumerate(variables)}
            head = self.literal(name, tuple(variable for variable, _ in parameters), False, terms)
            domains = tuple(self.domain_number(types) for _, types in variables)
            self.axioms.append(NormalAxiom(head, domains, self.literals(lits, terms)))

    # Actions

    def action(self, action: Action) -> None:
        """Add the schemas of an action; an action without effects has none."""
        shown = tuple(self.domain_number(variable.types) for variable in action.parameters)
        terms = {variable.name: number for number, variable in enumerate(action.parameters)}
        flat, cost = flatten(action)
        if not flat:
            return
        simple = self.simple(action.precondition, terms)
        # Effects keep the action's variables as `used`, so that all new names in an action differ.
        used: TypeMap = {variable.name: variable.types for variable in action.parameters}
        schemas: list[tuple[tuple[tuple[str, Types], ...], tuple[NormalLiteral, ...] | tuple[Lit, ...]]] = []
        if simple is None:
            formula = rename(negation_normal_form(action.precondition), used, {})
            if has_universal(formula):
                formula = self.without_universals(formula, used)
            schemas += clauses(formula, self.check)
        else:
            schemas.append(((), simple))
        effects: list[tuple[tuple[tuple[str, Types], ...], tuple[Lit, ...], Lit]] = []
        for variables, condition, lit in flat:
            self.check()
            if not variables and condition is TRUE:
                effects.append(((), (), lit))
                continue
            names = tuple((fresh(name, types, used), types) for name, types in variables)
            renaming = {old: new for (old, _), (new, _) in zip(variables, names, strict=True)}
            condition = rename(condition, used, renaming)
            lit = Lit(lit.predicate, tuple(renaming.get(arg, arg) for arg in lit.args), lit.negated)
            if has_universal(condition):
                condition = self.without_universals(condition, used)
            for extra, lits in clauses(condition, self.check):
                effects.append((names + extra, lits, lit))
        if not effects:
            return
        for lit in (effect[2] for effect in effects):
            self.kinds[self.numbers[lit.predicate]] = PredicateKind.FLUENT
        amount = NormalCost(
            cost.constant,
            tuple((self.functions[term.name], self._terms(term.args, terms)) for term in cost.terms),
        )
        for extra, precondition in schemas:
            self.check()
            own = {**terms, **{name: len(terms) + n for n, (name, _) in enumerate(extra)}}
            self.actions.append(
                NormalAction(
                    action.name,
                    shown + tuple(self.domain_number(types) for _, types in extra),
                    len(shown),
                    precondition if simple is not None else self.literals(precondition, own),  # type: ignore[arg-type]
                    tuple([self.effect(*effect, own) for effect in effects]),
                    amount,
                )
            )

    def _terms(self, args: tuple[str, ...], terms: dict[str, int]) -> tuple[int, ...]:
        return tuple(terms[arg] if arg in terms else self.objects[arg] for arg in args)

    def effect(
        self,
        variables: tuple[tuple[str, Types], ...],
        condition: tuple[Lit, ...],
        lit: Lit,
        terms: dict[str, int],
    ) -> NormalEffect:
        """Write one effect with the numbers of a schema's variables."""
        if not variables and not condition:
            literal = self.literal(lit.predicate, lit.args, lit.negated, terms)
            known = self._plain.get(literal)
            if known is None:
                known = self._plain[literal] = NormalEffect((), (), literal)
            return known
        own = {**terms, **{name: len(terms) + n for n, (name, _) in enumerate(variables)}}
        return NormalEffect(
            tuple(self.domain_number(types) for _, types in variables),
            self.literals(condition, own),
            self.literal(lit.predicate, lit.args, lit.negated, own),
        )

    def simple(self, condition: Condition, terms: dict[str, int]) -> tuple[NormalLiteral, ...] | None:
        """Translate a conjunction of atoms and negated atoms directly, as most conditions are."""
        parts = condition.parts if isinstance(condition, And) else (condition,)
        literals = []
        literal = self.literal
        for part in parts:
            if isinstance(part, Atom):
                literals.append(literal(part.predicate, part.args, False, terms))
            elif isinstance(part, Not) and isinstance(part.part, Atom):
                literals.append(literal(part.part.predicate, part.part.args, True, terms))
            else:
                return None
        return tuple(literals)


def _domain_part(domain: DomainDefinition, check: Check) -> _Builder:
    """Return the normal form of a domain, made at the first call."""
    known = domain.cache.get(_CACHE)
    if isinstance(known, _Builder):
        return known
    builder = _Builder(domain, check)
    for action in domain.actions:
        check()
        builder.action(action)
    for rule in domain.derived:
        builder.kinds[builder.numbers[rule.predicate]] = PredicateKind.DERIVED
    for rule in domain.derived:
        check()
        used: TypeMap = {variable.name: variable.types for variable in rule.parameters}
        formula = rename(negation_normal_form(rule.condition), used, {})
        builder.axiom(rule.predicate, pairs(rule.parameters), builder.without_universals(formula, used))
    builder.check = no_check  # a budget of this call must not outlive it
    domain.cache[_CACHE] = builder
    return builder


def _goal(builder: _Builder, goal: Condition) -> tuple[NormalLiteral, ...]:
    """Translate a goal; anything but a conjunction of literals becomes an axiom."""
    simple = builder.simple(goal, {})
    if simple is not None:
        return simple
    used: TypeMap = {}
    formula = rename(negation_normal_form(goal), used, {})
    if has_universal(formula):
        formula = builder.without_universals(formula, used)
    parts = formula.parts if isinstance(formula, Conj) else (formula,)
    if all(isinstance(part, Lit) for part in parts):
        return builder.literals(tuple(part for part in parts if isinstance(part, Lit)), {})
    name = builder.add_axiom((), FALSE if formula == FALSE else formula)
    return (builder.literal(name, (), False, {}),)


def _goal_part(builder: _Builder, part: Condition) -> NormalLiteral:
    """Translate one part of a goal to one literal; anything but a literal becomes an axiom."""
    simple = builder.simple(part, {})
    if simple is not None and len(simple) == 1:
        return simple[0]
    used: TypeMap = {}
    formula = builder.without_universals(rename(negation_normal_form(part), used, {}), used)
    if isinstance(formula, Lit):
        return builder.literals((formula,), {})[0]
    return builder.literal(builder.add_axiom((), formula), (), False, {})


def normalize(
    domain: DomainDefinition,
    problem: ProblemDefinition,
    goal: Condition | None = None,
    check: Check | None = None,
    *,
    parts: Sequence[Condition] | None = None,
) -> NormalTask:
    """Return the normal form of a problem, with another goal than its own if one is given.

    With `parts`, the goal is their conjunction, and the normal form has one literal for each of them.
    """
    check = check or no_check
    base = _domain_part(domain, check)
    if isinstance(check, Guard):
        check.charge(_OBJECT_BYTES * len(problem.objects))
    objects = {name: number for number, name in enumerate(problem.objects)}
    builder = base.for_goal({name: ~number for name, number in objects.items()})
    builder.check = check
    if parts is None:
        literals = _goal(builder, problem.goal if goal is None else goal)
    else:
        literals = tuple(_goal_part(builder, part) for part in parts)
    check()
    init: list[list[int]] = [[] for _ in builder.predicates]
    number_of = objects.__getitem__
    for name, rows in problem.init.items():
        init[builder.numbers[name]] = list(map(number_of, chain.from_iterable(rows))) if rows[0] else [0]
        check()
    return NormalTask(
        name=problem.name,
        domain_name=domain.name,
        objects=list(objects),
        predicates=[
            NormalPredicate(name, arity, kind)
            for name, arity, kind in zip(builder.predicates, builder.arities, builder.kinds, strict=True)
        ],
        domains=_domains(domain, problem, builder.types),
        init=init,
        actions=_actions(domain, base, problem.minimize_cost),
        axioms=builder.axioms,
        goal=literals,
        uses_costs=problem.minimize_cost,
        tables=_tables(builder, problem, number_of) if problem.minimize_cost else [],
        table_names=list(builder.functions),
    )


def _at_unit_cost(action: NormalAction) -> NormalAction:
    return NormalAction(action.name, action.parameters, action.shown, action.precondition, action.effects, _UNIT)


def _actions(domain: DomainDefinition, base: _Builder, costs: bool) -> list[NormalAction]:
    """Return the schemas with their costs, or all of cost 1; both lists are made once per domain."""
    if costs:
        return base.actions
    key = f"{_CACHE}, unit costs"
    known: list[NormalAction] | None = domain.cache.get(key)
    if known is None:
        known = domain.cache[key] = [_at_unit_cost(action) for action in base.actions]
    return known


def _domains(domain: DomainDefinition, problem: ProblemDefinition, types: dict[Types, int]) -> list[tuple[int, ...]]:
    """Return the objects of each type that a variable has."""
    by_type: dict[Types, list[int]] = {}
    for number, own in enumerate(problem.objects.values()):
        by_type.setdefault(own, []).append(number)
    fits = domain.types.fits
    return [
        tuple(sorted(chain.from_iterable(numbers for own, numbers in by_type.items() if fits(own, wanted))))
        for wanted in types
    ]


def _tables(
    builder: _Builder, problem: ProblemDefinition, number_of: Callable[[str], int]
) -> list[dict[tuple[int, ...], Number]]:
    """Return the values of the cost functions by the numbers of their arguments."""
    tables: list[dict[tuple[int, ...], Number]] = [{} for _ in builder.functions]
    for name, values in problem.values.items():
        tables[builder.functions[name]] = {tuple(map(number_of, args)): value for args, value in values.items()}
    return tables
