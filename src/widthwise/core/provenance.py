"""How a run was made: command, versions, commit and machine."""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from widthwise.version import __version__


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
        "machine": {"cpu": _cpu(), "cores": cores(), "system": f"{platform.system()} {platform.machine()}"},
    }


def stamp_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """The origin that every line of a run records: versions, commit and command; a resumed run may have several."""
    versions = {name: config["versions"][name] for name in ("widthwise", "python")}
    return {"versions": versions, "commit": config["commit"], "command": config["command"]}


def changes_since(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """How the program that resumes a run differs from the one that started it, in words; what is missing is unknown."""
    old, new = before.get("versions", {}), now["versions"]
    pairs = [(name, old.get(name), new.get(name)) for name in {**old, **new}]
    pairs.append(("commit", before.get("commit"), now["commit"]))
    return [f"{name} {then or 'unknown'} then, {here or 'unknown'} now" for name, then, here in pairs if then != here]


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cpu() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _commit() -> str | None:
    """The commit this program is at, if it runs from its own git checkout."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        call = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--dirty"]
        output = subprocess.run(call, capture_output=True, text=True, check=True, timeout=10).stdout
        return output.strip() or None
    return None
