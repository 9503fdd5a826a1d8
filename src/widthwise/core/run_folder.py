"""A run folder that one process writes to: the lock, the configuration, the lines and the summary at the end.

Training runs (`training/folder.py`) and suites (`experiments/store.py`) build on it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from widthwise.core import json_files, run_shapes
from widthwise.core.errors import UnsupportedError, UsageError
from widthwise.core.file_lock import lock_file
from widthwise.core.files import open_to_append, written_whole
from widthwise.core.shape import Shape

CONFIG, RESULT = "config.json", "result.json"


class RunFolder:
    """An open run folder that no other process can open for writing.

    Args:
        folder: the folder; it exists.
        lock: the file in it that is locked while the folder is open. It is made if it is not there.

    Raises:
        UsageError: another process has the folder open.
        UnsupportedError: this system has no locks on files.
        OSError: the file cannot be opened.
    """

    def __init__(self, folder: Path, lock: str) -> None:
        self.folder = folder
        self._locked = open_to_append(folder / lock)
        try:
            lock_file(self._locked, wait=False)
        except (OSError, UnsupportedError) as error:
            self._locked.close()
            if isinstance(error, UnsupportedError):
                raise
            raise UsageError(
                f"{folder}: another process is writing this run; wait until it has ended, or stop it"
            ) from None

    def finish(self, result: Mapping[str, Any]) -> None:
        """Write the summary that marks a finished run; raises `OutputError` if that fails."""
        write_json(self.folder / RESULT, result)

    def reopen(self) -> None:
        """Remove the summary of a finished run, as the run continues."""
        (self.folder / RESULT).unlink(missing_ok=True)

    def close(self) -> None:
        """Release the folder; a line that could not be written is lost, and resuming writes it again."""
        with contextlib.suppress(OSError):
            self._locked.close()


def refuse_existing(folder: Path, command: str) -> None:
    """Raise `UsageError` if a new run cannot begin in a folder: it is a file, or there is something in it.

    Args:
        folder: where the run is to begin.
        command: the remedy for users of the command line.
    """
    refuse_file(folder)
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(
            f"{folder} exists already", python="resume the run in it, or give another folder", command=command
        )


def refuse_file(folder: Path) -> None:
    """Raise `UsageError` if what should become a run folder is a file."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder: give another name for the run folder")


def json_line(record: Mapping[str, Any]) -> bytes:
    """A record as one line of JSON."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def read_json(path: Path, shape: Shape = run_shapes.config) -> Any:
    """Read a JSON file of a run folder; raises `InputError` if it does not have the expected shape."""
    return json_files.read_json(path, shape)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file completely or not at all; raises `OutputError` if that fails."""
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    with written_whole(path, path.with_name(path.name + ".part")) as file:
        file.write(text.encode())
