"""The target `task`: a domain and a problem are read, normalised, grounded and solved; plans are validated.

Checked: every input ends with a status or an error meant for users; a plan that was found is valid for the validator
and for the grounded task, at the cost that was reported; `unsolvable` is not contradicted by enumerating the states of
a small task; on plans with random changes the validator and the grounded task agree.
"""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

from fuzzing.cases import Case, Disagreement
from fuzzing.damage import damage_bytes, damage_tokens
from fuzzing.grounded import Grounded
from fuzzing.trees import mutate
from pddl_texts import TASKS
from random_pddl import random_task
from widthwise import validate
from widthwise.classical.examples import EXAMPLES
from widthwise.classical.pddl.lexer import decode
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem
from widthwise.classical.solve import solve
from widthwise.classical.task import Task
from widthwise.core.budget import Budget, check
from widthwise.core.result import Status

PLANNERS = ("auto", "bfs", "iw", "ihiw", "siw", "bfws", "gbfs", "backward")
BUDGET = Budget(nodes=2_000, seconds=5.0, bytes=100_000_000)
#: States up to which `unsolvable` is checked by enumeration, and operators of a task for it.
STATES, OPERATORS = 300, 60


@lru_cache
def bases() -> tuple[tuple[str, str], ...]:
    """The texts that are damaged: small ones of the tests, and the smallest problem of every bundled family."""
    bundled = []
    for example in EXAMPLES.values():
        sizes = {parameter.name: parameter.minimum for parameter in example.parameters}
        bundled.append((example.domain(), example.problem(**sizes)))
    return (*TASKS, *TASKS, *bundled)


def texts(rng: random.Random, damaged: float = 0.9) -> tuple[bytes, bytes]:
    """A task, damaged in that share of the cases: most often in its structure, else in its tokens or bytes."""
    pair = list(random_task(rng)) if rng.random() < 0.4 else list(rng.choice(bases()))
    if rng.random() >= damaged:
        return pair[0].encode(), pair[1].encode()
    kind = rng.random()
    which = rng.randrange(2)
    if kind < 0.6:
        pair[which] = mutate(pair[which], rng)
    elif kind < 0.8:
        pair[which] = damage_tokens(pair[which], rng)
    raw = [text.encode() for text in pair]
    if kind >= 0.8:
        raw[which] = damage_bytes(raw[which], rng)
    return raw[0], raw[1]


def generate(rng: random.Random) -> Case:
    """A task and what to do with it."""
    domain, problem = texts(rng, damaged=0.6)
    options: dict[str, Any] = {"planner": rng.choice(PLANNERS), "seed": rng.randrange(1000)}
    options["improve"] = rng.random() < 0.15
    if rng.random() < 0.1:
        options["goal"] = damage_tokens("(and (on a b) (or (clear c) (not (= a b))))", rng)
    return {"domain.pddl": domain, "problem.pddl": problem, "options.json": json.dumps(options).encode()}


def check_case(case: Case) -> str:
    """Take a task all the way; the outcome is a status of the search."""
    options = json.loads(case["options.json"])
    meter = BUDGET.start()

    def poll() -> None:
        check(meter)

    domain = parse_domain(decode(case["domain.pddl"], "domain.pddl"), "domain.pddl", poll)
    problem = parse_problem(decode(case["problem.pddl"], "problem.pddl"), "problem.pddl", domain, poll)
    goal = parse_goal(options["goal"], domain, problem) if "goal" in options else None
    task = Task.of(domain, problem, goal, meter)
    result = solve(
        task, options["planner"], budget=BUDGET, meter=meter, seed=options["seed"], improve=options["improve"]
    )
    small = task.native.operator_count <= OPERATORS
    grounded = Grounded(task) if small else None
    if result.status is Status.SOLVED:
        assert result.plan is not None
        verdict = validate(domain, problem, result.plan, goal, poll=poll)
        if not verdict.valid:
            raise Disagreement(f"a reported plan is invalid: {verdict.reason}")
        if verdict.cost != result.cost:
            raise Disagreement(f"a plan was said to cost {result.cost}, and it costs {verdict.cost}")
        if grounded is not None and not grounded.judge(result.plan):
            raise Disagreement("a reported plan is invalid on the grounded task")
    if result.status is Status.UNSOLVABLE and grounded is not None and grounded.has_plan(STATES):
        raise Disagreement("a task that was called unsolvable has a plan")
    if grounded is not None and grounded.numbers:
        rng = random.Random(options["seed"])
        steps = changed_plan(result.plan or [], list(grounded.numbers), rng)
        verdict = validate(domain, problem, steps, goal, poll=poll)
        if verdict.valid != grounded.judge(steps):
            raise Disagreement(f"validator: {verdict.reason}; grounded task: {not verdict.valid}; plan: {steps}")
    return str(result.status)


def changed_plan(steps: list[str], names: list[str], rng: random.Random) -> list[str]:
    """A plan with a few steps dropped, swapped, doubled or exchanged for others of the task."""
    changed = steps[:50] or [rng.choice(names) for _ in range(3)]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(changed)) if changed else 0
        match rng.randrange(4):
            case 0:
                del changed[at : at + 1]
            case 1 if len(changed) > 1:
                other = rng.randrange(len(changed))
                changed[at], changed[other] = changed[other], changed[at]
            case 2:
                changed.insert(at, rng.choice(names))
            case _:
                changed[at : at + 1] = [rng.choice(names)]
    return changed
