"""Everything that can be wrong with a file has its own message, at the right place, and never a traceback."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pddl_texts import BLOCKS, BLOCKS_PROBLEM, WAREHOUSE, WAREHOUSE_PROBLEM
from widthwise.classical.pddl.errors import PddlError, PddlUnsupportedError
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem, read_domain, read_problem
from widthwise.core.errors import InputError


def place_of(text: str, word: str, occurrence: int = 0) -> tuple[int, int]:
    """Return line and column of the n-th occurrence of a word in a text."""
    at = [m.start() for m in re.finditer(re.escape(word), text)][occurrence]
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


# old text, new text, words of the message, the word under the caret
DOMAIN_ERRORS = [
    (
        "(and (clear ?x) (ontable",
        "(and (claer ?x) (ontable",
        ["undeclared predicate 'claer'", "'clear'"],
        "claer",
    ),
    (":precondition (holding ?x)", ":precondition (holding ?z)", ["undeclared variable '?z'"], "?z"),
    (":precondition (holding ?x)", ":precondition (holding box)", ["undeclared object 'box'"], "box"),
    ("(?x ?y - block)\n    :pre", "(?x ?y - blok)\n    :pre", ["undeclared type 'blok'", "'block'"], "blok"),
    (
        ":precondition (holding ?x)",
        ":precondition (holding ?x ?x)",
        ["'holding' takes 1 argument, not 2", "declared at"],
        "holding ?x ?x",
    ),
    (
        ":precondition (holding ?x)",
        ":precondition (holding)",
        ["'holding' takes 1 argument, not 0"],
        "holding)\n",
    ),
    (
        "(on ?x ?y - block)",
        "(on ?x ?y - block) (on ?x - block)",
        ["predicate 'on' is declared twice", "first"],
        "on ?x - block)",
    ),
    (
        "(:action drop",
        "(:action lift",
        ["action 'lift' is declared twice", "first"],
        "lift\n    :parameters (?x - block)\n    :precondition (holding",
    ),
    (
        "(?x ?y - block)\n    :pre",
        "(?x ?x - block)\n    :pre",
        ["variable '?x' appears twice"],
        "?x - block)\n    :precondition (and (holding",
    ),
    (
        ":precondition (holding ?x)",
        ":precondtion (holding ?x)",
        ["unexpected ':precondtion'", "':precondition'"],
        ":precondtion",
    ),
    ("(:predicates", "(:predicate", ["unknown section ':predicate'"], ":predicate"),
    ("(:types block - object)", "(:types block - object) (:types car)", ["a second :types"], ":types car"),
    ("(:types block - object)", "(:types block - car car - block)", ["is its own supertype"], "block - car"),
    (
        ":precondition (holding ?x)",
        ":precondition (not (holding ?x) (free))",
        ["'(' ", "exactly one condition"],
        "(free))\n    :effect (and (clear",
    ),
    (
        ":precondition (holding ?x)",
        ":precondition holding",
        ["unexpected 'holding'", "a condition in parentheses"],
        "holding\n",
    ),
    ("(?x ?y - block)\n    :pre", "(?x ?y -block)\n    :pre", ["unexpected '-block'", "'- block'"], "-block"),
    (
        ":parameters (?x - block)",
        ":parameters (x - block)",
        ["unexpected 'x'", "begin with '?'"],
        "x - block)\n    :precondition (and (clear",
    ),
    ("(define (domain", "(define (domian", ["unexpected 'domian'"], "domian"),
    ("(define", "(defin", ["this is not a PDDL domain"], "(defin"),
]


@pytest.mark.parametrize(("old", "new", "words", "under"), DOMAIN_ERRORS)
def test_a_bad_domain_is_refused_at_the_word(old: str, new: str, words: list[str], under: str) -> None:
    text = changed(BLOCKS, old, new)
    with pytest.raises(PddlError) as caught:
        parse_domain(text, "d.pddl")
    message = str(caught.value)
    for word in words:
        assert word.strip() in message
    error = caught.value
    assert (error.line, error.column) == place_of(text, under)
    first, source, caret = message.splitlines()[:3]
    assert first.startswith(f"d.pddl:{error.line}:{error.column}: ")
    assert source[2:] == text.splitlines()[error.line - 1].rstrip()
    assert caret.index("^") == error.column + 1


PROBLEM_ERRORS = [
    ("(clear a)", "(claer a)", ["undeclared predicate 'claer'", "'clear', declared at d.pddl:"], "claer"),
    ("(clear a)", "(clear d)", ["undeclared object 'd'"], "d)"),
    ("(clear a)", "(clear a b)", ["'clear' takes 1 argument, not 2"], "clear a b"),
    ("(clear a)", "(clear)", ["'clear' takes 1 argument, not 0"], "clear)"),
    ("(clear a)", "clear a", ["unexpected 'clear'"], "clear a"),
    ("a B c - block", "a B a - block", ["object 'a' appears twice in :objects", "first"], "a - block"),
    ("a B c - block", "a B c - blok", ["undeclared type 'blok'", "'block'"], "blok"),
    ("(:domain TOWER)", "(:domain castle)", ["belongs to domain 'castle'", "'tower'"], "castle"),
    ("(on a b)", "(on a (b))", ["unexpected '('"], "(b)"),
    ("(:goal (and (on a b)))", "(:goal (on a b) (on b c))", ["put several into (and"], "(on b c)"),
    ("(:goal (and (on a b)))", "", ["has no :goal"], "(define"),
    ("(:domain TOWER)", "", ["has no :domain"], "(define"),
    ("(clear a)", "(clear a) (not (clear a))", ["both true and false"], "(not (clear"),
    ("(clear a)", "(and (clear a))", ["'and' is not allowed in the initial state"], "and (clear"),
    ("(clear a)", "(= a b)", ["an equality of objects is not a fact"], "(= a"),
    ("(:init", "(:int", ["unknown section ':int'", "':init'"], ":int"),
]


@pytest.mark.parametrize(("old", "new", "words", "under"), PROBLEM_ERRORS)
def test_a_bad_problem_is_refused_at_the_word(old: str, new: str, words: list[str], under: str) -> None:
    domain = parse_domain(BLOCKS, "d.pddl")
    text = changed(BLOCKS_PROBLEM, old, new)
    with pytest.raises(PddlError) as caught:
        parse_problem(text, "p.pddl", domain)
    for word in words:
        assert word in str(caught.value)
    assert (caught.value.line, caught.value.column) == place_of(text, under)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(at box depot)", "(at box lorry)", ["'lorry' is of type truck", "a term of type place"]),
        ("(at box depot)", "(road box depot)", ["'box' is of type crate"]),
        ("(= (toll) 1)", "(= (tol) 1)", ["undeclared function 'tol'", "'toll'"]),
        ("(= (toll) 1)", "(= (toll) one)", ["'one' is not a number"]),
        ("(= (toll) 1)", "(= (toll box) 1)", ["function 'toll' takes 0 arguments, not 1"]),
        ("(= (toll) 1)", "(= (toll) 1) (= (toll) 2)", ["two different values"]),
        ("(at ice north)", "(stocked north)", ["contains the derived predicate 'stocked'"]),
        (
            "lorry - truck",
            "lorry - truck depot - crate",
            ["'depot' is a constant of the domain with another type"],
        ),
        ("(:metric minimize", "(:metric minimise", ["unexpected 'minimise'"]),
    ],
)
def test_types_and_values_of_a_problem_are_checked(old: str, new: str, words: list[str]) -> None:
    domain = parse_domain(WAREHOUSE, "d.pddl")
    with pytest.raises(PddlError) as caught:
        parse_problem(changed(WAREHOUSE_PROBLEM, old, new), "p.pddl", domain)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("(in ?c ?t)\n    :effect", "(in ?t ?c)\n    :effect", "'?t' is of type truck"),
        ("(increase (total-cost) 2)", "(stocked depot)", "an effect changes the derived predicate 'stocked'"),
        ("(length ?a ?b) 1)", "(length ?a ?t) 1)", "'?t' is of type truck"),
        ("(forall (?c - crate) (not (in ?c ?t)))", "(forall ?c (not (in ?c ?t)))", "to begin the variables"),
        ("(in ?c ?t)\n    :effect", "(crate ?c)\n    :effect", "'crate' is a type, not a predicate"),
    ],
)
def test_types_of_variables_are_checked(old: str, new: str, word: str) -> None:
    with pytest.raises(PddlError, match=re.escape(word)):
        parse_domain(changed(WAREHOUSE, old, new), "d.pddl")


UNSUPPORTED = [
    ("(:action wait :effect (and))", "(:durative-action wait :duration (= ?duration 1))", "durative actions"),
    ("(:action wait :effect (and))", "(:constraints (always (done)))", "trajectory constraints"),
    ("(:action wait :effect (and))", "(:process wait)", "processes"),
    (":effect (checked ?p)", ":effect (increase (toll) 1)", "numeric fluent 'toll'"),
    (":effect (checked ?p)", ":effect (assign (toll) 1)", "numeric effect 'assign'"),
    (
        ":effect (checked ?p)",
        ":effect (when (done) (increase (total-cost) 1))",
        "a cost that depends on a condition",
    ),
    ("(increase (total-cost) 2)", "(increase (total-cost) (* 2 3))", "arithmetic operator '*'"),
    ("(increase (total-cost) 2)", "(increase (total-cost) -2)", "a negative cost"),
    (":precondition (in ?c ?t)", ":precondition (> (toll) 3)", "a numeric condition"),
    (":precondition (in ?c ?t)", ":precondition (= (toll) 3)", "a numeric condition"),
    (":precondition (in ?c ?t)", ":precondition (preference p1 (in ?c ?t))", "preferences"),
    ("(toll) - number", "(toll) - place", "functions whose values are objects"),
    ("(at ?c ?p))))", "(not (stocked ?p)))))", "depends on its own negation"),
]


@pytest.mark.parametrize(("old", "new", "word"), UNSUPPORTED)
def test_what_is_not_supported_in_a_domain_is_named(old: str, new: str, word: str) -> None:
    with pytest.raises(PddlUnsupportedError) as caught:
        parse_domain(changed(WAREHOUSE, old, new), "d.pddl")
    assert word in str(caught.value)
    assert re.match(r"d\.pddl:\d+:\d+: not supported: ", str(caught.value))
    assert caught.value.exit_code == 34


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("minimize (total-cost)", "maximize (total-cost)", "a metric to maximize"),
        ("minimize (total-cost)", "minimize (toll)", "a metric other than (total-cost)"),
        ("minimize (total-cost)", "minimize (+ (toll) (total-cost))", "a metric other than (total-cost)"),
        ("(= (total-cost) 0)", "(= (total-cost) 7)", "does not begin at 0"),
        ("(at ice north)", "(at 5 (at ice north))", "timed initial literals"),
        ("(:metric", "(:constraints (always (done))) (:metric", "trajectory constraints"),
        ("(:goal (and ", "(:goal (and (sometime (done)) ", "trajectory constraint 'sometime'"),
    ],
)
def test_what_is_not_supported_in_a_problem_is_named(old: str, new: str, word: str) -> None:
    domain = parse_domain(WAREHOUSE)
    with pytest.raises(PddlUnsupportedError, match=re.escape(word)):
        parse_problem(changed(WAREHOUSE_PROBLEM, old, new), "p.pddl", domain)


def test_domain_and_problem_swapped() -> None:
    with pytest.raises(PddlError, match="swapped"):
        parse_domain(BLOCKS_PROBLEM, "p.pddl")
    with pytest.raises(PddlError, match="swapped"):
        parse_problem(BLOCKS, "d.pddl", parse_domain(BLOCKS))


@pytest.mark.parametrize("text", ["", "  \n\t ", "; only a comment\n"])
def test_an_empty_file_says_so(text: str) -> None:
    with pytest.raises(PddlError, match="the file is empty"):
        parse_domain(text, "d.pddl")
    with pytest.raises(PddlError, match="the file is empty"):
        parse_problem(text, "p.pddl", parse_domain(BLOCKS))


def test_an_unclosed_parenthesis_is_shown_where_it_was_opened() -> None:
    text = changed(BLOCKS, "(not (holding ?x))))\n  (:action stack", "(not (holding ?x)))\n  (:action stack")
    with pytest.raises(PddlError, match="never closed") as caught:
        parse_domain(text, "d.pddl")
    assert (caught.value.line, caught.value.column) == place_of(text, "(:action drop")
    assert "a new section :action begins at d.pddl:" in str(caught.value)
    with pytest.raises(PddlError, match="never closed") as caught:
        parse_domain(BLOCKS.rstrip()[:-1], "d.pddl")
    assert (caught.value.line, caught.value.column) == place_of(BLOCKS, "(define")


def test_a_parenthesis_too_many_is_shown() -> None:
    with pytest.raises(PddlError, match="has no matching"):
        parse_domain(BLOCKS + ")")
    text = changed(BLOCKS, "(free))\n  (:action", "(free)))\n  (:action")
    with pytest.raises(PddlError, match="text after the end") as caught:
        parse_domain(text)
    assert "an extra ')'" in str(caught.value)


@pytest.mark.parametrize("word", ["and", "not", "or"])
def test_deep_nesting_is_no_recursion_error(word: str) -> None:
    deep = f"({word} " * 5000 + "(free)" + ")" * 5000
    with pytest.raises(PddlError, match="nested more than 100 deep"):
        parse_domain(changed(BLOCKS, "(holding ?x)\n    :eff", f"{deep}\n    :eff"))
    if word == "and":
        with pytest.raises(PddlError, match="nested more than 100 deep"):
            parse_domain(changed(BLOCKS, ":effect (and", f":effect (and {deep}"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_domain(tmp_path / "none.pddl")
    (tmp_path / "domain.pddl").write_text(BLOCKS)
    with pytest.raises(InputError, match=r"did you mean .*domain\.pddl"):
        read_domain(tmp_path / "domian.pddl")
    with pytest.raises(InputError, match="is a directory, not a PDDL domain file"):
        read_domain(tmp_path)
    binary = tmp_path / "binary.pddl"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="this is a binary file"):
        read_domain(binary)
    with pytest.raises(InputError):
        read_domain("a\0b")
    if os.geteuid() != 0:
        binary.chmod(0)
        with pytest.raises(InputError, match="permission denied"):
            read_domain(binary)


def test_latin_1_and_utf_8_files_are_read(tmp_path: Path) -> None:
    for encoding in ("latin-1", "utf-8", "utf-8-sig"):
        path = tmp_path / f"{encoding}.pddl"
        path.write_bytes(changed(BLOCKS, "one hand", "eine Hand für Klötze").encode(encoding))
        assert read_domain(path).name == "tower"
    (tmp_path / "p.pddl").write_text(BLOCKS_PROBLEM)
    assert read_problem(tmp_path / "p.pddl", parse_domain(BLOCKS)).name == "two"


def test_long_lines_and_tabs_keep_the_caret_under_the_word() -> None:
    text = changed(BLOCKS, "(and (clear ?x)", "(and\t" + "(free) " * 60 + "(claer ?x)")
    with pytest.raises(PddlError) as caught:
        parse_domain(text, "d.pddl")
    _, source, caret, *_ = str(caught.value).splitlines()
    assert len(source) <= 122
    assert source[caret.index("^") : caret.rindex("^") + 1] == "claer"


@pytest.mark.parametrize(
    ("goal", "word"),
    [
        ("", "the goal is empty"),
        ("(on a", "never closed"),
        ("(on a b) (on b c)", "text after the end of the goal"),
        ("on a b", "a condition in parentheses"),
        ("(onn a b)", "did you mean 'on'"),
        ("(on a bb)", "undeclared object 'bb'"),
        ("(on ?x b)", "undeclared variable '?x'"),
    ],
)
def test_a_bad_goal_is_refused(goal: str, word: str) -> None:
    domain = parse_domain(BLOCKS)
    problem = parse_problem(BLOCKS_PROBLEM, "p.pddl", domain)
    with pytest.raises(PddlError, match=re.escape(word)) as caught:
        parse_goal(goal, domain, problem)
    assert str(caught.value).startswith("<goal>:1:")


def test_a_check_can_stop_the_reading() -> None:
    class Stop(Exception):
        pass

    def stop() -> None:
        raise Stop

    with pytest.raises(Stop):
        parse_domain(BLOCKS, check=stop)
    with pytest.raises(Stop):
        parse_problem(BLOCKS_PROBLEM, "p.pddl", parse_domain(BLOCKS), stop)
