"""A run folder: settings, one line of JSON per result, a summary at the end; safe against any crash."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from widthwise.core import json_files, run_shapes
from widthwise.core.errors import InputError, OutputError, UsageError
from widthwise.core.files import cannot_write, open_to_append, written_whole
from widthwise.core.shape import Shape, anything, both, fields, table, text
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
        refuse_file(folder)
        if not resume and folder.exists() and any(folder.iterdir()):
            raise UsageError(
                f"{folder} exists already",
                python="resume the run in it, or give another folder",
                command="give --resume to go on with it, or another folder",
            )
        file: BinaryIO | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if resume and path.exists():
                _same_settings(folder, _began(path, config)["settings"], _plain(config["settings"]), longer)
            file = _locked(folder / LINES)
            if path.exists():
                began = _began(path, config)
                if longer and began["settings"] != _plain(config["settings"]):
                    write_json(path, {**began, "settings": config["settings"]})
                config = read_json(path)
            else:
                write_json(path, config)
            lines = _whole_lines(folder / LINES, file, both(fields(dict.fromkeys(keys, anything)), _shape(config)))
            # The summary is of a finished run; this one goes on.
            (folder / RESULT).unlink(missing_ok=True)
            return cls(folder, config, keys, file, lines)
        except BaseException as error:
            if file is not None:
                file.close()
            if isinstance(error, OSError):
                raise cannot_write(folder, error) from None
            raise

    def key(self, record: Mapping[str, Any]) -> tuple[Any, ...]:
        """What tells a line from the others."""
        return tuple(record[name] for name in self.keys)

    def append(self, record: Record) -> None:
        """Add a line; once this returns it survives a crash of this process and of the machine.

        Raises `OutputError` if it cannot be written; lines before it are kept, and resuming makes it again.
        """
        try:
            self._file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OutputError.of(self.folder / LINES, error) from None
        self.lines.append(record)
        self.done.add(self.key(record))

    def finish(self, result: Mapping[str, Any]) -> None:
        """Write the summary that marks a finished run."""
        write_json(self.folder / RESULT, result)

    def close(self) -> None:
        """Let go of the folder; a line that could not be written is lost, and resuming makes it again."""
        with contextlib.suppress(OSError):
            self._file.close()


def refuse_file(folder: Path) -> None:
    """Raise `UsageError` if what should become a run folder is a file."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder: give another name for the run folder")


def read_json(path: Path, shape: Shape = run_shapes.config) -> Any:
    """Read a JSON file of a run folder; raises `InputError` if it is not of its shape."""
    return json_files.read_json(path, shape)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file so that it is there as a whole or not at all; raises `OutputError` if that fails."""
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    with written_whole(path, path.with_name(path.name + ".part")) as file:
        file.write(text.encode())


def _began(path: Path, config: Mapping[str, Any]) -> Record:
    """The configuration of a run that is there already; one of another kind is refused."""
    required = {"settings": table(anything), **({"kind": text} if "kind" in config else {})}
    began: Record = read_json(path, both(run_shapes.config, fields(required)))
    if "kind" in config and began["kind"] != config["kind"]:
        raise UsageError(
            f"{path.parent} is a run of the kind {began['kind']}, not {config['kind']}: give another folder"
        )
    return began


def _shape(config: Mapping[str, Any]) -> Shape:
    return run_shapes.LINES.get(config.get("kind", ""), anything)


def _locked(path: Path) -> BinaryIO:
    file = open_to_append(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(
            f"{path.parent}: another process is writing this run; wait until it has ended, or stop it"
        ) from None
    return file


def _whole_lines(path: Path, file: BinaryIO, shape: Shape) -> list[Record]:
    """The lines of a run; what a crash left of a last one is cut off the file."""
    file.seek(0)
    lines: list[Record] = []
    good = 0
    for number, raw in enumerate(file, 1):
        if not raw.endswith(b"\n"):
            break
        try:
            json.loads(raw)
        except (ValueError, RecursionError):
            if file.read(1):
                raise InputError(
                    f"{path}:{number}: this line is not JSON, and it is not the last one; restore the file, or remove "
                    "this line"
                ) from None
            break
        lines.append(json_files.parse_json(path, raw, shape, number))
        good += len(raw)
    file.truncate(good)
    file.seek(good)
    return lines


def _plain(data: Any) -> Any:
    return json.loads(json.dumps(data))


def _same_settings(folder: Path, old: Mapping[str, Any], new: Mapping[str, Any], longer: str) -> None:
    different = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if longer in different and isinstance(old.get(longer), int) and old[longer] < new[longer]:
        different.remove(longer)
    if different:
        told = "; ".join(f"{name} was {setting(old.get(name))}, now {setting(new.get(name))}" for name in different)
        raise UsageError(f"{folder} was made with other settings and cannot be resumed with these: {told}")
