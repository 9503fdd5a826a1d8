"""Atoms, operators and axioms are those of Fast Downward's translator, on the first tasks of every folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from widthwise import _native
from widthwise.classical.collection import domain_of, problems_in
from widthwise.classical.ground import ground
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import read_domain, read_problem

oracle_fd = pytest.importorskip("oracle_fd", reason="needs fast-downward.translate")

BENCHMARKS = os.environ.get("WIDTHWISE_BENCHMARKS")
# Beyond this many operators the translator needs several seconds; one such problem of a folder is enough.
LARGE = 6000
PARTS = ("atoms", "init", "operators", "axioms", "goal")


def folders() -> list[str]:
    if BENCHMARKS is None:
        return []
    return sorted(path.name for path in Path(BENCHMARKS).iterdir() if path.is_dir())


pytestmark = [
    pytest.mark.ipc,
    pytest.mark.skipif(BENCHMARKS is None, reason="WIDTHWISE_BENCHMARKS is not set"),
]


@pytest.mark.parametrize("folder", folders())
def test_like_the_translator(folder: str) -> None:
    """Its normal form grounded by us, and the files read and grounded by us, give its grounding.

    The axioms that normalization makes may come in another order and so have other names: where the files
    are read by us and there are such axioms, atoms, operators and axioms are counted instead of compared.
    """
    for problem in problems_in(Path(str(BENCHMARKS)) / folder)[:2]:
        theirs = oracle_fd.read(domain_of(problem), problem)
        expected = oracle_fd.explore(theirs)
        normal = oracle_fd.to_normal(theirs)
        ours = oracle_fd.by_names(normal, ground(normal, _native.Meter()))
        for part in PARTS:
            assert getattr(ours, part) == getattr(expected, part), (problem.name, part)

        domain = read_domain(domain_of(problem))
        normal = normalize(domain, read_problem(problem, domain))
        task = ground(normal, _native.Meter())
        if any("@" in atom[0] for atom in expected.atoms):
            counts = (task.atom_count, task.operator_count, task.axiom_count)
            assert counts == (len(expected.atoms), expected.operators.total(), expected.axioms.total())
        else:
            ours = oracle_fd.by_names(normal, task)
            for part in PARTS:
                assert getattr(ours, part) == getattr(expected, part), (problem.name, part, "from the files")
        if task.operator_count > LARGE:
            break
