"""The type hierarchy: which types lie below which, and which terms may stand where a type is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Types: TypeAlias = tuple[str, ...]  # a type as it is written; more than one name means `either`
OBJECT = "object"


class TypeTable:
    """The declared types with their parents; `object` is above all of them."""

    def __init__(self, parents: Mapping[str, Types], declared_at: Mapping[str, int]) -> None:
        self.parents = dict(parents)
        self.parents.setdefault(OBJECT, ())
        self.declared_at = dict(declared_at)
        self._above = {name: self._closure(name) for name in self.parents}
        self._fits: dict[tuple[Types, Types], bool] = {}
        self._meets: dict[tuple[Types, Types], bool] = {}

    def _closure(self, name: str) -> frozenset[str]:
        found = {name, OBJECT}
        todo = [name]
        while todo:
            for parent in self.parents[todo.pop()]:
                if parent not in found:
                    found.add(parent)
                    todo.append(parent)
        return frozenset(found)

    def __contains__(self, name: str) -> bool:
        return name in self.parents

    def above(self, name: str) -> frozenset[str]:
        """Return the type and all types above it."""
        return self._above[name]

    def cycle(self) -> str | None:
        """Return a type that lies above itself, if there is one."""
        for name, parents in self.parents.items():
            if name != OBJECT and any(name in self._above[parent] for parent in parents):
                return name
        return None

    def fits(self, types: Types, wanted: Types) -> bool:
        """Tell whether an object of the given types is one of the wanted types."""
        key = (types, wanted)
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = any(want in self._above[name] for name in types for want in wanted)
        return known

    def meets(self, types: Types, wanted: Types) -> bool:
        """Tell whether some object could be of both: a variable may be of a wider type than a predicate's."""
        key = (types, wanted)
        known = self._meets.get(key)
        if known is None:
            known = self._meets[key] = any(
                not above.isdisjoint(types) and not above.isdisjoint(wanted) for above in self._above.values()
            )
        return known


def show_types(types: Types) -> str:
    """Write a type as PDDL does."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"
