"""The type hierarchy: which types lie below which, and which terms may stand where a type is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

Types: TypeAlias = tuple[str, ...]  # a type as it is written; more than one name means `either`
OBJECT = "object"


class TypeTable:
    """The declared types with their parents; `object` is above all of them.

    Only what is declared is stored, so that the memory grows with the file and not with its square. Questions are
    answered by walking along the parents, once for each pair of types.
    """

    def __init__(
        self,
        parents: Mapping[str, Iterable[str]],
        declared_at: Mapping[str, int],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.parents = {name: tuple(above) for name, above in parents.items()}
        self.parents.setdefault(OBJECT, ())
        self.declared_at = dict(declared_at)
        self._check = check
        self._fits: dict[tuple[Types, Types], bool] = {}
        self._meets: dict[tuple[Types, Types], bool] = {}
        self._children: dict[str, list[str]] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.parents

    def drop_check(self) -> None:
        """Let go of the check of the reader: a budget must not outlive the reading."""
        self._check = _no_check

    def above(self, name: str) -> frozenset[str]:
        """Return the type and all types above it."""
        return frozenset({*self._closure((name,), self.parents), OBJECT})

    def _closure(self, names: Iterable[str], steps: Mapping[str, Iterable[str]]) -> set[str]:
        self._check()
        closure = set(names)
        todo = list(closure)
        while todo:
            for name in steps.get(todo.pop(), ()):
                if name not in closure:
                    closure.add(name)
                    todo.append(name)
        return closure

    def cycle(self) -> str | None:
        """Return a type that is above itself, if there is one."""
        done: set[str] = set()
        for start in self.parents:
            path: dict[str, None] = {}
            todo: list[tuple[str, bool]] = [(start, False)]
            while todo:
                name, leaving = todo.pop()
                if leaving:
                    del path[name]
                    done.add(name)
                elif name in path:
                    return name
                elif name not in done and name != OBJECT:
                    path[name] = None
                    todo.append((name, True))
                    todo.extend((parent, False) for parent in self.parents[name])
        return None

    def fits(self, types: Types, wanted: Types) -> bool:
        """Return whether an object of the given types is one of the wanted types."""
        if types == wanted or OBJECT in wanted:
            return True
        key = (types, wanted)
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = not self._closure(types, self.parents).isdisjoint(wanted)
        return known

    def meets(self, types: Types, wanted: Types) -> bool:
        """Tell whether some object could be of both: a variable may be of a wider type than a predicate's."""
        if OBJECT in types or self.fits(types, wanted):
            return True
        key = (types, wanted)
        known = self._meets.get(key)
        if known is None:
            if self._children is None:
                self._children = {}
                for name, parents in self.parents.items():
                    for parent in parents:
                        self._children.setdefault(parent, []).append(name)
            below = self._closure(types, self._children)
            known = self._meets[key] = not below.isdisjoint(self._closure(wanted, self._children))
        return known


def _no_check() -> None:
    pass


def show_types(types: Types) -> str:
    """Write a type as PDDL does."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"
