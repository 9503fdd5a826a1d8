"""The normal form equals that of Fast Downward's translator on the first tasks of each folder."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from widthwise.classical.collection import domain_of, problems_in
from widthwise.classical.pddl.normal import NormalLiteral, NormalTask
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import read_domain, read_problem

pytest.importorskip("fast_downward.translate", reason="the translator is a test-only package")
BENCHMARKS = os.environ.get("WIDTHWISE_BENCHMARKS")
FOLDERS = sorted(p for p in Path(BENCHMARKS).iterdir() if p.is_dir()) if BENCHMARKS else []


def translator_task(domain: Path, problem: Path) -> Any:
    from fast_downward.translate import normalize as fd_normalize
    from fast_downward.translate import options, pddl_parser

    options.set_options([str(domain), str(problem)])
    task = pddl_parser.open(str(domain), str(problem))
    fd_normalize.normalize(task)
    return task


def ordered(items: Iterable[Any]) -> list[Any]:
    """Sort things of different types."""
    return sorted(items, key=repr)


def theirs(task: Any) -> dict[str, Any]:
    def terms(literal: Any, names: dict[str, int]) -> tuple[Any, ...]:
        return (literal.predicate, tuple(names.get(a, a) for a in literal.args), literal.negated)

    def conjunction(condition: Any, names: dict[str, int]) -> list[Any] | None:
        kind = type(condition).__name__
        if kind == "Truth":
            return []
        if kind == "Falsity":
            return None
        parts = condition.parts if kind == "Conjunction" else [condition]
        if any(type(part).__name__ == "Falsity" for part in parts):
            return None
        return ordered(terms(part, names) for part in parts)

    actions = []
    for action in task.actions:
        names = {p.name: n for n, p in enumerate(action.parameters)}
        precondition = conjunction(action.precondition, names)
        effects = []
        for effect in action.effects:
            own = dict(names)
            for parameter in effect.parameters:
                own[parameter.name] = len(own)
            condition = conjunction(effect.condition, own)
            if condition is not None:
                types = [p.type_name for p in effect.parameters]
                effects.append((types, condition, terms(effect.literal, own)))
        types = [p.type_name for p in action.parameters]
        cost = action.cost.expression if action.cost and task.use_min_cost_metric else None
        if cost is None:
            shown_cost: Any = 0 if task.use_min_cost_metric else 1
        elif hasattr(cost, "value"):
            shown_cost = cost.value
        else:
            shown_cost = (cost.symbol, tuple(names.get(a, a) for a in cost.args))
        if precondition is not None:
            actions.append(
                (
                    action.name,
                    action.num_external_parameters,
                    types,
                    precondition,
                    ordered(effects),
                    str(shown_cost),
                )
            )
    axioms = []
    for axiom in task.axioms:
        names = {p.name: n for n, p in enumerate(axiom.parameters)}
        condition = conjunction(axiom.condition, names)
        if condition is not None:
            axioms.append(
                (
                    axiom.name,
                    axiom.num_external_parameters,
                    [p.type_name for p in axiom.parameters],
                    condition,
                )
            )
    return {
        "actions": ordered(actions),
        "axioms": ordered(axioms),
        "goal": conjunction(task.goal, {}),
        "init": ordered(
            (fact.predicate, fact.args) for fact in task.init if hasattr(fact, "predicate") and fact.predicate != "="
        ),
        "objects": [o.name for o in task.objects],
    }


def ours(task: NormalTask, type_names: list[str]) -> dict[str, Any]:
    def terms(literal: NormalLiteral) -> tuple[Any, ...]:
        args = tuple(arg if arg >= 0 else task.objects[~arg] for arg in literal.args)
        return (task.predicates[literal.predicate].name, args, literal.negated)

    def types(numbers: tuple[int, ...]) -> list[str]:
        return [type_names[n] for n in numbers]

    actions = []
    for action in task.actions:
        effects = ordered(
            (types(e.parameters), ordered(map(terms, e.condition)), terms(e.literal)) for e in action.effects
        )
        cost: Any = f"{action.cost.constant:g}"
        if action.cost.tables:
            (function, args), *more = action.cost.tables
            assert not more and not action.cost.constant
            cost = (function, tuple(arg if arg >= 0 else task.objects[~arg] for arg in args))
        precondition = ordered(map(terms, action.precondition))
        actions.append((action.name, action.shown, types(action.parameters), precondition, effects, cost))
    axioms = [
        (terms(a.head)[0], len(a.head.args), types(a.parameters), ordered(map(terms, a.condition))) for a in task.axioms
    ]
    init = []
    for predicate, flat in zip(task.predicates, task.init, strict=True):
        step = max(1, predicate.arity)
        for start in range(0, len(flat), step):
            init.append((predicate.name, tuple(task.objects[n] for n in flat[start : start + predicate.arity])))
    return {
        "actions": ordered(actions),
        "axioms": ordered(axioms),
        "goal": ordered(map(terms, task.goal)),
        "init": ordered(init),
        "objects": task.objects,
    }


def canonical(schemas: list[Any], first_hidden: int, types_at: int) -> list[Any]:
    """Number the hidden parameters of each schema in a canonical way: their order is free."""
    result = []
    for schema in schemas:
        types, shown = schema[types_at], schema[first_hidden]
        versions = []
        for order in itertools.permutations(range(shown, len(types))):
            number = {old: new for new, old in enumerate([*range(shown), *order])}

            def renumber(part: Any, number: dict[int, int] = number) -> Any:
                if isinstance(part, list):
                    return ordered(renumber(item) for item in part)
                if isinstance(part, tuple):
                    return tuple(renumber(item) for item in part)
                return number.get(part, part) if type(part) is int else part

            version = [renumber(part) for part in schema]
            version[types_at] = [*types[:shown], *(types[old] for old in order)]
            version[first_hidden] = shown
            versions.append(tuple(version))
        result.append(min(versions, key=repr))
    return ordered(result)


@pytest.mark.ipc
@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_normal_form_equals_the_translators(folder: Path) -> None:
    for path in problems_in(folder)[:2]:
        domain = read_domain(domain_of(path))
        problem = read_problem(path, domain)
        task = normalize(domain, problem)
        builder = domain.cache["normal form"]
        functions = list(domain.functions)
        # Types the goal alone mentions come last; each type is written as the first name of its list.
        names: list[str] = [" ".join(types) for types in builder.types]
        names += ["?"] * (len(task.domains) - len(names))
        mine = ours(task, names)
        mine["actions"] = ordered(
            (*a[:5], str((functions[a[5][0]], a[5][1])) if isinstance(a[5], tuple) else a[5]) for a in mine["actions"]
        )
        yours = theirs(translator_task(domain_of(path), path))
        for version in (mine, yours):
            version["actions"] = canonical(version["actions"], 1, 2)
            version["axioms"] = canonical(version["axioms"], 1, 2)
        for part in ("objects", "init", "goal", "actions", "axioms"):
            assert mine[part] == yours[part], f"{path}: {part}"
