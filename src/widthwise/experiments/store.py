"""A run folder: settings, one line of JSON per result, a summary at the end; safe against any crash."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from widthwise.core.errors import InputError, UsageError
from widthwise.core.showing import setting

Record = dict[str, Any]

CONFIG, LINES, RESULT = "config.json", "results.jsonl", "result.json"


class RunStore:
    """An open run folder that this process alone writes to.

    `keys` names the fields that tell one line from another. `done` holds those of the lines.
    """

    def __init__(
        self, folder: Path, config: Mapping[str, Any], keys: Sequence[str], file: BinaryIO, lines: list[Record]
    ) -> None:
        self.folder = folder
        self.config = config  # of the run as it was begun
        self.keys = tuple(keys)
        self.lines = lines
        self.done = {self.key(line) for line in lines}
        self._file = file

    @classmethod
    def open(
        cls, folder: Path, config: Mapping[str, Any], keys: Sequence[str], *, resume: bool, longer: str = ""
    ) -> RunStore:
        """Make a run folder, or resume one whose `settings` are the same and drop a torn last line.

        `longer` names the setting that may grow, so that a finished run can be taken further.
        """
        path = folder / CONFIG
        if not resume and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                f"{folder} exists already",
                python="resume the run in it, or give another folder",
                command="give --resume to go on with it, or another folder",
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if resume and path.exists():
                _same_settings(folder, read_json(path)["settings"], _plain(config["settings"]), longer)
            file = _locked(folder / LINES)
            if path.exists():
                began = read_json(path)
                if longer and began["settings"] != _plain(config["settings"]):
                    write_json(path, {**began, "settings": config["settings"]})
                config = read_json(path)
            else:
                write_json(path, config)
            lines = _whole_lines(folder / LINES, file)
        except OSError as error:
            raise InputError(f"{folder}: cannot write a run there ({error.strerror or error})") from None
        # The summary is of a finished run; this one goes on.
        (folder / RESULT).unlink(missing_ok=True)
        return cls(folder, config, keys, file, lines)

    def key(self, record: Mapping[str, Any]) -> tuple[Any, ...]:
        """What tells a line from the others."""
        return tuple(record[name] for name in self.keys)

    def append(self, record: Record) -> None:
        """Add a line; once this returns it survives a crash of this process and of the machine."""
        self._file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.lines.append(record)
        self.done.add(self.key(record))

    def finish(self, result: Mapping[str, Any]) -> None:
        """Write the summary that marks a finished run."""
        write_json(self.folder / RESULT, result)

    def close(self) -> None:
        """Let go of the folder."""
        self._file.close()


def read_json(path: Path) -> Any:
    """Read a JSON file of a run folder."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        raise InputError(f"{path}: is not JSON ({error})") from None


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file so that it is there as a whole or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(data, file, indent=1, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _locked(path: Path) -> BinaryIO:
    file = path.open("ab+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(f"{path.parent}: another process is writing this run") from None
    return file


def _whole_lines(path: Path, file: BinaryIO) -> list[Record]:
    """The lines of a run; what a crash left of a last one is cut off the file."""
    file.seek(0)
    lines: list[Record] = []
    good = 0
    for number, raw in enumerate(file, 1):
        try:
            if not raw.endswith(b"\n"):
                break
            lines.append(json.loads(raw))
        except ValueError:
            if file.read(1):
                raise InputError(f"{path}:{number}: this line is not JSON, and it is not the last one") from None
            break
        good += len(raw)
    file.truncate(good)
    file.seek(good)
    return lines


def _plain(data: Any) -> Any:
    return json.loads(json.dumps(data))


def _same_settings(folder: Path, old: Mapping[str, Any], new: Mapping[str, Any], longer: str) -> None:
    different = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if longer in different and old[longer] < new[longer]:
        different.remove(longer)
    if different:
        told = "; ".join(f"{name} was {setting(old.get(name))}, now {setting(new.get(name))}" for name in different)
        raise UsageError(f"{folder} was made with other settings and cannot be resumed with these: {told}")
