"""Files of run folders and results: read if regular and not too large, written whole or not at all.

What lies in a run folder may come from somebody else. A name there may be a link to another file, a pipe that never
ends, or a file larger than memory. Readers here refuse all three, and writers never follow a link.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from widthwise.core.errors import InputError, OutputError, WidthwiseError

#: The most bytes that a file of JSON (settings, summary) may have.
MOST_JSON = 64 << 20
_BUFFER = 1 << 20


def read_regular(path: Path, most: int | None = None) -> bytes:
    """The contents of a regular file.

    Args:
        path: the file.
        most: the most bytes it may have; `None` for no limit.

    Returns:
        All its bytes.

    Raises:
        InputError: it cannot be read, is no regular file, or is larger than `most`.

    Example:
        >>> read_regular(Path("run/config.json"), MOST_JSON)
    """
    try:
        # A pipe without a writer would make a plain open wait for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            about = os.fstat(handle)
            if stat.S_ISDIR(about.st_mode):
                raise InputError(f"{path}: is a folder, not a file")
            if not stat.S_ISREG(about.st_mode):
                raise InputError(f"{path}: is not a regular file; only regular files are read")
            if most is not None and about.st_size > most:
                raise InputError(f"{path}: has {about.st_size:,} bytes; at most {most:,} are read")
            with open(handle, "rb", closefd=False) as file:
                data = file.read() if most is None else file.read(most + 1)
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    if most is not None and len(data) > most:
        raise InputError(f"{path}: has more than {most:,} bytes, which is the most that is read")
    return data


def open_to_append(path: Path) -> BinaryIO:
    """A file to read and to append to; a link or anything but a regular file is refused.

    Args:
        path: the file; it is made if it does not exist.

    Returns:
        The open file.

    Raises:
        OSError: it cannot be opened, or is not a regular file.
    """
    file = open(path, "ab+", opener=_no_link)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


@contextlib.contextmanager
def written_whole(path: Path, draft: Path | None = None, *, sync: bool = True) -> Iterator[BinaryIO]:
    """A file that appears under its name when the block ends, whole, and not at all if anything goes wrong.

    Args:
        path: its name.
        draft: where it is written first, in the same folder.
        sync: whether to wait until it is on the disk for good.

    Yields:
        The open draft, in binary mode.

    Raises:
        OutputError: it cannot be written; the file that was there is as it was, and no draft is left.
    """
    draft = draft or path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()  # of a process that was killed; or a link to somewhere else
        with open(draft, "xb", _BUFFER, opener=_no_link) as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.replace(draft, path)
        if sync:
            sync_folder(path.parent)
    except OSError as error:
        raise OutputError.of(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def write_whole(path: Path, data: str | bytes, *, sync: bool = False) -> None:
    """Write a file so that it is never seen half-written.

    Args:
        path: the file.
        data: what it is to hold; text is written as UTF-8.
        sync: whether to wait until it is on the disk for good.

    Raises:
        OutputError: it cannot be written; what was there before is as it was.

    Example:
        >>> write_whole(Path("plan.txt"), "(walk p0 p1)\\n")
    """
    raw = data.encode() if isinstance(data, str) else data
    if path.exists() and not path.is_file():  # a pipe, or a device such as /dev/stdout: it cannot be replaced
        try:
            with open(path, "wb") as stream:
                stream.write(raw)
        except OSError as error:
            raise OutputError.of(path, error) from None
        return
    with written_whole(path, sync=sync) as file:
        file.write(raw)


def cannot_write(folder: Path, error: OSError) -> WidthwiseError:
    """What to raise if nothing can be written in a folder: the disk fails, or the folder was not one to write to."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return OutputError.of(folder, error)
    return InputError(f"{folder}: cannot write a run there ({error.strerror or error})")


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
