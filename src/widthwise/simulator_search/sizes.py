"""How much memory a saved state of a simulator takes, about."""

from __future__ import annotations

from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

#: Objects of a saved state that are looked at; the rest is not counted.
_MOST = 5_000
_OBJECT, _POINTER = 64, 16
#: What saved states refer to and do not copy.
_SHARED = (type(None), bool, type, ModuleType, FunctionType, BuiltinFunctionType)


def size_of(value: Any) -> int:
    """The bytes of a value with all that it holds, about.

    The same contents have the same size in every process, as what an archive keeps depends on it. `sys.getsizeof` does
    not give that: the size of a dictionary depends on how it grew.

    Args:
        value: Plain data, arrays, and objects with attributes. An object that is held twice counts once.

    Returns:
        The bytes.

    Example:
        >>> size_of(b"abcd")
        4
    """
    if isinstance(value, bytes):
        return len(value)
    total, seen, pending = 0, {id(value)}, [value]
    while pending and len(seen) < _MOST:
        part = pending.pop()
        inside: list[Any] = []
        array: Any = part if isinstance(getattr(part, "nbytes", None), int) else None  # of NumPy or alike
        if array is not None:
            total += _OBJECT + array.nbytes
            inside = list(array.flat) if getattr(getattr(array, "dtype", None), "hasobject", False) else []
        elif isinstance(part, bytes | bytearray | str):
            total += _OBJECT + len(part)
        else:
            total += _OBJECT
            inside = _inside(part)
            total += _POINTER * len(inside)
        for held in inside:
            if not isinstance(held, _SHARED) and id(held) not in seen:
                seen.add(id(held))
                pending.append(held)
    return total


def _inside(part: Any) -> list[Any]:
    """The objects that an object holds."""
    if isinstance(part, Mapping):
        return [*part.keys(), *part.values()]
    if isinstance(part, list | tuple | set | frozenset):
        return list(part)
    slots = [name for kind in type(part).__mro__ for name in _names(getattr(kind, "__slots__", ()))]
    held = [getattr(part, name) for name in slots if not name.startswith("__") and hasattr(part, name)]
    return held + list(getattr(part, "__dict__", {}).values())


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
