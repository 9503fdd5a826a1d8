"""Small immutable records for syntax trees, cheaper to define and to build than dataclasses.

The reader starts with every run of the command line and builds hundreds of thousands of nodes for a big file.
To define thirty frozen dataclasses takes longer than to read most tasks, and to build one of them three times
as long as one of these.
"""

from __future__ import annotations

from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True)
class NodeType(type):
    """Makes slots and an initialiser of annotations; type checkers see a frozen dataclass."""

    _compared: tuple[str, ...]

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> NodeType:
        """Build the class."""
        fields = tuple(space.get("__annotations__", ()))
        defaults = {field: space.pop(field) for field in fields if field in space}
        space["__slots__"] = space["__match_args__"] = fields
        # Where a node stands takes no part in comparisons.
        space["_compared"] = tuple(field for field in fields if field != "at")
        if fields:
            head = ", ".join(f"{field}=_{field}" if field in defaults else field for field in fields)
            body = "\n ".join(f"self.{field} = {field}" for field in fields)
            namespace: dict[str, Any] = {f"_{field}": value for field, value in defaults.items()}
            exec(f"def __init__(self, {head}):\n {body}", namespace)
            space["__init__"] = namespace["__init__"]
        return super().__new__(mcs, name, bases, space)


class Node(metaclass=NodeType):
    """A record that is equal to one of the same class with equal fields."""

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and all(
            getattr(self, field) == getattr(other, field) for field in self.__class__._compared
        )

    def __hash__(self) -> int:
        return hash((self.__class__, *(getattr(self, field) for field in self.__class__._compared)))

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={getattr(self, field)!r}" for field in self.__class__._compared)
        return f"{self.__class__.__name__}({fields})"
