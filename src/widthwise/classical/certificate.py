"""Certificates of unsolvability: a closed set of states that contains the initial state and no goal.

Two kinds exist. `states` lists every state of such a set. `relaxed` lists atoms: the set of all states in which no
other atom is true, closed because nothing else can ever become true even if nothing is deleted.
`widthwise.classical.verify` checks certificates; docs/guide/certificates.md describes the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from widthwise.classical.pddl.lexer import Check, read_text
from widthwise.core.errors import InputError
from widthwise.core.guard import Guard

_BYTES = 20  # of what a certificate becomes, for each byte of its file
FORMAT, VERSION = "widthwise-unsolvability", 1
Kind = Literal["states", "relaxed"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof that a task has no plan, in a form that can be checked.

    Args:
        kind: `states` (all reachable states) or `relaxed` (all atoms that can become true if deletes are ignored).
        domain: The name of the domain.
        problem: The name of the problem.
        atoms: Facts such as `(at a b)` of predicates that actions change.
        states: For the kind `states`, the numbers of the atoms that are true in each state.

    Example:
        >>> certificate = ww.certify(ww.example("corridor", length=2).with_goal("(and (at p0) (at p1))"))
        >>> ww.Certificate.parse(certificate.text()) == certificate
        True
    """

    kind: Kind
    domain: str
    problem: str
    atoms: tuple[str, ...]
    states: tuple[tuple[int, ...], ...] = ()

    @property
    def summary(self) -> str:
        """What it consists of, in words."""
        if self.kind == "relaxed":
            return f"relaxed reachability, {len(self.atoms):,} atom{'' if len(self.atoms) == 1 else 's'}"
        return f"all {len(self.states):,} reachable states, {len(self.atoms):,} atoms"

    def text(self) -> str:
        """Return the certificate as its file has it."""
        head = {"format": FORMAT, "version": VERSION, "kind": self.kind, "domain": self.domain, "problem": self.problem}
        lines = [json.dumps(head)[:-1] + ","]
        lines.append(f'"atoms": {json.dumps(list(self.atoms), indent=0)}' + ("," if self.kind == "states" else "}"))
        if self.kind == "states":
            lines.append('"states": [')
            lines += [f"{json.dumps(list(state))}," for state in self.states[:-1]]
            lines += [f"{json.dumps(list(self.states[-1]))}]}}"]
        return "\n".join(lines) + "\n"

    @staticmethod
    def read(path: str | Path, check: Check | None = None) -> Certificate:
        """Read a certificate file; raises `InputError` if it is not a certificate."""
        text, name = read_text(path, check, "a certificate file")
        if isinstance(check, Guard):
            check.charge(_BYTES * len(text))
        return Certificate.parse(text, name)

    @staticmethod
    def parse(text: str, filename: str = "<certificate>") -> Certificate:
        """Read a certificate from a text."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            place = f":{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            what = error.msg if isinstance(error, json.JSONDecodeError) else "it is not plain JSON"
            raise InputError(f"{filename}{place}: this is not a certificate: {what}") from None
        try:
            return _from_json(data)
        except _Wrong as wrong:
            raise InputError(
                f"{filename}: this is not a certificate: {wrong}\nexpected: a file of `widthwise solve --certificate`"
            ) from None


class _Wrong(Exception):
    """A part of a certificate has the wrong form."""


def _from_json(data: Any) -> Certificate:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _Wrong(f'it has no "format": "{FORMAT}"')
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise _Wrong(f"its version is {_shown(data.get('version'))}, and this program reads version {VERSION}")
    kind = data.get("kind")
    if kind not in ("states", "relaxed"):
        raise _Wrong(f'its kind is {_shown(kind)} and not "states" or "relaxed"')
    names = [data.get(key) for key in ("domain", "problem")]
    if not all(isinstance(name, str) for name in names):
        raise _Wrong('"domain" and "problem" are names')
    atoms = data.get("atoms")
    if not isinstance(atoms, list) or not all(isinstance(atom, str) for atom in atoms):
        raise _Wrong('"atoms" is a list of texts such as "(at a b)"')
    states = data.get("states", [])
    if not isinstance(states, list) or not all(_is_state(state, len(atoms)) for state in states):
        raise _Wrong('"states" is a list of lists of numbers of atoms')
    if (kind == "states") != bool(states):
        raise _Wrong('"states" belongs to the kind "states", which has at least one')
    return Certificate(kind, str(names[0]), str(names[1]), tuple(atoms), tuple(map(tuple, states)))


def _is_state(state: object, atoms: int) -> bool:
    return isinstance(state, list) and all(type(number) is int and 0 <= number < atoms for number in state)


def _shown(value: object) -> str:
    return f"{value!r:.40}"


def fact_text(predicate: str, args: Sequence[str]) -> str:
    """Write a fact as certificates have it."""
    return f"({' '.join((predicate, *args))})"
