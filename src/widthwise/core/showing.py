"""Short representations of objects and numbers for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any


def brief(record: Any) -> str:
    """A dataclass as the call that makes it, with the fields that differ from their defaults: `Budget(nodes=100)`."""
    return f"{type(record).__name__}({', '.join(_parts(record, fields(record)))})"


def brief_call(record: Any) -> str:
    """The same with the first field always there and without its name: `IW(2)`."""
    first, *others = fields(record)
    return f"{type(record).__name__}({', '.join([repr(getattr(record, first.name)), *_parts(record, others)])})"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: `1 node`, `12,000 nodes`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def setting(value: Any) -> str:
    """A setting as text: `a=1, b=[2, 3]` for several, `none` for None."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={setting(item)}" for name, item in value.items()) or "none"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(setting, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "on", False: "off"}[value]
    return str(value)


def in_words(value: Any) -> str:
    """A value for a message: single values as they are, collections by their type and length."""
    if isinstance(value, Mapping):
        keys = ", ".join(str(key) for key in list(value)[:5])
        return f"an object with {counted(len(value), 'entry', 'entries')}{f' ({keys:.60})' if keys else ''}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"a {type(value).__name__} of {counted(len(value), 'entry', 'entries')}"
    return f"{value!r:.60}"


def _parts(record: Any, shown: list[Field[Any]] | tuple[Field[Any], ...]) -> list[str]:
    return [
        f"{field.name}={getattr(record, field.name)!r}"
        for field in shown
        if field.repr and getattr(record, field.name) != _default(field)
    ]


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()
