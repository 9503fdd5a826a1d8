"""Writing that fails: the k-th operation that changes a file below a folder raises an error, as a full disk does.

Opening for writing, writing, truncating, forcing to the disk, renaming and making folders are counted, in the order in
which the process does them. Nothing in the program knows of it: the functions of Python itself are replaced.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Faults:
    """Counts operations below `root`; the one with the number `fail_at` fails, and all after it if `lasting`."""

    def __init__(self, root: Path, fail_at: int = 0, code: int = errno.ENOSPC, *, lasting: bool = False) -> None:
        self.root, self.fail_at, self.code, self.lasting = root.resolve(), fail_at, code, lasting
        self.count = 0

    def tick(self, path: Any) -> None:
        """An operation on a path is about to be done."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        place = Path(os.path.abspath(os.fsdecode(path)))
        if not place.is_relative_to(self.root) or "events" in place.parts:
            return
        self.count += 1
        if self.fail_at and (self.count == self.fail_at or (self.lasting and self.count > self.fail_at)):
            raise OSError(self.code, os.strerror(self.code), str(path))

    @contextlib.contextmanager
    def installed(self) -> Iterator[Faults]:
        """Count, and fail, within the block."""
        faults, real_open = self, io.open

        class Raw(io.FileIO):
            def write(self, data: Any) -> Any:
                faults.tick(self.name)
                return super().write(data)

            def truncate(self, size: int | None = None) -> int:
                faults.tick(self.name)
                return super().truncate(size)

        def opened(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any) -> Any:
            if isinstance(file, int) or not set(mode) & set("wax+") or not faults.below(file):
                return real_open(file, mode, buffering, *more, **named)
            faults.tick(file)
            plain = mode.replace("b", "").replace("t", "")
            raw = Raw(os.fspath(file), plain, opener=named.pop("opener", None))
            size = buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE
            buffer: Any = io.BufferedRandom(raw, size) if "+" in mode else io.BufferedWriter(raw, size)
            return buffer if "b" in mode else io.TextIOWrapper(buffer, *more, **named)

        def before(name: str) -> Any:
            real = getattr(os, name)

            def call(path: Any, *more: Any, **named: Any) -> Any:
                faults.tick(path)
                return real(path, *more, **named)

            return call

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(builtins, "open", opened)
            patch.setattr(io, "open", opened)
            for name in ("fsync", "replace", "rename", "mkdir"):
                patch.setattr(os, name, before(name))
            yield self

    def below(self, path: Any) -> bool:
        """Whether a path lies below the root."""
        return Path(os.path.abspath(os.fsdecode(path))).is_relative_to(self.root)
