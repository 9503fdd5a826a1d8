"""What a family of example tasks is: a domain file, sizes with bounds, and a seeded generator."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby

from widthwise.core.errors import UsageError

_LINE = 100


@dataclass(frozen=True, slots=True)
class Parameter:
    """A size of a family, with its default and the values it may take."""

    name: str
    default: int
    minimum: int
    maximum: int
    meaning: str


@dataclass(frozen=True, slots=True)
class GeneratedProblem:
    """A generated problem: objects by type, atoms true at the start, atoms of the goal."""

    objects: Sequence[tuple[str, Sequence[str]]]
    init: Sequence[str]
    goal: Sequence[str]


Generator = Callable[[random.Random, Mapping[str, int]], GeneratedProblem]


@dataclass(frozen=True, slots=True)
class Example:
    """A family of tasks: one domain and a problem for every choice of sizes and seed.

    `seeded` is false where the sizes alone decide the problem; the seed is then accepted and changes nothing.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    generate: Generator
    domain_name: str
    seeded: bool = True

    def domain(self) -> str:
        """Return the PDDL text of the domain."""
        file = resources.files(__package__).joinpath("domains", f"{self.name}.pddl")
        return file.read_text(encoding="utf-8")

    def problem(self, seed: int = 0, **sizes: int) -> str:
        """Return the PDDL text of the problem of these sizes; the same arguments give the same bytes."""
        # random.Random takes the absolute value, which would make two seeds one.
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise UsageError(f"a seed must be a whole number of at least 0, not {seed!r}")
        chosen = self.sizes(**sizes)
        problem = self.generate(random.Random(seed), chosen)
        title = "-".join([self.name, *(f"{name}-{value}" for name, value in chosen.items())])
        call = " ".join(f"--size {name}={value}" for name, value in chosen.items())
        if self.seeded:
            title, call = f"{title}-seed-{seed}", f"{call} --seed {seed}"
        return _text(f"widthwise examples {self.name} {call}", title, self.domain_name, problem)

    def sizes(self, **given: int) -> dict[str, int]:
        """Return all sizes in order, defaults filled in; refuse unknown names and values out of range."""
        names = [parameter.name for parameter in self.parameters]
        for name in given:
            if name not in names:
                raise UsageError(
                    f"the example '{self.name}' has no size '{name}'{near_miss(name, names)}; "
                    f"its sizes are {', '.join(names)}"
                )
        chosen = {}
        for parameter in self.parameters:
            value = given.get(parameter.name, parameter.default)
            if isinstance(value, bool) or not isinstance(value, int):
                raise UsageError(f"size '{parameter.name}' must be a whole number, not {value!r}")
            if not parameter.minimum <= value <= parameter.maximum:
                raise UsageError(
                    f"size '{parameter.name}' of the example '{self.name}' must be from {parameter.minimum} "
                    f"to {parameter.maximum}, not {value}"
                )
            chosen[parameter.name] = value
        return chosen


def near_miss(name: str, names: Iterable[str]) -> str:
    """Return a hint at the name that was probably meant, or nothing."""
    close = difflib.get_close_matches(name.lower(), list(names), n=1, cutoff=0.5)
    return f" (did you mean '{close[0]}'?)" if close else ""


def numbered(prefix: str, count: int, first: int = 1) -> list[str]:
    """Return `count` object names that start with `prefix` and count up from `first`."""
    return [f"{prefix}{number}" for number in range(first, first + count)]


def _text(call: str, title: str, domain: str, problem: GeneratedProblem) -> str:
    """Lay a problem out as PDDL, with the command that makes it on top."""
    objects = [[*names, f"- {kind}"] for kind, names in problem.objects if names]
    parts = [
        f"; {call}",
        f"(define (problem {title})",
        f"  (:domain {domain})",
        "  (:objects",
        *_wrapped(objects),
        "  )",
        "  (:init",
        *_wrapped(_rows(problem.init)),
        "  )",
        "  (:goal (and",
        *_wrapped(_rows(problem.goal)),
        "  )))",
    ]
    return "\n".join(parts) + "\n"


def _rows(atoms: Sequence[str]) -> list[list[str]]:
    """Group neighbouring atoms of one predicate, so that each predicate starts a new line."""
    return [list(row) for _, row in groupby(atoms, key=lambda atom: atom.strip("()").partition(" ")[0])]


def _wrapped(rows: Iterable[Sequence[str]]) -> list[str]:
    """Fill lines with the pieces of each row; no piece is ever broken."""
    lines = []
    for row in rows:
        line = "   "
        for piece in row:
            if line.strip() and len(line) + 1 + len(piece) > _LINE:
                lines.append(line)
                line = "   "
            line += " " + piece
        lines.append(line)
    return lines
