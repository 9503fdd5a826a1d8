"""The targets `reader` and `plan`: texts that are only read, and plan files that are read and validated."""

from __future__ import annotations

import random

from fuzzing.cases import Case
from fuzzing.damage import damage_bytes
from fuzzing.tasks import BUDGET, changed_plan, texts
from fuzzing.trees import WORDS
from pddl_texts import TASKS
from widthwise import validate
from widthwise.classical.pddl.lexer import decode
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_domain, parse_problem
from widthwise.classical.plan import Plan
from widthwise.core.budget import check

STEPS = ["(lift a)", "(drop a)", "(stack a b)", "(lift b)", "(shake lorry)", "(drive lorry depot north)"]
STEPS += ["(inspect north)", "(wait)", "(load box lorry)", "(unload box lorry)", "(lift)", "(lift nowhere)", "()"]
LINES = ["; cost = 2 (unit cost)", "; cost = 1e309 (general cost)", "; cost = . (unit cost)", "0: (lift a)", ""]
LINES += ["0.000: (LIFT A) [1]", "((", ";", "; cost = -1", "(lift a) (drop a)", "\x0c(wait)", "(" + "a " * 2000 + ")"]


def generate_texts(rng: random.Random) -> Case:
    """A task, most of the time damaged."""
    domain, problem = texts(rng)
    return {"domain.pddl": domain, "problem.pddl": problem}


def read_texts(case: Case) -> str:
    """Read and normalise a task."""
    meter = BUDGET.start()

    def poll() -> None:
        check(meter)

    domain = parse_domain(decode(case["domain.pddl"], "domain.pddl"), "domain.pddl", poll)
    problem = parse_problem(decode(case["problem.pddl"], "problem.pddl"), "problem.pddl", domain, poll)
    normalize(domain, problem, None, poll)
    return "read"


def generate_plan(rng: random.Random) -> Case:
    """A plan file for one of the tasks of the tests."""
    which = rng.randrange(len(TASKS))
    steps = changed_plan([rng.choice(STEPS) for _ in range(rng.randint(0, 8))], [*STEPS, *LINES, *WORDS], rng)
    data = ("\n".join(steps) + rng.choice(("\n", "", "\n; cost = 3 (unit cost)\n"))).encode()
    if rng.random() < 0.5:
        data = damage_bytes(data, rng)
    domain, problem = TASKS[which]
    return {"domain.pddl": domain.encode(), "problem.pddl": problem.encode(), "plan.txt": data}


def check_plan(case: Case) -> str:
    """Read a plan file and run it on its task; a plan that is read is written as a plan that is read the same."""
    meter = BUDGET.start()
    plan = Plan.parse(decode(case["plan.txt"], "plan.txt"), "plan.txt")
    domain = parse_domain(decode(case["domain.pddl"], "domain.pddl"), "domain.pddl")
    problem = parse_problem(decode(case["problem.pddl"], "problem.pddl"), "problem.pddl", domain)
    verdict = validate(domain, problem, plan, poll=lambda: check(meter))
    assert Plan.parse(plan.text()) == plan
    assert verdict.reason
    return "valid" if verdict.valid else "invalid"
