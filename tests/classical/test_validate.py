"""The validator says which plans are valid and, of the others, why and at which step."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl_texts import BLOCKS, BLOCKS_PROBLEM, TASKS, WAREHOUSE, WAREHOUSE_PROBLEM
from widthwise import validate
from widthwise.classical.pddl.normal import NormalLiteral, NormalTask
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem
from widthwise.classical.plan import Plan
from widthwise.core.errors import InputError, OutputError

DOMAIN = parse_domain(BLOCKS)
PROBLEM = parse_problem(BLOCKS_PROBLEM, "p", DOMAIN)
GOOD = ("(lift a)", "(stack a b)")


def test_a_valid_plan_is_valid() -> None:
    verdict = validate(DOMAIN, PROBLEM, Plan(GOOD, 2))
    assert (verdict.valid, verdict.step, verdict.cost) == (True, None, 2)


@pytest.mark.parametrize(
    ("steps", "step", "words"),
    [
        (["(lift a)", "(lift b)"], 2, ["precondition is false: (free)"]),
        (["(stack a b)"], 1, ["precondition is false: (holding a)"]),
        (["(lift a)", "(stak a b)"], 2, ["there is no action 'stak'", "'stack'"]),
        (["(lift a)", "(stack a)"], 2, ["takes 2 arguments, not 1"]),
        (["(lift x)"], 1, ["there is no object 'x'"]),
        (["(lift a)"], None, ["goal is not reached: (on a b)"]),
        ([], None, ["goal is not reached: (on a b)"]),
        (["()"], 1, ["this is not an action"]),
    ],
)
def test_a_bad_plan_fails_with_its_reason(steps: list[str], step: int | None, words: list[str]) -> None:
    verdict = validate(DOMAIN, PROBLEM, steps)
    assert not verdict.valid
    assert verdict.step == step
    for word in words:
        assert word in verdict.reason


def test_another_goal_can_be_asked_for() -> None:
    goal = parse_goal("(and (holding c) (not (free)))", DOMAIN, PROBLEM)
    assert validate(DOMAIN, PROBLEM, ["(lift c)"], goal).valid
    assert "(not (free))" in validate(DOMAIN, PROBLEM, [], goal).reason


def test_costs_types_quantifiers_and_derived_predicates() -> None:
    domain = parse_domain(WAREHOUSE)
    problem = parse_problem(WAREHOUSE_PROBLEM, "p", domain)
    plan = [
        "(load box lorry)",
        "(drive lorry depot north)",
        "(load ice lorry)",
        "(drive lorry north south)",
        "(unload ice lorry)",
    ]
    verdict = validate(domain, problem, plan)
    assert verdict.valid, verdict.reason
    assert verdict.cost == 2 + 4 + 2 + 5.5 + 1
    assert "is of type place, but ?t is of type truck" in validate(domain, problem, ["(shake north)"]).reason
    verdict = validate(domain, problem, ["(load box lorry)", "(shake lorry)"])
    assert "(not for ?c = box)" in verdict.reason
    verdict = validate(domain, problem, ["(drive lorry depot depot)"])
    assert "(or (road depot depot) (road depot depot)), (not (= depot depot))" in verdict.reason
    verdict = validate(domain, problem, plan[:2])
    assert "(forall (?c - crate) (at ?c south)) (not for ?c = box)" in verdict.reason
    assert "(or (checked south) (done))" in verdict.reason
    # With every crate broken the depot is stocked, so only a place linked with it can be inspected.
    shaken = ["(shake lorry)", "(drive lorry depot north)", "(shake lorry)", "(inspect depot)"]
    assert "(linked depot depot)" in validate(domain, problem, shaken).reason
    assert "the goal" in validate(domain, problem, [*shaken[:3], "(inspect south)"]).reason
    text = WAREHOUSE_PROBLEM.replace("(= (length depot north) 3)", "")
    problem = parse_problem(text, "p", domain)
    verdict = validate(domain, problem, plan)
    assert verdict.step == 2
    assert "(length depot north) has no value" in verdict.reason


class Interpreter:
    """Runs the normal form in the most literal way, for comparison."""

    def __init__(self, task: NormalTask) -> None:
        self.task = task
        self.state = set()
        for number, (predicate, flat) in enumerate(zip(task.predicates, task.init, strict=True)):
            for start in range(0, len(flat), max(1, predicate.arity)):
                self.state.add((number, tuple(flat[start : start + predicate.arity])))
        for number in range(len(task.objects)):
            self.state.add((0, (number, number)))
        self.layer = [0] * len(task.predicates)
        for _ in task.predicates:
            for axiom in task.axioms:
                for literal in axiom.condition:
                    least = self.layer[literal.predicate] + literal.negated
                    if self.task.predicates[literal.predicate].kind == 2:
                        self.layer[axiom.head.predicate] = max(self.layer[axiom.head.predicate], least)
        self.derive()

    def ground(self, literal: NormalLiteral, values: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return literal.predicate, tuple(values[t] if t >= 0 else ~t for t in literal.args)

    def holds(self, condition: tuple[NormalLiteral, ...], values: tuple[int, ...]) -> bool:
        return all((self.ground(literal, values) in self.state) != literal.negated for literal in condition)

    def derive(self) -> None:
        self.state = {fact for fact in self.state if self.task.predicates[fact[0]].kind != 2}
        for layer in range(max(self.layer) + 1):
            before = -1
            while before != len(self.state):
                before = len(self.state)
                for axiom in self.task.axioms:
                    if self.layer[axiom.head.predicate] == layer:
                        for values in product(*(self.task.domains[d] for d in axiom.parameters)):
                            if self.holds(axiom.condition, values):
                                self.state.add(self.ground(axiom.head, values))

    def applicable(self) -> dict[str, list[tuple[int, tuple[int, ...]]]]:
        result: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
        for number, action in enumerate(self.task.actions):
            for values in product(*(self.task.domains[d] for d in action.parameters)):
                if self.holds(action.precondition, values):
                    names = [self.task.objects[v] for v in values[: action.shown]]
                    result.setdefault(f"({' '.join([action.name, *names])})", []).append((number, values))
        return result

    def apply(self, number: int, values: tuple[int, ...]) -> float:
        action = self.task.actions[number]
        added, deleted = set(), set()
        for effect in action.effects:
            for more in product(*(self.task.domains[d] for d in effect.parameters)):
                if self.holds(effect.condition, values + more):
                    (deleted if effect.literal.negated else added).add(self.ground(effect.literal, values + more))
        self.state = (self.state - deleted) | added
        self.derive()
        cost = action.cost.constant
        for function, args in action.cost.tables:
            cost += self.task.tables[function][tuple(values[t] if t >= 0 else ~t for t in args)]
        return cost  # type: ignore[return-value]


@settings(max_examples=60)
@given(
    which=st.sampled_from(range(len(TASKS))),
    choices=st.lists(st.integers(0, 10_000), max_size=6),
    data=st.data(),
)
def test_the_validator_agrees_with_the_normal_form(which: int, choices: list[int], data: st.DataObject) -> None:
    domain = parse_domain(TASKS[which][0])
    problem = parse_problem(TASKS[which][1], "p", domain)
    task = normalize(domain, problem)
    world = Interpreter(task)
    steps: list[str] = []
    cost = 0.0
    for choice in choices:
        options = world.applicable()
        if not options:
            break
        step = list(options)[choice % len(options)]
        cost += world.apply(*options[step][0])
        steps.append(step)
    verdict = validate(domain, problem, steps)
    assert verdict.step is None, verdict.reason
    assert verdict.cost == pytest.approx(cost)
    assert verdict.valid == world.holds(task.goal, ())
    # Any other instance of an action is refused as the last step.
    action = data.draw(st.sampled_from([a for a in domain.actions if a.name != "wait"]))
    names = [data.draw(st.sampled_from(sorted(problem.objects))) for _ in action.parameters]
    step = f"({' '.join([action.name, *names])})"
    verdict = validate(domain, problem, [*steps, step])
    assert (verdict.step is None) == (step in world.applicable())


def test_plan_files_are_written_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    for plan in (Plan(GOOD, 2), Plan(GOOD, 7.5, False), Plan((), 0)):
        plan.write(path)
        assert Plan.read(path) == plan
    assert Plan(GOOD, 2.0).text() == "(lift a)\n(stack a b)\n; cost = 2 (unit cost)\n"
    assert Plan(GOOD, 14.5, False).text().endswith("; cost = 14.5 (general cost)\n")
    with pytest.raises(OutputError, match="cannot be written"):
        Plan(GOOD, 2).write(tmp_path)


def test_plan_files_of_others_are_understood() -> None:
    text = "; found by somebody\n\n0: (LIFT A)\n  1.000: ( stack a  b ) [1]  ; done\n"
    assert Plan.parse(text) == Plan(GOOD, 2)


@pytest.mark.parametrize("line", ["lift a", "(lift a", "(lift (a))", "1 2 (lift a)", "()"])
def test_a_bad_plan_file_is_refused_at_its_line(line: str) -> None:
    with pytest.raises(InputError, match=r"plan:2:1: ") as caught:
        Plan.parse(f"(lift a)\n{line}\n", "plan")
    assert "expected: one action per line" in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        Plan.read("/nowhere/plan")
