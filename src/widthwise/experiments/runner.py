"""The runner of every suite: gives the missing jobs to a pool and keeps each line as it comes."""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.experiments.jobs import Done, Job, Pool
from widthwise.experiments.pool import LocalPool
from widthwise.experiments.store import RunStore
from widthwise.version import __version__


class Listener:
    """Somebody who wants to hear how a run goes; this one does not listen."""

    def begin(self, jobs: Sequence[Job], kept: int) -> None:
        """Jobs are about to run; `kept` lines were there before."""

    def hear(self, one: Done) -> None:
        """A line was kept."""

    def end(self) -> None:
        """Nothing more will be heard."""


def run_jobs(
    store: RunStore,
    jobs: Iterable[Job],
    pool: Pool,
    listener: Listener | None = None,
    stamp: Mapping[str, Any] | None = None,
) -> None:
    """Run all parts that have no line yet; stops at once when interrupted, and can go on later.

    Every line ends with the `stamp`: what made it.
    """
    listener = listener or Listener()
    missing = []
    for job in jobs:
        parts = tuple(part for part in job.parts if store.key(part) not in store.done)
        if parts:
            missing.append(job.only(parts))
    listener.begin(missing, len(store.lines))
    try:
        # Closing the generator ends its workers, whatever happens here.
        with contextlib.closing(pool.run(missing)) as lines:  # type: ignore[type-var]
            for one in lines:
                store.append({**one.line, **(stamp or {})})
                listener.hear(one)
    finally:
        listener.end()


def make_pool(workers: str | None, ray_address: str | None) -> Pool:
    """A pool as the command line asks for it: local processes (one per core by default), or `ray`."""
    if workers == "ray":
        from widthwise.experiments.ray_pool import RayPool

        return RayPool(ray_address)
    if ray_address is not None:
        raise UsageError("--ray-address is for --workers ray")
    if workers is None:
        return LocalPool(_cores())
    if not (workers.isascii() and workers.isdigit() and int(workers) > 0):
        raise UsageError(f"--workers takes a number of processes from 1 up, or ray; not {workers!r}")
    return LocalPool(int(workers))


def describe_run(settings: Mapping[str, Any], command: Sequence[str] | None = None) -> dict[str, Any]:
    """What a run folder keeps about how it was made; `settings` are what must not change on resume."""
    return {
        "settings": dict(settings),
        "command": shlex.join(command if command is not None else ["widthwise", *sys.argv[1:]]),
        "versions": {
            "widthwise": __version__,
            "python": platform.python_version(),
            "numpy": version("numpy"),
        },
        "commit": _commit(),
        "machine": {"cpu": _cpu(), "cores": _cores(), "system": f"{platform.system()} {platform.machine()}"},
    }


def stamp_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """What every line of a run says of its making: versions, commit and command; a resumed run may have several."""
    versions = {name: config["versions"][name] for name in ("widthwise", "python")}
    return {"versions": versions, "commit": config["commit"], "command": config["command"]}


def changes_since(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """How the program that resumes a run differs from the one that began it, in words; what is missing is unknown."""
    old, new = before.get("versions", {}), now["versions"]
    pairs = [(name, old.get(name), new.get(name)) for name in {**old, **new}]
    pairs.append(("commit", before.get("commit"), now["commit"]))
    return [f"{name} {then or 'unknown'} then, {here or 'unknown'} now" for name, then, here in pairs if then != here]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cpu() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _commit() -> str | None:
    """The commit this program is at, if it runs from a git checkout of its own."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        call = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--dirty"]
        told = subprocess.run(call, capture_output=True, text=True, check=True, timeout=10)
        return told.stdout.strip() or None
    return None
