"""Find the Pythons of this machine that Widthwise supports: `python scripts/pythons.py` prints them as JSON.

Looked at are `PATH`, `/usr/bin`, and the folders of pyenv and uv. Of every version one interpreter is taken, one with
headers if there is one. What does not start (a shim of pyenv without its version) is left out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

MINORS = range(11, 15)
#: Prints the version, the program itself, and whether it can build extensions; fails for builds without the GIL.
QUESTION = """
import json, os, sys, sysconfig, venv
assert not sysconfig.get_config_var("Py_GIL_DISABLED")
header = os.path.join(sysconfig.get_path("include"), "Python.h")
base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
print(json.dumps([sys.version_info[1], base, os.path.exists(header)]))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python of this machine."""

    minor: int
    path: str
    headers: bool

    @property
    def name(self) -> str:
        """The version as in `python3.12`."""
        return f"python3.{self.minor}"


def candidates(minor: int) -> Iterator[str]:
    """Where a Python of this version may be, the usual one first."""
    name = f"python3.{minor}"
    if sys.version_info[:2] == (3, minor):
        yield sys.executable
    if path := shutil.which(name):
        yield path
    yield f"/usr/bin/{name}"
    home = Path.home()
    roots = [
        Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions",
        Path(os.environ.get("UV_PYTHON_INSTALL_DIR", home / ".local/share/uv/python")),
    ]
    for root in roots:
        yield from (str(path) for path in sorted(root.glob(f"*/bin/{name}")))


def examine(path: str) -> Interpreter | None:
    """What a program says of itself; None if it is not a usable Python."""
    try:
        done = subprocess.run([path, "-I", "-c", QUESTION], capture_output=True, text=True, timeout=60, check=True)
        minor, program, headers = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return Interpreter(minor, program, headers)


def interpreters() -> list[Interpreter]:
    """One Python of each supported version that this machine has."""
    chosen = []
    for minor in MINORS:
        examined = [
            python for path in dict.fromkeys(candidates(minor)) if (python := examine(path)) and python.minor == minor
        ]
        chosen += sorted(examined, key=lambda python: not python.headers)[:1]
    return chosen


if __name__ == "__main__":
    print(json.dumps([asdict(python) for python in interpreters()], indent=1))
