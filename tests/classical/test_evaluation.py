"""The validator's joins agree with the enumeration of all values, and end where enumeration does not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naive_evaluation import bindings, changes, holds
from widthwise import validate
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem
from widthwise.classical.pddl.syntax import Variable
from widthwise.classical.world import World

TYPES = ("object", "t", "u", "none")
OBJECTS = {"a": "t", "b": "t", "c": "u", "d": "object"}
DOMAIN_TEXT = """(define (domain d) (:requirements :adl) (:types u - t none - object t - object)
 (:constants a b - t c - u d - object)
 (:predicates (p ?x) (q ?x ?y) (r) (s ?x ?y ?z)) {})"""
DOMAIN = parse_domain(DOMAIN_TEXT.format(""))
PROBLEM = "(define (problem x) (:domain d) (:init {}) (:goal (and)))"
NAMES = ("?x", "?y", "?z", "?w")


@st.composite
def conditions(draw, scope=(), depth=4):
    """A condition as text; its variables come from the scope or from its own quantifiers, which may hide others."""
    terms = st.sampled_from([*scope, *scope, *OBJECTS])
    kind = draw(st.sampled_from(["atom", "atom", "equal", "and", "or", "not", "imply", "forall", "exists", "empty"]))
    if depth == 0 or kind == "atom":
        predicate, arity = draw(st.sampled_from([("p", 1), ("q", 2), ("q", 2), ("r", 0), ("s", 3)]))
        return f"({' '.join([predicate, *(draw(terms) for _ in range(arity))])})"
    if kind == "equal":
        return f"(= {draw(terms)} {draw(terms)})"
    if kind == "empty":
        return draw(st.sampled_from(["()", "(and)", "(or)"]))
    if kind in ("and", "or"):
        parts = draw(st.lists(conditions(scope, depth - 1), max_size=3))
        return f"({kind} {' '.join(parts)})"
    if kind == "not":
        return f"(not {draw(conditions(scope, depth - 1))})"
    if kind == "imply":
        return f"(imply {draw(conditions(scope, depth - 1))} {draw(conditions(scope, depth - 1))})"
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    types = [draw(st.sampled_from(["object", "t", "t", "u", "none"])) for _ in names]
    typed = " ".join(f"{name} - {type_}" for name, type_ in zip(names, types, strict=True))
    return f"({kind} ({typed}) {draw(conditions((*scope, *names), depth - 1))})"


@st.composite
def effects(draw, scope=(), depth=3):
    """An effect as text."""
    kind = draw(st.sampled_from(["atom", "not", "and", "when", "forall", "forall"]))
    if depth == 0 or kind in ("atom", "not"):
        terms = st.sampled_from([*scope, *scope, *OBJECTS])
        predicate, arity = draw(st.sampled_from([("p", 1), ("q", 2), ("r", 0)]))
        atom = f"({' '.join([predicate, *(draw(terms) for _ in range(arity))])})"
        return f"(not {atom})" if kind == "not" else atom
    if kind == "and":
        return f"(and {' '.join(draw(st.lists(effects(scope, depth - 1), max_size=3)))})"
    if kind == "when":
        return f"(when {draw(conditions(scope, 2))} {draw(effects(scope, depth - 1))})"
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True))
    typed = " ".join(f"{name} - {draw(st.sampled_from(['object', 't', 'none']))}" for name in names)
    return f"(forall ({typed}) {draw(effects((*scope, *names), depth - 1))})"


@st.composite
def universal_effects(draw):
    """A universal effect with a disjunctive condition, of which some parts say nothing of the values it ranges over."""
    names = draw(st.lists(st.sampled_from(NAMES[1:]), min_size=1, max_size=2, unique=True))
    typed = " ".join(f"{name} - {draw(st.sampled_from(['object', 't', 'u']))}" for name in names)
    scopes = st.sampled_from([("?x",), (), tuple(names), ("?x", *names)])
    parts = [draw(conditions(draw(scopes), draw(st.integers(0, 2)))) for _ in range(draw(st.integers(2, 3)))]
    effect = draw(effects(("?x", *names), 1))
    return f"(forall ({typed}) (when (or {' '.join(parts)}) {effect}))"


def facts():
    """The facts of an initial state, as text."""
    objects = st.sampled_from(sorted(OBJECTS))
    atoms = st.one_of(
        st.builds("(p {})".format, objects),
        st.builds("(q {} {})".format, objects, objects),
        st.builds("(s {} {} {})".format, objects, objects, objects),
        st.just("(r)"),
    )
    return st.lists(atoms, max_size=14, unique=True).map(" ".join)


LONG = settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))


@LONG
@given(facts(), conditions())
def test_closed_conditions_agree_with_enumeration(init: str, text: str) -> None:
    problem = parse_problem(PROBLEM.format(init), "p", DOMAIN)
    world = World(DOMAIN, problem)
    goal = parse_goal(text, DOMAIN, problem)
    expected = holds(world, world.facts, goal, {})
    assert world.holds(goal, {}) == expected
    assert world._matcher.true(world.block(goal), {}) == expected
    assert (world.failures(goal, {}) == []) == expected
    assert validate(DOMAIN, problem, []).valid


@LONG
@given(facts(), conditions(("?x", "?y")), st.sampled_from(TYPES), st.sampled_from(TYPES))
def test_open_conditions_have_the_solutions_of_enumeration(init: str, text: str, first: str, second: str) -> None:
    rule = f"(:derived (new ?x - {first} ?y - {second}) {text})"
    domain = parse_domain(DOMAIN_TEXT.format(rule).replace("(p ?x)", "(p ?x) (new ?x ?y)", 1))
    world = World(domain, parse_problem(PROBLEM.format(init), "p", domain))
    condition = domain.derived[0].condition
    variables = (Variable("?x", (first,)), Variable("?y", (second,)))
    result = {(each["?x"], each["?y"]) for each in world.solutions(variables, condition, {})}
    assert result == {
        (each["?x"], each["?y"])
        for each in bindings(world, variables, {})
        if holds(world, world.facts, condition, each)
    }
    # With one of them given, the other follows.
    for value in world.of_type((first,)):
        given_first = {each["?y"] for each in world.solutions(variables[1:], condition, {"?x": value})}
        assert given_first == {other for item, other in result if item == value}


@LONG
@given(facts(), st.one_of(effects(("?x",)), universal_effects()), st.sampled_from(sorted(OBJECTS)))
def test_effects_agree_with_enumeration(init: str, text: str, value: str) -> None:
    domain = parse_domain(DOMAIN_TEXT.format(f"(:action go :parameters (?x) :effect {text})"))
    world = World(domain, parse_problem(PROBLEM.format(init), "p", domain))
    expected = changes(world, world.facts, domain.actions[0].effect, {"?x": value})
    result = {
        (effect.predicate, args, effect.negated)
        for effect in world.effects(domain.actions[0])
        for args in world.happening(effect, {"?x": value})
    }
    assert result == expected


@LONG
@given(facts(), st.lists(st.tuples(st.booleans(), st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=8))
def test_tables_by_value_follow_the_changes_of_the_state(init: str, changed: list[tuple[bool, str, str]]) -> None:
    world = World(DOMAIN, parse_problem(PROBLEM.format(init), "p", DOMAIN))
    for adds, first, second in changed:
        for places in ((), (0,), (1,), (0, 1)):
            rows = {values: set(world.rows("q", places, values)) for values in _values(world, places)}
            assert rows == {
                values: {row for row in world.facts["q"] if tuple(row[place] for place in places) == values}
                for values in _values(world, places)
            }
        fact = ("q", (first, second))
        world.change([fact] if adds else [], [] if adds else [fact])


def _values(world, places):
    return {tuple(row[place] for place in places) for row in {*world.facts["q"], ("a", "b"), ("d", "d")}}


# What enumeration would never finish

PLAIN = parse_domain(DOMAIN_TEXT.format("").replace("(:constants a b - t c - u d - object)", ""))


def _solved(objects: str, init: str, goal: str) -> bool:
    problem = f"(define (problem x) (:domain d) (:objects {objects} - t) (:init {init}) (:goal {goal}))"
    polls = 0

    def poll() -> None:
        nonlocal polls
        polls += 1
        assert polls < 2_000_000, "far too many steps"

    return validate(PLAIN, parse_problem(problem, "p", PLAIN), [], poll=poll).valid


MANY = " ".join(f"?v{n}" for n in range(100))


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("(p ?v7)", True),
        ("(or (not (p ?v0)) (p ?v99))", True),
        ("(and (p ?v1) (p ?v50) (or (q ?v3 ?v4) (p ?v3)))", True),
        ("(q ?v1 ?v2)", False),
        (f"(or {' '.join(f'(not (q ?v{n} ?v{n + 1}))' for n in range(99))} (r))", False),
        (f"(or {' '.join(f'(not (q ?v{n} ?v{n + 1}))' for n in range(99))} (q ?v99 ?v0) (not (q b ?v3)))", True),
        (f"(and {' '.join(f'(or (p ?v{n}) (q ?v{n} ?v{n + 1}))' for n in range(99))})", True),
    ],
)
def test_a_hundred_variables_over_two_objects(part: str, expected: bool) -> None:
    # 2**100 values; edges a-a and a-b, so that chains of edges exist and most of them lead nowhere
    assert _solved("a b", "(p a) (p b) (q a a) (q a b)", f"(forall ({MANY} - t) {part})") == expected


@pytest.mark.parametrize(
    "part",
    [
        "(or (not (q ?x ?y)) (not (q ?y ?z)) (p ?z))",
        "(imply (and (q ?x ?y) (q ?y ?z)) (q ?x ?z))",
        "(or (not (p ?x)) (not (p ?y)) (not (p ?z)) (= ?x ?y) (= ?y ?z) (= ?x ?z))",
        "(or (p o1) (and (p ?x) (q ?y ?z)))",
    ],
)
def test_three_variables_over_many_objects(part: str) -> None:
    objects = " ".join(f"o{n}" for n in range(150))
    init = " ".join(f"(q o{n} o{n + 1})" for n in range(0, 148, 2)) + " (p o1) (p o3)"
    assert _solved(objects, init, f"(forall (?x ?y ?z - t) {part})")


def test_more_variables_than_python_may_recurse_are_no_error() -> None:
    names = " ".join(f"?v{n}" for n in range(1050))
    chain = " ".join(f"(not (q ?v{n} ?v{n + 1}))" for n in range(1049))
    goal = f"(:goal (forall ({names} - t) (or {chain})))"
    text = f"(define (problem x) (:domain d) (:objects a b - t) (:init (q a a)) {goal})"
    verdict = validate(PLAIN, parse_problem(text, "p", PLAIN), [])
    assert not verdict.valid and "?v1049 = a" in verdict.reason
