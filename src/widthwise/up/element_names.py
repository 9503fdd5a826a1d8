"""Names in PDDL for the elements of a problem of unified-planning, one to one.

unified-planning allows any text as a name and distinguishes upper and lower case; PDDL does neither. A name that PDDL
can write is kept in lower case. Other characters become `_`, and a name that is taken gets a number.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import count
from typing import Any

from widthwise.classical.pddl.typetable import OBJECT

_FOREIGN = re.compile(r"[^\w-]")
#: Words with a special meaning where a name could be.
_RESERVED = ("and", "or", "not", "imply", "forall", "exists", "when", "increase", "either", "total-cost", OBJECT)


def clean(name: str) -> str:
    """A name in the characters of PDDL."""
    text = _FOREIGN.sub("_", name.lower())
    return f"_{text}" if not text or text[0] == "-" else text


def fresh(name: str, taken: Container[str]) -> str:
    """A name that is not taken: the name itself, or the name with the first number that is free."""
    if name not in taken:
        return name
    return next(text for number in count(1) if (text := f"{name}_{number}") not in taken)


class NameTable:
    """A one-to-one table between the elements of one kind in a problem, by their names there, and names in PDDL."""

    def __init__(self, elements: Iterable[Any] = ()) -> None:
        self._taken = set(_RESERVED)
        self._names: dict[str, str] = {}
        self.elements: dict[str, Any] = {}  # by their names in PDDL
        for element in elements:
            self.add(element.name, element)

    def add(self, name: str, element: Any = None) -> str:
        """Enter an element under its own name in PDDL or, if that is taken, under a similar one."""
        chosen = fresh(clean(name), self._taken)
        self._taken.add(chosen)
        self._names[name] = chosen
        self.elements[chosen] = element
        return chosen

    def put(self, name: str, chosen: str, element: Any) -> None:
        """Enter an element under a given name."""
        self._names[name], self.elements[chosen] = chosen, element

    def new(self, name: str) -> str:
        """A name for something that is not an element of the problem."""
        chosen = fresh(clean(name), self._taken)
        self._taken.add(chosen)
        return chosen

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> str:
        return self._names[name]


class ElementNames:
    """The names of types, fluents, actions and objects of a problem. They follow from the problem alone."""

    def __init__(self, problem: Any) -> None:
        self.types = NameTable()
        tops = [kind for kind in problem.user_types if kind.father is None]
        # In PDDL `object` is above all types. A type of that name is the same only if it is above all others.
        if len(tops) == 1 and tops[0].name.lower() == OBJECT:
            self.types.put(tops[0].name, OBJECT, tops[0])
        self.parents: dict[str, tuple[str]] = {}  # the types as a table of PDDL has them
        for kind in problem.user_types:
            self.type_of(kind)
        self.fluents = NameTable(problem.fluents)
        self.actions = NameTable(problem.actions)
        self.objects = NameTable(problem.all_objects)

    def type_of(self, kind: Any) -> str:
        """The name of a user type. A problem does not list a type that only a quantifier mentions."""
        if kind.name not in self.types:
            self.types.add(kind.name, kind)
        name = self.types[kind.name]
        if name != OBJECT and name not in self.parents:
            self.parents[name] = (OBJECT if kind.father is None else self.type_of(kind.father),)
        return name
