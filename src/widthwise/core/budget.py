"""The budget of a run: nodes, simulator steps, seconds and bytes."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

from widthwise import _native
from widthwise.core.errors import Interrupted, OutOfMemory, OutOfTime, RunInterrupted, UsageError
from widthwise.core.showing import brief

#: The largest number that kernels count to; a larger limit has no effect.
MOST = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits for one run. A limit that is None does not apply.

    Args:
        nodes: Generated nodes, including the root and the pruned nodes. For an agent on a simulator: nodes in the tree.
        steps: Simulator steps per executed action.
        seconds: Wall-clock time. It includes reading and grounding if they are part of the run.
        bytes: Memory of the grounded task and of the search. Without it, nine tenths of the free memory.

    Raises:
        UsageError: A limit is not a number above 0.

    Example:
        >>> ww.solve(ww.example("corridor"), ww.IW(2), budget=ww.Budget(nodes=20)).status
        <Status.OUT_OF_NODES: 'out-of-nodes'>
    """

    nodes: int | None = None
    steps: int | None = None
    seconds: float | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        """Refuse limits that are not above 0."""
        for name, value in asdict(self).items():
            if value is not None and not value > 0:
                raise UsageError(
                    f"a budget of {value} {name} is too small: give a number above 0, or None for no limit"
                )
            if value is not None and name != "seconds" and not isinstance(value, int):
                raise UsageError(f"a budget of {name} must be a whole number, not {value!r}")

    __repr__ = brief

    def start(self) -> _native.Meter:
        """Start the clock and return the meter of the run.

        Without a limit of bytes the limit is the memory that is available now, so that a run that needs more ends with
        a status instead of being killed.
        """
        limit = machine_bytes() if self.bytes is None else self.bytes
        return _native.Meter(self.seconds, None if limit is None else min(limit, MOST))

    def describe(self) -> dict[str, float | int | None]:
        """The limits that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def machine_bytes() -> int | None:
    """Nine tenths of the available memory, or of all memory where only that is known; None where nothing is."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return _physical_bytes()
    return max(1, kilobytes * 1024 * 9 // 10)


def _physical_bytes() -> int | None:
    """Nine tenths of the memory of a machine without `/proc`, such as macOS."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 9 // 10
    except (AttributeError, OSError, ValueError):
        return None


def check(meter: _native.Meter, before: str = "the task was read and grounded") -> None:
    """Raise an error if the meter has reached a limit: for code that returns no status."""
    halt = meter.poll()
    if halt is not _native.Halt.NONE:
        raise halt_error(halt, meter, before)


def halt_error(
    halt: _native.Halt, meter: _native.Meter, before: str = "the task was read and grounded"
) -> OutOfTime | OutOfMemory | Interrupted | RunInterrupted:
    """The error for a stop of the meter; `before` names the unfinished work. Ctrl-C is a `KeyboardInterrupt`."""
    if halt is _native.Halt.TIME:
        return OutOfTime(f"the time limit was reached before {before}")
    if halt is _native.Halt.MEMORY:
        return OutOfMemory(f"the memory limit was reached before {before}")
    return RunInterrupted() if meter.signalled else Interrupted("interrupted")
