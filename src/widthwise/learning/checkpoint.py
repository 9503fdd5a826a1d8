"""Checkpoints of a training run: the current one, the one before it, and the best policy so far.

A checkpoint appears by rename when it is whole, and the one before it is kept, so that at every moment, whatever
happens to the process or the machine, there is one to go on from. It holds plain data (`packing`): reading one runs no
code from it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from widthwise.core.errors import InputError, WidthwiseError
from widthwise.core.showing import setting
from widthwise.learning import packing
from widthwise.version import __version__

FORMAT = 1
FOLDER = "checkpoint"
CURRENT, PREVIOUS, BEST = "current.ckpt", "previous.ckpt", "best.ckpt"
_PROBE = 1 << 20


class RunStopped(WidthwiseError):
    """A run had to stop, with what it has kept intact: a full disk, a loss that is no number."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class About:
    """What a checkpoint belongs to; it fits nothing else."""

    environment: str
    actions: int
    observation: tuple[int, ...]  # the shape
    algorithm: Mapping[str, Any]  # the whole configuration
    widthwise: str = __version__

    def describe(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "observation": list(self.observation), "algorithm": dict(self.algorithm)}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a file held."""

    path: Path
    about: dict[str, Any]
    data: Any

    def refuse_other(self, about: About, *, same_version: bool) -> None:
        """Raise an error that names what differs, if the checkpoint is not of this run.

        A run goes on byte for byte only under the version that began it; to act, the same network is enough.
        """
        ours = about.describe()
        for name, what in (("environment", "the environment"), ("actions", "actions"), ("observation", "observations")):
            if self.about[name] != ours[name]:
                raise InputError(f"{self.path}: was made with {what} {self.about[name]}, not {ours[name]}")
        old, new = _flat(self.about["algorithm"]), _flat(ours["algorithm"])
        if "algorithm.doubt" in new:
            old.setdefault("algorithm.doubt", False)  # a run from before there was doubt
        # To act, a setting that only one of two versions knows does not matter.
        compared = {**old, **new} if same_version else [name for name in old if name in new]
        different = [name for name in compared if old.get(name) != new.get(name)]
        if different:
            told = "; ".join(f"{name} was {setting(old.get(name))}, now {setting(new.get(name))}" for name in different)
            raise InputError(f"{self.path}: was made with other settings: {told}")
        if same_version and self.about["widthwise"] != ours["widthwise"]:
            raise InputError(
                f"{self.path}: was made by Widthwise {self.about['widthwise']}, and this is {ours['widthwise']}: "
                "a run goes on with the version that began it"
            )


def _flat(settings: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Settings within settings by their whole names: `learning.batch`."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {before + name: value}
    return found


def write_checkpoint(path: Path, about: About, data: Any) -> int:
    """Write a checkpoint that is there as a whole or not at all; returns its size."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            packing.write(file, {"format": FORMAT, "about": about.describe(), "data": data})
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        part.replace(path)
        _sync(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise RunStopped(f"{path}: the checkpoint cannot be written ({error.strerror or error})") from None
    return size


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; one that is damaged, or of another format, is refused with the reason."""
    try:
        held = packing.read(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except packing.Damaged as error:
        raise InputError(f"{path}: is no good checkpoint, {error}") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        found = held.get("format") if isinstance(held, dict) else None
        made = held.get("about", {}).get("widthwise", "?") if isinstance(held, dict) else "?"
        raise InputError(
            f"{path}: is a checkpoint of format {found}, written by Widthwise {made}; "
            f"this is Widthwise {__version__}, which reads format {FORMAT}"
        )
    return Checkpoint(path, held["about"], held["data"])


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
            with probe.open("wb") as file:
                file.write(bytes(_PROBE))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(
                f"{self.folder}: checkpoints cannot be written there ({error.strerror or error})"
            ) from None
        finally:
            with contextlib.suppress(OSError):
                probe.unlink()

    def room(self) -> int:
        """The bytes that are free on the disk."""
        told = os.statvfs(self.folder)
        return told.f_bavail * told.f_frsize

    def save(self, data: Any) -> int:
        """Write the current checkpoint; the one that was current becomes the previous one."""
        current, fresh = self.folder / CURRENT, self.folder / "fresh.ckpt"
        size = write_checkpoint(fresh, self.about, data)
        try:
            if current.exists():
                current.replace(self.folder / PREVIOUS)
            fresh.replace(current)
            _sync(self.folder)
        except OSError as error:  # nothing is lost: `load` looks for the fresh one, too
            raise RunStopped(f"{current}: the checkpoint cannot be renamed ({error.strerror or error})") from None
        return size

    def save_best(self, data: Any) -> None:
        """Keep this as the best policy."""
        write_checkpoint(self.folder / BEST, self.about, data)

    def load(self, say: Callable[[str], None]) -> Checkpoint:
        """The newest good checkpoint: a damaged one is told of, and the one before it is taken."""
        wrong: list[str] = []
        # A crash between two renames leaves the newest under its first name.
        for name in ("fresh.ckpt", CURRENT, PREVIOUS):
            path = self.folder / name
            if not path.exists():
                continue
            try:
                found = read_checkpoint(path)
            except InputError as error:
                wrong.append(str(error))
                continue
            for one in wrong:
                say(f"{one}; going on from {path.name}")
            return found
        if wrong:
            raise InputError("; ".join(wrong))
        raise InputError(f"{self.folder}: there is no checkpoint to go on from")


def _sync(folder: Path) -> None:
    """Make renames in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
