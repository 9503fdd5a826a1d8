"""The reader understands the language as real files use it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl_texts import BLOCKS, BLOCKS_PROBLEM, TASKS, WAREHOUSE, WAREHOUSE_PROBLEM
from widthwise.classical.collection import domain_of, problems_in
from widthwise.classical.pddl import syntax
from widthwise.classical.pddl.lexer import END, TOKEN, Source, tokenize
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem, read_domain, read_problem
from widthwise.classical.pddl.syntax import And, Atom, Imply, Not, Or, Variable, show
from widthwise.core.errors import InputError, WidthwiseError


@given(st.text(alphabet="ab?();-: \n\r\t\x85\xa0É", max_size=80))
def test_fast_tokens_are_those_of_the_expression(text: str) -> None:
    slow = [m.group().lower() for m in TOKEN.finditer(text) if not m.group().startswith(";")]
    assert tokenize(text) == [*slow, END]


@given(st.text(alphabet="ab?(); \n\r", max_size=60))
def test_a_place_points_at_its_token(text: str) -> None:
    source = Source(text, "t")
    for index, token in enumerate(source.tokens[:-1]):
        place = source.place(index)
        assert place.text[place.column - 1 :].lower().startswith(token)


def test_names_are_lower_case_and_types_known() -> None:
    domain = parse_domain(BLOCKS)
    assert domain.name == "tower"
    assert list(domain.predicates) == ["on", "clear", "ontable", "holding", "free"]
    problem = parse_problem(BLOCKS_PROBLEM, "p", domain)
    assert list(problem.objects) == ["a", "b", "c"]
    assert problem.init["clear"] == [("a",), ("b",), ("c",)]
    assert problem.init["free"] == [()]
    assert problem.goal == And((Atom("on", ("a", "b")),))


def test_the_whole_language_becomes_a_tree() -> None:
    domain = parse_domain(WAREHOUSE)
    drive, _, unload, *_ = domain.actions
    assert isinstance(drive.precondition, And)
    assert drive.precondition.parts[1] == Or((Atom("road", ("?a", "?b")), Atom("road", ("?b", "?a"))))
    assert show(unload.effect) == (
        "(and (not (in ?c ?t)) "
        "(when (or (broken ?c) (exists (?o - crate) (and (in ?o ?t) (not (= ?o ?c))))) (done)) "
        "(increase (total-cost) (toll)))"
    )
    assert domain.predicates["broken"].parameters == (Variable("?t", ("truck", "crate")),)
    assert domain.types.above("cold-crate") == {"cold-crate", "crate", "thing", "object"}
    problem = parse_problem(WAREHOUSE_PROBLEM, "p", domain)
    assert next(iter(problem.objects)) == "depot"
    assert problem.minimize_cost
    assert problem.values["length"]["north", "south"] == 4.5


@pytest.mark.parametrize(("domain_text", "problem_text"), TASKS)
def test_what_is_shown_reads_back_the_same(domain_text: str, problem_text: str) -> None:
    domain = parse_domain(domain_text)
    problem = parse_problem(problem_text, "p", domain)
    assert parse_goal(show(problem.goal), domain, problem) == problem.goal
    for action in domain.actions:
        parameters = syntax.show_variables(action.parameters)
        body = f":precondition {show(action.precondition)} :effect {show(action.effect)}"
        text = f"(:action again :parameters ({parameters}) {body})"
        again = parse_domain(domain_text.rstrip()[:-1] + text + ")").actions[-1]
        assert (again.precondition, again.effect) == (action.precondition, action.effect)


def test_odd_but_harmless_files_are_read() -> None:
    text = """(define (domain odd)
      (:action go :parameters () :precondition () :effect (and (p) (increase (total-cost) cheap)))
      (:action stay :effect (not (p)))
      (:functions (total-cost) (cheap) - number)
      (:predicates (= ?x ?y) (p) (p) (q ?x) (q ?y - object))
      (:requirements :strips :fluents :no-such-thing)
      (:constants c d - dog e)
      (:types dog - animal animal - object dog - pet object))"""
    domain = parse_domain(text)
    assert [action.name for action in domain.actions] == ["go", "stay"]
    assert domain.types.above("dog") == {"dog", "animal", "pet", "object"}
    problem = parse_problem(
        "(define (problem p) (:domain odd) (:requirements :strips) (:length (:serial 3)) (:goal (q?)) "
        "(:objects c - dog x) (:init (q x) (q x) (not (p)) (= (cheap) 2) (= total-cost 0)))".replace("(q?)", "(q e)"),
        "p",
        domain,
    )
    assert list(problem.objects) == ["c", "d", "e", "x"]
    assert problem.init == {"q": [("x",)]}
    assert normalize(domain, problem).actions[0].cost.constant == 1.0


def test_a_variable_may_follow_a_name_without_a_space() -> None:
    text = BLOCKS.replace("(holding ?x)\n", "(holding?x)\n")
    assert parse_domain(text).actions[1].precondition == Atom("holding", ("?x",))


def test_a_goal_by_hand() -> None:
    domain = parse_domain(BLOCKS)
    problem = parse_problem(BLOCKS_PROBLEM, "p", domain)
    goal = parse_goal("(imply (ON a B) (not (free)))", domain, problem)
    assert goal == Imply(Atom("on", ("a", "b")), Not(Atom("free", ())))


def test_one_domain_serves_many_problems() -> None:
    domain = parse_domain(WAREHOUSE)
    first = normalize(domain, parse_problem(WAREHOUSE_PROBLEM, "p", domain))
    other = WAREHOUSE_PROBLEM.replace("box - crate", "box bag - crate").replace("(:metric minimize (total-cost))", "")
    second = normalize(domain, parse_problem(other, "p", domain))
    third = normalize(domain, parse_problem(WAREHOUSE_PROBLEM, "p", domain))
    assert first == third
    assert len(second.objects) == len(first.objects) + 1
    assert (second.uses_costs, {action.cost.constant for action in second.actions}) == (False, {1.0})


def test_domain_files_are_found_by_their_names(tmp_path: Path) -> None:
    for name in ("p10", "p2", "p01-domain", "p01-easy", "domain", "domain_p2"):
        (tmp_path / f"{name}.pddl").touch()
    assert [path.stem for path in problems_in(tmp_path)] == ["p01-easy", "p2", "p10"]
    assert [domain_of(path).stem for path in problems_in(tmp_path)] == ["p01-domain", "domain_p2", "domain"]
    (tmp_path / "domain.pddl").unlink()
    with pytest.raises(InputError, match="no domain file"):
        domain_of(tmp_path / "p10.pddl")


TEXTS = [text for task in TASKS for text in task]
WORDS = sorted({word for text in TEXTS for word in tokenize(text) if word} | {"-", "?", "99", ":foo", "é"})


@settings(max_examples=300)
@given(
    which=st.sampled_from(range(len(TASKS))),
    problem_too=st.booleans(),
    edits=st.lists(
        st.tuples(st.integers(0, 500), st.sampled_from(["drop", "repeat", "swap", "put"]), st.sampled_from(WORDS)),
        min_size=1,
        max_size=4,
    ),
)
def test_mutated_texts_are_read_or_refused(which: int, problem_too: bool, edits: list[tuple[int, str, str]]) -> None:
    texts = list(TASKS[which])
    tokens = tokenize(texts[problem_too])[:-1]
    for at, kind, word in edits:
        at %= len(tokens)
        if kind == "drop" and len(tokens) > 1:
            del tokens[at]
        elif kind == "repeat":
            tokens.insert(at, tokens[at])
        elif kind == "swap":
            tokens[at - 1], tokens[at] = tokens[at], tokens[at - 1]
        else:
            tokens[at] = word
    texts[problem_too] = " ".join(tokens)
    try:
        domain = parse_domain(texts[0])
        normalize(domain, parse_problem(texts[1], "p", domain))
    except WidthwiseError as error:
        assert str(error)


BENCHMARKS = os.environ.get("WIDTHWISE_BENCHMARKS")
FOLDERS = sorted(p for p in Path(BENCHMARKS).iterdir() if p.is_dir()) if BENCHMARKS else []


def cut_short(path: Path) -> bool:
    """Tell whether a file ends in the middle: collections cut very big ones."""
    tokens = tokenize(path.read_text(encoding="latin-1"))
    return tokens.count("(") != tokens.count(")")


@pytest.mark.ipc
@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_every_benchmark_reads(folder: Path) -> None:
    domains: dict[Path, syntax.DomainDefinition] = {}
    for path in problems_in(folder):
        where = domain_of(path)
        try:
            if where not in domains:
                domains = {where: read_domain(where)}
            problem = read_problem(path, domains[where])
            assert normalize(domains[where], problem).actions
        except InputError:
            if not cut_short(where):
                raise
