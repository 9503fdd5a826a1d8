"""A command in separate processes, with limits on time and memory that hold for all of them together."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from widthwise.core.errors import UsageError
from widthwise.core.processes import kill_tree, tree

_LOOK_SECONDS = 0.02  # how often the processes are looked at; limits are kept to about that
_TAIL_BYTES = 2_000_000  # of what a command prints, only the end is kept
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command and its children may use; `None` means no limit."""

    wall: float | None = None  # seconds
    cpu: float | None = None  # seconds of processor time
    megabytes: float | None = None  # resident memory

    def __post_init__(self) -> None:
        """Refuse limits that cannot be kept."""
        for name, value in (("wall time", self.wall), ("CPU time", self.cpu), ("memory", self.megabytes)):
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"a limit of {value:g} for {name} is not possible: give a number above 0")
        if not sys.platform.startswith("linux") and (self.cpu is not None or self.megabytes is not None):
            raise UsageError("limits of CPU time and memory for whole processes need Linux; --max-time does not")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it used, its children included."""

    code: int  # the exit code, or minus the signal
    stopped: str  # the limit that ended it: wall, cpu, memory, or nothing
    wall: float
    cpu: float
    peak_mb: float  # as far as it was seen
    seen: float | None  # the CPU seconds at which the watched file was there, if it came in time
    out: str  # the end of what it printed
    err: str

    @property
    def last_words(self) -> str:
        """The last line it printed, usually the reason why it ended."""
        lines = [line.strip() for text in (self.err, self.out) for line in reversed(text.splitlines())]
        return next((line for line in lines if line), "")[:300]


def run_limited(command: Sequence[str], limits: Limits, folder: Path, watched: Path | None = None) -> Ended:
    """Run a command in a folder until it ends or passes a limit; then all its processes are killed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _set_backstop(process.pid, limits)
        stopped, cpu, peak = "", 0.0, 0.0
        seen: float | None = None
        try:
            while (waited := os.wait4(process.pid, os.WNOHANG))[0] == 0:
                used, held = usage(process.pid)
                cpu, peak = max(cpu, used), max(peak, held)
                stopped = _passed(limits, time.monotonic() - start, cpu, held)
                if stopped:
                    break
                if seen is None and watched is not None and _has_content(watched):
                    seen = cpu
                time.sleep(_LOOK_SECONDS)
        except BaseException:
            kill_tree(process.pid)
            os.waitpid(process.pid, 0)
            process.returncode = -signal.SIGKILL
            raise
        if stopped:
            kill_tree(process.pid)
            waited = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        _, status, used_by = waited
        # Popen must not wait for the process again: its number may already belong to another process.
        process.returncode = code = os.waitstatus_to_exitcode(status)
        cpu = max(cpu, used_by.ru_utime + used_by.ru_stime)
        stopped = stopped or _passed(limits, wall, cpu, 0.0) or ("cpu" if code == -signal.SIGXCPU else "")
        if seen is None and not stopped and watched is not None and watched.exists():
            seen = cpu
        return Ended(code, stopped, wall, cpu, peak, seen, _tail(out), _tail(err))


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def usage(root: int) -> tuple[float, float]:
    """CPU seconds and resident megabytes of a process and all its children now, where the system provides them."""
    cpu, pages = 0, 0
    for pid in tree(root):
        # A process may end between two looks.
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            cpu += sum(map(int, fields[11:15]))  # its own time and that of children it has waited for
            pages += int(fields[21])
    return cpu / _TICKS, pages * _PAGE / 1e6


def _passed(limits: Limits, wall: float, cpu: float, held: float) -> str:
    if limits.cpu is not None and cpu > limits.cpu:
        return "cpu"
    if limits.wall is not None and wall > limits.wall:
        return "wall"
    return "memory" if limits.megabytes is not None and held > limits.megabytes else ""


def _set_backstop(pid: int, limits: Limits) -> None:
    """Let the system end a process that exceeds its limits after its parent has ended."""
    if limits.cpu is not None:
        most = math.ceil(limits.cpu) + 5
    elif limits.wall is not None:
        most = (math.ceil(limits.wall) + 5) * (os.cpu_count() or 1)  # it may have many threads
    else:
        return
    # Only Linux has this call; elsewhere the parent alone keeps the limits.
    with contextlib.suppress(ProcessLookupError, PermissionError, ValueError, ImportError, AttributeError):
        import resource

        resource.prlimit(pid, resource.RLIMIT_CPU, (most, most))


def _tail(file: BinaryIO) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL_BYTES))
    return file.read().decode("utf-8", "replace")
