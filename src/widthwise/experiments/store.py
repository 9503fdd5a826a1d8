"""A run folder: settings, one line of JSON per result, a summary at the end; safe against any crash."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from widthwise.core import json_files, run_shapes
from widthwise.core.errors import InputError, OutputError, UsageError
from widthwise.core.files import cannot_write, write_whole
from widthwise.core.run_folder import CONFIG, RunFolder, json_line, read_json, refuse_existing, refuse_file, write_json
from widthwise.core.shape import Mismatch, Shape, anything, both, fields, table, text
from widthwise.core.showing import setting

Record = dict[str, Any]

LINES = "results.jsonl"


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What turns the settings and the lines of earlier versions into today's; both may raise `UsageError`."""

    settings: Callable[[Mapping[str, Any]], Record] = dict
    line: Callable[[Mapping[str, Any]], Record] = dict


class RunStore(RunFolder):
    """The open run folder of a suite.

    `keys` names the fields that distinguish one line from another. `done` holds those of the lines.

    Args:
        folder: the run folder. It is made if it does not exist.
        config: the configuration of the run; `settings` in it must not change on resume.
        keys: the fields that distinguish one line from another.
        resume: whether a run that is already in the folder may continue; a torn last line is dropped.
        longer: the setting that may grow, so that a finished run can continue.
        upgrade: what turns the settings and the lines of earlier versions into today's.

    Raises:
        UsageError: the folder cannot be used for this run.
        InputError: what is in the folder cannot be read.
    """

    def __init__(
        self,
        folder: Path,
        config: Mapping[str, Any],
        keys: Sequence[str],
        *,
        resume: bool,
        longer: str = "",
        upgrade: Upgrade | None = None,
    ) -> None:
        upgrade = upgrade or Upgrade()
        path = folder / CONFIG
        if resume:
            refuse_file(folder)
        else:
            refuse_existing(folder, "give --resume to continue it, or another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if resume and path.exists():
                _same_settings(folder, _began(path, config, upgrade)["settings"], _plain(config["settings"]), longer)
            super().__init__(folder, LINES)
        except OSError as error:
            raise cannot_write(folder, error) from None
        self.keys = tuple(keys)
        try:
            if path.exists():
                began = _began(path, config, upgrade)
                if longer and began["settings"] != _plain(config["settings"]):
                    write_json(path, {**began, "settings": config["settings"]})
                config = _began(path, config, upgrade)
            else:
                write_json(path, config)
            self.lines = _whole_lines(folder / LINES, self._locked, _shape(config), keys, upgrade)
            self.reopen()
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise cannot_write(folder, error) from None
            raise
        self.config = config  # of the run as it was begun
        self.done = {self.key(line) for line in self.lines}

    def key(self, record: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values that distinguish a line from the others."""
        return tuple(record[name] for name in self.keys)

    def append(self, record: Record) -> None:
        """Add a line; once this returns it survives a crash of this process and of the machine.

        The texts in `files`, by name, become separate files (`plans/...` for `plan`) that the line names.

        Raises `OutputError` if it cannot be written; lines before it are kept, and resuming makes it again.
        """
        record = self._with_files(record)
        try:
            self._locked.write(json_line(record))
            self._locked.flush()
            os.fsync(self._locked.fileno())
        except OSError as error:
            raise OutputError.of(self.folder / LINES, error) from None
        self.lines.append(record)
        self.done.add(self.key(record))

    def _with_files(self, record: Record) -> Record:
        """Write the files of a record; returns the record with their names instead of their texts."""
        names = {}
        for name, content in record.get("files", {}).items():
            path = Path(f"{name}s", f"{_file_name(self.key(record))}.txt")
            folder = self.folder / path.parent
            try:
                if not folder.is_dir():
                    folder.mkdir()
            except OSError as error:
                raise OutputError.of(folder, error) from None
            write_whole(self.folder / path, content)
            names[f"{name}_file"] = path.as_posix()
        return {**{name: value for name, value in record.items() if name != "files"}, **names}


def _file_name(key: Sequence[Any]) -> str:
    """The name of a file that belongs to a line: readable, and no other line has it."""
    texts = [str(value) for value in key if value not in (None, "")]
    digest = hashlib.sha256(json.dumps([*map(str, key)]).encode()).hexdigest()[:8]
    return re.sub(r"[^\w.+-]+", "-", "-".join(texts), flags=re.ASCII)[:100].lstrip(".-") + f"-{digest}"


def _began(path: Path, config: Mapping[str, Any], upgrade: Upgrade) -> Record:
    """The configuration of a run that is there already; one of another kind is refused."""
    required = {"settings": table(anything), **({"kind": text} if "kind" in config else {})}
    began: Record = read_json(path, both(run_shapes.config, fields(required)))
    if "kind" in config and began["kind"] != config["kind"]:
        raise UsageError(
            f"{path.parent} is a run of the kind {began['kind']}, not {config['kind']}: give another folder"
        )
    try:
        return {**began, "settings": upgrade.settings(began["settings"])}
    except UsageError as error:
        raise InputError(f"{path}: {error}") from None


def _shape(config: Mapping[str, Any]) -> Shape:
    return run_shapes.LINES.get(config.get("kind", ""), anything)


def _whole_lines(path: Path, file: BinaryIO, shape: Shape, keys: Sequence[str], upgrade: Upgrade) -> list[Record]:
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
        line = json_files.parse_json(path, raw, shape, number)
        try:
            line = upgrade.line(line)
            fields(dict.fromkeys(keys, anything))(line, "")
        except (UsageError, Mismatch) as error:
            raise InputError(f"{path}:{number}: {error}; restore the file, or remove this line") from None
        lines.append(line)
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
        changes = "; ".join(f"{name} was {setting(old.get(name))}, now {setting(new.get(name))}" for name in different)
        raise UsageError(f"{folder} was made with different settings and cannot be resumed with these: {changes}")
