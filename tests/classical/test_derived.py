"""Derived predicates of the validator: circles of rules, applied to new facts only, reach what the definition says."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widthwise.classical.derived import NEW, Rules, circles
from widthwise.classical.pddl.parser import parse_domain, parse_problem
from widthwise.classical.pddl.syntax import show
from widthwise.classical.world import World

# Ways of even and of odd length define each other, one of them by an implication.
DOMAIN = parse_domain(
    """(define (domain ways) (:requirements :adl :derived-predicates) (:types node)
    (:predicates (edge ?x ?y - node) (open ?x - node)
                 (even ?x ?y - node) (odd ?x ?y - node) (far ?x ?y - node) (safe ?x - node) (lonely ?x - node))
    (:derived (even ?x ?y) (and (open ?x) (or (= ?x ?y) (exists (?z - node) (and (odd ?x ?z) (edge ?z ?y))))))
    (:derived (odd ?x ?y) (exists (?z - node) (and (edge ?z ?y) (open ?z) (imply (open ?x) (even ?x ?z)))))
    (:derived (far ?x ?y) (and (not (even ?x ?y)) (not (odd ?x ?y))))
    (:derived (safe ?x) (forall (?y - node) (imply (edge ?x ?y) (open ?y))))
    (:derived (lonely ?x) (forall (?y - node) (or (= ?x ?y) (far ?x ?y))))
    (:action close :parameters (?x - node) :precondition (open ?x) :effect (not (open ?x))))"""
)
NODES = "abcd"


def world_of(edges, opened, poll=None) -> World:
    init = " ".join([*(f"(edge {x} {y})" for x, y in edges), *(f"(open {x})" for x in opened)])
    text = f"(define (problem p) (:domain ways) (:objects {' '.join(NODES)} - node) (:init {init}) (:goal (and)))"
    return World(DOMAIN, parse_problem(text, "p", DOMAIN), poll)


def by_definition(edges, opened) -> dict[str, set[tuple[str, ...]]]:
    """All rules, applied to everything until nothing changes, layer after layer."""
    even, odd = set(), set()
    before = None
    while before != (len(even), len(odd)):
        before = len(even), len(odd)
        for x, y in product(NODES, repeat=2):
            if x in opened and (x == y or any((x, z) in odd and (z, y) in edges for z in NODES)):
                even.add((x, y))
            if any(z in opened and (z, y) in edges and (x not in opened or (x, z) in even) for z in NODES):
                odd.add((x, y))
    safe = {(x,) for x in NODES if all(y in opened for y in NODES if (x, y) in edges)}
    far = set(product(NODES, repeat=2)) - even - odd
    lonely = {(x,) for x in NODES if all(x == y or (x, y) in far for y in NODES)}
    return {"even": even, "odd": odd, "far": far, "safe": safe, "lonely": lonely}  # type: ignore[dict-item]


@settings(max_examples=150)
@given(
    st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES))),
    st.sets(st.sampled_from(NODES)),
    st.permutations(["even", "odd", "far", "safe", "lonely"]),
)
def test_whatever_is_asked_for_first(edges, opened, order):
    world = world_of(edges, opened)
    expected = by_definition(edges, opened)
    assert [world.table(name) for name in order] == [expected[name] for name in order]
    for closed in sorted(opened):  # what was derived does not outlive its state
        world.change([], [("open", (closed,))])
        opened = opened - {closed}
        expected = by_definition(edges, opened)
        assert [world.table(name) for name in order] == [expected[name] for name in order]


def test_only_what_is_asked_for_is_derived():
    world = world_of({("a", "b")}, {"a"})
    world.table("safe")
    assert world.facts["safe"] and not world.facts["even"]


def test_circles_and_parts():
    rules = Rules(DOMAIN.derived)
    assert rules.needed("even", ()) == rules.needed("odd", ()) == [("even", "odd")]
    assert rules.needed("lonely", ()) == [("even", "odd"), ("far",), ("lonely",)]
    assert rules.needed("lonely", {"far"}) == [("lonely",)]
    even, odd, far, safe = (rules.parts[name][0] for name in ("even", "odd", "far", "safe"))
    for parts, rule in ((far, DOMAIN.derived[2]), (safe, DOMAIN.derived[3])):
        assert parts.later == () and parts.at_once == rule.condition
    assert show(odd.at_once) == "(exists (?z - node) (and (edge ?z ?y) (open ?z) (or (not (open ?x)))))"  # type: ignore[arg-type]
    assert [show(item).count(NEW) for item in odd.later] == [1]
    assert show(even.at_once) == "(and (open ?x) (or (= ?x ?y)))"  # type: ignore[arg-type]
    assert [show(item) for item in even.later] == [
        f"(and (open ?x) (exists (?z - node) (and (odd{NEW} ?x ?z) (edge ?z ?y))))"
    ]


@pytest.mark.parametrize("condition", ["(p{} ?x)", "(not (p{} ?x))"])
def test_a_long_chain(condition):
    length = 400
    rules = "".join(f"(:derived (p{n} ?x) {condition.format(n + 1)})" for n in range(length))
    names = " ".join(f"(p{n} ?x)" for n in range(length + 1))
    domain = parse_domain(f"(define (domain d) (:requirements :adl :derived-predicates) (:predicates {names}) {rules})")
    problem = f"(define (problem p) (:domain d) (:objects a b) (:init (p{length} a)) (:goal (and)))"
    assert World(domain, parse_problem(problem, "p", domain)).table("p0") == {("a",)}


def test_a_long_derivation_can_be_stopped():
    asked = []
    stop_at = 0

    def poll():
        asked.append(1)
        if len(asked) == stop_at:
            raise TimeoutError

    world = world_of({("a", "b")}, {"a"}, poll)
    stop_at = len(asked) + 3
    with pytest.raises(TimeoutError):
        world.table("lonely")
    assert len(asked) == stop_at


@pytest.mark.parametrize("length", [1, 2, 7])
def test_circles_of_random_graphs_are_strongly_connected_components(length):
    generator = random.Random(length)
    for _ in range(100):
        uses = {f"n{a}": [f"n{b}" for b in range(length) if generator.random() < 0.3] for a in range(length)}
        reach = {name: _reached(name, uses) for name in uses}
        result = circles(uses)
        assert sorted(name for circle in result for name in circle) == sorted(uses)
        place = {name: number for number, circle in enumerate(result) for name in circle}
        for name, others in uses.items():
            for other in uses:
                together = name == other or (other in reach[name] and name in reach[other])
                assert (place[name] == place[other]) == together
            assert all(place[other] <= place[name] for other in others)


def _reached(name, uses):
    result, todo = set(), [name]
    while todo:
        for other in uses[todo.pop()]:
            if other not in result:
                result.add(other)
                todo.append(other)
    return result


def test_a_chain_of_ten_thousand_derived_predicates_is_computed():
    length = 10_000
    uses = {f"p{n}": [f"p{n + 1}"] if n < length else [] for n in range(length + 1)}
    assert circles(uses) == [(f"p{n}",) for n in range(length, -1, -1)]
