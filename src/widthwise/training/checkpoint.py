"""Checkpoints of a training run: the current one, the one before it, and the best policy so far.

A checkpoint is renamed into place when it is complete, and the previous one is kept, so that there is always one to
continue from, whatever happens to the process or the machine. It holds plain data (`packing`): reading it runs no code.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from widthwise.core import shape
from widthwise.core.continuing import refuse_version
from widthwise.core.errors import InputError, OutOfTime, OutputError, WidthwiseError
from widthwise.core.files import read_regular, sync_folder, written_whole
from widthwise.core.showing import setting
from widthwise.training import packing
from widthwise.training.old_keys import upgrade_checkpoint
from widthwise.training.unpacking import PackedLimits
from widthwise.version import __version__

FORMAT = 2
READABLE = (1, FORMAT)  # format 1 has the keys of version 0.1
FOLDER = "checkpoint"
CURRENT, PREVIOUS, BEST = "current.ckpt", "previous.ckpt", "best.ckpt"
_PROBE = 1 << 20


class RunStopped(WidthwiseError):
    """A run had to stop, because of a full disk or a loss that is not finite; its files are intact."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class About:
    """What a checkpoint belongs to; it fits nothing else."""

    environment: str
    actions: int
    observation: tuple[int, ...]  # the shape
    configuration: Mapping[str, Any]  # with the options of the environment
    widthwise: str = __version__

    def describe(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "observation": list(self.observation), "configuration": dict(self.configuration)}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a file held."""

    path: Path
    about: dict[str, Any]
    data: Any

    def refuse_other(self, about: About, *, to_continue: bool) -> None:
        """Raise an error that names what differs, if the checkpoint is not of this run.

        A run continues with all its settings and under versions that `continuing` lists; to act, the same network is
        enough.
        """
        ours = about.describe()
        for name, what in (
            ("environment", "the environment {}"),
            ("actions", "{} actions"),
            ("observation", "observations of the shape {}"),
        ):
            if self.about[name] != ours[name]:
                then, now = _in_words(self.about[name]), _in_words(ours[name])
                raise InputError(f"{self.path}: was made with {what.format(then)}, not {now}")
        old, new = _flat(self.about["configuration"]), _flat(ours["configuration"])
        # To act, a setting that exists in only one of the two versions does not matter.
        compared = {**old, **new} if to_continue else [name for name in old if name in new]
        different = [name for name in compared if old.get(name) != new.get(name)]
        if different:
            changes = (f"{name} was {setting(old.get(name))}, now {setting(new.get(name))}" for name in different)
            raise InputError(f"{self.path}: was made with different settings: {'; '.join(changes)}")
        if to_continue:
            refuse_version(str(self.path), self.about["widthwise"])


def _in_words(value: Any) -> str:
    """A value of `About` in a message; shapes as 84 x 84 x 4."""
    return " x ".join(map(str, value)) if isinstance(value, list) else str(value)


def _flat(settings: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Settings within settings by their whole names: `learning.batch`."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= _flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {f"{before}{name}": value}
    return flat


def write_checkpoint(path: Path, about: About, data: Any) -> int:
    """Write a checkpoint that is there as a whole or not at all; returns its size."""
    try:
        with written_whole(path, path.with_name(path.name + ".part")) as file:
            packing.write(file, {"format": FORMAT, "about": about.describe(), "data": data})
            return file.tell()
    except OutputError as error:
        raise RunStopped(f"{error}; the checkpoint was not written") from None


_ABOUT = shape.fields(
    {
        "environment": shape.text,
        "actions": shape.whole(1),
        "observation": shape.items(shape.whole(0), 8),
        "configuration": shape.table(shape.anything),
        "widthwise": shape.text,
    }
)


def read_checkpoint(path: Path, limits: PackedLimits | None = None) -> Checkpoint:
    """Read a checkpoint.

    Args:
        path: the file.
        limits: how much it may hold; by default what fits into the memory of this machine.

    Returns:
        The contents of the file. `data` is plain data; its users check its shape.

    Raises:
        InputError: the file cannot be read, is damaged or forged, holds more than the limits allow, or is of another
            format.
    """
    limits = limits or PackedLimits.of_machine()
    try:
        # Weights and random numbers are not compressed, so a good file is hardly larger than what it holds.
        held = packing.read(read_regular(path, limits.arrays + limits.description + _PROBE), limits)
    except packing.Damaged as error:
        raise InputError(f"{path}: this is not a valid checkpoint: {error}") from None
    except MemoryError:
        raise InputError(f"{path}: this is not a valid checkpoint: it does not fit into memory") from None
    file_format = held.get("format") if isinstance(held, dict) else None
    if type(file_format) is not int or file_format not in READABLE:
        about = held.get("about") if isinstance(held, dict) else None
        writer = about.get("widthwise", "?") if isinstance(about, dict) else "?"
        raise InputError(
            f"{path}: this is a checkpoint of format {file_format!r:.40}, written by Widthwise {writer!s:.40}; "
            f"this is Widthwise {__version__}, which reads the formats {' and '.join(map(str, READABLE))}"
        )
    try:
        shape.fields({"about": shape.anything, "data": shape.anything})(held, "")
        held["about"] = upgrade_checkpoint(held["about"])
        _ABOUT(held["about"], "about")
    except shape.Mismatch as error:
        raise InputError(f"{path}: this is not a valid checkpoint: {error}") from None
    return Checkpoint(path, held["about"], held["data"])


#: The errors of code that works with impossible data.
SENSELESS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError)


def senseless(path: Path, error: Exception) -> InputError:
    """The error for a checkpoint whose contents contradict each other, though each has the right shape."""
    reason = str(error) if isinstance(error, WidthwiseError | shape.Mismatch) else f"{type(error).__name__}: {error}"
    return InputError(
        f"{path}: this is not a valid checkpoint: its contents are contradictory ({reason:.300}); restore the file "
        "from a copy, or remove it to continue from the checkpoint before it"
    )


@contextlib.contextmanager
def makes_sense(path: Path) -> Iterator[None]:
    """Turn whatever the contents of a checkpoint cause while they are checked and restored into one `InputError`."""
    try:
        yield
    except (RunStopped, OutOfTime):
        raise
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (WidthwiseError, *SENSELESS) as error:
        raise senseless(path, error) from error


class Checkpoints:
    """The checkpoints of one run folder."""

    def __init__(self, folder: Path, about: About) -> None:
        self.folder = folder / FOLDER
        self.about = about

    def prepare(self) -> None:
        """Make the folder and see that there is room to write, before any work is done."""
        probe = self.folder / "probe.part"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                probe.unlink()
            with probe.open("xb") as file:
                file.write(bytes(_PROBE))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO)
            kind = RunStopped if full else InputError
            raise kind(f"{self.folder}: checkpoints cannot be written there ({error.strerror or error})") from None
        finally:
            with contextlib.suppress(OSError):
                probe.unlink()

    def room(self) -> int:
        """The bytes that are free on the disk."""
        disk = os.statvfs(self.folder)
        return disk.f_bavail * disk.f_frsize

    def save(self, data: Any) -> int:
        """Write the current checkpoint; the one that was current becomes the previous one."""
        current, fresh = self.folder / CURRENT, self.folder / "fresh.ckpt"
        size = write_checkpoint(fresh, self.about, data)
        try:
            if current.exists():
                current.replace(self.folder / PREVIOUS)
            fresh.replace(current)
            sync_folder(self.folder)
        except OSError as error:  # nothing is lost: `load` looks for the fresh one, too
            raise RunStopped(f"{current}: the checkpoint cannot be renamed ({error.strerror or error})") from None
        return size

    def save_best(self, data: Any) -> None:
        """Keep this as the best policy."""
        write_checkpoint(self.folder / BEST, self.about, data)

    def load(self, say: Callable[[str], None], limits: PackedLimits | None = None) -> Checkpoint:
        """The newest good checkpoint: a damaged one is reported, and the one before it is taken."""
        wrong: list[str] = []
        # A crash between two renames leaves the newest under its first name.
        for name in ("fresh.ckpt", CURRENT, PREVIOUS):
            path = self.folder / name
            if not path.exists():
                continue
            try:
                checkpoint = read_checkpoint(path, limits)
            except InputError as error:
                wrong.append(str(error))
                continue
            for problem in wrong:
                say(f"{problem}; continuing from {path.name}")
            return checkpoint
        if wrong:
            raise InputError("; ".join(wrong))
        raise InputError(f"{self.folder}: there is no checkpoint to continue from")
