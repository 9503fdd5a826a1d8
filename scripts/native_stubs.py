"""Write the stubs of the native module, or check that the ones in the repository are up to date.

python scripts/native_stubs.py [--check]
"""

from __future__ import annotations

import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

STUBS = Path(__file__).resolve().parent.parent / "src" / "widthwise" / "_native.pyi"

_SHAPE = "dict(shape=(None,), order='C', device='cpu', writable=False)"
# What the generator cannot know: which functions a level takes, and that any buffer of numbers will do.
MORE_PRECISE = {
    "Sequence[int] | Callable]": "Sequence[int] | Callable[[State], int]]",
    f"Annotated[NDArray[numpy.int32], {_SHAPE}]": "Buffer",
    f"Annotated[NDArray[numpy.float64], {_SHAPE}]": "Buffer",
    "import numpy\nfrom numpy.typing import NDArray\n": "from typing_extensions import Buffer\n",
    "from typing import Annotated, overload": "from typing import overload",
}


def generate() -> str:
    """The stubs of the module that is installed."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "_native.pyi"
        command = [
            sys.executable,
            "-m",
            "nanobind.stubgen",
            "-q",
            "-m",
            "widthwise._native",
            "-o",
            str(target),
        ]
        subprocess.run(command, check=True)
        text = target.read_text(encoding="utf-8")
    for vague, precise in MORE_PRECISE.items():
        text = text.replace(vague, precise)
    formatter = ["ruff", "format", "--quiet", "--stdin-filename", str(STUBS), "-"]
    done = subprocess.run(
        [sys.executable, "-m", *formatter],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        cwd=STUBS.parent,
    )
    return done.stdout


def main(arguments: list[str]) -> int:
    """Write the stubs, or with --check compare them."""
    text = generate()
    if arguments != ["--check"]:
        STUBS.write_text(text, encoding="utf-8")
        return 0
    stored = STUBS.read_text(encoding="utf-8")
    sys.stderr.writelines(
        difflib.unified_diff(stored.splitlines(True), text.splitlines(True), "in the repository", "as built")
    )
    if stored != text:
        print("The stubs of the native module are out of date: make stubs", file=sys.stderr)
    return int(stored != text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
