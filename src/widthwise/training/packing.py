"""Plain data as bytes and back: nested lists and dicts of numbers, texts, bytes, arrays and tensors; never code.

A packed file is, in order: a magic line, the contents of the arrays one after another, a description in JSON of what
they are and where they belong, the length of that description, and a SHA-256 of everything before it. Nothing in it is
executed when it is read: an unknown mark in the description is an error, not an import. Reading (`unpacking`) trusts
nothing in the description.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import IO, Any

from widthwise.training.unpacking import TYPES, Damaged, PackedLimits, Unpacker

__all__ = ["MAGIC", "Damaged", "PackedLimits", "read", "write"]

MAGIC = b"widthwise plain data\n"
_DIGEST = 32
_LENGTH = 8
_PIECE = 1 << 20


def write(stream: IO[bytes], data: Any) -> None:
    """Write data to a binary stream."""
    writer = _Writer(stream)
    writer.put(MAGIC)
    described = json.dumps(writer.describe(data, "data"), separators=(",", ":")).encode()
    writer.put(described)
    writer.put(len(described).to_bytes(_LENGTH, "little"))
    stream.write(writer.digest.digest())


def read(raw: bytes, limits: PackedLimits | None = None) -> Any:
    """The data in some bytes.

    Args:
        raw: what `write` wrote.
        limits: how large the data may be; by default what fits into the memory of this machine.

    Returns:
        The data, as it was given to `write`.

    Raises:
        Damaged: the bytes are not exactly what `write` wrote, or hold more than the limits allow. Sizes are compared
            with the limits before anything is allocated for them.
    """
    if not raw.startswith(MAGIC):
        raise Damaged("it is not a checkpoint of Widthwise")
    if len(raw) < len(MAGIC) + _LENGTH + _DIGEST:
        raise Damaged("it is cut off")
    if hashlib.sha256(memoryview(raw)[:-_DIGEST]).digest() != raw[-_DIGEST:]:
        raise Damaged("its contents do not match its checksum")
    limits = limits or PackedLimits.of_machine()
    end = len(raw) - _DIGEST - _LENGTH
    length = int.from_bytes(raw[end : end + _LENGTH], "little")
    if length > end - len(MAGIC):
        raise Damaged(f"its description declares {length:,} bytes, but the file has {len(raw):,}")
    if length > limits.description:
        raise Damaged(f"its description has {length:,} bytes, more than the {limits.description:,} that are allowed")
    try:
        described = json.loads(raw[end - length : end])
    except (ValueError, RecursionError) as error:
        raise Damaged(f"its description is not JSON ({error})") from None
    return Unpacker(memoryview(raw)[: end - length], limits).restore(described)


class _Writer:
    """Writes contents as they come and keeps their description."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.digest = hashlib.sha256()
        self.at = 0

    def put(self, raw: Any) -> None:
        self.stream.write(raw)
        self.digest.update(raw)
        self.at += len(raw)

    def blob(self, raw: Any, *, pack: bool) -> list[int]:
        """Write some contents: where they begin, how long they are, and whether they are compressed."""
        begin = self.at
        view = memoryview(raw).cast("B")
        if not pack:
            self.put(view)
            return [begin, self.at - begin, 0]
        # The lightest level: pictures of simulators shrink a hundredfold with it, and the run waits meanwhile.
        packer = zlib.compressobj(1)
        for start in range(0, len(view), _PIECE):
            self.put(packer.compress(view[start : start + _PIECE]))
        self.put(packer.flush())
        return [begin, self.at - begin, 1]

    def describe(self, value: Any, place: str) -> Any:
        """The description of a value, its contents written on the way."""
        if value is None or isinstance(value, bool | str) or type(value) in (int, float):
            return value
        if isinstance(value, list):
            return [self.describe(item, f"{place}[{index}]") for index, item in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": [self.describe(item, f"{place}[{index}]") for index, item in enumerate(value)]}
        if isinstance(value, dict):
            pairs = []
            for key, item in value.items():
                if type(key) not in (str, int):
                    raise TypeError(f"{place} has the key {key!r}; keys must be strings or whole numbers")
                pairs.append([key, self.describe(item, f"{place}.{key}")])
            return {"dict": pairs}
        if isinstance(value, bytes | bytearray):
            return {"bytes": self.blob(value, pack=len(value) > 64)}
        return self.array(value, place)

    def array(self, value: Any, place: str) -> Any:
        mark = "array"
        if hasattr(value, "detach"):
            mark, value = "tensor", value.detach().cpu().contiguous().numpy()
        kind = getattr(value, "dtype", None)
        if kind is None or kind.name not in TYPES:
            raise TypeError(f"{place} is {type(value).__name__} {kind or ''}, which is not plain data")
        shape = list(value.shape)
        # Pictures compress well; weights do not, and only cost time.
        flat = value.reshape(-1) if value.flags.c_contiguous else value.ravel()
        packed = kind.itemsize == 1 and flat.nbytes > 64
        return {mark: [kind.name, shape, *(self.blob(flat.data, pack=packed) if flat.nbytes else [0, 0, 0])]}
