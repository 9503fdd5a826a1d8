"""JSON files in run folders: readers check size, nesting depth and shape."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from widthwise.core.errors import InputError
from widthwise.core.files import MOST_JSON, read_regular
from widthwise.core.shape import Mismatch, Shape

Record = dict[str, Any]

#: The maximum nesting depth of objects and lists.
DEEPEST = 32
#: The maximum size of a line, and of all lines of a compressed file, in bytes.
MOST_LINE = 64 << 20
MOST_UNPACKED = 4 << 30
#: An escape for half of a character. Without the other half it cannot be written to any file.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: Path, shape: Shape) -> Any:
    """The value in a JSON file.

    Args:
        path: the file.
        shape: the shape that its value must have.

    Returns:
        Its value.

    Raises:
        InputError: the file cannot be read, is not JSON, or does not have the shape; the message names the place.

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
        text = data.decode(json.detect_encoding(data))
        value = json.loads(text)
        if data.count(b"[") + data.count(b"{") > DEEPEST and _depth(value) > DEEPEST:
            raise InputError(f"{where}: nested more than {DEEPEST} levels deep; {remedy}")
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        shape(value, "")
    except UnicodeEncodeError as error:
        escape = ascii(error.object[error.start])
        raise InputError(f"{where}: a string contains {escape}, half of a surrogate pair; {remedy}") from None
    except RecursionError:
        raise InputError(f"{where}: nested more than {DEEPEST} levels deep; {remedy}") from None
    except Mismatch as error:
        raise InputError(f"{where}: {error}; {remedy}") from None
    except ValueError as error:
        raise InputError(f"{where}: this is not valid JSON ({error}); {remedy}") from None
    return value


def read_lines(path: Path, shape: Shape) -> tuple[list[Record], bool]:
    """The values in a JSON Lines file, and whether the last line is incomplete; an incomplete line is left out.

    A file whose name ends in `.gz` is decompressed. Raises `InputError` as `read_json` does.
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
                raise InputError(f"{path}: a line has more than {MOST_LINE:,} bytes, or the file is too large")
            yield raw
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be decompressed ({error}); restore the file from a copy") from None


def _depth(value: Any) -> int:
    """The nesting depth of a value, computed without recursion."""
    deepest, pending = 0, [(value, 0)]
    while pending:
        inner, depth = pending.pop()
        deepest = max(deepest, depth)
        if depth > DEEPEST:
            break
        if isinstance(inner, dict):
            pending += [(item, depth + 1) for item in inner.values()]
        elif isinstance(inner, list):
            pending += [(item, depth + 1) for item in inner]
    return deepest
