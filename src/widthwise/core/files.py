"""Files of run folders and results: only regular files of limited size are read, and files are written atomically.

A run folder may come from another person. A name in it may be a link to another file, a pipe, or a file larger than
memory. Readers refuse all three, and writers never follow a link.
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

#: The maximum size of a JSON file (settings, summary), in bytes.
MOST_JSON = 64 << 20
_BUFFER = 1 << 20


def read_regular(path: Path, most: int | None = None) -> bytes:
    """The contents of a regular file.

    Args:
        path: the file.
        most: its maximum size in bytes; `None` for no limit.

    Returns:
        All its bytes.

    Raises:
        InputError: it cannot be read, is not a regular file, or is larger than `most`.

    Example:
        >>> read_regular(Path("run/config.json"), MOST_JSON)
    """
    try:
        # Opening a pipe without a writer would block without O_NONBLOCK.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            about = os.fstat(handle)
            if stat.S_ISDIR(about.st_mode):
                raise InputError(f"{path}: this is a folder, not a file")
            if not stat.S_ISREG(about.st_mode):
                raise InputError(f"{path}: this is not a regular file; only regular files are read")
            if most is not None and about.st_size > most:
                raise InputError(f"{path}: the file is too large ({about.st_size:,} bytes; at most {most:,} are read)")
            with open(handle, "rb", closefd=False) as file:
                # The memory for a read is taken before it, so that no more is asked for than the file has.
                data = file.read(about.st_size + 1)
                if len(data) > about.st_size:  # it has grown, or is one of /proc, whose size is 0
                    data += file.read() if most is None else file.read(most + 1 - len(data))
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    if most is not None and len(data) > most:
        raise InputError(f"{path}: the file is too large (at most {most:,} bytes are read)")
    return data


def open_to_append(path: Path) -> BinaryIO:
    """A file to read and to append to; a link or anything but a regular file is refused.

    Args:
        path: the file; it is created if it does not exist.

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
    """Write a file atomically: it appears under its name when the block ends, and not at all after an error.

    Args:
        path: its name.
        draft: the temporary file, in the same folder.
        sync: whether to flush it to the disk.

    Yields:
        The open draft, in binary mode.

    Raises:
        OutputError: it cannot be written; an existing file is unchanged, and no draft remains.
    """
    draft = draft or path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()  # left by a process that was killed, or a link
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
    """Write a file atomically.

    Args:
        path: the file.
        data: the contents; text is encoded as UTF-8.
        sync: whether to flush it to the disk.

    Raises:
        OutputError: it cannot be written; an existing file is unchanged.

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
    """The error for a folder that cannot be written: an `OutputError` if the disk fails, else an `InputError`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return OutputError.of(folder, error)
    return InputError(f"{folder}: cannot write to the run folder ({error.strerror or error})")


def sync_folder(folder: Path) -> None:
    """Flush renames in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
