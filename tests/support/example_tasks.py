"""Bundled example tasks, read and grounded, for tests."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import widthwise as ww
from widthwise.classical.examples import find


@cache
def example(name, **sizes):
    """The task of a bundled family with these sizes."""
    family = find(name)
    with TemporaryDirectory() as folder:
        domain, problem = Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"
        domain.write_text(family.domain(), encoding="utf-8")
        problem.write_text(family.problem(**sizes), encoding="utf-8")
        return ww.load(domain, problem)
