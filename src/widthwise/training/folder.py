"""The folder of a training run: its settings, lines that can be cut back to a checkpoint, TensorBoard events."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from widthwise.core.errors import InputError, OutputError
from widthwise.core.files import cannot_write, open_to_append
from widthwise.core.run_folder import CONFIG, RunFolder, json_line, read_json, refuse_existing, write_json
from widthwise.training.checkpoint import RunStopped

EPISODES, EVALUATIONS, EVENTS = "episodes.jsonl", "evaluations.jsonl", "events"
FAULTS = "faults.jsonl"


class Lines:
    """A file of JSON lines that can be cut back to where it was at a checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO = open_to_append(path)

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a line; it outlives this process, and from the next checkpoint on also the machine."""
        try:
            self._file.write(json_line(record))
            self._file.flush()
        except OSError as error:
            raise RunStopped(f"{self.path}: a line cannot be written ({error.strerror or error})") from None

    def size(self) -> int:
        """The bytes so far; they are on the disk when this returns."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise RunStopped(f"{self.path}: cannot be written ({error.strerror or error})") from None
        return self._file.seek(0, os.SEEK_END)

    def cut(self, size: int) -> None:
        """Drop what is newer than a checkpoint."""
        if self.path.stat().st_size < size:
            raise InputError(
                f"{self.path}: lines that were written before the checkpoint are missing; restore the file"
            )
        try:
            self._file.truncate(size)
        except OSError as error:
            raise RunStopped(f"{self.path}: cannot be written ({error.strerror or error})") from None
        self._file.seek(size)

    def close(self) -> None:
        """Close the file; a line that could not be written is lost, and resuming writes it again."""
        with contextlib.suppress(OSError):
            self._file.close()


class TrainingFolder(RunFolder):
    """The open folder of a training run: episodes, evaluations, and what every run folder has."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, ".lock")
        try:
            self.episodes = Lines(folder / EPISODES)
            self.evaluations = Lines(folder / EVALUATIONS)
        except OSError:
            super().close()
            raise

    @classmethod
    def create(cls, folder: Path, config: Mapping[str, Any]) -> TrainingFolder:
        """A new run folder; one that holds anything is refused."""
        refuse_existing(folder, f"continue it with --resume {folder}, or give another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            opened = cls(folder)
        except OSError as error:
            raise cannot_write(folder, error) from None
        try:
            write_json(folder / CONFIG, config)
        except OutputError:
            opened.close()
            raise
        return opened

    @classmethod
    def resume(cls, folder: Path) -> TrainingFolder:
        """The folder of a run that continues."""
        read_config(folder)
        try:
            opened = cls(folder)
            opened.reopen()
        except OSError as error:
            raise cannot_write(folder, error) from None
        return opened

    def sizes(self) -> dict[str, int]:
        """Where the lines are now, for a checkpoint."""
        return {EPISODES: self.episodes.size(), EVALUATIONS: self.evaluations.size()}

    def cut(self, sizes: Mapping[str, int]) -> None:
        """Drop the lines that are newer than a checkpoint."""
        self.episodes.cut(sizes[EPISODES])
        self.evaluations.cut(sizes[EVALUATIONS])

    def fault(self, record: Mapping[str, Any]) -> None:
        """Add a line about an actor that was lost; these lines are never cut back."""
        lines = Lines(self.folder / FAULTS)
        lines.append(record)
        lines.close()

    def close(self) -> None:
        """Release the folder."""
        self.episodes.close()
        self.evaluations.close()
        super().close()


def read_config(folder: Path) -> dict[str, Any]:
    """The configuration of a training run."""
    if not folder.is_dir():
        why = "it is a file" if folder.exists() else "there is no such folder"
        raise InputError(f"{folder}: this is not a run folder: {why}")
    if not (folder / CONFIG).exists():
        raise InputError(f"{folder}: this is not a run folder: it has no {CONFIG}")
    config = read_json(folder / CONFIG)
    if config.get("kind") != "training":
        raise InputError(f"{folder}: this is not the folder of a training run")
    checked: dict[str, Any] = config
    return checked


class Events:
    """Figures for TensorBoard; without its package there are none.

    They are drawn from what the files of lines hold as well. So a run continues without them if they cannot be written;
    `failure` is then the reason.
    """

    def __init__(self, folder: Path, interactions: int) -> None:
        self._writer: Any = None
        self.failure = ""
        self.available = find_spec("tensorboard") is not None
        if not self.available:
            return
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        try:
            self._writer = EventFileWriter(str(folder / EVENTS))
        except OSError as error:
            self._give_up(error)
            return
        # TensorBoard then forgets what an earlier part of the run had drawn beyond this point.
        began = SessionLog(status=SessionLog.START)
        self._put(Event(wall_time=time.time(), step=interactions, session_log=began))

    def add(self, interactions: int, figures: Mapping[str, float | None]) -> None:
        """Figures at a number of interactions."""
        if self._writer is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items() if value is not None]
        self._put(Event(wall_time=time.time(), step=interactions, summary=Summary(value=values)))

    def close(self) -> None:
        """Write what is still waiting."""
        if self._writer is not None:
            try:
                self._writer.close()
            except (OSError, ValueError) as error:  # ValueError: its thread has closed the file before
                self._give_up(error)

    def _put(self, event: Any) -> None:
        try:
            self._writer.add_event(event)
        except (OSError, ValueError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """An error of the thread that writes shows at any later call."""
        self.failure = str(error)
        self._writer = None
