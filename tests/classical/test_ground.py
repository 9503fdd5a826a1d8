"""The native grounder against its twin, its errors, its order, and what the meter can do to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from places import SUPPORT
from twin_ground import Twin, describe
from widthwise import _native
from widthwise.classical.ground import ground
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
from widthwise.core.errors import InputError, Interrupted, OutOfMemory, OutOfTime

STATIC, FLUENT, DERIVED = PredicateKind
EQUALS = NormalPredicate("=", 2, STATIC)


@st.composite
def tasks(draw: st.DrawFn) -> NormalTask:
    """Random small lifted tasks with everything in them.

    One drawn seed decides all: choices drawn one by one are mostly small and leave nothing to ground.
    """
    random = Random(draw(st.integers(0, 2**64)))
    number = random.randint
    objects = number(1, 4) if number(0, 3) == 0 else number(2, 4)
    kinds = [FLUENT, *(random.choice(list(PredicateKind)) for _ in range(number(1, 5)))]
    predicates = [EQUALS] + [NormalPredicate(f"p{k}", number(0, 3), kind) for k, kind in enumerate(kinds)]
    domains = [tuple(range(objects))] + [
        tuple(sorted(random.sample(range(objects), number(k, objects)))) for k in range(number(0, 1))
    ]

    def term(variables: int) -> int:
        if variables and number(0, 4):
            return number(0, variables - 1)
        return ~number(0, objects - 1)

    def literal(variables: int, allowed: list[int], sign: bool | None = None) -> NormalLiteral:
        predicate = random.choice(allowed)
        args = tuple(term(variables) for _ in range(predicates[predicate].arity))
        return NormalLiteral(predicate, args, number(0, 3) == 0 if sign is None else sign)

    every = list(range(len(predicates)))
    fluents = [k for k in every if predicates[k].kind is FLUENT]
    derived = [k for k in every if predicates[k].kind is DERIVED]

    def condition(variables: int, most: int) -> tuple[NormalLiteral, ...]:
        return tuple(literal(variables, every) for _ in range(number(0, most)))

    def parameters(most: int) -> tuple[int, ...]:
        return tuple(number(0, len(domains) - 1) for _ in range(number(0, most)))

    table = {(o,): float(o + 1) for o in range(objects) if number(0, 9)}
    actions = []
    for k in range(number(1, 3)):
        own = parameters(3)
        effects = []
        for _ in range(number(1, 4)):
            more = parameters(1)
            inner = len(own) + len(more)
            effects.append(NormalEffect(more, condition(inner, number(0, 2)), literal(inner, fluents)))
        tables = ((0, (term(len(own)),)),) if number(0, 3) == 0 else ()
        cost = NormalCost(number(0, 3), tables)
        shown, needs = number(0, len(own)), condition(len(own), 4)
        actions.append(NormalAction(f"a{k}", own, shown, needs, tuple(effects), cost))
    axioms = []
    for _ in range(number(0, 6) if derived else 0):
        own = parameters(3)
        axioms.append(NormalAxiom(literal(len(own), derived, False), own, condition(len(own), 3)))
    init: list[list[int]] = [[]]
    for predicate in predicates[1:]:
        facts = 0 if predicate.kind is DERIVED else number(0, objects**predicate.arity)
        init.append([number(0, objects - 1) for _ in range(facts * max(predicate.arity, 1))])
    goal = condition(0, 3)
    names = [f"o{k}" for k in range(objects)]
    return NormalTask("t", "d", names, predicates, domains, init, actions, axioms, goal, True, [table])  # type: ignore[list-item]


@settings(max_examples=1500, deadline=None)
@given(tasks())
def test_random_tasks_like_the_twin(normal: NormalTask) -> None:
    try:
        expected = Twin(normal).ground()
    except InputError:
        with pytest.raises(InputError):
            ground(normal, _native.Meter())
        return
    assert describe(ground(normal, _native.Meter())) == expected


def lit(predicate: int, *args: int, negated: bool = False) -> NormalLiteral:
    return NormalLiteral(predicate, args, negated)


def act(
    parameters: int, needs: list[NormalLiteral], *effects: NormalLiteral, cost: NormalCost | None = None
) -> NormalAction:
    """An action over variables that range over domain 0."""
    return NormalAction(
        "go", (0,) * parameters, parameters, tuple(needs),
        tuple(NormalEffect((), (), effect) for effect in effects), cost or NormalCost(1),
    )  # fmt: skip


def small(**changes: object) -> NormalTask:
    """Two places with a one-way road: at(?x) moves along it."""
    normal = NormalTask(
        name="two-places", domain_name="roads", objects=["a", "b"],
        predicates=[EQUALS, NormalPredicate("at", 1, FLUENT), NormalPredicate("road", 2, STATIC)],
        domains=[(0, 1)], init=[[], [0], [0, 1]],
        actions=[act(2, [lit(1, 0), lit(2, 0, 1)], lit(1, 1), lit(1, 0, negated=True))],
        axioms=[], goal=(lit(1, ~1),),
    )  # fmt: skip
    return replace(normal, **changes)  # type: ignore[arg-type]


def huge(objects: int = 200) -> NormalTask:
    """An action of four free parameters: more operators than anybody has memory for."""
    return small(
        objects=[f"o{k}" for k in range(objects)],
        domains=[tuple(range(objects))],
        predicates=[EQUALS, NormalPredicate("at", 1, FLUENT), NormalPredicate("seen", 4, FLUENT)],
        init=[[], list(range(objects)), []],
        actions=[act(4, [lit(1, 0)], lit(2, 0, 1, 2, 3))],
    )


def barren() -> NormalTask:
    """The same, but the last parameter must differ from itself: long work for nothing, without memory."""
    normal = huge(300)
    return replace(normal, actions=[act(4, [lit(1, 0), lit(0, 3, 3, negated=True)], lit(2, 0, 1, 2, 3))])


def test_a_small_task_is_what_one_writes_by_hand() -> None:
    task = ground(small(), _native.Meter())
    assert describe(task).operators == [(0, (0, 1), [0], [], [1], [0], 1.0, [])]
    assert (task.init, task.goal_pos, task.goal_reachable) == ([0], [1], True)


def test_goals_that_cannot_be_reached_are_reported() -> None:
    one_way = ground(small(init=[[], [1], [0, 1]], goal=(lit(1, ~0),)), _native.Meter())
    assert not one_way.goal_reachable
    assert not ground(small(goal=(lit(2, ~1, ~0),)), _native.Meter()).goal_reachable
    assert ground(small(goal=(lit(2, ~0, ~1), lit(0, ~0, ~1, negated=True))), _native.Meter()).goal_reachable


def test_a_missing_cost_names_function_and_arguments() -> None:
    action = act(1, [lit(1, 0)], lit(1, ~1), cost=NormalCost(0, ((0, (0, ~1)),)))
    for tables in ([{(1, 1): 2.0}], [{}]):
        with pytest.raises(InputError, match=r"the cost \(length a b\)"):
            ground(small(actions=[action], tables=tables, table_names=["length"]), _native.Meter())


def test_a_derived_predicate_that_needs_its_own_negation_is_refused_by_name() -> None:
    predicates = [EQUALS, NormalPredicate("at", 1, FLUENT), NormalPredicate("odd", 1, DERIVED)]
    axiom = NormalAxiom(lit(2, 0), (0,), (lit(1, 0), lit(2, 0, negated=True)))
    normal = small(predicates=predicates, actions=[], axioms=[axiom], init=[[], [1], []])
    with pytest.raises(InputError, match=r"their own negation: \(odd b\)"):
        ground(normal, _native.Meter())


def test_the_meter_keeps_the_bytes_of_the_task_and_nothing_else() -> None:
    meter = _native.Meter()
    ground(huge(12), meter)
    once = meter.bytes
    assert meter.peak_bytes > once > 12**4 * (5 + 1 + 4) * 4  # arguments, offsets, atoms: nothing forgotten
    assert meter.peak_bytes < 4 * once
    ground(huge(12), meter)
    assert meter.bytes == 2 * once


def test_a_time_limit_is_kept() -> None:
    meter = _native.Meter(seconds=0.5)
    with pytest.raises(OutOfTime):
        ground(barren(), meter)
    assert meter.seconds >= 0.5
    assert meter.bytes == 0


@pytest.mark.parametrize("limit", [0, 1000, 1_000_000, 30_000_000])
def test_a_memory_limit_is_kept(limit: int) -> None:
    meter = _native.Meter(bytes=limit)
    with pytest.raises(OutOfMemory):
        ground(huge(), meter)
    assert meter.bytes == 0
    assert meter.peak_bytes <= limit


def test_every_memory_limit_gives_the_task_or_an_error() -> None:
    whole = _native.Meter()
    ground(huge(5), whole)
    for limit in range(0, whole.peak_bytes, 997):
        meter = _native.Meter(bytes=limit)
        try:
            ground(huge(5), meter)
            assert meter.bytes == whole.bytes
        except OutOfMemory:
            assert meter.bytes == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_stops_at_once() -> None:
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):  # and not OutOfTime
        ground(barren(), _native.Meter(seconds=20))


def test_another_thread_can_stop_it() -> None:
    meter = _native.Meter(seconds=20)
    threading.Timer(0.1, meter.interrupt).start()
    with pytest.raises(Interrupted):
        ground(barren(), meter)


def test_bad_numbers_are_refused_not_followed() -> None:
    for changes in (
        {"actions": [act(1, [lit(1, 1)], lit(1, 0))]},
        {"actions": [act(1, [lit(1, ~7)], lit(1, 0))]},
        {"actions": [act(1, [lit(9, 0)], lit(1, 0))]},
        {"actions": [act(1, [], lit(2, 0, 0))]},
        {"init": [[], [5], []]},
        {"domains": [(0, 2)]},
    ):
        with pytest.raises(ValueError, match="packed task"):
            ground(small(**changes), _native.Meter())


DUMP = """
import sys
sys.path[:0] = {path!r}
from twin_ground import describe
from widthwise import _native
from widthwise.classical.ground import ground
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_domain, parse_problem
domain = parse_domain({domain!r})
normal = normalize(domain, parse_problem({problem!r}, "p", domain))
print(describe(ground(normal, _native.Meter())))
"""
DOMAIN = """(define (domain d) (:requirements :adl) (:types room ball - object red blue - ball)
 (:predicates (in ?b - ball ?r - room) (door ?a ?b - room) (lit ?r - room))
 (:action throw :parameters (?b - ball ?x ?y - room)
  :precondition (and (in ?b ?x) (or (door ?x ?y) (door ?y ?x)) (not (= ?x ?y)))
  :effect (and (in ?b ?y) (not (in ?b ?x))
   (forall (?o - red) (when (and (in ?o ?y) (not (lit ?y))) (lit ?x))))))"""
PROBLEM = """(define (problem p) (:domain d) (:objects r1 r2 r3 r4 - room b1 b2 - red b3 b4 - blue)
 (:init (in b1 r1) (in b2 r2) (in b3 r1) (in b4 r4) (door r1 r2) (door r2 r3) (door r4 r2))
 (:goal (forall (?b - ball) (in ?b r3))))"""


def test_two_hash_seeds_give_the_same_task() -> None:
    code = DUMP.format(path=[str(SUPPORT)], domain=DOMAIN, problem=PROBLEM)
    outputs = set()
    for seed in ("1", "2"):
        env = os.environ | {"PYTHONHASHSEED": seed}
        outputs.add(subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True).stdout)
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000
