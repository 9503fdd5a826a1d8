"""Fast Downward's translator as an outside oracle: its normal form our input, its grounding the answer."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fast_downward.translate import instantiate, normalize, options, pddl, pddl_parser

from widthwise import _native
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

Atom = tuple[str, ...]
Condition = tuple[frozenset[Atom], frozenset[Atom]]


@dataclass
class Grounding:
    """A grounded task by names, such that equal tasks are equal values."""

    atoms: set[Atom]
    init: set[Atom]
    operators: Counter[tuple[str, int, Condition, frozenset[tuple[Condition, Atom, bool]]]]
    axioms: Counter[tuple[Atom, Condition]]
    goal: Condition | None


def read(domain: Path, problem: Path) -> Any:
    """Fast Downward's task, normalized."""
    options.set_options([str(domain), str(problem)])
    with contextlib.redirect_stdout(io.StringIO()):
        task = pddl_parser.open(str(domain), str(problem))
        normalize.normalize(task)
    return task


def _literals(condition: Any) -> list[Any]:
    if isinstance(condition, pddl.Truth):
        return []
    if isinstance(condition, pddl.Conjunction):
        return list(condition.parts)
    return [condition]


def to_normal(task: Any) -> NormalTask:
    """The same normalized task in our words."""
    objects = [obj.name for obj in task.objects]
    object_number = {name: number for number, name in enumerate(objects)}
    derived = {axiom.name for axiom in task.axioms}
    changed = {effect.literal.predicate for action in task.actions for effect in action.effects}
    arities = (
        {"=": 2}
        | {p.name: len(p.arguments) for p in task.predicates}
        | {axiom.name: axiom.num_external_parameters for axiom in task.axioms}
    )
    predicates = [
        NormalPredicate(
            name,
            arity,
            PredicateKind.DERIVED
            if name in derived
            else PredicateKind.FLUENT
            if name in changed
            else PredicateKind.STATIC,
        )
        for name, arity in arities.items()
    ]
    number_of = {predicate.name: number for number, predicate in enumerate(predicates)}

    supertypes = {t.name: {t.name, *t.supertype_names} for t in task.types}
    domains: dict[str, int] = {}
    members: list[tuple[int, ...]] = []

    def domain(type_name: str) -> int:
        if type_name not in domains:
            domains[type_name] = len(members)
            members.append(tuple(n for n, obj in enumerate(task.objects) if type_name in supertypes[obj.type_name]))
        return domains[type_name]

    def literal(part: Any, variables: dict[str, int]) -> NormalLiteral:
        if isinstance(part, pddl.Falsity):
            return NormalLiteral(0, (~0, ~0), True)
        args = tuple(variables[a] if a in variables else ~object_number[a] for a in part.args)
        return NormalLiteral(number_of[part.predicate], args, part.negated)

    def conjunction(condition: Any, variables: dict[str, int]) -> tuple[NormalLiteral, ...]:
        return tuple(literal(part, variables) for part in _literals(condition))

    tables: dict[str, dict[tuple[int, ...], float]] = {}
    init: list[list[int]] = [[] for _ in predicates]
    for fact in task.init:
        if isinstance(fact, pddl.Assign):
            key = tuple(object_number[a] for a in fact.fluent.args)
            tables.setdefault(fact.fluent.symbol, {})[key] = float(fact.expression.value)
        elif fact.predicate != "=":
            init[number_of[fact.predicate]].extend([object_number[a] for a in fact.args] or [0])
    table_number = {name: number for number, name in enumerate(tables)}

    def cost(action: Any, variables: dict[str, int]) -> NormalCost:
        if not task.use_min_cost_metric:
            return NormalCost(1)
        if action.cost is None:
            return NormalCost(0)
        expression = action.cost.expression
        if isinstance(expression, pddl.NumericConstant):
            return NormalCost(float(expression.value))  # type: ignore[arg-type]
        args = tuple(variables[a] if a in variables else ~object_number[a] for a in expression.args)
        return NormalCost(0, ((table_number[expression.symbol], args),))

    actions = []
    for action in task.actions:
        variables = {par.name: k for k, par in enumerate(action.parameters)}
        effects = []
        for effect in action.effects:
            inner = variables | {par.name: len(variables) + k for k, par in enumerate(effect.parameters)}
            effects.append(
                NormalEffect(
                    tuple(domain(par.type_name) for par in effect.parameters),
                    conjunction(effect.condition, inner),
                    literal(effect.literal, inner),
                )
            )
        actions.append(
            NormalAction(
                action.name,
                tuple(domain(par.type_name) for par in action.parameters),
                action.num_external_parameters,
                conjunction(action.precondition, variables),
                tuple(effects),
                cost(action, variables),
            )
        )
    axioms = []
    for axiom in task.axioms:
        variables = {par.name: k for k, par in enumerate(axiom.parameters)}
        head = NormalLiteral(number_of[axiom.name], tuple(range(axiom.num_external_parameters)))
        axioms.append(
            NormalAxiom(
                head,
                tuple(domain(par.type_name) for par in axiom.parameters),
                conjunction(axiom.condition, variables),
            )
        )
    goal = conjunction(task.goal, {})
    return NormalTask(
        task.problem_name, task.domain_name, objects, predicates, members, init, actions, axioms, goal,
        task.use_min_cost_metric, list(tables.values()),  # type: ignore[arg-type]
    )  # fmt: skip


