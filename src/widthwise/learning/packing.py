"""Plain data as bytes and back: nested lists and dicts of numbers, texts, bytes, arrays and tensors; never code.

A packed file is, in order: a magic line, the contents of the arrays one after another, a description in JSON of what
they are and where they belong, the length of that description, and a SHA-256 of everything before it. Nothing in it is
executed when it is read: an unknown mark in the description is an error, not an import.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import IO, Any

MAGIC = b"widthwise plain data\n"
_DIGEST = 32
_LENGTH = 8
_PIECE = 1 << 20
#: The types of number an array may have; an array of objects could smuggle in anything.
_TYPES = frozenset(
    [
        "bool",
        *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
        "float16",
        "float32",
        "float64",
    ]
)


class Damaged(ValueError):
    """These bytes are not, or no longer, what was written."""


def write(stream: IO[bytes], data: Any) -> None:
    """Write data to a binary stream."""
    writer = _Writer(stream)
    writer.put(MAGIC)
    described = json.dumps(writer.describe(data, "data"), separators=(",", ":")).encode()
    writer.put(described)
    writer.put(len(described).to_bytes(_LENGTH, "little"))
    stream.write(writer.digest.digest())


def read(raw: bytes) -> Any:
    """The data in some bytes; raises Damaged if they are not exactly what `write` wrote."""
    if not raw.startswith(MAGIC):
        raise Damaged("it is no file of ours")
    if len(raw) < len(MAGIC) + _LENGTH + _DIGEST:
        raise Damaged("it is cut off")
    if hashlib.sha256(memoryview(raw)[:-_DIGEST]).digest() != raw[-_DIGEST:]:
        raise Damaged("its contents do not fit its checksum")
    end = len(raw) - _DIGEST - _LENGTH
    length = int.from_bytes(raw[end : end + _LENGTH], "little")
    try:
        return _restore(json.loads(raw[end - length : end]), memoryview(raw))
    except (ValueError, KeyError, TypeError, IndexError, zlib.error) as error:
        raise Damaged(f"its description makes no sense ({error})") from None


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
            return [self.describe(one, f"{place}[{index}]") for index, one in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": [self.describe(one, f"{place}[{index}]") for index, one in enumerate(value)]}
        if isinstance(value, dict):
            pairs = []
            for key, one in value.items():
                if type(key) not in (str, int):
                    raise TypeError(f"{place} has the key {key!r}; keys are texts or whole numbers")
                pairs.append([key, self.describe(one, f"{place}.{key}")])
            return {"dict": pairs}
        if isinstance(value, bytes | bytearray):
            return {"bytes": self.blob(value, pack=len(value) > 64)}
        return self.array(value, place)

    def array(self, value: Any, place: str) -> Any:
        mark = "array"
        if hasattr(value, "detach"):
            mark, value = "tensor", value.detach().cpu().contiguous().numpy()
        kind = getattr(value, "dtype", None)
        if kind is None or kind.name not in _TYPES:
            raise TypeError(f"{place} is {type(value).__name__} {kind or ''}, which is no plain data")
        shape = list(value.shape)
        # Pictures compress well; weights do not, and only cost time.
        flat = value.reshape(-1) if value.flags.c_contiguous else value.ravel()
        packed = kind.itemsize == 1 and flat.nbytes > 64
        return {mark: [kind.name, shape, *(self.blob(flat.data, pack=packed) if flat.nbytes else [0, 0, 0])]}


def _restore(told: Any, raw: memoryview) -> Any:
    if isinstance(told, list):
        return [_restore(one, raw) for one in told]
    if not isinstance(told, dict):
        return told
    ((mark, what),) = told.items()
    if mark == "tuple":
        return tuple(_restore(one, raw) for one in what)
    if mark == "dict":
        return {key: _restore(one, raw) for key, one in what}
    if mark == "bytes":
        return _contents(raw, *what)
    if mark not in ("array", "tensor"):
        raise ValueError(f"the mark {mark!r}")
    return _array(mark, what, raw)


def _array(mark: str, told: list[Any], raw: memoryview) -> Any:
    import numpy as np

    kind, shape, *where = told
    if kind not in _TYPES:
        raise ValueError(f"an array of {kind!r}")
    array = np.frombuffer(bytearray(_contents(raw, *where)), dtype=kind).reshape(shape)
    if mark == "array":
        return array
    import torch

    return torch.from_numpy(array)


def _contents(raw: memoryview, begin: int, length: int, packed: int) -> bytes:
    piece = raw[begin : begin + length]
    return zlib.decompress(piece) if packed else bytes(piece)
