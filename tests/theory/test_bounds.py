"""N(n,d,w): closed form, recursion, known figures, and runs that reach or keep the bound."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import widthwise as ww
from widthwise.cli.main import main
from widthwise.core.errors import UsageError
from widthwise.core.novelty import ValueTable
from widthwise.theory.bounds import flat_states, hierarchical_states, novel_states


@cache
def recursive(n: int, d: int, w: int) -> int:
    """The proposition before Theorem 1, word by word."""
    if w == 0:
        return 1
    if w == n:
        return int(d**n)
    return (d - 1) * recursive(n - 1, d, w - 1) + recursive(n - 1, d, w)


@given(st.integers(0, 60), st.integers(1, 300), st.data())
def test_recursion_and_closed_form_agree(n: int, d: int, data: st.DataObject) -> None:
    w = data.draw(st.integers(0, n))
    assert novel_states(n, d, w) == recursive(n, d, w)
    assert novel_states(n, d, w) <= max(1, n * d) ** w
    assert novel_states(n, d, n + w) == d**n


def test_known_figures() -> None:
    assert novel_states(4, 2, 2) == 11
    assert novel_states(128, 256, 2) == 528_555_841
    assert hierarchical_states([(1, 256, 1), (127, 256, 1)]) == 8_290_816
    assert flat_states([(1, 256, 1), (127, 256, 1)]) == novel_states(128, 256, 2)
    assert novel_states(2000, 1000, 1000) % 10 in range(10)  # exact, far beyond floats


def test_nonsense_is_refused() -> None:
    for wrong in ((-1, 2, 1), (3, 0, 1), (3, 2, -1)):
        with pytest.raises(UsageError):
            novel_states(*wrong)


@given(st.integers(1, 4), st.integers(2, 3), st.integers(1, 4), st.randoms(use_true_random=False))
def test_no_order_of_states_passes_the_bound(n: int, d: int, w: int, rng: object) -> None:
    states = list(product(range(d), repeat=n))
    rng.shuffle(states)  # type: ignore[attr-defined]
    table = ValueTable(w)
    novel = sum(table.take(state) for state in states)
    assert novel <= novel_states(n, d, w)


@pytest.mark.parametrize(("n", "d", "w"), [(4, 2, 2), (4, 2, 1), (3, 3, 2), (5, 2, 3), (4, 3, 2)])
def test_some_order_of_states_reaches_the_bound(n: int, d: int, w: int) -> None:
    # States that differ from the first in few features come first: each shows one new tuple only.
    states = sorted(product(range(d), repeat=n), key=lambda state: sum(map(bool, state)))
    seen: set[tuple[tuple[int, int], ...]] = set()
    novel = 0
    for state in states:
        tuples = set(combinations(enumerate(state), min(w, n)))
        novel += not tuples <= seen
        seen |= tuples
    assert novel <= novel_states(n, d, w)
    if (n, d, w) == (4, 2, 2):
        assert novel == 11


def test_the_command_prints_both_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "128", "256", "2"]) == 0
    assert capsys.readouterr().out == "N(128,256,2) = 528555841  (about 5.3e8)\n"
    assert main(["bounds", "127", "256", "1", "--high", "1", "256", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "HIW(1,1)  N(1,256,1) * N(127,256,1) = 8290816  (about 8.3e6)",
        "IW(2)     N(128,256,2)              = 528555841  (about 5.3e8)",
        "the bound of the hierarchy is 63.7 times smaller",
    ]
    assert main(["bounds", "4", "2", "2"]) == 0
    assert capsys.readouterr().out == "N(4,2,2) = 11\n"
    assert main(["bounds", "3000", "1000", "1500"]) == 0
    assert "e" in capsys.readouterr().out


NEGATIVE = """
(define (domain lamps) (:requirements :strips :negative-preconditions :typing) (:types lamp)
 (:predicates (on ?l - lamp) (next ?a ?b - lamp) (bright))
 (:action switch-off :parameters (?a ?b - lamp) :precondition (and (on ?a) (next ?b ?a) (not (on ?b)))
  :effect (not (on ?a)))
 (:action switch-on :parameters (?a - lamp) :precondition (not (on ?a)) :effect (on ?a)))
"""
LAMPS = """
(define (problem four) (:domain lamps) (:objects a b c d - lamp)
 (:init (on b) (on c) (on d) (next a b) (next b c) (next c d)) (:goal (bright)))
"""


@pytest.mark.parametrize("width", [1, 2])
def test_the_bound_holds_where_falsehood_is_a_value(width: int) -> None:
    """The states that IW(w) keeps by novelty over values are at most N(atoms, 2, w)."""
    task = ww.parse(NEGATIVE, LAMPS)
    lamps = [atom for atom in task.atoms if atom.startswith("(on ")]
    assert len(lamps) == 4
    seen = ww.solve(task, ww.IW(width), goal="(and (not (on b)) (not (on c)) (not (on d)) (not (on a)))")
    kept = seen.generated - seen.pruned
    assert len(lamps) < kept <= novel_states(len(lamps), 2, width)
