"""Packed data back from its description, which may have been forged: every size is checked before it is used."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

from widthwise.core.budget import machine_bytes

#: The types of number an array may have, and their bytes; an array of objects could smuggle in anything.
TYPES = {
    "bool": 1,
    **{f"{kind}{bits}": bits // 8 for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "float16": 2,
    "float32": 4,
    "float64": 8,
}
#: How deep lists and dicts may lie in each other.
DEEPEST = 32
#: How many dimensions an array may have.
_DIMENSIONS = 8
_PIECE = 1 << 20
_UNKNOWN_MACHINE = 4 << 30  # bytes, where the free memory is unknown


class Damaged(ValueError):
    """These bytes are not, or no longer, what was written."""


@dataclass(frozen=True, slots=True)
class PackedLimits:
    """The most bytes that packed data may have: all arrays together after unpacking, and the description."""

    arrays: int
    description: int

    @classmethod
    def of_machine(cls) -> PackedLimits:
        """Half of the memory that is free now for arrays; objects made of a description take many times its bytes."""
        free = machine_bytes() or _UNKNOWN_MACHINE
        return cls(free // 2, free // 64)


class Unpacker:
    """Makes data from a description and the contents before it."""

    def __init__(self, contents: memoryview, limits: PackedLimits) -> None:
        self.contents, self.limits = contents, limits
        self.taken = 0  # bytes of arrays so far

    def restore(self, described: Any, depth: int = 0) -> Any:
        """The value that a description stands for."""
        if depth > DEEPEST:
            raise Damaged(f"its description is nested more than {DEEPEST} levels deep")
        if isinstance(described, list):
            return [self.restore(item, depth + 1) for item in described]
        if not isinstance(described, dict):
            return described
        if len(described) != 1:
            raise Damaged(f"its description is not valid (a mark with {len(described)} names)")
        ((mark, what),) = described.items()
        if mark in ("array", "tensor"):
            return self._array(mark, what)
        if not isinstance(what, list):
            raise Damaged(f"its description is not valid (a {mark!r:.40} without a list)")
        if mark == "tuple":
            return tuple(self.restore(item, depth + 1) for item in what)
        if mark == "dict":
            return dict(self._pair(item, depth + 1) for item in what)
        if mark == "bytes":
            begin, length, packed = self._place(what)
            if packed:
                return bytes(self._unpacked(begin, length))
            self._charge(length)
            return bytes(self.contents[begin : begin + length])
        raise Damaged(f"its description is not valid (the mark {mark!r:.40})")

    def _pair(self, item: Any, depth: int) -> tuple[str | int, Any]:
        if not isinstance(item, list) or len(item) != 2 or type(item[0]) not in (str, int):
            raise Damaged("its description is not valid (a dict with an entry that is not a pair of key and value)")
        return item[0], self.restore(item[1], depth)

    def _place(self, where: list[Any]) -> tuple[int, int, int]:
        """Where contents lie: begin, length, and whether they are compressed; all within the file."""
        if len(where) != 3 or any(type(number) is not int for number in where):
            raise Damaged("its description is not valid (contents without a place)")
        begin, length, packed = where
        if not (begin >= 0 and length >= 0 and begin + length <= len(self.contents) and packed in (0, 1)):
            raise Damaged(f"its description is not valid (contents at {begin} of length {length})")
        return begin, length, packed

    def _array(self, mark: str, what: Any) -> Any:
        import numpy as np

        if not isinstance(what, list) or len(what) != 5:
            raise Damaged("its description is not valid (an array without type, shape and place)")
        kind, shape, *where = what
        if not isinstance(kind, str) or kind not in TYPES:
            raise Damaged(f"its description is not valid (an array of {kind!r:.40})")
        if not isinstance(shape, list) or len(shape) > _DIMENSIONS or any(type(n) is not int or n < 0 for n in shape):
            raise Damaged(f"its description is not valid (an array of shape {shape!r:.40})")
        begin, length, packed = self._place(where)
        size = TYPES[kind] * math.prod(shape)
        if packed and TYPES[kind] > 1:
            raise Damaged(f"its description is not valid (a compressed array of {kind})")
        if not packed and size != length:
            raise Damaged(f"its description is not valid (an array of {size:,} bytes in {length:,})")
        self._charge(size)
        data = self._unpacked(begin, length, size) if packed else bytearray(self.contents[begin : begin + length])
        if kind == "bool" and max(data, default=0) > 1:
            raise Damaged("its description is not valid (an array of truth values with others)")
        array = np.frombuffer(data, dtype=kind).reshape(shape)
        if mark == "array":
            return array
        import torch

        return torch.from_numpy(array)

    def _charge(self, size: int) -> None:
        self.taken += size
        if self.taken > self.limits.arrays:
            raise Damaged(
                f"its arrays would take {self.taken:,} bytes or more, but {self.limits.arrays:,} are allowed: the file "
                "is damaged, or this machine has too little free memory for it"
            )

    def _unpacked(self, begin: int, length: int, size: int | None = None) -> bytearray:
        """Compressed contents; never more than `size` bytes are made of them, or than the limits still allow."""
        most = self.limits.arrays - self.taken if size is None else size
        data = bytearray()
        stream = zlib.decompressobj()
        try:
            rest: bytes | memoryview = self.contents[begin : begin + length]
            while rest and not stream.eof and len(data) <= most:
                data += stream.decompress(rest, min(_PIECE, most + 1 - len(data)))
                rest = stream.unconsumed_tail
        except zlib.error as error:
            raise Damaged(f"its contents cannot be decompressed ({error})") from None
        if size is None:
            self._charge(len(data))
        if not stream.eof or stream.unused_data or (size is not None and len(data) != size):
            raise Damaged("its compressed contents do not have their declared length")
        return data
