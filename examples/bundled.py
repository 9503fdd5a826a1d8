"""Load a bundled task by name, for the other examples."""

from __future__ import annotations

import tempfile
from pathlib import Path

import widthwise as ww
from widthwise.classical.examples import EXAMPLES


def bundled(name: str, seed: int = 0, **sizes: int) -> ww.Task:
    """A bundled task of these sizes, read and grounded."""
    return from_texts(EXAMPLES[name].domain(), EXAMPLES[name].problem(seed=seed, **sizes))


def from_texts(domain: str, problem: str) -> ww.Task:
    """A task given as PDDL texts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        for path, text in zip(paths, (domain, problem), strict=True):
            path.write_text(text, encoding="utf-8")
        return ww.load(*paths)
