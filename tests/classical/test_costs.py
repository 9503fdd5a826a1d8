"""Costs are added up exactly; what is no cost is refused where it stands."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import widthwise as ww
from cli_tools import call, texts
from widthwise.classical.pddl.numbers import number, plain
from widthwise.core.errors import InputError, UnsupportedError, WidthwiseError

DOMAIN = """(define (domain d) (:predicates (at ?p) (next ?a ?b)) (:functions (c ?a) (total-cost) - number)
 (:action go :parameters (?a ?b) :precondition (and (at ?a) (next ?a ?b))
  :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (c ?b)))))"""
PROBLEM = """(define (problem x) (:domain d) (:objects s m g) (:init (at s) (next s m) (next m g) (= (total-cost) 0)
 {values}) (:goal (at g)) (:metric minimize (total-cost)))"""


def solved(folder: Path, middle: str, end: str) -> ww.Result:
    values = f"(= (c m) {middle}) (= (c g) {end}) (= (c s) 1)"
    return ww.solve(ww.load(*texts(folder, DOMAIN, PROBLEM.format(values=values))), improve=True)


@pytest.mark.parametrize(
    ("middle", "end", "cost"),
    [
        ("1", "2", 3),
        ("0.1", "0.2", 0.3),
        ("1e308", "1e308", 2 * 10**308),
        ("1.5e308", "0.5", 1.5e308),
        ("9007199254740993", "1", 9007199254740994),
        ("0", "0", 0),
        ("-0", "1", 1),
    ],
)
def test_sums_are_exact(tmp_path: Path, middle: str, end: str, cost: float) -> None:
    result = solved(tmp_path, middle, end)
    assert result.status is ww.Status.SOLVED and result.cost == cost
    ended = call("solve", str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl"), "--json")
    assert ended.code == 0, ended.err


def test_a_negative_cost_is_refused_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"problem\.pddl:2:\d+: not supported: a negative cost") as caught:
        solved(tmp_path, "-1", "1")
    assert str(caught.value).splitlines()[2].strip() == "^^"
    # A function that no cost depends on may be anything.
    domain = DOMAIN.replace("(c ?a)", "(c ?a) (height ?a)")
    values = "(= (c m) 1) (= (c g) 1) (= (height m) -7)"
    assert ww.load(*texts(tmp_path, domain, PROBLEM.format(values=values))).normal.uses_costs


@pytest.mark.parametrize("token", ["1e309", "1e999999999", "9" * 5000, "0." + "1" * 100_000, "1e-99999"])
def test_a_number_that_cannot_be_held_is_refused(tmp_path: Path, token: str) -> None:
    with pytest.raises(InputError, match="too large or too long"):
        solved(tmp_path, token, "1")
    with pytest.raises(WidthwiseError, match="too large or too long"):
        ww.load(*texts(tmp_path, DOMAIN.replace("(total-cost) (c ?b)", f"(total-cost) {token}"), PROBLEM))


def test_a_cost_without_a_value_is_named_with_both_places(tmp_path: Path) -> None:
    ended = call("solve", *texts(tmp_path, DOMAIN, PROBLEM.format(values="(= (c m) 1)")))
    assert ended.code == 31
    assert "domain.pddl:3:61: the cost (c g) has no initial value" in ended.err
    assert "problem.pddl:1:" in ended.err


def test_numbers_are_read_exactly() -> None:
    assert number("0.1") == Fraction(1, 10) and number("1e3") == 1000 and type(number("2.0")) is int
    assert number("x") is None and number("1e") is None
    assert plain(Fraction(1, 3)) == 1 / 3 and plain(Fraction(10**400 * 2 + 1, 2)) == 10**400
