"""Locks on files, which the system releases when the process that holds them ends, however it ends."""

from __future__ import annotations

from typing import IO, Any

from widthwise.core.errors import UnsupportedError


def lock_file(file: IO[Any], *, wait: bool) -> None:
    """Lock an open file for this process alone, until the file is closed.

    Args:
        file: The open file.
        wait: Wait until another process has released it.

    Raises:
        BlockingIOError: Another process holds the lock, and `wait` is false.
        UnsupportedError: Python has no module `fcntl` here.
    """
    try:
        import fcntl
    except ImportError:
        raise UnsupportedError(
            "run folders and suites need locks on files (the module fcntl), which Python has on Linux and macOS only"
        ) from None
    fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