def _condition(literals: list[Any], reached: set[Atom]) -> Condition:
    pos = frozenset((part.predicate, *part.args) for part in literals if not part.negated)
    neg = frozenset((part.predicate, *part.args) for part in literals if part.negated)
    return pos, neg & reached


def explore(task: Any) -> Grounding:
    """Fast Downward's grounding of a normalized task, without what only ignoring static negation reaches.

    Its exploration ignores all negative literals, also inequalities and those over static predicates, while
    the instantiation that follows does not: so it may call atoms reachable that none of its own operators and
    axioms reaches. The propositional fixpoint below, over its own operators and axioms, takes them out again.
    What is both added and deleted under the same condition counts as added; conditions are compared as sets.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        _, fluents, actions, goal, axioms, _ = instantiate.explore(task)
    init_facts = {(fact.predicate, *fact.args) for fact in task.init if isinstance(fact, pddl.Atom)}
    fluent_atoms = {(fact.predicate, *fact.args) for fact in fluents}
    rules: list[tuple[set[Atom], Atom]] = []
    for action in actions:
        needs = {(part.predicate, *part.args) for part in action.precondition if not part.negated}
        for when, atom in action.add_effects:
            more = {(part.predicate, *part.args) for part in when if not part.negated}
            rules.append((needs | more, (atom.predicate, *atom.args)))
    for axiom in axioms:
        needs = {(part.predicate, *part.args) for part in axiom.condition if not part.negated}
        rules.append((needs, (axiom.effect.predicate, *axiom.effect.args)))
    reached = _fixpoint(init_facts & fluent_atoms, rules)

    operators: Counter[Any] = Counter()
    for action in actions:
        condition = _condition(action.precondition, reached)
        effects = set()
        for adds, pairs in ((True, action.add_effects), (False, action.del_effects)):
            for when, atom in pairs:
                inner = _condition(when, reached)
                head = (atom.predicate, *atom.args)
                if inner[0] <= reached and head in reached:
                    effects.add((inner, head, adds))
        kept = frozenset(e for e in effects if e[2] or (e[0], e[1], True) not in effects)
        if kept and condition[0] <= reached:
            # An action without arguments is called "(noop )" there.
            operators[action.name.replace(" )", ")"), action.cost, condition, kept] += 1
    ground_axioms: Counter[Any] = Counter()
    for axiom in axioms:
        condition = _condition(axiom.condition, reached)
        if condition[0] <= reached:
            ground_axioms[(axiom.effect.predicate, *axiom.effect.args), condition] += 1
    wanted = None if goal is None else _condition(goal, reached)
    if wanted is not None and not wanted[0] <= reached:
        wanted = None
    return Grounding(reached, init_facts & fluent_atoms, operators, ground_axioms, wanted)


def _fixpoint(start: set[Atom], rules: list[tuple[set[Atom], Atom]]) -> set[Atom]:
    waiting: dict[Atom, list[int]] = {}
    missing = [len(needs) for needs, _ in rules]
    for number, (needs, _) in enumerate(rules):
        for atom in needs:
            waiting.setdefault(atom, []).append(number)
    reached: set[Atom] = set()
    todo = [*start, *(head for needs, head in rules if not needs)]
    while todo:
        atom = todo.pop()
        if atom in reached:
            continue
        reached.add(atom)
        for number in waiting.get(atom, ()):
            missing[number] -= 1
            if missing[number] == 0:
                todo.append(rules[number][1])
    return reached


def by_names(normal: NormalTask, task: _native.GroundedTask) -> Grounding:
    """Our grounding of a task, by names."""
    objects = normal.objects
    atoms: list[Atom] = []
    predicate_of, schema_of, costs = task.atom_predicate, task.operator_schema, task.cost
    for atom in range(task.atom_count):
        args = (objects[o] for o in task.atom_args(atom))
        atoms.append((normal.predicates[predicate_of[atom]].name, *args))

    def names(ids: list[int]) -> frozenset[Atom]:
        return frozenset(atoms[atom] for atom in ids)

    operators: Counter[Any] = Counter()
    always: Condition = (frozenset(), frozenset())
    for op in range(task.operator_count):
        effects = {(always, atoms[atom], True) for atom in task.add(op)}
        effects |= {(always, atoms[atom], False) for atom in task.delete(op)}
        effects |= {((names(p), names(n)), atoms[atom], adds) for p, n, atom, adds in task.effects(op)}
        name = " ".join([normal.actions[schema_of[op]].name, *(objects[o] for o in task.operator_args(op))])
        condition = (names(task.pre_pos(op)), names(task.pre_neg(op)))
        operators[f"({name})", int(costs[op]), condition, frozenset(effects)] += 1
    axioms: Counter[Any] = Counter()
    for axiom in range(task.axiom_count):
        head, pos, neg, _ = task.axiom(axiom)
        axioms[atoms[head], (names(pos), names(neg))] += 1
    goal = (names(task.goal_pos), names(task.goal_neg)) if task.goal_reachable else None
    return Grounding(set(atoms), set(names(task.init)), operators, axioms, goal)
