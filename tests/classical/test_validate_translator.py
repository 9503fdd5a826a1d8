"""Random walks over the operators of Fast Downward's translator are valid plans, and other steps are not."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from widthwise import validate
from widthwise.classical.collection import domain_of, problems_in
from widthwise.classical.pddl.parser import read_domain, read_problem

pytest.importorskip("fast_downward.translate", reason="the translator is a test-only package")
BENCHMARKS = os.environ.get("WIDTHWISE_BENCHMARKS")
FOLDERS = sorted(p for p in Path(BENCHMARKS).iterdir() if p.is_dir()) if BENCHMARKS else []


def explored(domain: Path, problem: Path) -> Any:
    from fast_downward.translate import instantiate, normalize, options, pddl_parser

    options.set_options([str(domain), str(problem)])
    task = pddl_parser.open(str(domain), str(problem))
    normalize.normalize(task)
    return task, instantiate.explore(task)


def true_in(condition: Any, state: set[Any]) -> bool:
    return all((literal.positive() in state) != literal.negated for literal in condition)


def derive(axioms: list[Any], state: set[Any]) -> set[Any]:
    """Add the derived facts to a state, layer by layer."""
    layer = {axiom.effect.predicate: 0 for axiom in axioms}
    for _ in layer:
        for axiom in axioms:
            below = [layer[c.predicate] + c.negated for c in axiom.condition if c.predicate in layer]
            layer[axiom.effect.predicate] = max([layer[axiom.effect.predicate], *below])
    state = {fact for fact in state if fact.predicate not in layer}
    for number in range(max(layer.values(), default=-1) + 1):
        rules = [axiom for axiom in axioms if layer[axiom.effect.predicate] == number]
        before = -1
        while before != len(state):
            before = len(state)
            state |= {axiom.effect for axiom in rules if true_in(axiom.condition, state)}
    return state


@pytest.mark.ipc
@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_random_walks_are_valid_plans(folder: Path) -> None:
    path = problems_in(folder)[0]
    if path.stat().st_size + domain_of(path).stat().st_size > 150_000:
        pytest.skip("too big for the translator in a test")
    task, (_, _, operators, _, axioms, _) = explored(domain_of(path), path)
    domain = read_domain(domain_of(path))
    problem = read_problem(path, domain)
    rng = random.Random(1)
    state = derive(axioms, {fact for fact in task.init if hasattr(fact, "predicate")})
    steps: list[str] = []
    cost = 0
    for _ in range(25):
        names: dict[str, Any] = {}
        for operator in operators:
            if true_in(operator.precondition, state):
                names.setdefault(operator.name, operator)
        others = [operator.name for operator in operators if operator.name not in names]
        if others:
            wrong = rng.choice(others).replace(" )", ")")
            assert validate(domain, problem, [*steps, wrong]).step == len(steps) + 1
        if not names:
            break
        operator = names[rng.choice(list(names))]
        added = {atom for condition, atom in operator.add_effects if true_in(condition, state)}
        deleted = {atom for condition, atom in operator.del_effects if true_in(condition, state)}
        state = derive(axioms, (state - deleted) | added)
        steps.append(operator.name.replace(" )", ")"))
        cost += operator.cost
    verdict = validate(domain, problem, steps)
    assert verdict.step is None, verdict.reason
    assert verdict.cost == cost
    goal = task.goal.parts if type(task.goal).__name__ == "Conjunction" else [task.goal]
    assert verdict.valid == true_in(goal, state)
