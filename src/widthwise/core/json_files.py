"""Files of JSON in run folders: regular, of bounded size and depth, and of the shape that their reader needs."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from widthwise.core.errors import InputError
from widthwise.core.files import MOST_JSON, read_regular
from widthwise.core.shape import Mismatch, Shape

Record = dict[str, Any]

#: How deep objects and lists may lie in each other.
DEEPEST = 32
#: The most bytes of a line, and of all lines of a compressed file.
MOST_LINE = 64 << 20
MOST_UNPACKED = 4 << 30


def read_json(path: Path, shape: Shape) -> Any:
    """What a file of JSON holds.

    Args:
        path: the file.
        shape: what it has to hold.

    Returns:
        Its value.

    Raises:
        InputError: the file cannot be read, is no JSON, or is not of the shape; the message names the place.

    Example:
        >>> read_json(Path("run/config.json"), run_shapes.CONFIG)["kind"]
        'training'
    """
    return parse_json(path, read_regular(path, MOST_JSON), shape)


def parse_json(path: Path, data: bytes, shape: Shape, number: int | None = None) -> Any:
    """Data of a file, or of its line `number`; raises `InputError` as `read_json` does."""
    where = str(path) if number is None else f"{path}:{number}"
    remedy = "restore the file from a copy" if number is None else "restore the file, or remove this line"
    try:
        value = json.loads(data)
        if data.count(b"[") + data.count(b"{") > DEEPEST and _depth(value) > DEEPEST:
            raise InputError(f"{where}: lies more than {DEEPEST} levels deep; {remedy}")
        shape(value, "")
    except RecursionError:
        raise InputError(f"{where}: lies more than {DEEPEST} levels deep; {remedy}") from None
    except Mismatch as error:
        raise InputError(f"{where}: {error}; {remedy}") from None
    except ValueError as error:
        raise InputError(f"{where}: is not JSON ({error}); {remedy}") from None
    return value


def read_lines(path: Path, shape: Shape) -> tuple[list[Record], bool]:
    """The lines of a file of JSON lines, and whether its last line is torn, which is then left out.

    A name that ends in `.gz` is decompressed, within bounds. Raises `InputError` as `read_json` does.
    """
    lines: list[Record] = []
    for number, raw in enumerate(_raw_lines(path), 1):
        if not raw.endswith(b"\n"):
            return lines, True
        lines.append(parse_json(path, raw, shape, number))
    return lines, False


def _raw_lines(path: Path) -> Iterator[bytes]:
    data = read_regular(path)
    stream: Any = io.BytesIO(data)
    total = 0
    try:
        file = gzip.GzipFile(fileobj=stream) if path.suffix == ".gz" else stream
        while raw := file.readline(MOST_LINE + 1):
            total += len(raw)
            if len(raw) > MOST_LINE or total > max(MOST_UNPACKED, len(data)):
                raise InputError(f"{path}: has lines of more than {MOST_LINE:,} bytes, or too many in all")
            yield raw
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be decompressed ({error}); restore the file from a copy") from None


def _depth(value: Any) -> int:
    """How deep a value lies, without recursion."""
    deepest, pending = 0, [(value, 0)]
    while pending:
        one, depth = pending.pop()
        deepest = max(deepest, depth)
        if depth > DEEPEST:
            break
        if isinstance(one, dict):
            pending += [(inner, depth + 1) for inner in one.values()]
        elif isinstance(one, list):
            pending += [(inner, depth + 1) for inner in one]
    return deepest
