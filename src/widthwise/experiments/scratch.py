"""Folders for the time of one job, and the removal of those that killed processes have left."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from widthwise.core.file_lock import lock_file

_PREFIX = "widthwise-scratch-"
_LOCK = ".lock"
_YOUNG = 60.0  # seconds within which a folder may not have its lock yet


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that is removed when the block ends; its lock is held until then, or until the process ends."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / _LOCK).open("wb") as lock:
            lock_file(lock, wait=True)
            yield folder


def remove_stale() -> int:
    """Remove the folders of processes that were killed; those that are in use, or of other users, stay.

    Returns:
        How many were removed.
    """
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
                continue
            path = folder / _LOCK
            if not path.exists():
                if time.time() - about.st_mtime > _YOUNG:
                    shutil.rmtree(folder)
                    removed += 1
                continue
            with path.open("rb") as lock:
                lock_file(lock, wait=False)  # an OSError: it is in use
                shutil.rmtree(folder)
                removed += 1
    return removed
