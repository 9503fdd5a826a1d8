"""Certificates of unsolvability: a closed set of states that contains the initial state and no goal.

Three kinds exist. `states` lists every state of such a set. `relaxed` lists atoms: the set of all states in which no
other atom is true, closed because nothing else can ever become true even if nothing is deleted. `mutex` also lists
mutexes: sets of literals of which at least one is false in every state of the set.
`widthwise.classical.verify` checks certificates; docs/guide/certificates.md describes the file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from widthwise.classical.pddl.lexer import Check, read_text
from widthwise.core.errors import InputError
from widthwise.core.guard import Guard
from widthwise.core.showing import counted

_BYTES = 20  # of what a certificate becomes, for each byte of its file
_ROWS = {"states": "states", "mutex": "mutexes"}  # per kind, the field that only it has
FORMAT, VERSION = "widthwise-unsolvability", 1
Kind = Literal["states", "relaxed", "mutex"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof that a task has no plan, in a form that can be checked.

    Args:
        kind: `states` (all reachable states), `relaxed` (all atoms that can become true if delete effects are ignored)
            or `mutex` (sets of literals that are never all true).
        domain: The name of the domain.
        problem: The name of the problem.
        atoms: Facts such as `(at a b)` of predicates that actions change.
        states: For the kind `states`, the numbers of the atoms that are true in each state.
        mutexes: For the kind `mutex`, the literals of each mutex: n if the atom with the number n is true, ~n (which is
            -1 - n) if it is false.

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
    mutexes: tuple[tuple[int, ...], ...] = ()

    @property
    def summary(self) -> str:
        """What it consists of, in words."""
        atoms = counted(len(self.atoms), "atom")
        if self.kind == "relaxed":
            return f"relaxed reachability, {atoms}"
        if self.kind == "mutex":
            return f"{counted(len(self.mutexes), 'mutex', 'mutexes')}, {atoms}"
        return f"all {counted(len(self.states), 'reachable state')}, {atoms}"

    def text(self) -> str:
        """Return the contents of the certificate file."""
        head = {"format": FORMAT, "version": VERSION, "kind": self.kind, "domain": self.domain, "problem": self.problem}
        lines = [json.dumps(head)[:-1] + ","]
        rows = self.states if self.kind == "states" else self.mutexes
        lines.append(f'"atoms": {json.dumps(list(self.atoms), indent=0)}' + ("," if rows else "}"))
        if rows:
            lines.append(f'"{_ROWS[self.kind]}": [')
            lines += [f"{json.dumps(list(row))}," for row in rows[:-1]]
            lines += [f"{json.dumps(list(rows[-1]))}]}}"]
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
        """Read a certificate from a string."""
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
    if kind not in ("states", "relaxed", "mutex"):
        raise _Wrong(f'its kind is {_shown(kind)} and not "states", "relaxed" or "mutex"')
    names = [data.get(key) for key in ("domain", "problem")]
    if not all(isinstance(name, str) for name in names):
        raise _Wrong('"domain" and "problem" must be names')
    atoms = data.get("atoms")
    if not isinstance(atoms, list) or not all(isinstance(atom, str) for atom in atoms):
        raise _Wrong('"atoms" must be a list of strings such as "(at a b)"')
    states, mutexes = data.get("states", []), data.get("mutexes", [])
    if not _are_rows(states, 0, len(atoms)):
        raise _Wrong('"states" must be a list of lists of atom numbers')
    if not _are_rows(mutexes, -len(atoms), len(atoms)) or not all(mutexes):
        raise _Wrong('"mutexes" must be a list of non-empty lists of literals')
    for owner, key in _ROWS.items():
        if (kind == owner) != bool(data.get(key)):
            raise _Wrong(f'"{key}" belongs to the kind "{owner}", which has at least one')
    return Certificate(
        kind, str(names[0]), str(names[1]), tuple(atoms), tuple(map(tuple, states)), tuple(map(tuple, mutexes))
    )


def _are_rows(rows: object, low: int, high: int) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list) and all(type(number) is int and low <= number < high for number in row) for row in rows
    )


def _shown(value: object) -> str:
    return f"{value!r:.40}"
