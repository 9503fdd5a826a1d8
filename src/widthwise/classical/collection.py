"""Collections of PDDL tasks: which domain belongs to a problem, and in which order problems come."""

from __future__ import annotations

import re
from pathlib import Path

from widthwise.core.errors import InputError

_NUMBERS = re.compile(r"([0-9]+)")


def natural_key(path: Path) -> list[tuple[int, int, str]]:
    """Return a sorting key that puts p2 before p10."""
    parts = _NUMBERS.split(path.name)
    return [(1, int(part), "") if n % 2 else (0, 0, part) for n, part in enumerate(parts)]


def is_domain(path: Path) -> bool:
    """Tell by its name whether a file is a domain file."""
    return "domain" in path.stem.lower()


def problems_in(folder: Path) -> list[Path]:
    """Return the problem files of a folder in natural order."""
    return sorted((path for path in folder.glob("*.pddl") if not is_domain(path)), key=natural_key)


def domain_of(problem: Path) -> Path:
    """Return the domain file of a problem file.

    A domain file for this problem alone (`domain_p01.pddl`, `p01-domain.pddl` and the like next to `p01.pddl`
    or `p01-name.pddl`) comes before the `domain.pddl` of the folder.
    """
    folder, stem = problem.parent, problem.stem
    stems = dict.fromkeys((stem, re.split(r"[-_]", stem)[0]))
    for part in stems:
        for name in (f"{part}-domain", f"{part}_domain", f"domain_{part}", f"domain-{part}"):
            path = folder / f"{name}{problem.suffix}"
            if path.is_file():
                return path
    path = folder / f"domain{problem.suffix}"
    if path.is_file():
        return path
    raise InputError(f"{problem}: there is no domain file for this problem in {folder}")
